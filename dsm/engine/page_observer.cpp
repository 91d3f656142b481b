#include "dsm/engine/page_observer.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/page.hpp"

#include <algorithm>

namespace hetmp::dsm {

void PageObserver::watch_pages() {
  if (!statistics_)
    statistics_ = std::make_unique<PageStatistics>();
}

void PageObserver::watch_faults() {
  watch_pages();
  events_.reserve(most_fault_events);
}

void PageObserver::read_counters(FaultCounters* counters) const {
  counters->read_misses = read_misses_.get();
  counters->write_misses = write_misses_.get();
  counters->write_upgrades = write_upgrades_.get();
  counters->invalidations = invalidations_.get();
  counters->bytes_received = pages_received_.get() * page_bytes;
  counters->messages = messages_.get();
  counters->pages_taken = pages_taken_.get();
  counters->waited_ns = waited_ns_.get();
  counters->served_ns = served_ns_.get();
}

void PageObserver::faulted(const PageFault& fault) {
  using Fault = PageStatistics::Fault;
  const Fault kind = fault.kind == PageFault::Kind::WriteProtected ? Fault::WriteUpgrade
                     : fault.kind == PageFault::Kind::ReadMissing  ? Fault::ReadMiss
                                                                   : Fault::WriteMiss;
  (kind == Fault::WriteUpgrade ? write_upgrades_ : kind == Fault::ReadMiss ? read_misses_ : write_misses_).add(1);
  if (statistics_)
    statistics_->faulted(fault.address, kind, fault.offset, monotonic_ns());
}

void PageObserver::waiting(bool somebody, int64_t now) {
  if (somebody == (waited_since_ != 0))
    return;
  if (!somebody)
    waited_ns_.add(uint64_t(std::max<int64_t>(now - waited_since_, 0)));
  waited_since_ = somebody ? now : 0;
}

void PageObserver::arrived(uintptr_t address, uint32_t pages, bool writable) {
  if (!statistics_)
    return;
  for (uint32_t i = 0; i < pages; ++i)
    note_arrival(address + i * page_bytes, writable, monotonic_ns());
}

void PageObserver::note_arrival(uintptr_t page, bool writable, int64_t now) {
  const PageStatistics::Wait wait = statistics_->came(page, writable, now);
  if (wait.since == 0 || events_.capacity() == 0)
    return;
  HETMP_CHECK(wait.since <= now);
  if (events_.size() == events_.capacity())
    ++events_dropped_;
  else
    events_.push_back({wait.since, now, page, FaultEvent::Kind(wait.kind)});
}

void PageObserver::lost(uintptr_t address, uint32_t pages) {
  invalidations_.add(pages);
  if (statistics_)
    for (uint32_t i = 0; i < pages; ++i)
      statistics_->lost(address + i * page_bytes);
}

size_t PageObserver::read_pages(PageRecord* records, size_t most, uint64_t* waited_ns) {
  if (!statistics_)
    return 0;
  *waited_ns = statistics_->waited_ns();
  return statistics_->hottest(records, most);
}

} // namespace hetmp::dsm
