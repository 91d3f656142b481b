// A primary that finds itself late at barriers again and again leaves them first for a while.
#include "runtime/wait/primary_lead.hpp"

#include <gtest/gtest.h>

namespace hetmp::runtime {
namespace {

constexpr int64_t microsecond = 1000;
constexpr int64_t millisecond = 1000 * microsecond;

/// Barriers of a team, each completed by another thread than its primary.
struct Barriers {
  PrimaryLead lead;
  uint32_t epoch = 0;
  int64_t now = 1000 * millisecond;

  /// The primary leaves it so much later; whether another thread that came out before it had to wait for it.
  bool pass(int64_t late) {
    epoch += 2;
    lead.completes(now);
    const bool waits = lead.has_to_wait(epoch);
    lead.leaves(epoch, now += late);
    EXPECT_FALSE(lead.has_to_wait(epoch)) << "it has left";
    return waits;
  }
};

TEST(PrimaryLead, NobodyWaitsForOneThatIsInTime) {
  Barriers barriers;
  for (int barrier = 0; barrier < 1000; barrier++)
    ASSERT_FALSE(barriers.pass(20 * microsecond));
}

TEST(PrimaryLead, OneThatIsLateAgainAndAgainLeads) {
  Barriers barriers;
  int before = 0;
  while (!barriers.pass(300 * microsecond))
    ASSERT_LT(++before, 10);
  EXPECT_GE(before, 2); // once is chance
  for (int barrier = 0; barrier < 1000; barrier++)
    ASSERT_TRUE(barriers.pass(3 * microsecond)) << "as long as it leads it is in time";
}

TEST(PrimaryLead, ALeadEnds) {
  Barriers barriers;
  for (int barrier = 0; barrier < 10; barrier++)
    barriers.pass(300 * microsecond);
  barriers.now += 2000 * millisecond;
  barriers.pass(3 * microsecond);
  EXPECT_FALSE(barriers.pass(3 * microsecond));
}

TEST(PrimaryLead, OneThatIsSeldomLateDoesNot) {
  Barriers barriers;
  for (int barrier = 0; barrier < 1000; barrier++) {
    ASSERT_FALSE(barriers.pass(300 * microsecond)); // the kernel's doing, or another program's
    barriers.now += 20 * millisecond;
  }
}

TEST(PrimaryLead, OneThatCompletesBarriersItselfIsNotLate) {
  Barriers barriers;
  barriers.pass(3 * microsecond);
  for (int barrier = 0; barrier < 1000; barrier++) {
    barriers.epoch += 2;
    ASSERT_FALSE(barriers.lead.has_to_wait(barriers.epoch));
    barriers.lead.completes(barriers.now += millisecond);
    barriers.lead.leaves(barriers.epoch, barriers.now);
  }
}

} // namespace
} // namespace hetmp::runtime
