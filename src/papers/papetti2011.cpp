#include "papetti2011.hpp"

#include "registry.hpp"

namespace carom {

void reproduce_papetti2011(Reproduction& paper) {
  papetti::reproduce_analysis(paper);
  papetti::reproduce_errors(paper);
  papetti::reproduce_rebounds(paper);
  papetti::reproduce_costs(paper);
  papetti::reproduce_by_carom(paper);
}

}  // namespace carom
