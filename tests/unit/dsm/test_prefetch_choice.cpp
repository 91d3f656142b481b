// HETMP_PREFETCH: all, none, or some by name.
#include "dsm/ahead/prefetch_choice.hpp"

#include <gtest/gtest.h>

namespace hetmp::dsm {
namespace {

TEST(PrefetchChoice, IsAllOrNothing) {
  EXPECT_EQ(parse_prefetch("true"), (PrefetchChoice{true, true, true}));
  EXPECT_EQ(parse_prefetch("1"), PrefetchChoice{});
  EXPECT_EQ(parse_prefetch("off"), (PrefetchChoice{false, false, false}));
}

TEST(PrefetchChoice, NamesWhatIsWanted) {
  EXPECT_EQ(parse_prefetch("streams"), (PrefetchChoice{true, false, false}));
  EXPECT_EQ(parse_prefetch("visits"), (PrefetchChoice{false, true, false}));
  EXPECT_EQ(parse_prefetch("pushes"), (PrefetchChoice{false, false, true}));
  EXPECT_EQ(parse_prefetch("Visits, streams"), (PrefetchChoice{true, true, false}));
}

TEST(PrefetchChoice, RefusesTheRest) {
  for (const char* text : {"maybe", "streams,", ",", "streams visits", "streams,all", "2"})
    EXPECT_FALSE(parse_prefetch(text)) << text;
}

} // namespace
} // namespace hetmp::dsm
