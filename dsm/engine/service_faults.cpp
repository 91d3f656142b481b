// The service's answer to page faults: what it asks the protocol, what it fetches along, and what it counts.
#include "dsm/engine/service.hpp"

#include "base/clock.hpp"
#include "dsm/space/late_window.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

/// What is fetched ahead lies near what is wanted: two series of neighbouring pages, or of a stride's.
constexpr size_t farthest_ahead = size_t(4) << 20;

} // namespace

void Service::handle_fault(const PageFault& fault) {
  const PageNumber page = plan_.page_of(fault.address);
  const bool write = fault.kind != PageFault::Kind::ReadMissing;
  const protocol::LocalState state = protocol_->state(page);
  // Ours and never touched since it was published, or given back by the program with madvise(): it is zeros.
  if (state != protocol::LocalState::Invalid && fault.kind != PageFault::Kind::WriteProtected)
    give_zeros(page, state == protocol::LocalState::Exclusive);
  if (state == protocol::LocalState::Invalid || (write && state == protocol::LocalState::Shared)) {
    count(fault);
    remember(page, write);
  }
  const bool asks = protocol_->outstanding(page) == protocol::Outstanding::None;
  this->fault(page, write);
  carry_out_batch();
  if (state == protocol::LocalState::Invalid && fetch_ahead_.load(std::memory_order_relaxed))
    fetch_with(page, asks ? streams_.fault(page, write) : streams_.fault_under_way(page, write), write);
}

void Service::fault(PageNumber page, bool write) {
  actions_.clear();
  if (write)
    protocol_->write_fault(page, actions_);
  else
    protocol_->read_fault(page, actions_);
  add_actions(nullptr);
}

/// Asks for the pages that the faults' stream will want next, as if threads had faulted on them: to the protocol that
/// is what it is, faults may come at any time. Their answers come while the thread still works on this page.
void Service::fetch_with(PageNumber page, const PageSeries& series, bool write) {
  for (uint32_t i = 0; i < series.count; ++i)
    if (may_fetch_ahead(series.page(i), page)) {
      fault(series.page(i), write);
      remember(series.page(i), write);
    }
  carry_out_batch();
}

/// A page of the same kind of memory as the one a thread wants, of which this node has no copy. Never a stack's: guard
/// pages lie between them. Nor one of the window for late objects, which is not all there.
bool Service::may_fetch_ahead(PageNumber page, PageNumber with) const {
  if (page >= storage_.pages || plan_.home_of(page) != plan_.home_of(with))
    return false;
  const uintptr_t address = plan_.address_of(page), wanted = plan_.address_of(with);
  const bool same_memory = plan_.in_slices(address) == plan_.in_slices(wanted) &&
                           std::max(address, wanted) - std::min(address, wanted) <= farthest_ahead;
  if (!same_memory || AddressPlan::stack_part(plan_.home_of(page)).contains(address) ||
      LateWindow::instance().range().contains(address))
    return false;
  return protocol_->state(page) == protocol::LocalState::Invalid &&
         protocol_->outstanding(page) == protocol::Outstanding::None;
}

void Service::count(const PageFault& fault) {
  const bool upgrade = fault.kind == PageFault::Kind::WriteProtected;
  const bool read = fault.kind == PageFault::Kind::ReadMissing;
  auto& counter = upgrade ? counters_.write_upgrades : read ? counters_.read_misses : counters_.write_misses;
  counter.fetch_add(1, std::memory_order_relaxed);
  using Fault = PageStatistics::Fault;
  if (statistics_)
    statistics_->faulted(fault.address,
                         upgrade ? Fault::WriteUpgrade
                         : read  ? Fault::ReadMiss
                                 : Fault::WriteMiss,
                         fault.offset, monotonic_ns());
}

/// Only with statistics.
void Service::note_arrival(uintptr_t page, bool writable) {
  const Clock now = monotonic_ns();
  const PageStatistics::Wait wait = statistics_->came(page, writable, now);
  if (wait.since == 0 || fault_events_.capacity() == 0)
    return;
  if (fault_events_.size() == fault_events_.capacity())
    ++fault_events_dropped_;
  else
    fault_events_.push_back({wait.since, now, page, FaultEvent::Kind(wait.kind)});
}

size_t Service::read_pages(PageRecord* records, size_t most, uint64_t* waited_ns) {
  if (!statistics_)
    return 0;
  *waited_ns = statistics_->waited_ns();
  return statistics_->hottest(records, most);
}

void Service::read_counters(FaultCounters* counters) const {
  counters->read_misses = counters_.read_misses.load(std::memory_order_relaxed);
  counters->write_misses = counters_.write_misses.load(std::memory_order_relaxed);
  counters->write_upgrades = counters_.write_upgrades.load(std::memory_order_relaxed);
  counters->invalidations = counters_.invalidations.load(std::memory_order_relaxed);
  counters->bytes_received = counters_.bytes_received.load(std::memory_order_relaxed);
}

} // namespace hetmp::dsm
