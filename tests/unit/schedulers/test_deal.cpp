#include "schedulers/arithmetic/deal.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace hetmp::schedulers {
namespace {

using Threads = std::vector<uint32_t>;

uint32_t sum(const Threads& threads) { return std::accumulate(threads.begin(), threads.end(), 0u); }

TEST(Deal, InProportionToCpus) {
  EXPECT_EQ(deal_threads(8, {4, 4}), (Threads{4, 4}));
  EXPECT_EQ(deal_threads(12, {8, 4}), (Threads{8, 4}));
  EXPECT_EQ(deal_threads(3, {1, 1}), (Threads{2, 1})) << "the remainder goes to the first of equals";
  EXPECT_EQ(deal_threads(112, {16, 96}), (Threads{16, 96}));
}

TEST(Deal, EveryParticipantGetsOne) {
  EXPECT_EQ(deal_threads(4, {100, 1, 1}), (Threads{2, 1, 1}));
  EXPECT_EQ(deal_threads(2, {1, 1, 1}), (Threads{1, 1, 0})) << "as far as there are threads";
  EXPECT_EQ(deal_threads(5, {0, 0}), (Threads{3, 2})) << "a node without CPUs of its own counts as one";
}

TEST(Deal, OnlyParticipantsGetThreads) {
  EXPECT_EQ(deal_threads(6, {2, 2, 2}, NodeSet::of_bits(0b101)), (Threads{3, 0, 3}));
  EXPECT_EQ(deal_threads(6, {2, 2, 2}, NodeSet::of(0)), (Threads{6, 0, 0}));
  EXPECT_EQ(deal_threads(1, {2, 2, 2}, NodeSet::of_bits(0b110)), (Threads{0, 1, 0}));
  EXPECT_EQ(nodes_with_threads({3, 0, 3}), NodeSet::of_bits(0b101));
}

TEST(Deal, AlwaysDealsAllOfThem) {
  std::mt19937 random(11);
  for (int turn = 0; turn < 5000; ++turn) {
    Threads cpus(1 + random() % 64);
    for (uint32_t& count : cpus)
      count = random() % 5 == 0 ? 0 : random() % 100;
    const uint32_t total = 1 + random() % 4096;
    const NodeSet members = NodeSet::of_bits((uint64_t(random()) << 32 | random()) | 1);
    const Threads threads = deal_threads(total, cpus, members);
    ASSERT_EQ(threads.size(), cpus.size());
    ASSERT_EQ(sum(threads), std::max(total, 0u));
    for (size_t node = 0; node < cpus.size(); ++node) {
      if (!members.contains(uint32_t(node))) {
        ASSERT_EQ(threads[node], 0u);
      } else if (total >= cpus.size()) {
        ASSERT_GE(threads[node], 1u);
      }
    }
  }
}

} // namespace
} // namespace hetmp::schedulers
