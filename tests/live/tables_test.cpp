#include <limits>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/live/tables.hpp>

#include "played_string.hpp"

namespace {

carom::InstrumentTables tables() {
  carom::InstrumentTables made;
  made.body = support::played_string(support::soft, true);
  made.body.problem.laws[1] = support::hard;
  made.notes = {
      std::vector<carom::Mode>(90, carom::Mode{.frequency = 100, .damping = 1, .mass = 2})};
  made.lowest = -12;
  made.pitch = 1.0 / 3.0;
  made.places = {0.1, 0.2, 0.3};
  made.finger = 2;
  return made;
}

TEST(InstrumentTables, ComeBackAsTheyWere) {
  const carom::InstrumentTables given = tables();
  const carom::InstrumentTables back = carom::tables_of(carom::numbers_of(given));
  EXPECT_EQ(back.body.problem.body.modes, given.body.problem.body.modes);
  EXPECT_EQ(back.body.problem.body.shapes, given.body.problem.body.shapes);
  EXPECT_EQ(back.body.problem.heights, given.body.problem.heights);
  EXPECT_EQ(back.body.problem.sides, given.body.problem.sides);
  EXPECT_EQ(back.body.ears, given.body.ears);
  EXPECT_EQ(back.body.hammer, given.body.hammer);
  EXPECT_EQ(back.notes, given.notes);
  EXPECT_EQ(back.pitch, given.pitch);
  EXPECT_EQ(back.places, given.places);
  EXPECT_EQ(back.finger, 2);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(back.body.problem.laws[i] == given.body.problem.laws[i]) << i;
}

TEST(InstrumentTables, DamagedOnesAreRefused) {
  const std::vector<double> good = carom::numbers_of(tables());
  EXPECT_THROW(carom::tables_of({}), carom::InvalidInput);
  for (std::size_t size = 0; size < good.size(); size += 97)
    EXPECT_THROW(carom::tables_of(std::span(good).first(size)), carom::InvalidInput) << size;
  std::vector<double> longer = good;
  longer.push_back(0);
  EXPECT_THROW(carom::tables_of(longer), carom::InvalidInput);
  std::vector<double> huge = good;
  huge[1] = 1e300;
  EXPECT_THROW(carom::tables_of(huge), carom::InvalidInput);
  huge[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(carom::tables_of(huge), carom::InvalidInput);
}

}  // namespace
