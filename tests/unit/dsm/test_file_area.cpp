// Addresses for mapped files: never given twice, used again when given back, wholly or in parts; each node's own.
#include "dsm/space/file_area.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace hetmp::dsm {
namespace {

using Sharing = FileArea::Sharing;

TEST(FileArea, AnAddressTellsItsOwnerAndItsKind) {
  FileArea area;
  for (uint32_t node : {0u, 1u, most_nodes - 1})
    for (Sharing sharing : {Sharing::Private, Sharing::Shared}) {
      const uintptr_t begin = area.take(node, sharing, 3 * page_bytes);
      ASSERT_NE(begin, 0u);
      for (uintptr_t address : {begin, begin + 3 * page_bytes - 1}) {
        EXPECT_TRUE(FileArea::contains(address));
        EXPECT_EQ(FileArea::owner(address), node);
        EXPECT_EQ(FileArea::sharing_at(address), sharing);
      }
    }
  EXPECT_FALSE(FileArea::contains(FileArea::begin - 1));
  EXPECT_FALSE(FileArea::contains(FileArea::end));
  EXPECT_GE(FileArea::begin, AddressPlan::slice(most_nodes - 1).end);
}

TEST(FileArea, IsExhaustedAndFreeAgain) {
  FileArea area;
  constexpr size_t half = FileArea::node_bytes / 2;
  EXPECT_EQ(area.take(1, Sharing::Shared, half + page_bytes), 0u);
  const uintptr_t all = area.take(1, Sharing::Shared, half);
  ASSERT_NE(all, 0u);
  EXPECT_EQ(area.take(1, Sharing::Shared, page_bytes), 0u);
  EXPECT_NE(area.take(1, Sharing::Private, page_bytes), 0u);
  area.give_back(all + page_bytes, page_bytes); // from the middle
  EXPECT_EQ(area.take(1, Sharing::Shared, 2 * page_bytes), 0u);
  EXPECT_EQ(area.take(1, Sharing::Shared, page_bytes), all + page_bytes);
  area.give_back(all, half);
  EXPECT_EQ(area.take(1, Sharing::Shared, half), all);
}

TEST(FileArea, NothingIsGivenTwice) {
  FileArea area;
  std::mt19937_64 random(3);
  std::map<uintptr_t, size_t> taken;
  for (int i = 0; i < 5000; ++i) {
    if (taken.empty() || random() % 3) {
      const size_t bytes = page_bytes * (1 + random() % 9);
      const uintptr_t begin = area.take(0, Sharing::Private, bytes);
      const auto next = taken.lower_bound(begin);
      ASSERT_TRUE(next == taken.end() || begin + bytes <= next->first);
      ASSERT_TRUE(next == taken.begin() || std::prev(next)->first + std::prev(next)->second <= begin);
      taken[begin] = bytes;
    } else {
      auto any = taken.lower_bound(FileArea::begin + random() % (page_bytes << 12));
      if (any == taken.end())
        any = taken.begin();
      const auto [begin, bytes] = *any;
      const size_t kept = random() % 2 ? 0 : random() % (bytes / page_bytes) * page_bytes; // in the front
      area.give_back(begin + kept, bytes - kept);
      taken.erase(any);
      if (kept)
        taken[begin] = kept;
    }
  }
}

} // namespace
} // namespace hetmp::dsm
