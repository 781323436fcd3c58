#include "issanchou_strings.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>

#include <Eigen/Core>
#include <fmt/format.h>

#include <carom/core/clock.hpp>
#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_recorder.hpp>
#include <carom/systems/obstacles.hpp>

#include "../scenario/table_file.hpp"

namespace carom::issanchou {
namespace {

namespace fs = std::filesystem;

/// The folder with the measured strings; empty when there is none.
fs::path measured_folder() {
  const char* shared = std::getenv("CAROM_SHARED");
  if (shared == nullptr) return {};
  const fs::path folder = fs::path(shared) / "data" / "strings";
  std::error_code error;
  return fs::is_directory(folder, error) ? folder : fs::path{};
}

void use_table(Case& string, const fs::path& folder, const char* start_column) {
  const TableFile modes(folder / "modes.csv"), start(folder / "initial_modal.csv");
  const std::vector<double> frequency = modes.column("frequency_Hz"),
                            sigma = modes.column("sigma_1_per_s");
  const std::vector<double> q = start.column(start_column);
  string.problem.body.modes.clear();
  for (std::size_t j = 0; j < frequency.size(); ++j) {
    string.problem.body.modes.push_back(
        {.frequency = frequency[j], .damping = sigma[j], .mass = string.model.linear_density});
  }
  string.problem.start.position =
      Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
  string.problem.start.velocity.resize(0);
  string.measured = true;
}

void place(Case& string, const std::vector<double>& positions, const std::vector<double>& heights,
           double output) {
  string.problem.body.shapes = string_shapes(string.model.length, string.model.modes, positions);
  string.problem.heights = heights;
  string.positions = positions;
  string.output = string_shapes(string.model.length, string.model.modes, std::array{output});
}

/// y = a + b x by least squares.
struct Line {
  double a, b;
};
Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  const auto as_array = [](const std::vector<double>& v) {
    return Eigen::Map<const Eigen::ArrayXd>(v.data(), static_cast<Eigen::Index>(v.size()));
  };
  const double x_mean = as_array(x).mean(), y_mean = as_array(y).mean();
  const Eigen::ArrayXd off = as_array(x) - x_mean;
  const double b = (off * (as_array(y) - y_mean)).sum() / off.square().sum();
  return {y_mean - b * x_mean, b};
}

struct Recovered {
  double tension, b, viscoelastic, thermoelastic;
};

/// The parameters of the model back from the frequencies and dampings of the modes first..last.
Recovered recover(const Case& string, int first, int last) {
  using std::numbers::pi;
  const StiffString& model = string.model;
  const bool appendix = model.model == StringModel::appendix;
  std::vector<double> squares, speeds, rates, losses;
  const double c0 = std::sqrt(model.tension / model.linear_density);
  for (int j = first; j <= last; ++j) {
    const Mode& mode = string.problem.body.modes[static_cast<std::size_t>(j - 1)];
    const double c = mode.frequency * 2 * model.length / j;
    squares.push_back(static_cast<double>(j) * j);
    speeds.push_back(appendix ? c : c * c);
    // 1/Q without the air, against what multiplies delta_ve; (A.3) and (A.4).
    const double nu = mode.frequency, ideal = j * c0 / (2 * model.length);
    const double r =
        2 * pi * model.air_viscosity +
        2 * pi * model.air_diameter * std::sqrt(pi * model.air_viscosity * model.air_density * nu);
    losses.push_back(mode.damping / (pi * nu) -
                     (appendix ? ideal / nu : 1.0) * r / (2 * pi * model.linear_density * nu));
    rates.push_back(4 * model.length * model.length * model.inharmonicity * model.linear_density /
                    model.tension * (appendix ? ideal * ideal * ideal / nu : nu * nu));
  }
  const Line frequency = fit_line(squares, speeds), loss = fit_line(rates, losses);
  const double c2 = appendix ? frequency.a * frequency.a : frequency.a;
  return {.tension = c2 * model.linear_density,
          .b = frequency.b / frequency.a * (appendix ? 2 : 1),
          .viscoelastic = loss.b,
          .thermoelastic = loss.a};
}

}  // namespace

Case point_bridge() {
  Case string{.model = {.length = 1.002,
                        .linear_density = 1.17e-3,
                        .tension = 180.5,
                        .modes = 1001,
                        .inharmonicity = 1.78e-5,
                        .air_diameter = 0.43e-3,
                        .viscoelastic = 4.5e-3,
                        .thermoelastic = 2.03e-4},
              .problem = {},
              .output = {}};
  string.problem.body = modal_body(string.model);
  string.problem.start =
      pluck(string.model, string.problem.body, {.position = 0.501, .height = 1.8e-3});
  if (const fs::path folder = measured_folder(); !folder.empty()) {
    use_table(string, folder / "one_contact", "q0_triangle_1p8mm_m32");
  }
  place(string, {0.006}, {0.0}, 0.992);
  string.problem.law = NewtonRestitution{.restitution = 0};
  string.problem.rate = 2e6;
  return string;
}

