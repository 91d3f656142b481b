// What travels on the page channel: a message of the page protocol, or several that differ in their pages only. The
// protocol knows single pages; series are made and taken apart at its edge.
#pragma once

#include "base/check.hpp"
#include "dsm/protocol/message.hpp"
#include "dsm/transport/slot.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

namespace hetmp::dsm {

/// The most pages of a message without content.
inline constexpr uint32_t most_series_pages = 512;

/// `count` messages like `first`: of its page, and of further ones at equal distances.
struct PageMessage {
  protocol::Message first{protocol::MessageType::Done};
  int32_t stride = 1; ///< in pages; not 0
  uint32_t count = 1; ///< content: at most most_data_pages, and the stride is 1
  uint32_t zeros = 0; ///< 1: content that is all zeros, and does not come along
  uint32_t reserved = 0;

  protocol::Message message(uint32_t index) const {
    HETMP_CHECK(index < count && stride != 0);
    protocol::Message one = first;
    one.page += uint64_t(int64_t(stride) * index);
    return one;
  }
  bool has_content() const { return protocol::carries_content(first.type); }
  /// That comes behind the message.
  size_t data_bytes() const { return has_content() && zeros == 0 ? count * page_bytes : 0; }
  /// Whether one message may be of a page that is one of the other's; sometimes true without reason.
  bool may_overlap(const PageMessage& other) const {
    return lowest() <= other.highest() && other.lowest() <= highest();
  }

 private:
  PageNumber lowest() const { return stride > 0 ? first.page : message(count - 1).page; }
  PageNumber highest() const { return stride > 0 ? message(count - 1).page : first.page; }
};
static_assert(std::is_trivially_copyable_v<PageMessage> && sizeof(PageMessage) == 32 &&
              sizeof(PageMessage) <= sizeof(SlotHeader::message));

/// Nothing if it cannot be one. Whether the protocol takes its messages is another question.
inline std::optional<PageMessage> read_page_message(const SlotHeader& header) {
  PageMessage message;
  if (header.header_bytes != sizeof message)
    return {};
  memcpy(&message, header.message, sizeof message);
  const bool content = message.has_content();
  const bool possible = message.stride != 0 && message.count >= 1 &&
                        message.count <= (content ? most_data_pages : most_series_pages) && message.zeros <= content &&
                        (!content || message.stride == 1) && header.data_bytes == message.data_bytes();
  // The last page's number must not lie beyond the numbers' end on either side.
  const auto reach = int64_t(message.stride) * (message.count - 1);
  const bool in_range =
      reach >= 0 ? message.first.page <= UINT64_MAX - uint64_t(reach) : message.first.page >= uint64_t(-reach);
  return possible && in_range ? std::optional(message) : std::nullopt;
}

} // namespace hetmp::dsm
