// What is asked for at the beginning of a visit: pages that threads wanted on the last one, as long as they still do,
// and never those that bounce.
#include "dsm/ahead/visit_memory.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace hetmp::dsm {
namespace {

constexpr VisitMemory::Loop loop = 0x401000;

/// A node whose threads touch the same pages on each visit, and that loses all of them in between.
struct Node {
  VisitMemory memory;
  std::map<PageNumber, bool> here; ///< and whether it may write
  uint64_t faults = 0, fetched_ahead = 0;

  std::vector<WantedPage> begin(VisitMemory::Loop which = loop) {
    std::vector<WantedPage> wanted;
    const auto needs = [this](PageNumber page, bool write) {
      const auto found = here.find(page);
      return found == here.end() || (write && !found->second);
    };
    memory.begin(which, needs, wanted);
    for (const WantedPage& one : wanted) {
      EXPECT_TRUE(needs(one.page, one.write)) << "it is here";
      here[one.page] = here[one.page] || one.write;
    }
    fetched_ahead += wanted.size();
    return wanted;
  }
  void touch(PageNumber page, bool write) {
    const auto found = here.find(page);
    if (found != here.end() && (found->second || !write))
      return;
    ++faults;
    here[page] = write;
    memory.fetched(page, write);
  }
  void touch_range(PageNumber first, PageNumber count, bool write) {
    for (PageNumber page = first; page < first + count; ++page)
      touch(page, write);
  }
  void lose_all() {
    memory.begin(
        0, [](PageNumber, bool) { return false; }, unused); // the visit is over
    here.clear();
  }
  std::vector<WantedPage> unused;
};

TEST(VisitMemory, AsksForWhatTheLastVisitFetched) {
  Node node;
  EXPECT_TRUE(node.begin().empty());
  node.touch_range(100, 4, false);
  node.touch_range(200, 3, true);
  node.lose_all();
  std::map<PageNumber, bool> wanted;
  for (const auto& one : node.begin())
    wanted[one.page] = one.write;
  size_t left_out = 0;
  for (PageNumber page : {100, 101, 102, 103, 200, 201, 202}) {
    if (!wanted.contains(page)) {
      ++left_out;
      continue;
    }
    EXPECT_EQ(wanted[page], page >= 200) << page;
  }
  EXPECT_LE(left_out, 1u);
  EXPECT_EQ(wanted.size() + left_out, 7u) << "nothing else";
}

TEST(VisitMemory, SavesNearlyAllFaultsOfALoopThatRepeats) {
  Node node;
  constexpr uint64_t pages = 500, visits = 100;
  for (uint64_t visit = 0; visit < visits; ++visit) {
    node.begin();
    node.touch_range(1000, pages, true);
    node.lose_all();
  }
  EXPECT_LT(node.faults, pages + pages * visits / 20);
  EXPECT_EQ(node.fetched_ahead + node.faults, pages * visits) << "nothing in vain";
}

TEST(VisitMemory, LoopsHaveMemoriesOfTheirOwn) {
  Node node;
  node.begin(loop);
  node.touch_range(100, 6, false);
  node.begin(loop + 64);
  node.touch_range(200, 6, false);
  node.lose_all();
  for (const auto& one : node.begin(loop))
    EXPECT_LT(one.page, 106u);
  node.lose_all();
  for (const auto& one : node.begin(loop + 64))
    EXPECT_GE(one.page, 200u);
}

TEST(VisitMemory, WhatNoLoopTouchesIsNotRemembered) {
  Node node;
  node.begin(0);
  node.touch_range(100, 6, false);
  node.begin(loop);
  node.lose_all();
  EXPECT_TRUE(node.begin(0).empty());
  EXPECT_TRUE(node.begin(loop).empty());
}

TEST(VisitMemory, PagesThatAreHereAreLeftAloneAndThenForgotten) {
  Node node;
  node.begin();
  node.touch_range(100, 10, false);
  for (uint32_t visit = 0; visit < VisitMemory::visits_idle; ++visit)
    EXPECT_TRUE(node.begin().empty()) << "nothing was lost";
  node.begin(0);
  EXPECT_EQ(node.memory.pages_of(loop), 0u);
}

TEST(VisitMemory, APageThatNobodyTouchesAnyMoreIsForgotten) {
  Node node;
  node.begin();
  node.touch_range(100, 40, false);
  node.lose_all();
  for (uint32_t visit = 0; visit < VisitMemory::longest_period; ++visit) {
    node.begin();
    node.touch_range(100, 39, false);
    node.lose_all();
  }
  EXPECT_EQ(node.memory.pages_of(loop), 39u);
  for (const auto& one : node.begin())
    EXPECT_NE(one.page, 139u);
}

TEST(VisitMemory, ALoopThatTouchesOtherPagesEachTimeIsGivenUp) {
  Node node;
  constexpr uint64_t pages = 100, visits = 1000;
  for (uint64_t visit = 0; visit < visits; ++visit) {
    node.begin();
    node.touch_range(1000 + visit * 1000, pages, false);
    node.lose_all();
  }
  EXPECT_EQ(node.faults, pages * visits);
  EXPECT_LT(node.fetched_ahead, node.faults / 20);
}

TEST(VisitMemory, AGivenUpLoopGetsAnotherChance) {
  Node node;
  for (uint64_t visit = 0; visit < 50; ++visit) {
    node.begin();
    node.touch_range(visit < 10 ? 1000 + visit * 1000 : 77000, 100, false);
    node.lose_all();
  }
  EXPECT_GE(node.begin().size(), 80u);
}

TEST(VisitMemory, APageThatIsTakenAwayIsNotAskedForAgain) {
  Node node;
  node.begin();
  node.touch_range(100, 20, true);
  node.lose_all();
  const auto first = node.begin();
  ASSERT_FALSE(first.empty());
  const PageNumber bounces = first[0].page;
  node.memory.lost(bounces);
  node.here.erase(bounces);
  node.touch_range(100, 20, true);
  node.lose_all();
  for (uint32_t visit = 0; visit < VisitMemory::visits_barred; ++visit) {
    for (const auto& one : node.begin())
      EXPECT_NE(one.page, bounces);
    node.touch_range(100, 20, true);
    node.lose_all();
  }
  bool again = false;
  for (uint32_t visit = 0; visit < 2; ++visit) { // on one of them it may be left out
    for (const auto& one : node.begin())
      again = again || one.page == bounces;
    node.touch_range(100, 20, true);
    node.lose_all();
  }
  EXPECT_TRUE(again) << "it may have stopped to bounce";
}

TEST(VisitMemory, ALoopMostOfWhosePagesBounceIsGivenUp) {
  Node node;
  node.begin();
  node.touch_range(100, 20, true);
  node.lose_all();
  for (const auto& one : node.begin())
    node.memory.lost(one.page);
  node.lose_all();
  EXPECT_EQ(node.memory.pages_of(loop), 0u);
  EXPECT_TRUE(node.begin().empty());
  EXPECT_FALSE(node.memory.worth_waking(loop));
}

TEST(VisitMemory, IsBoundedInPagesAndLoops) {
  Node node;
  node.begin();
  node.touch_range(0, 2 * VisitMemory::most_pages, false);
  node.lose_all();
  EXPECT_EQ(node.memory.pages_of(loop), VisitMemory::most_pages);
  for (VisitMemory::Loop other = 1; other <= VisitMemory::most_loops; ++other) {
    node.begin(other);
    node.touch_range(1 << 20, 10, false);
    node.lose_all();
  }
  EXPECT_EQ(node.memory.pages_of(loop), 0u) << "the one that was visited longest ago makes room";
  EXPECT_EQ(node.memory.pages_of(VisitMemory::most_loops), 10u);
}

TEST(VisitMemory, WakesForSeveralPagesOnly) {
  Node node;
  node.begin();
  node.touch(100, false);
  node.lose_all();
  EXPECT_FALSE(node.memory.worth_waking(loop));
  node.begin();
  node.touch_range(100, 10, false);
  node.lose_all();
  EXPECT_TRUE(node.memory.worth_waking(loop));
}

TEST(VisitMark, TellsVisitsOfOneLoopApart) {
  VisitMark mark;
  EXPECT_TRUE(mark.begin(loop));
  const uint64_t first = mark.now();
  EXPECT_EQ(VisitMark::loop_of(first), loop);
  EXPECT_FALSE(mark.begin(loop)) << "another thread";
  EXPECT_EQ(mark.now(), first);
  mark.end();
  EXPECT_EQ(VisitMark::loop_of(mark.now()), 0u);
  EXPECT_TRUE(mark.begin(loop));
  EXPECT_NE(mark.now(), first);
}

} // namespace
} // namespace hetmp::dsm
