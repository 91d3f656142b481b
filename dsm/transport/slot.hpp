// A message between node processes as the receiver sees it, whatever brought it: with the pages that travel with it in
// one piece, so that they are installed straight from here.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hetmp::dsm {

enum class Channel : uint16_t {
  Page,    ///< PageMessage, with pages of data if data_bytes says so
  Runtime, ///< for the runtime's hook
  Control, ///< this library's own: remote free, exit request, start and end
};
inline constexpr Channel last_channel = Channel::Control;

/// What one message may carry: enough pages that what each message costs is little against what they cost, and so many
/// that the kernel forgets all translations at once when they are protected or dropped. Up to 33 it does so page by
/// page (tlb_single_page_flush_ceiling), which takes a call of the hypervisor's each where page tables are its own.
inline constexpr uint32_t most_data_pages = 64;
inline constexpr size_t most_data_bytes = most_data_pages * page_bytes;

struct SlotHeader {
  Channel channel = Channel::Page;
  uint16_t header_bytes = 0; ///< of the message itself, in `message`
  uint32_t data_bytes = 0;   ///< in the slot's `data`
  uint32_t header_check = 0; ///< this and the next: frame_check.hpp, where the transport wants it
  uint32_t data_check = 0;
  uint8_t message[48] = {};
};
static_assert(sizeof(SlotHeader) == 64 && std::is_trivially_copyable_v<SlotHeader>);

/// Of a message with so many bytes, and so many of data.
inline SlotHeader make_header(Channel channel, const void* message, size_t message_bytes, size_t data_bytes) {
  SlotHeader header;
  header.channel = channel;
  header.header_bytes = uint16_t(message_bytes);
  header.data_bytes = uint32_t(data_bytes);
  if (message_bytes != 0)
    memcpy(header.message, message, std::min(message_bytes, sizeof header.message));
  return header;
}

/// Whether what came over a wire can be one.
inline bool is_possible(const SlotHeader& header) {
  return header.channel <= last_channel && header.header_bytes <= sizeof header.message &&
         header.data_bytes <= most_data_bytes;
}

/// Valid as long as whoever hands it out says.
struct Slot {
  const SlotHeader& header;
  const uint8_t* data; ///< header.data_bytes
};

} // namespace hetmp::dsm
