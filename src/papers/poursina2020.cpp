#include "poursina2020.hpp"

#include "registry.hpp"

namespace carom {

void reproduce_poursina2020(Reproduction& paper) {
  poursina::reproduce_scaling(paper);
  poursina::reproduce_fits(paper);
  poursina::reproduce_accuracy(paper);
  poursina::reproduce_pendulums(paper);
}

}  // namespace carom
