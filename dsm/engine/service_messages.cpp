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

void Service::handle_page_message(uint32_t from, const PageMessage& message, const uint8_t* content) {
  // What came before of the same pages goes first.
  for (size_t i = 0; i < waiting_.size();)
    if (waiting_[i].from == from && waiting_[i].message.may_overlap(message))
      serve_next(i); // removes it in the end
    else
      ++i;
  if (message.count > 1 && asks_for_content(message.first.type))
    waiting_.push_back({from, message, 0});
  else
    take_apart(from, message, 0, message.count, content);
}

void Service::take_apart(uint32_t from, const PageMessage& message, uint32_t begin, uint32_t end,
                         const uint8_t* content) {
  const bool comes_along = message.has_content() && message.zeros == 0;
  for (uint32_t i = begin; i < end; ++i)
    handle_message(from, message.message(i), comes_along ? content + i * page_bytes : nullptr);
  carry_out_batch();
}

/// The next piece of a request that waits, each in its turn. Nothing is done for a node that has not taken what it was
/// sent before: that would only be copied once more. False if nothing was done.
bool Service::serve_waiting() {
  for (size_t tried = 0; tried < waiting_.size(); ++tried) {
    const size_t index = next_waiting_++ % waiting_.size();
    const WaitingRequest& waiting = waiting_[index];
    const uint32_t to = waiting.message.first.requester; // whoever forwarded it
    if (to < plan_.nodes() && !transport_->has_room(to))
      continue;
    serve_next(index);
    return true;
  }
  return false;
}

void Service::serve_next(size_t index) {
  const WaitingRequest waiting = waiting_[index];
  const uint32_t end = std::min(waiting.next + most_data_pages, waiting.message.count);
  if (end == waiting.message.count)
    waiting_.erase(waiting_.begin() + ptrdiff_t(index));
  else
    waiting_[index].next = end;
  take_apart(waiting.from, waiting.message, waiting.next, end, nullptr);
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
