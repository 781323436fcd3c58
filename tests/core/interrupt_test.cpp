#include <gtest/gtest.h>

#include <carom/core/clock.hpp>
#include <carom/core/interrupt.hpp>

namespace carom {
namespace {

TEST(Interrupt, IsAnsweredWithinASecondOfProcessorTimeAndNotAtOnce) {
  std::atomic<bool> flag{false};
  const InterruptScope interruptible(&flag);
  EXPECT_NO_THROW(answer_interrupt());
  flag = true;
  EXPECT_NO_THROW(answer_interrupt());  // whoever keeps a checkpoint goes first
  const double begin = cpu_now();
  const auto wait = [&] {
    while (cpu_now() - begin < 1) answer_interrupt();
  };
  EXPECT_THROW(wait(), Interrupted);
}

TEST(Interrupt, ConcernsWhatIsInsideItsScope) {
  std::atomic<bool> outer{true}, inner{false};
  const InterruptScope outside(&outer);
  const double begin = cpu_now();
  {
    const InterruptScope inside(&inner);
    while (cpu_now() - begin < 0.5) answer_interrupt();
  }
  EXPECT_NO_THROW(answer_interrupt());
  const auto wait = [&] {
    while (cpu_now() - begin < 1.5) answer_interrupt();
  };
  EXPECT_THROW(wait(), Interrupted);
}

}  // namespace
}  // namespace carom
