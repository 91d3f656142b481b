#include "dsm/observe/allocation_sites.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace hetmp::dsm {
namespace {

std::unique_ptr<AllocationSites> make() { return std::make_unique<AllocationSites>(); }

TEST(AllocationSites, FindsTheBlockThatCoversAnAddress) {
  const auto sites = make();
  sites->record(0x10000, 512, {1, 2, 3});
  sites->record(0x10200, 100'000, {4});
  EXPECT_FALSE(sites->find(0xffff));
  ASSERT_TRUE(sites->find(0x10000));
  EXPECT_EQ(sites->find(0x101ff)->begin, 0x10000u);
  EXPECT_EQ(sites->find(0x101ff)->callers[2], 3u);
  EXPECT_EQ(sites->find(0x10200)->callers[0], 4u);
  EXPECT_EQ(sites->find(0x10200 + 99'999)->bytes, 100'000u);
  EXPECT_FALSE(sites->find(0x10200 + 100'000));
}

TEST(AllocationSites, TheLastAllocationOfAnAddressCounts) {
  const auto sites = make();
  sites->record(0x20000, 4096, {1});
  sites->record(0x20100, 256, {2}); // another block over part of it: the first was freed
  EXPECT_EQ(sites->find(0x20100)->callers[0], 2u);
  EXPECT_EQ(sites->find(0x20000)->callers[0], 1u);
  sites->record(0x20000, 4096, {3});
  EXPECT_EQ(sites->find(0x20100)->callers[0], 3u);
}

TEST(AllocationSites, ManyBlocksPushOutOldOnesOnly) {
  const auto sites = make();
  constexpr uint64_t blocks = 200'000;
  for (uint64_t i = 0; i < blocks; ++i)
    sites->record(0x100000 + i * 512, 512, {i});
  uint64_t latest_known = 0;
  for (uint64_t i = blocks - 500; i < blocks; ++i)
    if (const auto found = sites->find(0x100000 + i * 512)) {
      EXPECT_EQ(found->callers[0], i);
      ++latest_known;
    }
  EXPECT_EQ(latest_known, 500u);
}

/// What is found is what one call recorded, whoever records meanwhile.
TEST(AllocationSites, ThreadsDoNotMixWhatTheyRecord) {
  const auto sites = make();
  std::atomic<bool> stop{false};
  const auto record = [&](uint64_t seed) {
    for (uint64_t i = seed; !stop.load(std::memory_order_relaxed); ++i) {
      const uint64_t block = 0x100000 + i % 64 * 4096;
      sites->record(block, 4096, {block, seed, block, seed, block, seed});
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t seed : {1u, 2u, 3u})
    threads.emplace_back(record, seed);
  // Counted by what is found: a machine with other work may run none of the threads for as long as it likes.
  uint64_t found = 0;
  for (uint64_t i = 0; found < 2000; ++i)
    if (const auto block = sites->find(0x100000 + i % 64 * 4096)) {
      ++found;
      EXPECT_EQ(block->callers[0], block->begin);
      EXPECT_EQ(block->callers[4], block->begin);
      EXPECT_EQ(block->callers[1], block->callers[5]);
    }
  stop.store(true, std::memory_order_relaxed);
  for (std::thread& thread : threads)
    thread.join();
}

__attribute__((noinline)) void inner(uint64_t (&callers)[6], uintptr_t text_begin, uintptr_t text_end) {
  collect_callers(callers, text_begin, text_end);
  asm volatile(""); // no tail call
}

__attribute__((noinline)) uint64_t outer(uint64_t (&callers)[6], uintptr_t text_begin = 0, uintptr_t text_end = 0) {
  inner(callers, text_begin, text_end);
  asm volatile("");
  return reinterpret_cast<uint64_t>(__builtin_return_address(0));
}

TEST(AllocationSites, CallersBeginWithWhoCalledTheFunctionThatAsks) {
  uint64_t callers[6] = {};
  const uint64_t here = outer(callers);
  EXPECT_NE(callers[0], 0u); // in outer()
  EXPECT_EQ(callers[1], here);
  EXPECT_NE(callers[2], 0u);
}

TEST(AllocationSites, CallersEndInTheProgram) {
  uint64_t all[6] = {}, some[6] = {};
  outer(all);
  outer(some, all[0], all[0] + 1);
  EXPECT_EQ(some[0], all[0]);
  EXPECT_EQ(some[1], 0u);
}

TEST(AllocationSites, WalksAreLimitedByTime) {
  const auto sites = make();
  constexpr int64_t start = 5'000'000'000;
  for (uint64_t i = 0; i < AllocationSites::walks_at_first; ++i)
    ASSERT_TRUE(sites->may_walk(start));
  EXPECT_FALSE(sites->may_walk(start + 900'000));
  for (uint64_t i = 0; i < 3 * AllocationSites::walks_per_ms; ++i)
    EXPECT_TRUE(sites->may_walk(start + 3'000'000));
  EXPECT_FALSE(sites->may_walk(start + 3'000'000));
}

} // namespace
} // namespace hetmp::dsm
