// Chunks dealt in advance: each is given out once, whoever asks.
#include "kmpc.hpp"

#include "runtime/wait/chunk_share.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace hetmp::test {
namespace {

using runtime::ChunkNumbers;
using runtime::ChunkShare;

std::vector<uint32_t> all_of(ChunkShare& share, ChunkNumbers dealt) {
  std::vector<uint32_t> found;
  while (true) {
    const uint32_t chunk = share.take([&] { return dealt; });
    if (chunk == ChunkShare::none)
      return found;
    found.push_back(chunk);
  }
}

TEST(ChunkShares, TheOwnerHasThemInOrder) {
  ChunkShare share;
  EXPECT_EQ(all_of(share, {3, 7}), (std::vector<uint32_t>{3, 4, 5, 6}));
  EXPECT_EQ(all_of(share, {3, 7}), std::vector<uint32_t>{}); // it is dealt once
  share.reset();
  EXPECT_EQ(all_of(share, {5, 6}), std::vector<uint32_t>{5});
  share.put({8, 10});
  EXPECT_EQ(all_of(share, {}), (std::vector<uint32_t>{8, 9}));
}

TEST(ChunkShares, SomeAreAsManyAsAreWantedOfWhatIsLeft) {
  ChunkShare share;
  uint32_t seen = 0;
  const auto some = [&](uint32_t wanted) {
    const auto of = [&](uint32_t left) { return seen = left, std::min(wanted, left); };
    return share.take_some(of, [] { return ChunkNumbers{10, 30}; });
  };
  const auto expect = [&](ChunkNumbers found, uint32_t begin, uint32_t end, uint32_t left) {
    EXPECT_EQ(found.begin, begin);
    EXPECT_EQ(found.end, end);
    EXPECT_EQ(seen, left);
  };
  expect(some(3), 10, 13, 20);
  expect(some(8), 13, 21, 17);
  const ChunkNumbers stolen = share.steal([] { return ChunkNumbers{}; });
  EXPECT_EQ(stolen.begin, 25u);
  EXPECT_EQ(stolen.end, 30u);
  expect(some(1), 21, 22, 4);
  expect(some(100), 22, 25, 3);
  EXPECT_TRUE(some(100).empty());
}

TEST(ChunkShares, AnEmptyShare) {
  ChunkShare share;
  EXPECT_TRUE(share.steal([] { return ChunkNumbers{4, 4}; }).empty());
  EXPECT_EQ(all_of(share, {4, 4}), std::vector<uint32_t>{});
  EXPECT_TRUE(share.steal([] { return ChunkNumbers{4, 4}; }).empty());
}

TEST(ChunkShares, TheLargestNumbers) {
  ChunkShare share;
  constexpr uint32_t most = ChunkShare::most_chunks;
  const ChunkNumbers stolen = share.steal([] { return ChunkNumbers{most - 3, most}; });
  EXPECT_EQ(stolen.begin, most - 2);
  EXPECT_EQ(stolen.end, most);
  EXPECT_EQ(all_of(share, {most - 3, most}), std::vector<uint32_t>{most - 3});
}

/// Every number of chunks taken by the owner first, and a theft after it.
TEST(ChunkShares, AThiefHasTheLaterHalf) {
  for (uint32_t size = 1; size < 40; size++)
    for (uint32_t taken = 0; taken <= size; taken++)
      for (bool late : {false, true}) { // the owner has not come yet
        if (late && taken > 0)
          continue;
        ChunkShare share;
        const ChunkNumbers dealt = {100, 100 + size};
        for (uint32_t i = 0; i < taken; i++)
          EXPECT_EQ(share.take([&] { return dealt; }), 100 + i);
        const ChunkNumbers stolen = share.steal([&] { return dealt; });
        const uint32_t left = size - taken;
        EXPECT_EQ(stolen.end - stolen.begin, left - left / 2);
        if (left > 0) {
          EXPECT_EQ(stolen.end, dealt.end);
        }
        EXPECT_EQ(all_of(share, dealt).size(), left / 2);
      }
}

/// Each thread takes its own, then steals, until there is nothing: each chunk is executed once.
void run_thread(std::vector<ChunkShare>& shares, uint32_t self, uint32_t chunks,
                std::vector<std::atomic<int>>& executed) {
  const uint32_t threads = uint32_t(shares.size());
  const auto dealt = [&](uint32_t thread) {
    return ChunkNumbers{uint32_t(uint64_t(chunks) * thread / threads),
                        uint32_t(uint64_t(chunks) * (thread + 1) / threads)};
  };
  for (bool some = true; some;) {
    for (uint32_t chunk; (chunk = shares[self].take([&] { return dealt(self); })) != ChunkShare::none;)
      executed[chunk]++;
    some = false;
    for (uint32_t victim = 0; victim < threads && !some; victim++) {
      const ChunkNumbers stolen = victim == self ? ChunkNumbers{} : shares[victim].steal([&] { return dealt(victim); });
      if (stolen.empty())
        continue;
      some = true;
      executed[stolen.begin]++;
      shares[self].put({stolen.begin + 1, stolen.end});
    }
  }
}

TEST(ChunkShares, ManyThieves) {
  constexpr uint32_t threads = 4;
  for (int round = 0; round < rounds(300); round++) {
    const uint32_t chunks = uint32_t(1 + round * 7 % 500);
    std::vector<ChunkShare> shares(threads);
    std::vector<std::atomic<int>> executed(chunks);
    std::vector<std::thread> team;
    for (uint32_t self = 0; self < threads; self++)
      team.emplace_back([&, self] { run_thread(shares, self, chunks, executed); });
    for (std::thread& member : team)
      member.join();
    EXPECT_TRUE(std::all_of(executed.begin(), executed.end(), [](const auto& count) { return count == 1; }));
  }
}

} // namespace
} // namespace hetmp::test
