#include "ramaswamy.hpp"

#include "registry.hpp"

namespace carom {

void reproduce_ramaswamy(Reproduction& paper) {
  ramaswamy::reproduce_form(paper);
  ramaswamy::reproduce_damping(paper);
  paper.report(0.3);
  ramaswamy::reproduce_impact_time(paper);
}

}  // namespace carom
