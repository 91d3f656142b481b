#include "dsm/engine/page_engine.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

/// Whether the answer to the message may be content.
bool asks_for_content(protocol::MessageType type) {
  switch (type) {
  case protocol::MessageType::ReadRequest:
  case protocol::MessageType::WriteRequest:
  case protocol::MessageType::FetchShared:
  case protocol::MessageType::FetchExclusive:
    return true;
  default:
    return false;
  }
}

} // namespace

void PageEngine::set_up(uint32_t node, Transport& transport) {
  HETMP_CHECK(!protocol_ && node < plan_.nodes());
  transport_ = &transport;
  executor_.set_transport(transport);
  holds_.set_up(node);
  protocol_.emplace(node, plan_.nodes(), memory_.storage());
}

void PageEngine::handle_fault(const PageFault& fault) {
  HETMP_CHECK(plan_.is_shared(fault.address) && fault.address == page_down(fault.address));
  const PageNumber page = plan_.page_of(fault.address);
  const bool write = fault.kind != PageFault::Kind::ReadMissing;
  const protocol::LocalState state = protocol_->state(page);
  if (state != protocol::LocalState::Invalid && fault.kind != PageFault::Kind::WriteProtected)
    give_zeros(page);
  if (state == protocol::LocalState::Exclusive && fault.kind == PageFault::Kind::WriteProtected) {
    memory_.unprotect(fault.address, {page, 1}, UserFaults::Waiters::Wake);
    if (witnesses_.remove(page))
      prefetcher_.streams.fetch(prefetcher_.streams.used(page, *this), page, *this, prefetcher_.visits);
    return;
  }
  const bool missing = is_missing(page, write), first = !is_asked_for(page);
  PageSeries ahead;
  if (missing) {
    observer_.faulted(fault);
    const int64_t now = monotonic_ns();
    meter_.faulted(page, now, write ? StormMeter::Wants::Write : StormMeter::Wants::Read);
    observer_.waiting(true, now);
    const Access access = !write                                   ? Access::Read
                          : state == protocol::LocalState::Invalid ? Access::Write
                                                                   : Access::Upgrade;
    if (access == Access::Upgrade)
      prefetcher_.pusher.wrote(page);
    ahead = prefetcher_.streams.faulted(page, access, fault.thread, first, *this);
    ahead.write = ahead.write || write || will_be_written(page);
    prefetcher_.visits.fetched(page, write, *this);
    witnesses_.remove(page); // the thread is here to tell
    ask(page, ahead.write);
  } else {
    ask(page, write);
  }
  executor_.finish();
  prefetcher_.streams.fetch(ahead, page, *this, prefetcher_.visits);
}

/// Ours and never touched since it was published, or given back by the program with madvise(): it is zeros. So are its
/// neighbours of that kind, which would come here one by one, each at a multiple of what the kernel takes by itself.
void PageEngine::give_zeros(PageNumber page) {
  const auto is_ours = [this](PageNumber any) { return protocol_->state(any) == protocol::LocalState::Exclusive; };
  memory_.give_zeros(page, is_ours(page));
  const Segment piece = plan_.publish_piece(page);
  PageNumber first = plan_.page_of(piece.begin);
  for (const PageNumber end = first + (piece.bytes() >> page_shift); first != end;) {
    PageNumber behind = first;
    while (behind != end && is_ours(behind))
      ++behind;
    if (behind != first)
      memory_.give_zeros_ahead({first, uint32_t(behind - first)});
    first = std::min(behind + 1, end);
  }
}

/// What the page was fetched with is not written, as far as one can tell, and another node wanted it.
void PageEngine::right_lost(PageRange pages) {
  for (PageNumber page = pages.first; page != pages.first + pages.count; ++page)
    if (witnesses_.remove(page))
      prefetcher_.streams.regretted(page);
  prefetcher_.streams.shared(pages.first, pages.count);
}

/// In a turn, others wait whatever this node takes: what it wrote before comes for writing at once.
bool PageEngine::will_be_written(PageNumber page) const {
  return holds_.keeps_all() && protocol_->state(page) == protocol::LocalState::Invalid &&
         meter_.was_written(page, monotonic_ns());
}

void PageEngine::fetch_back() {
  if (!memory_.all_readable())
    return;
  back_.clear();
  meter_.fetch_back(monotonic_ns(), back_);
  for (const StormMeter::Wanted& wanted : back_)
    if (may_come_unasked(plan_, wanted.page) && is_missing(wanted.page, wanted.write) && !is_asked_for(wanted.page))
      ask(wanted.page, wanted.write);
  executor_.finish();
}

void PageEngine::fetch(std::span<const uintptr_t> addresses) {
  if (!memory_.all_readable())
    return;
  for (const uintptr_t address : addresses) {
    if (address == 0 || !plan_.in_slices(address))
      continue;
    const PageNumber page = plan_.page_of(address);
    if (is_missing(page, true) && !is_asked_for(page))
      ask(page, true);
  }
  executor_.finish();
}

