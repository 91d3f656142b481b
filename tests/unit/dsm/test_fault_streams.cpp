// Which pages are fetched with a fault: streams are found, grow, and are told apart; what is no stream fetches nothing.
#include "dsm/ahead/fault_streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace hetmp::dsm {
namespace {

/// A thread that touches one page after the other: it faults on those that were not fetched.
struct Walk {
  FaultStreams streams;
  std::set<PageNumber> here;
  uint64_t faults = 0;
  uint64_t fetched = 0;

  void touch(PageNumber page, uint32_t thread = 0) {
    if (!here.insert(page).second)
      return;
    ++faults;
    const PageSeries series = streams.fault(page, Access::Read, thread);
    for (uint32_t i = 0; i < series.count; ++i)
      fetched += here.insert(series.page(i)).second;
  }
};

TEST(FaultStreams, FetchMoreAndMoreOfAWalk) {
  for (const Access access : {Access::Read, Access::Write, Access::Upgrade}) {
    const bool write = access != Access::Read;
    FaultStreams streams;
    const auto patience = uint64_t(write ? FaultStreams::first_written_length : FaultStreams::first_length);
    for (PageNumber page = 1000; page < 1000 + patience; ++page)
      EXPECT_EQ(streams.fault(page, access).count, 0u);
    PageNumber next = 1000 + patience;
    const uint32_t longest = write ? FaultStreams::longest_written_series : FaultStreams::longest_series;
    for (int i = 0; i < 20; ++i) {
      const PageSeries series = streams.fault(next, access);
      EXPECT_EQ(series.write, write);
      EXPECT_EQ(series.first, next + 1);
      EXPECT_EQ(series.stride, 1);
      EXPECT_EQ(series.count,
                std::clamp<uint32_t>(uint32_t(next - 1000) / 2, write ? 1 : FaultStreams::first_series, longest));
      next += series.count + 1;
      EXPECT_TRUE(i <= 15 || series.count == longest);
    }
  }
}

TEST(FaultStreams, WhatIsReadAndThenWrittenComesForWriting) {
  FaultStreams streams;
  uint64_t upgrades = 0;
  std::set<PageNumber> here, writable;
  for (PageNumber page = 1000; page < 2000; ++page) {
    const auto fetch = [&](const PageSeries& series) {
      for (uint32_t i = 0; i < series.count; ++i)
        (series.write ? writable : here).insert(series.page(i));
      if (series.write)
        writable.insert(page);
    };
    if (!here.count(page) && !writable.count(page))
      fetch(streams.fault(page)), here.insert(page);
    if (!writable.count(page))
      ++upgrades, fetch(streams.fault(page, Access::Upgrade)), writable.insert(page);
  }
  EXPECT_LE(upgrades, 20u);
}

TEST(FaultStreams, WhatIsOnlyReadDoesNot) {
  FaultStreams streams;
  for (PageNumber page = 1000; page < 2000; ++page) {
    EXPECT_FALSE(streams.fault(page).write);
    if (page % 100 == 0)
      streams.fault(page, Access::Upgrade); // now and then
  }
}

TEST(FaultStreams, AStreamThatIsRegrettedIsReadOnly) {
  FaultStreams streams;
  PageSeries series;
  PageNumber page = 1000;
  std::set<PageNumber> here;
  for (; !series.write || series.count == 0; ++page) {
    ASSERT_LT(page, 1100u);
    if (here.insert(page).second)
      series = streams.fault(page);
    for (uint32_t i = 0; i < series.count; ++i)
      here.insert(series.page(i));
    if (!series.write)
      streams.fault(page, Access::Upgrade);
  }
  streams.regretted(series.page(0));
  EXPECT_FALSE(streams.fault(series.page(series.count)).write);
}

TEST(FaultStreams, ARunIsKnownTheNextTime) {
  FaultStreams streams;
  const auto walk = [&](PageNumber end) {
    uint64_t faults = 0;
    std::set<PageNumber> here;
    for (PageNumber page = 1000; page < end; ++page)
      if (here.insert(page).second) {
        ++faults;
        const PageSeries series = streams.fault(page, Access::Upgrade);
        for (uint32_t i = 0; i < series.count; ++i)
          here.insert(series.page(i));
      }
    return std::pair(faults, here.size());
  };
  const auto first = walk(1060);
  const auto second = walk(1060);
  EXPECT_GT(first.first, 10u);
  EXPECT_LE(second.first, 10u);
  walk(1060);
  const auto fourth = walk(1060);
  EXPECT_LE(fourth.first, 3u);
  EXPECT_LE(fourth.second, 62u) << "and not more than is wanted";
}

TEST(FaultStreams, TheWriteOfAWitnessBringsTheNextSeries) {
  FaultStreams streams;
  PageSeries series;
  for (PageNumber page = 1000; series.count == 0; ++page)
    series = streams.fault(page, Access::Upgrade);
  const PageSeries next = streams.used(series.page(0));
  EXPECT_EQ(next.first, series.page(series.count));
  EXPECT_TRUE(next.write);
  EXPECT_EQ(streams.used(5).count, 0u);
}

TEST(FaultStreams, ColumnsNextToEachOther) {
  FaultStreams streams;
  std::set<PageNumber> here;
  uint64_t faults = 0;
  for (PageNumber column = 0; column < 20; ++column)
    for (PageNumber row = 0; row < 200; ++row)
      if (here.insert(10'000 + 128 * row + column).second) {
        ++faults;
        const PageSeries series = streams.fault(10'000 + 128 * row + column, Access::Write);
        for (uint32_t i = 0; i < series.count; ++i)
          here.insert(series.page(i));
      }
  EXPECT_LT(faults, 20 * 15u) << "of 4000 pages";
}

TEST(FaultStreams, AFaultOnAPageUnderWayBringsTheNextRunOnce) {
  for (const int64_t stride : {1, -1, 3, -8}) {
    FaultStreams streams;
    const auto page = [&](int64_t index) { return PageNumber(100'000 + stride * index); };
    streams.fault(page(0));
    streams.fault(page(1));
    const PageSeries first = streams.fault(page(2));
    ASSERT_EQ(first.count, FaultStreams::first_series);
    EXPECT_EQ(streams.fault_under_way(page(2)).count, 0u) << "not one of the series";
    EXPECT_TRUE(stride == 1 || stride == -1 || streams.fault_under_way(page(3) + 1).count == 0)
        << "between the stream's pages";
    const PageSeries second = streams.fault_under_way(page(4));
    EXPECT_EQ(second.first, page(3 + FaultStreams::first_series));
    EXPECT_EQ(second.stride, stride);
    EXPECT_EQ(second.count, FaultStreams::first_series);
    EXPECT_EQ(streams.fault_under_way(page(5)).count, 0u) << "the first series has brought the second already";
    const PageSeries third = streams.fault_under_way(second.page(second.count - 1));
    EXPECT_EQ(third.first, second.page(second.count));
    const PageSeries behind = streams.fault(third.page(third.count));
    EXPECT_EQ(behind.first, third.page(third.count + 1)) << "a slow reader's fault behind the series goes on with it";
    EXPECT_GT(behind.count, FaultStreams::first_series);
  }
}

TEST(FaultStreams, WhatAStreamsEndCostsIsBoundedByWhatItNeeded) {
  for (int64_t length = 3; length < 5000; length = length * 3 / 2) {
    FaultStreams streams;
    std::set<PageNumber> asked;
    for (int64_t i = 0; i < length; ++i) {
      const PageSeries series =
          asked.insert(PageNumber(i)).second ? streams.fault(PageNumber(i)) : streams.fault_under_way(PageNumber(i));
      for (uint32_t k = 0; k < series.count; ++k)
        asked.insert(series.page(k));
    }
    EXPECT_LE(int64_t(asked.size()), 2 * length + 2 * FaultStreams::first_series) << length;
    EXPECT_LE(int64_t(asked.size()), length + 2 * FaultStreams::longest_series) << length;
  }
}

TEST(FaultStreams, FollowStridesEitherWay) {
  for (const int64_t stride : {1, -1, 3, -3, 16, -16}) {
    Walk walk;
    for (int64_t i = 0; i < 1000; ++i)
      walk.touch(PageNumber(100000 + stride * i));
    EXPECT_LT(walk.faults, 40u) << stride;
    EXPECT_LE(walk.fetched + walk.faults, 1000u + FaultStreams::longest_series) << stride << ": more than is wanted";
  }
  for (const int64_t stride : {17, -128, 4096}) {
    Walk wide;
    for (int64_t i = 0; i < 1000; ++i)
      wide.touch(PageNumber(10'000'000 + stride * i));
    EXPECT_LT(wide.faults, 40u) << stride;
  }
  Walk far;
  for (int64_t i = 0; i < 1000; ++i)
    far.touch(PageNumber(100000 + 4097 * i));
  EXPECT_EQ(far.faults, 1000u) << "too far apart to be one array";
}

TEST(FaultStreams, TellSeveralArraysApart) {
  Walk walk;
  for (uint64_t i = 0; i < 1000; ++i)
    for (uint64_t array = 0; array < 14; ++array)
      walk.touch(array * 1'000'000 + i);
  EXPECT_LT(walk.faults, 14 * 40u);
}

TEST(FaultStreams, NeighbouringThreadsOfOneArray) {
  Walk walk;
  for (uint64_t i = 0; i < 500; ++i)
    for (uint64_t thread = 0; thread < 8; ++thread)
      walk.touch(thread * 500 + i, uint32_t(thread));
  EXPECT_LE(walk.here.size(), 4000u + FaultStreams::longest_series);
  EXPECT_LT(walk.faults, 8 * 40u);
}

TEST(FaultStreams, FetchNothingForScatteredFaults) {
  std::mt19937_64 random(3);
  Walk walk;
  for (int i = 0; i < 20000; ++i)
    walk.touch(random() % 100'000'000);
  EXPECT_LT(walk.fetched, 20u);
}

TEST(FaultStreams, AStreamThatEndsCostsOneRunAtMost) {
  for (uint64_t length = 1; length < 200; ++length) {
    Walk walk;
    for (uint64_t i = 0; i < length; ++i)
      walk.touch(5000 + i);
    EXPECT_LE(walk.here.size(), length + FaultStreams::longest_series);
    EXPECT_LE(walk.here.size(), 2 * length + FaultStreams::first_series);
  }
}

TEST(FaultStreams, AnythingMayFault) {
  std::mt19937_64 random(9);
  FaultStreams streams;
  for (int i = 0; i < 100000; ++i) {
    const PageSeries series = streams.fault(i % 3 ? random() % 64 : ~uint64_t(0) - random() % 64);
    EXPECT_LE(series.count, FaultStreams::longest_series);
  }
}

} // namespace
} // namespace hetmp::dsm
