#include <algorithm>
#include <map>
#include <mutex>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <carom/output/run.hpp>
#include <carom/sweep/plan.hpp>

namespace carom {
namespace {

/// Runs between two looks at what was found: a plan that is wrong from the start is refused at
/// once.
constexpr std::int64_t block = 4096;
constexpr std::size_t max_shown = 5;

}  // namespace

void validate(const SweepPlan& plan, int jobs, const std::function<bool(double)>& progress) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(jobs));
  tbb::task_arena arena(jobs);
  for (std::int64_t begin = 1; begin <= plan.size(); begin += block) {
    const std::int64_t end = std::min(begin + block, plan.size() + 1);
    std::map<std::int64_t, std::vector<Problem>> found;  // by run: the same report on any machine
    std::mutex guard;
    arena.execute([&] {
      tbb::parallel_for(begin, end, [&](std::int64_t run) {
        try {
          plan.scenario(run);
        } catch (const ScenarioError& error) {
          const std::lock_guard lock(guard);
          found[run] = error.problems();
        }
      });
    });
    std::vector<Problem> shown;
    for (const auto& [run, problems] : found) {
      for (const Problem& problem : problems) {
        const bool known = std::any_of(shown.begin(), shown.end(), [&](const Problem& each) {
          return each.text() == problem.text();
        });
        if (!known && shown.size() < max_shown) shown.push_back(problem);
      }
    }
    if (!shown.empty()) throw ScenarioError(std::move(shown));
    const double fraction = static_cast<double>(end - 1) / static_cast<double>(plan.size());
    if (progress && !progress(fraction)) throw Interrupted();
  }
}

}  // namespace carom
