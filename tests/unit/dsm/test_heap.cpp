// A node's heap: every size and alignment, no two blocks in the same place, zeros where zeros are promised.
#include "dsm/space/heap.hpp"
#include "slice_fixture.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace hetmp::dsm {
namespace {

TEST(SizeClasses, EverySizeGetsTheSmallestClassThatHoldsIt) {
  for (size_t bytes = 0; bytes <= SizeClasses::largest; ++bytes) {
    const unsigned size_class = SizeClasses::class_of(bytes);
    ASSERT_LT(size_class, SizeClasses::count);
    ASSERT_GE(SizeClasses::bytes_of(size_class), bytes);
    if (size_class > 0) {
      ASSERT_LT(SizeClasses::bytes_of(size_class - 1), bytes);
    }
    if (bytes > 64) {
      ASSERT_LE(SizeClasses::bytes_of(size_class) - bytes, bytes / 4) << "more than a quarter lost for " << bytes;
    }
  }
}

TEST(SizeClasses, AscendInStepsOfSixteenAndHoldEachPowerOfTwo) {
  for (unsigned i = 0; i < SizeClasses::count; ++i) {
    EXPECT_EQ(SizeClasses::bytes_of(i) % 16, 0u);
    EXPECT_EQ(SizeClasses::class_of(SizeClasses::bytes_of(i)), i);
  }
  for (size_t power = 16; power <= SizeClasses::largest; power *= 2)
    EXPECT_EQ(SizeClasses::bytes_of(SizeClasses::class_of(power)), power);
  EXPECT_LE(SizeClasses::count * SizeClasses::part_bytes, small_part_bytes);
}

/// Blocks and mappings in use, with what the test wrote into them.
class Model {
 public:
  void add(void* block, size_t bytes, uint8_t content) {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(block);
    const auto next = live_.lower_bound(begin);
    if (next != live_.end()) {
      ASSERT_LE(begin + bytes, next->first) << "overlaps the block behind it";
    }
    if (next != live_.begin()) {
      ASSERT_LE(std::prev(next)->first + std::prev(next)->second.bytes, begin) << "overlaps the block before it";
    }
    live_[begin] = {bytes, content};
    fill(begin, bytes, content);
  }
  /// Takes any block out, after a look at its content.
  void* remove(uint64_t choice) {
    auto any = live_.lower_bound(reinterpret_cast<uintptr_t>(nullptr));
    std::advance(any, choice % live_.size());
    EXPECT_TRUE(is_filled(any->first, any->second.bytes, any->second.content));
    void* block = reinterpret_cast<void*>(any->first);
    live_.erase(any);
    return block;
  }
  size_t size() const { return live_.size(); }

 private:
  struct Live {
    size_t bytes;
    uint8_t content;
  };
  static void fill(uintptr_t begin, size_t bytes, uint8_t content) {
    memset(reinterpret_cast<void*>(begin), content, bytes);
  }
  static bool is_filled(uintptr_t begin, size_t bytes, uint8_t content) {
    const auto* memory = reinterpret_cast<const uint8_t*>(begin);
    return std::all_of(memory, memory + bytes, [&](uint8_t byte) { return byte == content; });
  }
  std::map<uintptr_t, Live> live_;
};

bool all_zero(const void* memory, size_t bytes) {
  const auto* first = static_cast<const uint8_t*>(memory);
  return std::all_of(first, first + bytes, [](uint8_t byte) { return byte == 0; });
}

class HeapTest : public SliceFixture {
 protected:
  void SetUp() override {
    SliceFixture::SetUp();
    heap.become(node, nullptr);
  }
  static bool always(Segment) { return true; }
  static bool never(Segment) { return false; }

  void expect_usable(void* block, size_t bytes) {
    ASSERT_NE(block, nullptr);
    EXPECT_GE(Heap::usable_bytes(block), bytes);
    EXPECT_EQ(Heap::owner(block), node);
  }
  /// Random allocation, zeroed allocation and freeing against the model.
  void run_against_model(uint64_t seed, int steps);