Case bass() {
  Case string{.model = {.length = 0.863,
                        .linear_density = 0.0067,
                        .tension = 191.6,
                        .modes = 862,
                        .inharmonicity = 3.5e-5,
                        .air_diameter = wound_diameter((1.14e-3 - 0.43e-3) / 2, 0.43e-3),
                        .viscoelastic = 0.01,
                        .thermoelastic = 6e-6,
                        .model = StringModel::appendix},
              .problem = {},
              .output = {}};
  string.problem.body = modal_body(string.model);
  string.problem.start = pluck(
      string.model, string.problem.body,
      {.shape = PluckShape::smoothed, .position = 0.64, .height = 3.6e-3, .smoothing = 6.5e-3});
  std::vector<double> positions, heights;
  if (const fs::path folder = measured_folder(); !folder.empty()) {
    use_table(string, folder / "bass_fretted", "q_t0_m32");
    const TableFile frets_file(folder / "bass_fretted" / "frets.csv");
    positions = frets_file.column("x_m");
    heights = frets_file.column("height_m");
  } else {
    // A neck like the paper's: 0.63 mm under the string at the first fret, 2.3 mm at the last.
    for (const ObstaclePoint& fret :
         frets({.frets = 20, .nut = 0.5e-3, .action = 1.75e-3, .relief = 0.2e-3},
               string.model.length)) {
      positions.push_back(fret.position);
      heights.push_back(fret.height);
    }
  }
  place(string, positions, heights, 0.854);
  string.problem.law = NewtonRestitution{.restitution = 1};
  string.problem.rate = 1e6;
  return string;
}

Signal play(const Case& string, const ModalProblem& problem, double duration, double step,
            bool at_contact) {
  const int stride = std::max(1, static_cast<int>(std::lround(step * problem.rate)));
  ModalMarch march(problem);
  ModalRecorder recorder(
      problem, at_contact ? ShapeMatrix(problem.body.shapes.topRows(1)) : string.output, stride);
  Signal signal;
  signal.rate = problem.rate / stride;
  recorder.displacements(signal.value);
  const long long total = std::llround(duration * problem.rate);
  while (march.steps() < total) {
    march.clear_impulses();
    const double begin = cpu_now();
    march.advance(std::min<long long>(65536, total - march.steps()));
    signal.cpu_seconds += cpu_now() - begin;
    recorder.record(march.steps(), march.impulses(), signal.value);
    for (const ContactImpulse& impulse : march.impulses()) {
      const double t = static_cast<double>(impulse.step) / problem.rate;
      if (signal.contact_times.empty() || t > signal.contact_times.back())
        signal.contact_times.push_back(t);
    }
  }
  if (!signal.contact_times.empty()) {
    signal.first_contact = signal.contact_times.front();
    signal.last_contact = signal.contact_times.back();
  }
  for (std::size_t i = 0; i < signal.value.size(); ++i) {
    signal.time.push_back(static_cast<double>(i) / signal.rate);
  }
  return signal;
}

Signal until(Signal signal, double time) {
  const auto count =
      std::min(signal.value.size(), static_cast<std::size_t>(std::llround(time * signal.rate)) + 1);
  signal.value.resize(count);
  signal.time.resize(count);
  return signal;
}

double difference_percent(const Signal& a, const Signal& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < std::min(a.value.size(), b.value.size()); ++i) {
    difference += (a.value[i] - b.value[i]) * (a.value[i] - b.value[i]);
    size += b.value[i] * b.value[i];
  }
  return 100 * std::sqrt(difference / size);
}

void reproduce_strings(Reproduction& paper) {
  const Case guitar = point_bridge(), low = bass();
  paper.set("Data", "measured modes used",
            guitar.measured ? guitar.model.modes + low.model.modes : 0);
  const Recovered first = recover(guitar, 500, 900), second = recover(low, 120, 780);
  paper.set("Table I", "tension", first.tension);
  paper.set("Table I", "fundamental c/(2L)",
            std::sqrt(first.tension / guitar.model.linear_density) / (2 * guitar.model.length));
  paper.set("Table II", "B", first.b);
  paper.set("Table II", "delta_ve", first.viscoelastic);
  paper.set("Table II", "1/Q_te", first.thermoelastic);
  paper.set("Table IV", "tension", second.tension);
  // From the printed tension and the wave speed of the modes.
  const double printed_tension = paper.printed("Table IV", "tension"),
               density = low.model.linear_density * printed_tension / second.tension;
  paper.set("Table IV", "linear density", density);
  paper.check(
      "density",
      std::abs(density - 0.0067) < std::abs(density - paper.printed("Table IV", "linear density")),
      fmt::format("the printed tension over the square of the wave speed of the {} modes is "
                  "{:.5g} kg/m",
                  low.measured ? "measured" : "modelled", density));
  paper.set("Table V", "B", second.b);
  paper.set("Table V", "delta_ve", second.viscoelastic);
  paper.set("Table V", "1/Q_te", second.thermoelastic);
}

}  // namespace carom::issanchou
