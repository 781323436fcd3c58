#pragma once

#include <cstddef>

#if defined(CAROM_ONE_THREAD)

namespace carom {

/// Where there are no threads, as in a page of a browser.
template <class Use>
void side_by_side(std::size_t count, const Use& use) {
  for (std::size_t i = 0; i < count; ++i) use(i);
}

}  // namespace carom

#else

#include <tbb/parallel_for.h>

namespace carom {

/// `use(0)` to `use(count - 1)`, side by side.
template <class Use>
void side_by_side(std::size_t count, const Use& use) {
  tbb::parallel_for(std::size_t{0}, count, use);
}

}  // namespace carom

#endif
