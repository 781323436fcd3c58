#include "papetti2011.hpp"

#include "registry.hpp"

namespace carom {

void reproduce_papetti2011(Reproduction& paper) {
  papetti::reproduce_analysis(paper);
  papetti::reproduce_errors(paper);
  papetti::reproduce_rebounds(paper);
  paper.report(0.1);
  papetti::search_stopping_rules(paper);
  paper.report(0.2);
  papetti::reproduce_claims(paper);
  paper.report(0.3);
  papetti::reproduce_costs(paper);
  paper.report(0.6);
  papetti::reproduce_by_carom(paper);
}

}  // namespace carom