void PageEngine::handle_slot(uint32_t from, const Slot& slot) {
  observer_.heard();
  if (const auto message = read_page_message(slot.header))
    handle_message(from, *message, slot.data);
  else
    die(exit_code::software, "node %u sent a page message of %u bytes with %u bytes of content that cannot be one",
        from, slot.header.header_bytes, slot.header.data_bytes);
}

/// Messages of several pages are taken apart into the protocol's messages of one page each. What they ask for is
/// gathered again, and leaves as messages of several pages.
void PageEngine::handle_message(uint32_t from, const PageMessage& message, const uint8_t* content) {
  while (const auto earlier = waiting_.take_overlapping(from, message)) // what came before of the same pages goes first
    take_apart(*earlier, nullptr);
  if (message.count > 1 && asks_for_content(message.first.type))
    waiting_.add(from, message);
  else
    take_apart({from, message, 0, message.count}, content);
}

void PageEngine::take_apart(const WaitingRequests::Piece& piece, const uint8_t* content) {
  const bool comes_along = piece.message.data_bytes() != 0;
  HETMP_CHECK(piece.begin < piece.end && piece.end <= piece.message.count);
  HETMP_CHECK(!comes_along || (content && piece.begin == 0));
  for (uint32_t i = piece.begin; i < piece.end; ++i)
    take(piece.from, piece.message.message(i), comes_along ? content + i * page_bytes : nullptr);
  executor_.finish();
}

bool PageEngine::serve_waiting() {
  const auto piece =
      waiting_.take_next([this](uint32_t to) { return to >= plan_.nodes() || transport_->has_room(to); });
  if (piece)
    take_apart(*piece, nullptr);
  return piece.has_value();
}

void PageEngine::take(uint32_t from, const protocol::Message& message, const uint8_t* content) {
  if (protocol::carries_content(message.type)) {
    while (const auto earlier = holds_.take_earlier(from, message.page)) {
      deliver(earlier->from, earlier->message, nullptr);
      executor_.finish();
    }
  } else if (!holds_.passes(from, message, monotonic_ns(),
                            message.page < plan_.pages() && is_asked_for(message.page))) {
    return;
  }
  deliver(from, message, content);
}

void PageEngine::deliver(uint32_t from, const protocol::Message& message, const uint8_t* content) {
  if (message.page < plan_.pages() && protocol_->is_registrar(message.page))
    memory_.publish(message.page);
  actions_.clear();
  const protocol::Status status = protocol_->receive(from, message, actions_);
  if (status != protocol::Status::Ok && status != protocol::Status::NodeLost) // then the run ends
    die(exit_code::software, "node %u sent a page message that cannot be (%s, page %llu): %s", from,
        protocol::name_of(message.type), static_cast<unsigned long long>(message.page), protocol::text_of(status));
  if (status == protocol::Status::Ok && message.type == protocol::MessageType::ReadRequest)
    prefetcher_.pusher.asked(message.page, message.requester);
  executor_.add(actions_, content);
}

void PageEngine::do_what_is_due() {
  while (!holds_.empty()) {
    const auto due = holds_.take_due(monotonic_ns());
    if (!due)
      break;
    if (due->resume)
      resume(due->message.page);
    else
      deliver(due->from, due->message, nullptr);
    executor_.finish();
  }
}

void PageEngine::resume(PageNumber page) {
  actions_.clear();
  [[maybe_unused]] const protocol::Status status = protocol_->resume(page, actions_);
  HETMP_CHECK(status == protocol::Status::Ok || status == protocol::Status::NodeLost); // a held page stays where it is
  executor_.add(actions_, nullptr);
}

std::optional<int64_t> PageEngine::until_due() const {
  return holds_.empty() ? std::nullopt : std::optional(std::max<int64_t>(holds_.next_due() - monotonic_ns(), 0));
}

bool PageEngine::is_missing(PageNumber page, bool write) const {
  const protocol::LocalState state = protocol_->state(page);
  return state == protocol::LocalState::Invalid || (write && state == protocol::LocalState::Shared);
}

void PageEngine::ask(PageNumber page, bool write) {
  HETMP_CHECK(page < plan_.pages());
  if (!write && is_missing(page, false) && !is_asked_for(page)) {
    write = prefetcher_.streams.comes_for_writing(page);
    if (write)
      watch(page);
  }
  actions_.clear();
  if (write)
    protocol_->write_fault(page, actions_);
  else
    protocol_->read_fault(page, actions_);
  executor_.add(actions_, nullptr);
  if (holds_.keeps_back() && is_asked_for(page))
    holds_.let_go(page, monotonic_ns()); // the request may be behind what waits here
}

void PageEngine::push(PageNumber page, uint32_t to) {
  if (!protocol_->is_home(page))
    return;
  HETMP_CHECK(to < plan_.nodes());
  memory_.publish(page);
  actions_.clear();
  protocol_->push(page, to, actions_); // a hint: whatever it comes to
  executor_.add(actions_, nullptr);
  executor_.finish();
}

} // namespace hetmp::dsm
