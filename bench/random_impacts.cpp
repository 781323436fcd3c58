// Random impacts over the contract's ranges, contact from 0.01 to 10 000 samples: how often and by
// how much each method gains energy, sticks or loses its numbers.
//   carom_bench_random_impacts [impacts] [picture.svg]
// A million by the passive method take a quarter of an hour of CPU; the other methods get a
// hundredth of the number, enough for the picture.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <carom/impact/hunt_crossley.hpp>
#include <carom/output/figure.hpp>
#include <carom/output/files.hpp>
#include <carom/steppers/wall_march.hpp>

namespace {

using namespace carom;

constexpr int bins = 24;  // of log10 of the contact time in samples, -2 to 4

struct Tally {
  long long impacts = 0, gained = 0, stuck = 0, not_numbers = 0;
  double worst_gain = 0.0;           ///< in one step, over the initial energy
  double worst_error = 0.0;          ///< of the rebound speed, relative
  std::array<double, bins> error{};  ///< worst relative error of the rebound speed
  std::array<double, bins> gain{};
};

Tally run(long long count, ContactMethod method) {
  std::mt19937_64 random(2011);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto log_between = [&](double a, double b) { return a * std::pow(b / a, unit(random)); };
  Tally tally;
  for (long long i = 0; i < count; ++i) {
    const double m = log_between(1e-6, 1e4), k = log_between(1, 1e13), n = 1 + 4 * unit(random);
    const double v = log_between(1e-4, 1e3), u = unit(random) < 0.1 ? 0.0 : log_between(1e-4, 1e3);
    const double samples = log_between(0.01, 1e4), phase = unit(random);
    const HuntCrossley law{k, n, u / v};
    const double rate = samples / contact_time(law, {m, v});
    const auto march = make_wall_march({.law = law,
                                        .method = method,
                                        .mass = m,
                                        .rate = rate,
                                        .position = -phase * v / rate,
                                        .velocity = v});
    const double initial = march->ledger().stored();
    double stored = initial, gain = 0.0;
    const auto most = static_cast<long long>(4 * samples + 100);
    long long s = 0;
    for (; s < most && march->finished().empty(); ++s) {
      march->step();
      gain = std::max(gain, march->ledger().stored() - stored);
      stored = march->ledger().stored();
    }
    const auto bin =
        std::clamp(static_cast<int>((std::log10(samples) + 2) / 6 * bins), 0, bins - 1);
    ++tally.impacts;
    if (!std::isfinite(stored)) {
      ++tally.not_numbers;
      continue;
    }
    if (march->finished().empty()) {
      ++tally.stuck;
      continue;
    }
    const double exact = rebound_speed(law.mu, v);
    const double error = std::abs(march->finished()[0].speed_out / exact - 1);
    if (gain > 1e-12 * initial) ++tally.gained;
    tally.worst_gain = std::max(tally.worst_gain, gain / initial);
    tally.worst_error = std::max(tally.worst_error, error);
    tally.error[static_cast<std::size_t>(bin)] =
        std::max(tally.error[static_cast<std::size_t>(bin)], error);
    tally.gain[static_cast<std::size_t>(bin)] =
        std::max(tally.gain[static_cast<std::size_t>(bin)], gain / initial);
  }
  return tally;
}

/// Variants of one method share a colour; those that keep the energy have points.
struct Look {
  ContactMethod method;
  Series::Style style;
  int colour;
};
constexpr Look looks[] = {{ContactMethod::rk4, Series::Style::line, 0},
                          {ContactMethod::heun, Series::Style::line, 1},
                          {ContactMethod::heun_textbook, Series::Style::dashes, 1},
                          {ContactMethod::verlet, Series::Style::line, 3},
                          {ContactMethod::verlet_textbook, Series::Style::dashes, 3},
                          {ContactMethod::trapezoid, Series::Style::line, 4},
                          {ContactMethod::symplectic, Series::Style::line, 7},
                          {ContactMethod::passive, Series::Style::line_points, 6},
                          {ContactMethod::discrete_gradient, Series::Style::line_points, 2},
                          {ContactMethod::event_driven, Series::Style::line_points, 5}};
Look look_of(ContactMethod method) {
  return *std::find_if(std::begin(looks), std::end(looks),
                       [&](const Look& look) { return look.method == method; });
}

}  // namespace

int main(int argc, char** argv) {
  const long long count = argc > 1 ? std::atoll(argv[1]) : 10000;
  std::printf("%-18s %9s %9s %7s %7s %12s %12s\n", "method", "impacts", "gained", "stuck", "NaN",
              "worst gain", "worst error");
  Panel error{.title = "Rebound speed; more than 1e6 is drawn there",
              .x_label = "contact time in samples",
              .y_label = "worst relative error",
              .log_x = true,
              .log_y = true,
              .y_range = Range{1e-18, 1e8},
              .key = Panel::Key::right};
  Panel gain = error;
  gain.title = "Energy; none gained is drawn at 1e-17";
  gain.y_label = "worst gain in a step / initial energy";
  std::vector<double> x;
  const double max_shown = 1e6, least_shown = 1e-17;
  for (int b = 0; b < bins; ++b) x.push_back(std::pow(10, -2 + 6 * (b + 0.5) / bins));
  bool kept = true;
  for (const ContactMethodEntry& e : contact_methods()) {
    const bool own_steps = e.method == ContactMethod::passive;
    const Tally t = run(own_steps ? count : std::max(1LL, count / 100), e.method);
    std::printf("%-18s %9lld %9lld %7lld %7lld %12.2e %12.2e\n", e.traits.name.data(), t.impacts,
                t.gained, t.stuck, t.not_numbers, t.worst_gain, t.worst_error);
    if (own_steps)
      kept = t.gained == 0 && t.stuck == 0 && t.not_numbers == 0 && t.worst_error <= 1e-9;
    const auto shown = [&](const std::array<double, bins>& values) {
      std::vector<double> y;
      for (const double value : values) y.push_back(std::clamp(value, least_shown, max_shown));
      return y;
    };
    const Look look = look_of(e.method);
    const std::string name(e.traits.name);
    error.series.push_back({name, x, shown(t.error), look.style, look.colour});
    gain.series.push_back({name, x, shown(t.gain), look.style, look.colour});
  }
  const auto promise = [&](double value) {
    return Series{"promised", {x.front(), x.back()}, {value, value}, Series::Style::dashes, 5};
  };
  error.series.push_back(promise(1e-9));
  gain.series.push_back(promise(1e-12));
  if (argc > 2)
    write_file(
        argv[2],
        draw_svg({.panels = {error, gain}, .columns = 1, .panel_width = 860, .panel_height = 400}));
  std::printf("the passive method %s its promise\n", kept ? "keeps" : "BREAKS");
  return kept ? 0 : 1;
}
