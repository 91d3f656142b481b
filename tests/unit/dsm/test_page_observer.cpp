// What a node counts of its pages.
#include "dsm/engine/page_observer.hpp"

#include "base/page.hpp"

#include <gtest/gtest.h>

using namespace hetmp;
using namespace hetmp::dsm;

namespace {

constexpr uintptr_t page = 0x10000000;

PageFault fault_of(PageFault::Kind kind) { return {page, kind, UINT32_MAX}; }

} // namespace

TEST(PageObserver, CountsFaultsByKindWithoutStatistics) {
  PageObserver observer;
  observer.faulted(fault_of(PageFault::Kind::ReadMissing));
  observer.faulted(fault_of(PageFault::Kind::WriteMissing));
  observer.faulted(fault_of(PageFault::Kind::WriteMissing));
  for (int i = 0; i < 3; ++i)
    observer.faulted(fault_of(PageFault::Kind::WriteProtected));
  observer.received(5);
  observer.heard();
  observer.taken(4);
  observer.lost(page, 7);
  observer.arrived(page, 7, true);
  observer.enter_region(3);
  FaultCounters counters;
  observer.read_counters(&counters);
  EXPECT_EQ(counters.read_misses, 1u);
  EXPECT_EQ(counters.write_misses, 2u);
  EXPECT_EQ(counters.write_upgrades, 3u);
  EXPECT_EQ(counters.invalidations, 7u);
  EXPECT_EQ(counters.bytes_received, 5 * page_bytes);
  EXPECT_EQ(counters.messages, 1u);
  EXPECT_EQ(counters.pages_taken, 4u);
  PageRecord record;
  uint64_t waited = 0, dropped = 1;
  EXPECT_EQ(observer.read_pages(&record, 1, &waited), 0u);
  EXPECT_TRUE(observer.fault_events(&dropped).empty());
  EXPECT_EQ(dropped, 0u);
}

TEST(PageObserver, ARangeThatComesIsEachOfItsPages) {
  PageObserver observer;
  observer.watch_faults();
  for (uintptr_t i = 0; i < 3; ++i)
    observer.faulted({page + i * page_bytes, PageFault::Kind::WriteMissing, 8});
  observer.arrived(page, 2, true);
  uint64_t dropped = 0, waited = 0;
  EXPECT_EQ(observer.fault_events(&dropped).size(), 2u);
  EXPECT_EQ(observer.fault_events(&dropped)[1].page, page + page_bytes);
  observer.lost(page, 2);
  observer.arrived(page, 1, true);
  PageRecord records[4];
  ASSERT_EQ(observer.read_pages(records, 4, &waited), 3u);
  uint64_t returns = 0, invalidations = 0;
  for (size_t i = 0; i < 3; ++i) {
    returns += records[i].returns;
    invalidations += records[i].invalidations;
  }
  EXPECT_EQ(returns, 1u);
  EXPECT_EQ(invalidations, 2u);
}

TEST(PageObserver, FaultsBeyondTheRoomAreCounted) {
  PageObserver observer;
  observer.watch_faults();
  for (size_t i = 0; i < PageObserver::most_fault_events + 10; ++i) {
    observer.faulted(fault_of(PageFault::Kind::ReadMissing));
    observer.arrived(page, 1, false);
  }
  uint64_t dropped = 0;
  EXPECT_EQ(observer.fault_events(&dropped).size(), PageObserver::most_fault_events);
  EXPECT_EQ(dropped, 10u);
}
