// A thread's cache of small blocks: what it hands out is the heap's, nobody else's, and goes back to it.
#include "dsm/space/block_cache.hpp"
#include "slice_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace hetmp::dsm {
namespace {

class BlockCacheTest : public SliceFixture {
 protected:
  void SetUp() override {
    SliceFixture::SetUp();
    heap.become(node, nullptr);
  }

  static uintptr_t address_of(const void* block) { return reinterpret_cast<uintptr_t>(block); }
  /// What the heap has handed out of a class for the first time so far.
  size_t handed_out(size_t bytes) const {
    const unsigned size_class = SizeClasses::class_of(bytes);
    return heap.used_until(size_class) - Heap::part(node, size_class).begin;
  }

  Heap heap;
};

TEST_F(BlockCacheTest, GivesEverySizeBelowColours) {
  BlockCache cache(heap, node);
  for (size_t bytes = 0; bytes < BlockCache::bytes_below; ++bytes) {
    void* const block = cache.take(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_GE(Heap::usable_bytes(block), bytes);
    EXPECT_EQ(Heap::owner(block), node);
    memset(block, 0x5a, bytes);
    EXPECT_TRUE(cache.put(block));
  }
}

TEST_F(BlockCacheTest, BlocksThatAreTakenOneAfterTheOtherLieSo) {
  BlockCache cache(heap, node);
  uintptr_t before = address_of(cache.take(48));
  for (int i = 0; i < 5; ++i) {
    const uintptr_t next = address_of(cache.take(48));
    EXPECT_EQ(next, before + 48);
    before = next;
  }
}

TEST_F(BlockCacheTest, WhatWasFreedLastIsHandedOutFirst) {
  BlockCache cache(heap, node);
  void* const first = cache.take(100);
  void* const second = cache.take(100);
  EXPECT_TRUE(cache.put(first));
  EXPECT_TRUE(cache.put(second));
  EXPECT_EQ(cache.take(100), second);
  EXPECT_EQ(cache.take(100), first);
}

TEST_F(BlockCacheTest, RefusesWhatIsNoSmallBlockOfItsNode) {
  map(node + 1);
  map(node - 1);
  BlockCache cache(heap, node);
  for (uint32_t other : {node - 1, node + 1}) {
    Heap others;
    others.become(other, nullptr);
    EXPECT_FALSE(cache.put(others.allocate(48)));
    EXPECT_FALSE(cache.put(others.allocate(100'000)));
  }
  void* const with_colour = heap.allocate(3000);
  EXPECT_FALSE(cache.put(with_colour));
  void* const large = heap.allocate(100'000);
  EXPECT_FALSE(cache.put(large));
  int own = 0;
  EXPECT_FALSE(cache.put(&own));
}

TEST_F(BlockCacheTest, BlocksOfOtherWaysToAllocateFit) {
  BlockCache cache(heap, node);
  for (size_t alignment = 16; alignment <= 512; alignment *= 2) {
    void* const block = heap.allocate(alignment, alignment);
    ASSERT_TRUE(cache.put(block));
    EXPECT_EQ(cache.take(alignment), block);
  }
  void* const block = heap.allocate(1024); // of a class that the cache has, though not for so many bytes
  ASSERT_TRUE(cache.put(block));
  EXPECT_EQ(cache.take(1000), block);
}

TEST_F(BlockCacheTest, GivesBackWhatItKeeps) {
  constexpr int many = 1000;
  std::set<void*> blocks;
  {
    BlockCache cache(heap, node);
    for (int i = 0; i < many; ++i)
      EXPECT_TRUE(blocks.insert(cache.take(64)).second);
    for (void* block : blocks)
      EXPECT_TRUE(cache.put(block));
  }
  const size_t before = handed_out(64);
  std::set<void*> again;
  for (size_t i = 0; i < before / 64; ++i)
    EXPECT_TRUE(again.insert(heap.allocate(64)).second);
  EXPECT_EQ(handed_out(64), before) << "some have been lost";
}

TEST_F(BlockCacheTest, KeepsFewOfThoseThatAreFreed) {
  BlockCache cache(heap, node);
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i)
    blocks.push_back(heap.allocate(64));
  for (void* block : blocks)
    EXPECT_TRUE(cache.put(block));
  const size_t before = handed_out(64);
  for (int i = 0; i < 1000 - 16; ++i)
    ASSERT_NE(heap.allocate(64), nullptr);
  EXPECT_EQ(handed_out(64), before) << "another thread does not get them";
}

TEST_F(BlockCacheTest, NewPagesAreNoOldOnes) {
  BlockCache cache(heap, node);
  std::vector<void*> old_ones;
  for (int i = 0; i < 5000; ++i)
    old_ones.push_back(cache.take(48));
  void* const kept = cache.take(48);
  EXPECT_TRUE(cache.put(kept)); // it and its like are in the cache
  heap.begin_new_pages();
  const uintptr_t last_page = page_down(address_of(*std::max_element(old_ones.begin(), old_ones.end())));
  for (int i = 0; i < 100; ++i)
    EXPECT_GT(page_down(address_of(cache.take(48))), last_page);
  EXPECT_FALSE(cache.put(old_ones.front())) << "the heap keeps those apart";
}

/// Threads that allocate for each other: no two have the same block.
TEST_F(BlockCacheTest, ThreadsHavePagesOfTheirOwnAfterNewPages) {
  for (const size_t bytes : {16, 48, 64, 112, 192, 320, 640, 896}) {
    BlockCache one(heap, node), other(heap, node);
    const auto share_a_page = [&] {
      std::set<uintptr_t> pages;
      const auto note = [&](BlockCache& cache, std::set<uintptr_t>& noted) {
        for (int i = 0; i < 40; ++i) {
          const uintptr_t block = address_of(cache.take(bytes));
          noted.insert(page_down(block));
          noted.insert(page_down(block + bytes - 1));
        }
      };
      std::set<uintptr_t> others;
      for (int round = 0; round < 3; ++round) { // in turn
        note(one, pages);
        note(other, others);
      }
      return std::any_of(pages.begin(), pages.end(), [&](uintptr_t page) { return others.contains(page); });
    };
    EXPECT_TRUE(heap.generation() != 0 || share_a_page()) << "before";
    heap.begin_new_pages();
    EXPECT_FALSE(share_a_page()) << bytes;
  }
}

TEST_F(BlockCacheTest, GivesBackWhatItHasNotUsedOfItsPage) {
  heap.begin_new_pages();
  const size_t before = handed_out(64);
  {
    BlockCache cache(heap, node);
    EXPECT_NE(cache.take(64), nullptr);
  }
  EXPECT_EQ(handed_out(64), before + page_bytes);
  BlockCache next(heap, node);
  std::set<void*> blocks;
  for (size_t i = 1; i < page_bytes / 64; ++i)
    EXPECT_TRUE(blocks.insert(next.take(64)).second);
  EXPECT_EQ(handed_out(64), before + page_bytes) << "free blocks go first";
  EXPECT_NE(next.take(64), nullptr);
  EXPECT_EQ(handed_out(64), before + 2 * page_bytes);
}

TEST_F(BlockCacheTest, ThreadsThatFreeForEachOther) {
  constexpr int threads = 4, steps = 40'000;
  std::mutex lock;
  std::vector<std::pair<uint64_t*, uint64_t>> handed; // with the lock: blocks with what was written
  std::atomic<int> wrong{0};
  const auto work = [&](uint64_t seed) {
    BlockCache cache(heap, node);
    std::mt19937_64 random(seed);
    for (int step = 0; step < steps; ++step) {
      const uint64_t value = random();
      const size_t bytes = 8 + value % (BlockCache::bytes_below - 8);
      auto* const block = static_cast<uint64_t*>(cache.take(bytes));
      if (!block) {
        ++wrong;
        return;
      }
      *block = value;
      std::optional<std::pair<uint64_t*, uint64_t>> other;
      {
        const std::lock_guard guard(lock);
        handed.emplace_back(block, value);
        if (handed.size() > 200) {
          std::swap(handed[random() % handed.size()], handed.back());
          other = handed.back();
          handed.pop_back();
        }
        if (step % 5000 == 0)
          heap.begin_new_pages();
      }
      if (!other)
        continue;
      if (*other->first != other->second)
        ++wrong;
      *other->first = ~other->second;
      if (!cache.put(other->first))
        heap.free(other->first);
    }
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back(work, i);
  for (std::thread& thread : all)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace hetmp::dsm
