// Messages of several pages, taken apart into the protocol's messages of one page each. What they ask for is gathered
// again, and leaves as messages of several pages.
#include "dsm/engine/service.hpp"

#include "base/clock.hpp"
#include "base/message.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE

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

void Service::handle_page_message(uint32_t from, const PageMessage& run, const uint8_t* content) {
  // What came before of the same pages goes first.
  for (size_t i = 0; i < runs_.size();)
    if (runs_[i].from == from && runs_[i].run.may_overlap(run))
      serve_next(i); // removes it in the end
    else
      ++i;
  if (run.count > 1 && asks_for_content(run.first.type))
    runs_.push_back({from, run, 0});
  else
    take_apart(from, run, 0, run.count, content);
}

void Service::take_apart(uint32_t from, const PageMessage& run, uint32_t begin, uint32_t end, const uint8_t* content) {
  const bool comes_along = run.has_content() && run.zeros == 0;
  for (uint32_t i = begin; i < end; ++i)
    handle_message(from, run.message(i), comes_along ? content + i * page_bytes : nullptr);
  carry_out_batch();
}

/// The next piece of a run that waits, each run in its turn. Nothing is done for a node that has not taken what it was
/// sent before: that would only be copied once more. False if nothing was done.
bool Service::serve_runs() {
  for (size_t tried = 0; tried < runs_.size(); ++tried) {
    const size_t index = next_run_++ % runs_.size();
    const WaitingRun& waiting = runs_[index];
    const uint32_t to = waiting.run.first.requester; // whoever forwarded it
    if (to < plan_.nodes() && !transport_->has_room(to))
      continue;
    serve_next(index);
    return true;
  }
  return false;
}

void Service::serve_next(size_t index) {
  const WaitingRun waiting = runs_[index];
  const uint32_t end = std::min(waiting.next + most_data_pages, waiting.run.count);
  if (end == waiting.run.count)
    runs_.erase(runs_.begin() + ptrdiff_t(index));
  else
    runs_[index].next = end;
  take_apart(waiting.from, waiting.run, waiting.next, end, nullptr);
}

void Service::handle_message(uint32_t from, const protocol::Message& message, const uint8_t* content) {
  if (protocol::carries_content(message.type)) {
    while (const auto earlier = holds_.take_earlier(from, message.page)) {
      deliver(earlier->from, earlier->message, nullptr);
      carry_out_batch();
    }
  } else if (!holds_.passes(from, message, monotonic_ns())) {
    return;
  }
  deliver(from, message, content);
}

void Service::deliver(uint32_t from, const protocol::Message& message, const uint8_t* content) {
  if (message.page < storage_.pages && protocol_->is_registrar(message.page))
    publish(message.page);
  actions_.clear();
  const protocol::Status status = protocol_->receive(from, message, actions_);
  if (status != protocol::Status::Ok && status != protocol::Status::NodeLost) // then the run ends
    die(failure, "node %u sent a page message that cannot be (%s, page %llu): %s", from,
        protocol::name_of(message.type), static_cast<unsigned long long>(message.page), protocol::text_of(status));
  note_request(message);
  add_actions(content);
}

} // namespace hetmp::dsm
