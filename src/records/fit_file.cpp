#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/Eigenvalues>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/output/json.hpp>
#include <carom/records/fit_file.hpp>

#include "text_file.hpp"

namespace carom {
namespace {

constexpr std::array<std::pair<const char*, double Impact::*>, 5> predicted{
    {{"rebound_speed", &Impact::rebound_speed},
     {"restitution", &Impact::restitution},
     {"max_compression", &Impact::max_compression},
     {"max_force", &Impact::max_force},
     {"contact_time", &Impact::contact_time}}};

constexpr int draws = 400;  ///< a 95 % interval is then known to about 5 % of its width

/// What `use` makes of the document in a file; every complaint names the file.
template <class Use>
auto from_document(const std::filesystem::path& file, const TextFile& text, Use use)
    -> decltype(use(Json())) {
  std::string whole;
  for (const std::string& line : text.lines) whole += line + "\n";
  try {
    return use(parse_json(whole));
  } catch (const InvalidInput& error) {
    refuse_file(file, error.what());
  } catch (const Json::exception&) {
    refuse_file(file, "is not a fit: carom identify FILE --output writes one");
  }
}

double finite(const Json& json, const char* what) {
  if (!json.is_number()) throw InvalidInput(std::string(what) + ": must be a number");
  return json.get<double>();
}

}  // namespace

FitFile fit_of(const Json& document) {
  if (!document.is_object()) throw InvalidInput("is not a fit");
  if (document.contains("runs"))
    throw InvalidInput("holds several runs; write one of them with carom identify --run N");
  if (!document.contains("law") || !document.contains("verdict"))
    throw InvalidInput("is not a fit: carom identify FILE --output writes one");
  if (!document.contains("joint"))
    throw InvalidInput("the data left this law incomplete (undetermined: " +
                       json_text(document.value("undetermined", Json::array())) + ")");
  const AnyLaw law = law_from_json(document["law"]);
  const Json& joint = document["joint"];
  FieldValues given = values_of(law);
  for (const Json& name : joint.at("parameters")) given.erase(name.get<std::string>());
  FitFile fit{.law = law,
              .mass = {},
              .family = LawFamily(law_name(law), given),
              .centre = {},
              .covariance = {}};
  const auto n = static_cast<std::size_t>(fit.family.size());
  if (joint.at("centre").size() != n || joint.at("covariance").size() != n)
    throw InvalidInput("is not a fit: its joint distribution has another size than its law");
  fit.centre = fit.family.parameters(law);
  fit.covariance.resize(long(n), long(n));
  for (std::size_t i = 0; i < n; ++i) {
    const Json& row = joint.at("covariance")[i];
    if (row.size() != n) throw InvalidInput("is not a fit: its covariance is not square");
    for (std::size_t j = 0; j < n; ++j)
      fit.covariance(long(i), long(j)) = finite(row[j], "joint.covariance");
  }
  fit.factor = finite(joint.at("factor"), "joint.factor");
  if (const Json& mass = document.at("reference").at("mass"); mass.is_number()) fit.mass = mass;
  for (const Json& one : document.value("candidates", Json::array())) {
    if (one.at("verdict") == "accepted" && one.value("complete", false) &&
        one.at("law").at("name") != law_name(law))
      fit.alternatives.push_back(law_from_json(one.at("law")));
  }
  return fit;
}

FitFile read_fit(const std::filesystem::path& file) {
  return from_document(file, read_text(file),
                       [](const Json& document) { return fit_of(document); });
}

static Json keys_of_law(const Json& document) {
  if (document.contains("law") && document["law"].value("name", "") == "constant-restitution")
    return {{"law", "newton"}, {"restitution", document["law"].at("restitution")}};
  const AnyLaw law = fit_of(document).law;
  Json keys{{"law", law_name(law)}};
  for (const auto& [name, value] : values_of(law)) {
    if (law_info(law).find(name)->type != FieldType::fixed)
      std::visit([&to = keys[name]](const auto& one) { to = one; }, value);
  }
  return keys;
}

Json fitted_law(const std::filesystem::path& file) {
  return from_document(file, read_text(file), keys_of_law);
}

Json fitted_law(const std::filesystem::path& file, const std::string& bytes) {
  return from_document(file, text_of(file, bytes), keys_of_law);
}

FittedContact fitted_contact_of(const Json& document) {
  const auto reference = [&](const char* name) -> std::optional<double> {
    const Json& value = document.at("reference").at(name);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
  };
  if (document.is_object() && document.contains("law") &&
      document["law"].value("name", "") == "constant-restitution") {
    const NewtonRestitution law{finite(document["law"].at("restitution"), "restitution")};
    validate(law);
    return {law, reference("mass"), reference("speed")};
  }
  const FitFile fit = fit_of(document);
  return {fit.law, fit.mass, reference("speed")};
}

FittedContact fitted_contact(const std::filesystem::path& file) {
  return from_document(file, read_text(file),
                       [](const Json& document) { return fitted_contact_of(document); });
}

Prediction predict(const FitFile& fit, const Collision& collision) {
  Prediction out{.hit = impact(fit.law, collision), .intervals = {}, .alternatives = {}};
  // Draws from the joint normal distribution, widened where the noise itself was estimated.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(fit.covariance);
  const Eigen::MatrixXd root =
      axes.eigenvectors() * axes.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::array<std::vector<double>, predicted.size()> seen;
  for (int k = 0; k < draws; ++k) {
    Eigen::VectorXd z(fit.centre.size());
    for (double& one : z) one = normal(random) * fit.factor / 1.96;
    try {
      const Impact hit = impact(fit.family.law(fit.centre + root * z), collision);
      for (std::size_t i = 0; i < predicted.size(); ++i) {
        const double value = hit.*predicted[i].second;
        if (std::isfinite(value)) seen[i].push_back(value);
      }
    } catch (const InvalidInput&) {
      continue;  // numbers at which the impact cannot be followed have no outcome to count
    }
  }
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    std::vector<double>& values = seen[i];
    if (values.size() < draws / 2) continue;
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) {
      return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
    };
    const double value = out.hit.*predicted[i].second;
    out.intervals.push_back(
        {predicted[i].first, {std::min(at(0.025), value), std::max(at(0.975), value)}});
  }
  for (const AnyLaw& law : fit.alternatives)
    out.alternatives.emplace_back(law_name(law), impact(law, collision));
  return out;
}

}  // namespace carom
