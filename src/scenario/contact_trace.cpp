#include "contact_trace.hpp"

namespace carom {
namespace {

Series samples(std::vector<double> x, std::vector<double> y) {
  const bool few = x.size() < 200;
  return {.label = "simulated",
          .x = std::move(x),
          .y = std::move(y),
          .style = few ? Series::Style::points : Series::Style::line,
          .colour = 1};
}

Series truth(std::vector<double> x, std::vector<double> y) {
  return {.label = "exact", .x = std::move(x), .y = std::move(y), .colour = 0};
}

std::vector<double> in_micrometres(std::vector<double> metres) {
  for (double& value : metres) value *= 1e6;
  return metres;
}

}  // namespace

std::vector<Picture> ContactTrace::pictures(const Curve& exact) const {
  if (compression_.size() < 2 && exact.compression.size() < 2) return {};
  Picture loop{.name = "force_loop",
               .caption = "Contact force over compression. The area inside is the energy lost.",
               .panel = {.title = "Force loop of the first contact",
                         .x_label = "compression [µm]",
                         .y_label = "force [N]",
                         .series = {}}};
  Picture portrait{.name = "phase_portrait",
                   .caption = "Rate over compression: in at the top, out at the bottom.",
                   .panel = {.title = "Phase portrait of the first contact",
                             .x_label = "compression [µm]",
                             .y_label = "rate [m/s]",
                             .series = {}}};
  if (!exact.compression.empty()) {
    loop.panel.series.push_back(truth(in_micrometres(exact.compression), exact.force));
    portrait.panel.series.push_back(truth(in_micrometres(exact.compression), exact.rate));
  }
  if (!compression_.empty()) {
    loop.panel.series.push_back(samples(in_micrometres(compression_), force_));
    portrait.panel.series.push_back(samples(in_micrometres(compression_), rate_));
  }
  return {loop, portrait};
}

}  // namespace carom
