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

  void touch(PageNumber page) {
    if (!here.insert(page).second)
      return;
    ++faults;
    const PageSeries series = streams.fault(page);
    for (uint32_t i = 0; i < series.count; ++i)
      fetched += here.insert(series.page(i)).second;
  }
};

TEST(FaultStreams, FetchMoreAndMoreOfAWalk) {
  for (const bool write : {false, true}) {
    FaultStreams streams;
    EXPECT_EQ(streams.fault(1000, write).count, 0u);
    EXPECT_EQ(streams.fault(1001, write).count, 0u);
    PageNumber next = 1002;
    const uint32_t longest = write ? FaultStreams::longest_written_series : FaultStreams::longest_series;
    for (int i = 0; i < 20; ++i) {
      const PageSeries series = streams.fault(next, write);
      EXPECT_EQ(series.first, next + 1);
      EXPECT_EQ(series.stride, 1);
      EXPECT_EQ(series.count, std::clamp<uint32_t>(uint32_t(next - 1000) / 2, FaultStreams::first_series, longest));
      next += series.count + 1;
      EXPECT_TRUE(i <= 15 || series.count == longest);
    }
  }
}

TEST(FaultStreams, AFaultOnAPageUnderWayBringsTheNextRunOnce) {
  for (const int64_t stride : {1, -1, 3, -16}) {
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
  Walk far;
  for (int64_t i = 0; i < 1000; ++i)
    far.touch(PageNumber(100000 + 17 * i));
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
      walk.touch(thread * 500 + i);
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