  Heap heap;
};

TEST_F(HeapTest, NewPagesAreNoOldOnes) {
  for (const size_t bytes : {16, 48, 128, 1280, 4096, 20480}) {
    std::vector<uintptr_t> old;
    for (int i = 0; i < 200; ++i)
      old.push_back(uintptr_t(heap.allocate(bytes)));
    heap.begin_new_pages();
    const auto fresh = uintptr_t(heap.allocate(bytes));
    EXPECT_GT(page_down(fresh), old.back() + bytes - 1) << bytes;
    EXPECT_LE(fresh - old.back(), 2 * bytes + 2 * page_bytes) << bytes;
    expect_usable(reinterpret_cast<void*>(fresh), bytes);
    heap.free(reinterpret_cast<void*>(old[7]));
    EXPECT_GT(uintptr_t(heap.allocate(bytes)), fresh) << "what was freed among the old ones stays free,";
    heap.free(reinterpret_cast<void*>(fresh));
    EXPECT_EQ(uintptr_t(heap.allocate(bytes)), fresh) << "and among the new ones is used first";
  }
}

TEST_F(HeapTest, ManyOldBlocksAreUsedAgain) {
  std::set<void*> old;
  for (int i = 0; i < 4000; ++i)
    old.insert(heap.allocate(64));
  for (void* block : old)
    heap.free(block);
  heap.begin_new_pages();
  int again = 0;
  for (int i = 0; i < 4000; ++i)
    again += int(old.count(heap.allocate(64)));
  EXPECT_GE(again, 4000 * 3 / 4);
  EXPECT_LT(again, 4000);
}

TEST_F(HeapTest, NewPagesAreAnEighthAtMost) {
  const auto first = uintptr_t(heap.allocate(64));
  uintptr_t last = first;
  for (int i = 0; i < 10'000; ++i) {
    heap.begin_new_pages();
    last = uintptr_t(heap.allocate(64));
  }
  EXPECT_LE(last - first, 10'000 * 64 * 8 / 7 + 4 * page_bytes);
  EXPECT_GE(last - first, 9'999u * 64);
}

TEST_F(HeapTest, GivesWhatIsAskedFor) {
  for (size_t bytes : {0, 1, 15, 16, 17, 128, 129, 4096, 32767, 32768, 32769, 65536, 1 << 20, (1 << 20) + 1}) {
    void* block = heap.allocate(bytes);
    expect_usable(block, bytes);
    memset(block, 0xff, Heap::usable_bytes(block));
    heap.free(block);
  }
}

TEST_F(HeapTest, RowsBeginAtDifferentCacheLines) {
  for (const size_t bytes : {1500, 2048, 4000, 4096, 8192, 14400, 16384, 20000, 32000, 32768, 65536, 131072})
    for (const size_t alignment : {16, 64}) {
      std::set<uintptr_t> lines;
      for (int row = 0; row < 64; ++row) {
        void* const block = heap.allocate(bytes, alignment);
        expect_usable(block, bytes);
        EXPECT_EQ(uintptr_t(block) % alignment, 0u);
        EXPECT_LE(Heap::usable_bytes(block), bytes + bytes / 2 + page_bytes);
        lines.insert(uintptr_t(block) % page_bytes / 64);
      }
      EXPECT_GE(lines.size(), 8u) << bytes;
    }
}

TEST_F(HeapTest, VeryLargeBlocksBeginWithTheirPage) {
  for (int block = 0; block < 4; ++block)
    EXPECT_EQ(uintptr_t(heap.allocate(Colours::most + 1)) % page_bytes, 0u);
}

TEST_F(HeapTest, EveryAlignment) {
  for (size_t alignment = 1; alignment <= size_t(8) << 20; alignment *= 2)
    for (size_t bytes : {size_t(0), size_t(1), size_t(24), size_t(100), alignment, alignment + 1, size_t(5000),
                         size_t(32768), size_t(40'000)}) {
      void* first = heap.allocate(bytes, alignment);
      void* second = heap.allocate(bytes, alignment);
      for (void* block : {first, second}) {
        expect_usable(block, bytes);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % std::max<size_t>(alignment, 16), 0u)
            << bytes << " bytes at a multiple of " << alignment;
      }
      EXPECT_NE(first, second);
      heap.free(first);
      heap.free(second);
    }
}

TEST_F(HeapTest, RefusesWhatTheSliceCannotHold) {
  EXPECT_EQ(heap.allocate(slice_bytes), nullptr);
  EXPECT_EQ(heap.allocate(SIZE_MAX - page_bytes), nullptr);
  EXPECT_EQ(heap.allocate_zeroed(slice_bytes), nullptr);
  EXPECT_EQ(heap.map(slice_bytes), nullptr);
  expect_usable(heap.allocate(100), 100);
}

void HeapTest::run_against_model(uint64_t seed, int steps) {
  std::mt19937_64 random(seed);
  Model model;
  for (int step = 0; step < steps; ++step) {
    if (model.size() > 200 || (model.size() > 0 && random() % 5 < 2)) {
      void* block = model.remove(random());
      if (random() % 2)
        heap.free(block);
      else
        EXPECT_TRUE(heap.try_free(block));
      continue;
    }
    const size_t bytes = random() % (random() % 8 == 0 ? 300'000 : 700);
    void* block;
    if (random() % 3 == 0) {
      block = heap.allocate_zeroed(bytes);
      ASSERT_TRUE(all_zero(block, bytes));
    } else {
      const size_t alignment = size_t(1) << random() % 15;
      block = heap.allocate(bytes, alignment);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u);
    }
    expect_usable(block, bytes);
    model.add(block, Heap::usable_bytes(block), uint8_t(random()));
    if (HasFatalFailure())
      return;
  }
  while (model.size() > 0)
    heap.free(model.remove(0));
}

TEST_F(HeapTest, BlocksNeverOverlap) { run_against_model(1, 6000); }

TEST_F(HeapTest, BlocksNeverOverlapWhenMemoryIsGivenBack) {
  heap.set_may_discard(always);
  run_against_model(2, 4000);
  heap.set_may_discard(never);
  run_against_model(3, 4000);
}

/// As the C library does it: whoever frees a large temporary array allocates it again at once.
TEST_F(HeapTest, FreedMemoryIsKeptUpToALimit) {
  heap.set_may_discard(always);
  constexpr size_t mib = 1 << 20;
  const auto touch = [](void* block) { return &(static_cast<char*>(block)[mib / 2] = 1); };
  std::vector<void*> blocks;
  std::vector<char*> marks;
  const auto free_all = [&] {
    for (void* block : blocks)
      heap.free(block);
    const size_t kept = size_t(std::count_if(marks.begin(), marks.end(), [](char* mark) { return *mark != 0; }));
    blocks.clear();
    marks.clear();
    return kept;
  };
  const auto allocate = [&](size_t count, size_t bytes) {
    for (size_t i = 0; i < count; ++i)
      marks.push_back(touch(blocks.emplace_back(heap.allocate(bytes))));
  };
  allocate(1, 32 * mib);
  EXPECT_EQ(free_all(), 1u);
  allocate(1, 40 * mib);
  EXPECT_EQ(free_all(), 0u) << "each of these is given back";
  for (int round = 0; round < 3; ++round) {
    allocate(20, 16 * mib);
    const size_t kept = free_all();
    EXPECT_GE(kept, 1u);
    EXPECT_LE(kept, 7u) << "128 MiB, with what lies around";
  }
  allocate(20, 16 * mib);
  free_all();
  for (int again = 0; again < 3; ++again) {
    allocate(1, 24 * mib);
    EXPECT_EQ(free_all(), 1u) << "what was freed first goes first";
  }
  void* const mapping = heap.map(16 * mib);
  char* const mark = touch(mapping);
  heap.unmap(mapping, 16 * mib);
  EXPECT_EQ(*mark, 0) << "new mappings are zeroed, by the system at best";
}

TEST_F(HeapTest, ZeroedMemoryIsZeroAfterReuse) {
  for (Heap::MayDiscard may_discard : {Heap::MayDiscard(nullptr), Heap::MayDiscard(always), Heap::MayDiscard(never)}) {
    heap.set_may_discard(may_discard);
    for (size_t bytes : {200'000, 32769, 32768, 4096, 100, 1}) {
      void* block = heap.allocate(bytes);
      memset(block, 0xff, Heap::usable_bytes(block));
      heap.free(block);
      void* zeroed = heap.allocate_zeroed(bytes);
      EXPECT_EQ(page_down(uintptr_t(zeroed)), page_down(uintptr_t(block))) << "this test wants the same memory again";
      EXPECT_TRUE(all_zero(zeroed, bytes));
      heap.free(zeroed);
    }
    void* mapping = heap.map(100'000);
    memset(mapping, 0xff, 100'000);
    heap.unmap(mapping, 100'000);
    void* again = heap.map(100'000);
    EXPECT_TRUE(all_zero(again, page_up(100'000)));
    heap.unmap(again, 100'000);
  }
}

TEST_F(HeapTest, NeighboursMergeInAnyOrder) {
  const size_t bytes = 16 * page_bytes;
  std::vector<int> order = {0, 1, 2, 3};
  uintptr_t first = 0;
  do {
    void* whole = heap.map(4 * bytes);
    if (first == 0)
      first = reinterpret_cast<uintptr_t>(whole);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(whole), first) << "the parts did not become one again";
    for (int part : order)
      heap.unmap(static_cast<char*>(whole) + size_t(part) * bytes, bytes);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(HeapTest, MappingsMayBeTakenBackInParts) {
  char* mapping = static_cast<char*>(heap.map(10 * page_bytes));
  memset(mapping, 0x55, 10 * page_bytes);
  heap.unmap(mapping + 3 * page_bytes, 2 * page_bytes);
  char* fits = static_cast<char*>(heap.map(2 * page_bytes));
  EXPECT_EQ(fits, mapping + 3 * page_bytes) << "best fit";
  EXPECT_TRUE(all_zero(fits, 2 * page_bytes));
  char* too_large = static_cast<char*>(heap.map(3 * page_bytes));
  EXPECT_TRUE(too_large >= mapping + 10 * page_bytes || too_large < mapping);
  for (int page : {0, 1, 2, 5, 6, 7, 8, 9})
    EXPECT_EQ(mapping[size_t(page) * page_bytes], 0x55) << "page " << page << " was not given back";
}

TEST_F(HeapTest, LargeBlocksSplitAndMerge) {
  void* blocks[3];
  for (void*& block : blocks)
    block = heap.allocate(200'000);
  const size_t extent = static_cast<char*>(blocks[1]) - static_cast<char*>(blocks[0]);
  heap.free(blocks[0]);
  heap.free(blocks[2]);
  heap.free(blocks[1]);
  void* all = heap.allocate(3 * extent - page_bytes);
  EXPECT_EQ(all, blocks[0]);
  EXPECT_EQ(Heap::usable_bytes(all), 3 * extent - page_bytes);
  heap.free(all);
  EXPECT_EQ(heap.allocate(200'000), blocks[0]);
}

TEST_F(HeapTest, ALargeBlockGrowsWhereItIs) {
  auto* const block = static_cast<char*>(heap.allocate(200'000));
  memset(block, 5, 200'000);
  for (size_t bytes = 210'000; bytes < 2'000'000; bytes += 3000) {
    ASSERT_TRUE(heap.grow_in_place(block, bytes)) << bytes;
    ASSERT_GE(Heap::usable_bytes(block), bytes);
    ASSERT_LT(Heap::usable_bytes(block), bytes + page_bytes);
    block[bytes - 1] = 7;
  }
  EXPECT_EQ(block[199'999], 5);
  auto* const behind = static_cast<char*>(heap.allocate(100'000));
  EXPECT_GE(behind, block + Heap::usable_bytes(block));
  EXPECT_FALSE(heap.grow_in_place(block, 2'100'000)) << "somebody is there";
  memset(behind, 1, 100'000);
  EXPECT_EQ(block[199'999], 5);
  heap.free(behind);
  EXPECT_TRUE(heap.grow_in_place(block, 2'050'000)) << "free again";
  heap.free(block);
  EXPECT_EQ(heap.allocate(2'080'000), block) << "all of it is free";
}

TEST_F(HeapTest, WhatIsNoLargeBlockOfTheNodeDoesNotGrow) {
  auto* const small = static_cast<char*>(heap.allocate(100));
  EXPECT_FALSE(heap.grow_in_place(small, 5000));
  auto* const large = static_cast<char*>(heap.allocate(200'000));
  EXPECT_FALSE(heap.grow_in_place(large, large_part_bytes + 1));
  EXPECT_FALSE(heap.grow_in_place(large, large_part_bytes)) << "there is not so much left";
  EXPECT_TRUE(heap.grow_in_place(large, 100)) << "it has that";
}

/// As a vector that is appended to by realloc(), beside another one: neither can stay where it is.
TEST_F(HeapTest, BlocksThatGrowAreMovedSeldom) {
  struct Growing {
    char* block;
    size_t bytes;
    int moves = 0;
  };
  Growing both[2] = {{static_cast<char*>(heap.allocate(100'000)), 100'000},
                     {static_cast<char*>(heap.allocate(100'000)), 100'000}};
  for (int step = 0; step < 1000; ++step)
    for (Growing& one : both) {
      const size_t before = one.bytes;
      one.block[before - 1] = char(step);
      one.bytes += 4000;
      const size_t usable = Heap::usable_bytes(one.block);
      if (Heap::stays_in_place(usable, one.bytes))
        continue;
      auto* const moved = static_cast<char*>(heap.resize(one.block, one.bytes));
      ASSERT_TRUE(moved);
      if (moved == one.block)
        continue;
      memcpy(moved, one.block, before);
      heap.free(one.block);
      one.block = moved;
      one.moves++;
      ASSERT_EQ(one.block[before - 1], char(step));
    }
  EXPECT_LT(both[0].moves + both[1].moves, 45) << "by a quarter each time, 17 for a factor of 41";
}

TEST_F(HeapTest, AtTheEndOfTheSliceBlocksGrowWithoutRoom) {
  constexpr size_t mebibyte = size_t(1) << 20;
  ASSERT_TRUE(heap.allocate(large_part_bytes - 10 * mebibyte));
  void* const block = heap.allocate(100);
  void* const moved = heap.resize(block, 9 * mebibyte);
  ASSERT_TRUE(moved);
  EXPECT_NE(moved, block);
  expect_usable(moved, 9 * mebibyte);
}

TEST_F(HeapTest, SomebodyElsesAddressIsNoLargeBlock) {
  char* block = static_cast<char*>(heap.allocate(100'000));
  heap.free(block + page_bytes); // not a block: nothing happens
  void* other = heap.allocate(50'000);
  EXPECT_TRUE(other < block || other >= block + 100'000);
}

TEST_F(HeapTest, ANodeBeginsWithAnEmptyHeapOfItsOwn) {
  std::vector<void*> blocks;
  for (size_t bytes : {16, 16, 100, 512, 512, 40'000, 100'000})
    blocks.push_back(heap.allocate(bytes));
  for (void* block : blocks)
    heap.free(block);
  constexpr uint32_t other = node + 2;
  map(other);
  heap.become(other, never);
  std::set<void*> seen;
  for (size_t bytes : {16, 512, 40'000, 100'000})
    for (int i = 0; i < 20; ++i) {
      void* block = heap.allocate(bytes);
      EXPECT_EQ(Heap::owner(block), other);
      EXPECT_TRUE(seen.insert(block).second) << "handed out twice";
    }
}

TEST_F(HeapTest, ThreadsMayUseItAtOnce) {
  constexpr int threads = 4, rounds = 3000;
  std::atomic<void*> hand_over[64] = {};
  std::atomic<int> corrupted{0};
  const auto body = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < rounds; ++i) {
      const size_t bytes = 8 + random() % (i % 50 == 0 ? 60'000 : 300);
      auto* block = static_cast<uint64_t*>(heap.allocate(bytes));
      *block = reinterpret_cast<uintptr_t>(block);
      // What another thread put here is freed by this one.
      auto* other = static_cast<uint64_t*>(hand_over[random() % 64].exchange(block, std::memory_order_acq_rel));
      if (!other)
        continue;
      if (*other != reinterpret_cast<uintptr_t>(other))
        ++corrupted;
      *other = 0;
      if (!heap.try_free(other))
        heap.free(other);
    }
  };
  std::vector<std::thread> team;
  for (unsigned i = 0; i < threads; ++i)
    team.emplace_back(body, i + 1);
  for (std::thread& thread : team)
    thread.join();
  EXPECT_EQ(corrupted, 0);
}

} // namespace
} // namespace hetmp::dsm
