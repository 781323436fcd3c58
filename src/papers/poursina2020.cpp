#include "poursina2020.hpp"

#include "registry.hpp"

namespace carom {

void reproduce_poursina2020(Reproduction& paper) {
  poursina::reproduce_scaling(paper);
  paper.report(0.05);
  poursina::reproduce_fits(paper);
  paper.report(0.7);
  poursina::reproduce_accuracy(paper);
  paper.report(0.8);
  poursina::reproduce_pendulums(paper);
}

}  // namespace carom
