#include "dsm/engine/page_statistics.hpp"

#include <gtest/gtest.h>
#include <map>
#include <memory>

namespace hetmp::dsm {
namespace {

using Fault = PageStatistics::Fault;

constexpr uintptr_t page = 0x10000000, other = page + 4096;

std::map<uint64_t, PageRecord> all_of(PageStatistics& statistics) {
  std::vector<PageRecord> records(PageStatistics::sets * PageStatistics::ways);
  const size_t count = statistics.hottest(records.data(), records.size());
  std::map<uint64_t, PageRecord> found;
  for (size_t i = 0; i < count; ++i)
    EXPECT_TRUE(found.emplace(records[i].address, records[i]).second) << "twice";
  return found;
}

/// Another node writes, then this one does again.
void write_in_turns(PageStatistics& statistics, uintptr_t address, int turns) {
  for (int i = 0; i < turns; ++i) {
    statistics.lost(address);
    statistics.faulted(address, Fault::WriteMiss, 8, 10);
    statistics.came(address, true, 20);
  }
}

TEST(PageStatistics, CountsFaultsByKindAndTheTimeTheyTake) {
  PageStatistics statistics;
  statistics.faulted(page, Fault::ReadMiss, 0, 100);
  statistics.came(page, false, 150);
  statistics.faulted(page, Fault::WriteUpgrade, 0, 200);
  statistics.faulted(page, Fault::WriteUpgrade, 4, 220); // another thread: the wait is the same one
  statistics.came(page, true, 260);
  statistics.faulted(other, Fault::WriteMiss, 0, 300);
  statistics.came(other, true, 400);
  statistics.came(other, true, 500); // nobody waited
  const auto found = all_of(statistics);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.at(page).read_misses, 1u);
  EXPECT_EQ(found.at(page).write_upgrades, 2u);
  EXPECT_EQ(found.at(page).write_misses, 0u);
  EXPECT_EQ(found.at(page).waited_ns, 50u + 60u);
  EXPECT_EQ(found.at(other).write_misses, 1u);
  EXPECT_EQ(found.at(other).waited_ns, 100u);
  EXPECT_EQ(statistics.waited_ns(), 210u);
}

TEST(PageStatistics, AReturnIsTheRightToWriteAfterAnotherNodeHadIt) {
  PageStatistics statistics;
  statistics.faulted(page, Fault::WriteMiss, 0, 1);
  statistics.came(page, true, 2); // the first time it is not a return
  EXPECT_EQ(all_of(statistics).at(page).returns, 0u);
  write_in_turns(statistics, page, 5);
  EXPECT_EQ(all_of(statistics).at(page).returns, 5u);
  EXPECT_EQ(all_of(statistics).at(page).invalidations, 5u);
}

TEST(PageStatistics, WriterWithReadersDoesNotReturn) {
  PageStatistics writer, reader;
  for (int i = 0; i < 10; ++i) {
    writer.faulted(page, Fault::WriteUpgrade, 0, 1); // readers took the right, but never the copy
    writer.came(page, true, 2);
    reader.lost(page);
    reader.faulted(page, Fault::ReadMiss, 0, 1);
    reader.came(page, false, 2);
  }
  EXPECT_EQ(all_of(writer).at(page).returns, 0u);
  EXPECT_EQ(all_of(reader).at(page).returns, 0u);
}

TEST(PageStatistics, AReadInBetweenDoesNotHideTheReturn) {
  PageStatistics statistics;
  statistics.faulted(page, Fault::ReadMiss, 0, 1);
  statistics.lost(page);
  statistics.faulted(page, Fault::ReadMiss, 0, 1);
  statistics.came(page, false, 2);
  statistics.faulted(page, Fault::WriteUpgrade, 0, 3);
  statistics.came(page, true, 4);
  EXPECT_EQ(all_of(statistics).at(page).returns, 1u);
}

TEST(PageStatistics, ReturnsAreCountedByRegion) {
  PageStatistics statistics;
  statistics.faulted(page, Fault::WriteMiss, 0, 1);
  for (const uint64_t region : {7u, 8u, 7u, 0u}) {
    statistics.enter_region(region);
    write_in_turns(statistics, page, 10);
  }
  std::map<uint64_t, uint64_t> by_region;
  const PageRecord record = all_of(statistics).at(page);
  for (const auto& [region, returns] : record.regions)
    if (returns != 0)
      by_region[region] = returns;
  EXPECT_EQ(by_region, (std::map<uint64_t, uint64_t>{{7, 20}, {8, 10}, {0, 10}}));
}

TEST(PageStatistics, TheRegionWithMostReturnsStaysAmongMany) {
  PageStatistics statistics;
  statistics.faulted(page, Fault::WriteMiss, 0, 1);
  for (uint64_t i = 0; i < 100; ++i) {
    statistics.enter_region(1);
    write_in_turns(statistics, page, 10);
    statistics.enter_region(100 + i);
    write_in_turns(statistics, page, 1);
  }
  uint64_t of_main = 0;
  const PageRecord record = all_of(statistics).at(page);
  for (const auto& [region, returns] : record.regions)
    if (region == 1)
      of_main = returns;
  EXPECT_EQ(of_main, 1000u);
}

TEST(PageStatistics, RemembersWhichWordsWereWritten) {
  PageStatistics statistics;
  statistics.faulted(page, Fault::WriteMiss, 0, 1);
  statistics.faulted(page, Fault::WriteUpgrade, 4095, 1);
  statistics.faulted(page, Fault::WriteUpgrade, 258, 1);
  statistics.faulted(page, Fault::ReadMiss, 12, 1);                              // not written
  statistics.faulted(page, Fault::WriteMiss, PageStatistics::unknown_offset, 1); // nobody knows
  const PageRecord record = all_of(statistics).at(page);
  for (uint32_t word = 0; word < 1024; ++word)
    EXPECT_EQ(record.written[word / 64] >> (word % 64) & 1, word == 0 || word == 1023 || word == 64) << word;
}

TEST(PageStatistics, AFloodOfOtherPagesDoesNotDriveOutWhatBounces) {
  PageStatistics statistics;
  statistics.faulted(page, Fault::WriteMiss, 0, 1);
  uint64_t returns = 0;
  for (uintptr_t stream = 0; stream < 200'000; ++stream) {
    statistics.faulted(0x50000000 + stream * 4096, Fault::ReadMiss, 0, 1);
    if (stream % 100 == 0) {
      write_in_turns(statistics, page, 1);
      ++returns;
    }
  }
  const auto found = all_of(statistics);
  ASSERT_TRUE(found.contains(page));
  EXPECT_EQ(found.at(page).returns, returns);
  EXPECT_EQ(found.size(), PageStatistics::sets * PageStatistics::ways);
}

TEST(PageStatistics, ANewPageDoesNotInheritAnothersCounts) {
  PageStatistics statistics;
  for (uintptr_t i = 0; i < 100'000; ++i)
    statistics.faulted(page + i * 4096, Fault::WriteUpgrade, 4, 1);
  for (const auto& [address, record] : all_of(statistics)) {
    EXPECT_EQ(record.write_upgrades, 1u);
    EXPECT_EQ(record.returns, 0u);
  }
}

TEST(PageStatistics, HottestComeFirst) {
  PageStatistics statistics;
  for (uintptr_t i = 1; i <= 50; ++i)
    for (uintptr_t times = 0; times < i; ++times)
      statistics.faulted(page + i * 4096, Fault::ReadMiss, 0, 1);
  PageRecord records[10];
  ASSERT_EQ(statistics.hottest(records, 10), 10u);
  for (uintptr_t i = 0; i < 10; ++i)
    EXPECT_EQ(records[i].address, page + (50 - i) * 4096);
}

TEST(PageStatistics, NothingSeenNothingTold) {
  PageStatistics statistics;
  statistics.came(page, true, 1);
  statistics.lost(page);
  EXPECT_TRUE(all_of(statistics).empty());
}

} // namespace
} // namespace hetmp::dsm
