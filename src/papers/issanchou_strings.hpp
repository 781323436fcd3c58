#pragma once

#include <vector>

#include <carom/papers/reproduction.hpp>
#include <carom/steppers/modal_problem.hpp>
#include <carom/systems/stiff_string.hpp>

namespace carom::issanchou {

/// One of the paper's two strings with its obstacles.
struct Case {
  StiffString model;
  ModalProblem problem;
  ShapeMatrix output;                  ///< shapes at the point that is shown
  std::vector<double> positions = {};  ///< of the obstacles [m]
  bool measured = false;
};

Case point_bridge();
Case bass();

/// The displacement at the output (and, with `at_contact`, at the first obstacle instead),
/// `samples` of them, `stride` steps apart, from t = 0.
struct Signal {
  double rate = 0;  ///< samples per second
  std::vector<double> time, value;
  double cpu_seconds = 0;  ///< of the time loop
  double last_contact = 0, first_contact = -1;
  std::vector<double> contact_times;
};
Signal play(const Case& string, const ModalProblem& problem, double duration, double step,
            bool at_contact = false);

/// The signal up to a time.
Signal until(Signal signal, double time);

/// ||a - b||/||b|| in percent, over the samples both have.
double difference_percent(const Signal& a, const Signal& b);

void reproduce_strings(Reproduction& paper);
void reproduce_bridge(Reproduction& paper);
void reproduce_bass(Reproduction& paper);
void reproduce_theta(Reproduction& paper);
void reproduce_times(Reproduction& paper);

}  // namespace carom::issanchou
