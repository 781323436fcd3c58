#include "issanchou_strings.hpp"
#include "registry.hpp"

namespace carom {

void reproduce_issanchou2018(Reproduction& paper) {
  issanchou::reproduce_strings(paper);
  issanchou::reproduce_bridge(paper);
  issanchou::reproduce_bass(paper);
  issanchou::reproduce_theta(paper);
  issanchou::reproduce_times(paper);
}

}  // namespace carom
