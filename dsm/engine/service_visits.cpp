// What the service does for visits of loops: it remembers what their threads had to fetch, and asks for it at the
// beginning of the next visit, a few pages at a time.
#include "dsm/engine/service.hpp"

#include "dsm/space/late_window.hpp"

#include <algorithm>

namespace hetmp::dsm {

/// Begins the visit that the node's threads have come to since the last look.
void Service::look_at_visit() {
  const uint64_t mark = visit_mark_.now();
  if (mark == visit_seen_)
    return;
  visit_seen_ = mark;
  to_ask_.clear();
  next_to_ask_ = 0;
  const bool wanted = fetch_visits_ && all_readable_.load(std::memory_order_relaxed);
  const auto needs = [this](PageNumber page, bool write) {
    const protocol::LocalState state = protocol_->state(page);
    return state == protocol::LocalState::Invalid || (write && state == protocol::LocalState::Shared);
  };
  visits_.begin(wanted ? VisitMark::loop_of(mark) : 0, needs, to_ask_);
}

/// Asks for remembered pages as if threads had faulted on them; to the protocol that is what it is. Only so many are on
/// their way at a time: a thread's own fault waits for no more than these.
bool Service::ask_for_remembered() {
  look_at_visit();
  if (next_to_ask_ == to_ask_.size())
    return false;
  std::erase_if(on_their_way_,
                [this](PageNumber page) { return protocol_->outstanding(page) == protocol::Outstanding::None; });
  bool asked = false;
  while (next_to_ask_ < to_ask_.size() && on_their_way_.size() < most_on_their_way) {
    const VisitMemory::Wanted wanted = to_ask_[next_to_ask_++];
    if (protocol_->outstanding(wanted.page) != protocol::Outstanding::None)
      continue;
    fault(wanted.page, wanted.write);
    on_their_way_.push_back(wanted.page);
    asked = true;
  }
  carry_out_batch();
  return asked;
}

void Service::remember(PageNumber page, bool write) {
  look_at_visit();
  if (may_remember(page))
    visits_.fetched(page, write);
}

/// Not stacks, between which guard pages lie, and whose pages are written without an end; nor the window for late
/// objects.
bool Service::may_remember(PageNumber page) const {
  const uintptr_t address = plan_.address_of(page);
  if (plan_.in_slices(address))
    return !AddressPlan::stack_part(plan_.home_of(page)).contains(address);
  return !LateWindow::instance().range().contains(address);
}

} // namespace hetmp::dsm
