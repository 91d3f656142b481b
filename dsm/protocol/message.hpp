// The messages of the page protocol, as they travel between nodes.
//
// A channel is an ordered pair of nodes. Channels are reliable; the messages of one page on one channel are
// processed in the order they were sent (content included: a Data message keeps its place among the others).
// Nothing else is ordered: channels race with each other, and messages of different pages may overtake each
// other.
#pragma once

#include "base/node_set.hpp"

#include <cstdint>
#include <type_traits>

namespace hetmp::dsm::protocol {

/// Index of a page in the shared address plan; the same page has the same number on every node.
using PageNumber = uint64_t;

enum class MessageType : uint8_t {
  ReadRequest = 1, ///< `requester` -> home: I have no copy and want a readable one
  WriteRequest,    ///< `requester` -> home: I want to be the only holder (it may hold a Shared copy)
  FetchShared,     ///< home -> a holder: send your content to `requester`, keep a read-only copy
  FetchExclusive,  ///< home -> the last holder: send your content to `requester`, give up your copy
  Invalidate,      ///< home -> a sharer: give up your copy, then acknowledge
  InvalidateAck,   ///< sharer -> home: my copy is gone
  DataShared,      ///< a holder -> requester: content (4 KiB follow), install read-only
  DataExclusive,   ///< the last holder -> requester: content (4 KiB follow), install writable
  Grant,           ///< home -> requester: your Shared copy is the only one left, make it writable
  Done,            ///< requester -> home: what I asked for is here, you could not know
  Push,            ///< home -> a node without a copy: content (4 KiB follow) it did not ask for, install read-only
  Keep,            ///< home -> requester: the copy that was pushed to you is the answer to your ReadRequest
  Return           ///< home -> the page's registrar: be home again; `requester` is the only holder and may write
};

/// The number of the highest message type.
inline constexpr uint8_t last_message_type = static_cast<uint8_t>(MessageType::Return);

struct Message {
  MessageType type;
  uint8_t requester = 0;    ///< requests: who asks (others forward them); fetches: where the content goes;
                            ///< Return: the holder; otherwise 0
  uint8_t home = 0;         ///< Data and Grant: the page's home from now on; the receiver itself: it has moved there.
                            ///< Otherwise 0
  uint8_t reserved[5] = {}; ///< zero; not looked at
  PageNumber page = 0;
};
static_assert(sizeof(Message) == 16 && alignof(Message) == 8 && std::is_trivially_copyable_v<Message>);

constexpr Message message_of(MessageType type, PageNumber page, uint32_t requester = 0, uint32_t home = 0) {
  return {type, static_cast<uint8_t>(requester), static_cast<uint8_t>(home), {}, page};
}

/// Whether page content travels with the message.
constexpr bool carries_content(MessageType type) {
  return type == MessageType::DataShared || type == MessageType::DataExclusive || type == MessageType::Push;
}

/// Whether the message asks home for the page.
constexpr bool is_request(MessageType type) {
  return type == MessageType::ReadRequest || type == MessageType::WriteRequest;
}

/// Whether processing the message may cost the receiving node its copy, or its right to write. The edge may
/// put off such messages for a bounded time after it installed a page (and with them everything later of the
/// same page and channel), so that the threads which waited for the page get to use it. Requests count: at
/// its home, a page is taken by the request itself.
constexpr bool may_take_copy(MessageType type) {
  switch (type) {
  case MessageType::ReadRequest:
  case MessageType::WriteRequest:
  case MessageType::FetchShared:
  case MessageType::FetchExclusive:
  case MessageType::Invalidate:
    return true;
  default:
    return false;
  }
}

/// The type's name, "?" for a value that is none.
const char* name_of(MessageType type);

} // namespace hetmp::dsm::protocol
