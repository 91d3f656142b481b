// A primary that finds itself late at barriers again and again leaves them first for a while.
#include "runtime/wait/primary_lead.hpp"

#include <cstdlib>
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

/// Barriers until it leads, each so late; with so many in between that are not.
int barriers_until_lead(Barriers& barriers, int64_t late, int in_time = 0) {
  for (int barrier = 0; barrier < 1000; barrier++) {
    if (barriers.pass(late))
      return barrier;
    for (int other = 0; other < in_time; other++)
      barriers.pass(3 * microsecond);
  }
  return 1000;
}

/// For how many barriers it leads, in time.
int64_t length_of_lead(Barriers& barriers) {
  int64_t length = 0;
  while (barriers.pass(3 * microsecond) && length < 10'000'000)
    length++;
  return length;
}

TEST(PrimaryLead, NobodyWaitsForOneThatIsInTime) {
  Barriers barriers;
  for (int barrier = 0; barrier < 1000; barrier++)
    ASSERT_FALSE(barriers.pass(200 * microsecond)) << "the kernel goes round several threads";
}

TEST(PrimaryLead, OneThatIsLateAgainAndAgainLeads) {
  Barriers barriers;
  const int before = barriers_until_lead(barriers, 4 * millisecond, 10);
  EXPECT_GE(before, 2); // once is chance
  EXPECT_LT(before, 10);
}

TEST(PrimaryLead, ALeadCostsAboutWhatWasLost) {
  Barriers barriers;
  barriers_until_lead(barriers, 4 * millisecond);
  const int64_t length = length_of_lead(barriers);
  EXPECT_GE(length, 4000) << "changes of threads, of 2 to 4 us each: 16 ms were lost";
  EXPECT_LE(length, 10000);
}

TEST(PrimaryLead, OneThatIsLateAgainSoonLeadsForLonger) {
  Barriers barriers;
  barriers_until_lead(barriers, 4 * millisecond);
  int64_t before = length_of_lead(barriers);
  for (int time = 0; time < 6; time++) {
    barriers_until_lead(barriers, 4 * millisecond);
    const int64_t length = length_of_lead(barriers);
    EXPECT_GE(length, 2 * before - 2);
    before = length;
  }
}

TEST(PrimaryLead, OneThatIsLateMuchLaterBeginsAnew) {
  Barriers barriers;
  int64_t first = 0;
  for (int time = 0; time < 6; time++) {
    barriers_until_lead(barriers, 4 * millisecond);
    const int64_t length = length_of_lead(barriers);
    first = time == 0 ? length : first;
    EXPECT_LE(std::abs(length - first), 10);
    for (int64_t barrier = 0; barrier < 2 * length; barrier++)
      ASSERT_FALSE(barriers.pass(3 * microsecond));
  }
}

TEST(PrimaryLead, OneThatIsSeldomLateDoesNot) {
  Barriers barriers;
  for (int barrier = 0; barrier < 1000; barrier++) {
    ASSERT_FALSE(barriers.pass(millisecond)); // the kernel's doing, or another program's
    barriers.now += 50 * millisecond;
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
