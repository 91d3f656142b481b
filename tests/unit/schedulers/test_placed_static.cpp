#include "schedulers/policies/placed_static.hpp"

#include <gtest/gtest.h>

#include <random>

namespace hetmp::schedulers {
namespace {

/// Visits of one loop: element i of `us` is what an iteration costs a thread of node i, of `faults` what it faults.
struct Loop {
  std::vector<uint32_t> threads;
  std::vector<double> us;
  std::vector<double> faults;
  uint64_t trips = 10'000;
  DecisionRules rules{};
  LoopHistory history{};

  /// The iterations each node got.
  std::vector<uint64_t> visit() {
    PlacedStatic policy({trips, threads}, history, rules);
    std::vector<uint64_t> sizes(threads.size(), 0);
    std::vector<Assignment> given(threads.size());
    uint64_t end = 0;
    for (uint32_t node = 0; node < threads.size(); ++node) {
      if (threads[node] == 0)
        continue;
      std::vector<Reply> replies;
      policy.ask(node, {}, replies);
      EXPECT_EQ(replies.size(), 1u);
      given[node] = replies.at(0).assignment;
      EXPECT_TRUE(given[node].last);
      EXPECT_LE(given[node].piece_count, 1u) << "the compiler's loop runs one range";
      if (given[node].piece_count == 1) {
        EXPECT_EQ(given[node].pieces[0].begin, end) << "in the order of nodes";
        end = given[node].pieces[0].end;
      }
      sizes[node] = given[node].size();
    }
    EXPECT_EQ(end, trips);
    for (uint32_t node = 0; node < threads.size(); ++node)
      if (threads[node] != 0 && given[node].measured)
        policy.report(node, measured(node, sizes[node]));
    EXPECT_TRUE(policy.finished());
    last = given[0];
    return sizes;
  }

  NodeMeasurement measured(uint32_t node, uint64_t iterations) const {
    NodeMeasurement done;
    done.threads = threads[node];
    done.iterations = iterations;
    done.thread_us = done.busy_us = us[node] * double(iterations);
    done.read_misses = uint64_t(faults[node] * double(iterations));
    return done;
  }

  Assignment last{};
};

TEST(PlacedStatic, TheFirstVisitIsEqualTheNextFollowsTheSpeeds) {
  Loop loop{.threads = {2, 2}, .us = {10, 20}, .faults = {0, 0}, .trips = 9000};
  EXPECT_EQ(loop.visit(), (std::vector<uint64_t>{4500, 4500}));
  EXPECT_EQ(loop.visit(), (std::vector<uint64_t>{6000, 3000}));
}

TEST(PlacedStatic, GivenSpeedsHoldFromTheFirstVisitOn) {
  Loop loop{.threads = {1, 1}, .us = {10, 30}, .faults = {0, 0}, .trips = 4000};
  loop.rules.speeds = {3, 1};
  EXPECT_EQ(loop.visit(), (std::vector<uint64_t>{3000, 1000}));
}

TEST(PlacedStatic, ALoopThatDoesNotPayEndsOnOneNode) {
  Loop loop{.threads = {1, 1}, .us = {10, 10}, .faults = {0, 5}};
  for (int visit = 0; visit < 100; ++visit)
    if (const auto shares = loop.visit(); !loop.last.measured) {
      EXPECT_EQ(shares, (std::vector<uint64_t>{loop.trips, 0}));
      return;
    }
  FAIL() << "no decision stands";
}

TEST(PlacedStatic, AProbeOfANodeThatIsNotUsedIsSmall) {
  Loop loop{.threads = {1, 1}, .us = {10, 10}, .faults = {0, 5}};
  loop.visit();
  const auto probe = loop.visit();
  ASSERT_TRUE(loop.last.measured);
  EXPECT_GT(probe[1], 0u);
  EXPECT_LE(probe[1], loop.trips / 10);
}

TEST(PlacedStatic, AFaultyNodeComesBackWhenItsPagesHaveSettled) {
  Loop loop{.threads = {1, 1}, .us = {10, 10}, .faults = {0, 5}};
  for (int visit = 0; visit < 12; ++visit)
    loop.visit();
  loop.faults = {0, 0};
  for (int visit = 0; visit < 300; ++visit)
    if (loop.visit()[1] == loop.trips / 2)
      return;
  FAIL() << "the decision was taken for ever";
}

TEST(PlacedStatic, EveryIterationOnceForAnyTeam) {
  std::mt19937 random(3);
  for (int turn = 0; turn < 200; ++turn) {
    Loop loop;
    const uint32_t nodes = 1 + random() % 64;
    for (uint32_t node = 0; node < nodes; ++node) {
      loop.threads.push_back(node == 0 ? 1 + random() % 4 : random() % 5);
      loop.us.push_back(1 + random() % 10);
      loop.faults.push_back(random() % 4 == 0 ? 1.0 : 0.0);
    }
    for (int visit = 0; visit < 30; ++visit) {
      loop.trips = random() % 3 == 0 ? random() % 4 : random() % 100'000;
      uint64_t total = 0;
      for (const uint64_t size : loop.visit())
        total += size;
      ASSERT_EQ(total, loop.trips);
      if (testing::Test::HasFailure())
        return;
    }
  }
}

} // namespace
} // namespace hetmp::schedulers
