#include "gate.hpp"

#include <algorithm>
#include <limits>

namespace carom::modal {

void Gate::refresh(long long now, const double* q, const double* dq) {
  kernels_.envelope(q, dq, amplitude_.data(), slope_q_.data(), slope_dq_.data(), weights_.data(),
                    level_count() + 1, modes_.n, sums_.data());
  envelope_at_ = now;
}

// l of every proxy, from the first modes of (q, dq).
void Gate::sum(const Level& level, const double* q, const double* dq, std::vector<double>& sums) {
  const int n = padded(level.prefix);
  kernels_.combine(q, dq, lead_, n, z_.data());
  kernels_.project(level.proxy_rows.data(), static_cast<int>(level.proxy_rows.size()), z_.data(), n,
                   n, 1, sums.data());
}

void Gate::sum_start(Level& level, long long now, const double* q, const double* dq) {
  if (level.start_known == now && level.start_epoch == epoch_) return;
  sum(level, q, dq, level.at_start);
  level.start_known = now;
  level.start_epoch = epoch_;
}

void Gate::sum_end(Level& level, long long now, const double* q, const double* dq) {
  modal::fly(kernels_, level.leap, 0, padded(level.prefix), q, dq, low_q_.data(), low_dq_.data());
  sum(level, low_q_.data(), low_dq_.data(), level.at_end);
  level.end_known = now;
  level.end_epoch = epoch_;
}

bool Gate::clear(const Level& level, double bound, bool both_ends) const {
  const std::vector<double>& ends = both_ends ? level.at_end : level.at_start;
  for (std::size_t p = 0; p < level.thresholds.size(); ++p) {
    if (!(ends[p] - bound > level.thresholds[p])) return false;
  }
  return true;
}

bool Gate::leap(int level_index, long long now, double* q, double* dq) {
  Level& level = levels_[at(level_index)];
  if (envelope_at_ < 0 || now + level.steps - envelope_at_ > 2 * valid_for_) refresh(now, q, dq);
  sum_start(level, now, q, dq);
  if (!clear(level, bound(level_index), false)) {
    if (envelope_at_ == now) return false;
    refresh(now, q, dq);
    if (!clear(level, bound(level_index), false)) return false;
  }
  sum_end(level, now, q, dq);
  if (!clear(level, bound(level_index), true)) {
    if (envelope_at_ == now) return false;
    refresh(now, q, dq);
    if (!clear(level, bound(level_index), true)) return false;
  }
  const int low = padded(level.prefix);
  std::copy_n(low_q_.data(), low, q);
  std::copy_n(low_dq_.data(), low, dq);
  modal::fly(kernels_, level.leap, low, modes_.n, q, dq, q, dq);
  level.at_start.swap(level.at_end);
  level.start_known = now + level.steps;
  return true;
}

void Gate::fly(int level_index, double* q, double* dq) const {
  modal::fly(kernels_, levels_[at(level_index)].leap, 0, modes_.n, q, dq, q, dq);
}

void Gate::candidates(long long now, const double* q, const double* dq, std::vector<int>& contacts,
                      std::vector<double>& slack) {
  Level& level = levels_.front();
  if (envelope_at_ != now) refresh(now, q, dq);
  sum_start(level, now, q, dq);
  if (level.end_known != now || level.end_epoch != epoch_) sum_end(level, now, q, dq);
  contacts.clear();
  std::fill(slack.begin(), slack.end(), std::numeric_limits<double>::infinity());
  for (std::size_t p = 0; p < level.thresholds.size(); ++p) {
    const double margin =
        std::min(level.at_start[p], level.at_end[p]) - bound(0) - level.thresholds[p];
    for (int c = level.cover[p].first; c <= level.cover[p].second; ++c) {
      slack[at(c)] = std::min(slack[at(c)], margin);
    }
  }
  for (std::size_t c = 0; c < slack.size(); ++c) {
    if (!(slack[c] > 0)) contacts.push_back(static_cast<int>(c));
  }
  if (contacts.empty()) return;
  // Now each of these by itself, and looked at more often.
  fine_rows_.clear();
  for (const int c : contacts) fine_rows_.push_back(modes_.row(c));
  const int count = static_cast<int>(contacts.size()), n = padded(fine_.prefix);
  const auto look = [&](const double* at_q, const double* at_dq, int part) {
    double* z = z_.data() + static_cast<std::ptrdiff_t>(part) * n;
    kernels_.combine(at_q, at_dq, lead_, n, z);
    std::fill(z + fine_.prefix, z + n, 0.0);
  };
  look(q, dq, 0);
  for (int part = 1; part <= fine_parts; ++part) {
    modal::fly(kernels_, fine_.leap, 0, n, part == 1 ? q : low_q_.data(),
               part == 1 ? dq : low_dq_.data(), low_q_.data(), low_dq_.data());
    look(low_q_.data(), low_dq_.data(), part);
  }
  constexpr int looks = fine_parts + 1;
  kernels_.project(fine_rows_.data(), count, z_.data(), n, n, looks, fine_sums_.data());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const int c = contacts[i];
    const auto first = fine_sums_.begin() + static_cast<std::ptrdiff_t>(i * looks);
    const double least = *std::min_element(first, first + looks);
    slack[at(c)] = least - bound(level_count()) - modes_.heights[at(c)];
    if (!(slack[at(c)] > 0)) contacts[kept++] = c;
  }
  contacts.resize(kept);
}

}  // namespace carom::modal
