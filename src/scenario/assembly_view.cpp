#include "assembly_view.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "contact_law.hpp"
#include "wall_kind.hpp"

namespace carom {
namespace {

constexpr int frames = 400;
constexpr std::size_t max_curves = 12;  ///< of a picture: as many as colours can be told apart

bool shown(const AssemblyBody& body) { return body.type != BodyType::fixed; }

}  // namespace

AssemblyView::Model AssemblyView::model_of(const Assembly& parts) {
  if (parts.dimension == 2) return PlaneAssembly(parts);
  return LineAssembly(parts);
}

AssemblyView::AssemblyView(const AssemblyFile& file)
    : file_(&file),
      model_(model_of(file.parts)),
      system_(std::visit([](const auto& model) { return AnySystem(model); }, model_)),
      start_(std::visit([](const auto& model) { return model.start(); }, model_)) {
  for (const bool free : {true, false}) {
    for (std::size_t b = 0; b < file.parts.bodies.size(); ++b) {
      const AssemblyBody& body = file.parts.bodies[b];
      if (shown(body) && moves_freely(body) == free) shown_.push_back(b);
    }
  }
}

int AssemblyView::contact_of(int gap) const {
  const auto* plane = plane_model();
  return plane != nullptr ? plane->contact_of(gap) : gap;
}

std::vector<double> AssemblyView::of_gaps(const std::vector<double>& of_contacts) const {
  std::vector<double> values;
  for (int gap = 0; gap < gaps(); ++gap)
    values.push_back(of_contacts[static_cast<std::size_t>(contact_of(gap))]);
  return values;
}

int AssemblyView::body(const std::string& name) const {
  for (std::size_t b = 0; b < file_->parts.bodies.size(); ++b) {
    if (file_->parts.bodies[b].name == name) return static_cast<int>(b);
  }
  throw std::logic_error("no body '" + name + "'");
}

std::vector<Signal> AssemblyView::signals() const {
  std::vector<Signal> signals;
  for (const std::size_t b : shown_) {
    const AssemblyBody& body = file_->parts.bodies[b];
    const std::string& name = body.name;
    const bool modal = body.type == BodyType::modal;
    signals.push_back({name + ".x", "m", modal ? "where it is touched or held first" : "position"});
    if (plane()) {
      signals.push_back({name + ".y", "m", "position"});
      signals.push_back({name + ".angle", "rad", "counter-clockwise"});
      signals.push_back({name + ".vx", "m/s", "velocity"});
      signals.push_back({name + ".vy", "m/s", "velocity"});
      signals.push_back({name + ".spin", "rad/s", "counter-clockwise"});
    } else {
      signals.push_back({name + ".v", "m/s", "velocity"});
    }
  }
  for (const std::string& name : file_->contact_names)
    signals.push_back({name + ".force", "N", "contact force along the normal"});
  return signals;
}

PlaneAssembly::Pose AssemblyView::pose(int body, const AssemblyMarch& now) const {
  if (const auto* plane = plane_model())
    return plane->pose(body, now.time(), now.position(), now.velocity());
  const MotionPoint at =
      std::get<LineAssembly>(model_).place(body, 0, now.time(), now.position(), now.velocity());
  return {.place = {at.value, 0.0}, .velocity = {at.rate, 0.0}};
}

void AssemblyView::add_forces(const AssemblyMarch& now, std::vector<double>& values) const {
  const std::size_t first = values.size();
  values.resize(first + file_->parts.contacts.size(), 0.0);
  for (int gap = 0; gap < gaps(); ++gap)
    values[first + static_cast<std::size_t>(contact_of(gap))] += now.force(gap);
}

void AssemblyView::row(const AssemblyMarch& now, std::vector<double>& values) const {
  values.clear();
  for (const std::size_t b : shown_) {
    const PlaneAssembly::Pose at = pose(static_cast<int>(b), now);
    if (plane()) {
      values.insert(values.end(), {at.place.x(), at.place.y(), at.angle, at.velocity.x(),
                                   at.velocity.y(), at.spin});
    } else {
      values.insert(values.end(), {at.place.x(), at.velocity.x()});
    }
  }
  add_forces(now, values);
}

double AssemblyView::kinetic_energy(int body, const AssemblyMarch& now) const {
  if (const auto* plane = plane_model())
    return plane->kinetic_energy(body, now.position(), now.velocity());
  return std::get<LineAssembly>(model_).kinetic_energy(body, now.velocity());
}

double AssemblyView::heard(int body, bool velocity, const AssemblyMarch& now) const {
  const PlaneAssembly::Pose at = pose(body, now);
  // In the plane what a microphone above would hear: the vertical motion.
  const auto part = [&](const Eigen::Vector2d& vector) {
    return plane() ? vector.y() : vector.x();
  };
  return velocity ? part(at.velocity) : part(at.place);
}

Json AssemblyView::contacts_json(const Scenario& scenario,
                                 const std::vector<AssemblyImpact>& impacts) const {
  Json list = Json::array();
  for (std::size_t i = 0; i < file_->parts.contacts.size(); ++i) {
    Json entry{{"name", file_->contact_names[i]},
               {"between", scenario.texts(fmt::format("contact.{}.between", i + 1))},
               {"impacts", Json::array()}};
    list.push_back(std::move(entry));
  }
  for (const AssemblyImpact& impact : impacts)
    list[static_cast<std::size_t>(contact_of(impact.contact))]["impacts"].push_back(
        impact_json(impact.record));
  return list;
}

Json AssemblyView::laws_json(const Scenario& scenario) const {
  Json list = Json::array();
  for (std::size_t i = 0; i < file_->parts.contacts.size(); ++i) {
    Json law = law_depends_on_impact(scenario, i) ? scenario.table(fmt::format("contact.{}", i + 1))
                                                  : law_json(assembly_law(scenario, i, {1.0, 1.0}));
    law["contact"] = file_->contact_names[i];
    list.push_back(std::move(law));
  }
  return list;
}

double AssemblyView::energy_scale(const AssemblyMarch& now) const {
  const Ledger& ledger = now.ledger();
  return std::max({std::abs(ledger.initial()), std::abs(ledger.stored()), ledger.dissipated(),
                   std::abs(ledger.injected()), 1e-300});
}

AssemblyRecorder::AssemblyRecorder(const AssemblyView& view, const AssemblyFile& file,
                                   RunContext& context, double duration)
    : view_(view), file_(file), context_(context), duration_(duration) {
  context.signals(view.signals());
}

void AssemblyRecorder::record(const AssemblyMarch& now) {
  view_.row(now, values_);
  context_.record(now.time(), values_);
  const double kinetic = now.kinetic_energy();
  most_ = std::max(most_, kinetic);
  const Ledger ledger = now.ledger_now();
  context_.energy(
      {now.time(), kinetic, now.stored_energy() - kinetic, ledger.dissipated(), ledger.injected()});
  if (!context_.pictures() || now.time() < next_frame_) return;
  next_frame_ = std::max(next_frame_, now.time()) + duration_ / frames;
  times_.push_back(now.time());
  for (std::size_t b = 0; b < file_.parts.bodies.size(); ++b) {
    const PlaneAssembly::Pose at = view_.pose(static_cast<int>(b), now);
    poses_.push_back({at.place.x(), at.place.y(), at.angle});
    kinetic_.push_back(view_.kinetic_energy(static_cast<int>(b), now));
  }
  view_.add_forces(now, forces_);
}

std::vector<Picture> AssemblyRecorder::pictures() const {
  // Milliseconds where seconds would need many digits.
  const bool brief = duration_ < 0.2;
  std::vector<double> times = times_;
  for (double& time : times) time *= brief ? 1e3 : 1.0;
  const std::string x_label = brief ? "time [ms]" : "time [s]";
  const auto curves = [&](const std::vector<double>& all, std::size_t count, auto&& name,
                          auto&& wanted) {
    std::vector<Series> series;
    for (std::size_t i = 0; i < count && series.size() < max_curves; ++i) {
      if (!wanted(i)) continue;
      Series one{.label = name(i), .x = times, .y = {}};
      for (std::size_t k = 0; k < times_.size(); ++k) one.y.push_back(all[k * count + i]);
      series.push_back(std::move(one));
    }
    return series;
  };
  const auto& bodies = file_.parts.bodies;
  std::vector<Picture> pictures;
  if (auto series = curves(
          kinetic_, bodies.size(), [&](std::size_t i) { return bodies[i].name; },
          [&](std::size_t i) { return moves_freely(bodies[i]); });
      !series.empty()) {
    pictures.push_back({.name = "energy_by_body",
                        .caption = "How the kinetic energy passes between the bodies.",
                        .panel = {.title = "Kinetic energy by body",
                                  .x_label = x_label,
                                  .y_label = "energy [J]",
                                  .series = std::move(series),
                                  .key = Panel::Key::right}});
  }
  auto forces = curves(
      forces_, file_.parts.contacts.size(), [&](std::size_t i) { return file_.contact_names[i]; },
      [](std::size_t) { return true; });
  std::erase_if(forces, [](const Series& one) {
    return std::all_of(one.y.begin(), one.y.end(), [](double force) { return force == 0; });
  });
  if (!forces.empty()) {
    pictures.push_back(
        {.name = "forces_by_contact",
         .caption = "Contact forces at the frames of the animation; shorter contacts fall between "
                    "frames, and what only has such is left out.",
         .panel = {.title = "Contact forces",
                   .x_label = x_label,
                   .y_label = "force [N]",
                   .series = std::move(forces),
                   .key = Panel::Key::right}});
  }
  return pictures;
}

BodyFilm AssemblyRecorder::film() const {
  BodyFilm film{.name = "bodies",
                .title = "The bodies in motion",
                .caption = "Every body at its position.",
                .times = times_,
                .line = !view_.plane()};
  const std::size_t count = file_.parts.bodies.size();
  double closest = 0;  // on a line bodies have no size of their own: half the smallest distance
  for (const AssemblyContact& contact : file_.parts.contacts) {
    if (contact.distance > 0 && (closest == 0 || contact.distance < closest))
      closest = contact.distance;
  }
  for (std::size_t b = 0; b < count; ++b) {
    const AssemblyBody& part = file_.parts.bodies[b];
    BodyFilm::Body body{.label = part.name, .moves = shown(part)};
    if (!view_.plane()) {
      const bool round = part.type == BodyType::mass;
      body.shape = round ? BodyFilm::Shape::disc : BodyFilm::Shape::plate;
      body.width = body.height = round ? closest : 0.0;
    } else {
      switch (part.outline) {
        case Outline::disc:
          body.shape = BodyFilm::Shape::disc;
          body.width = body.height = 2 * part.radius;
          break;
        case Outline::box:
          body.shape = BodyFilm::Shape::box;
          body.width = part.width;
          body.height = part.height;
          break;
        case Outline::rod:
          body.shape = BodyFilm::Shape::rod;
          body.width = part.length + 2 * part.radius;
          body.height = 2 * part.radius;
          break;
        case Outline::wall:
          body.shape = BodyFilm::Shape::wall;
          break;
      }
    }
    for (std::size_t k = 0; k < times_.size(); ++k) {
      const Frame& frame = poses_[k * count + b];
      body.x.push_back(frame.x);
      body.y.push_back(frame.y);
      body.angle.push_back(frame.angle);
    }
    film.bodies.push_back(std::move(body));
  }
  if (view_.plane()) {
    const std::vector<double> still(times_.size(), 0.0);
    const bool used =
        std::any_of(file_.parts.contacts.begin(), file_.parts.contacts.end(),
                    [](const AssemblyContact& c) { return c.first < 0 || c.second < 0; });
    if (used)
      film.bodies.push_back({.label = "ground",
                             .shape = BodyFilm::Shape::wall,
                             .moves = false,
                             .x = still,
                             .y = still,
                             .angle = still});
  }
  return film;
}

}  // namespace carom
