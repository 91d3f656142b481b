// A message between node processes as the receiver sees it, whatever brought it: with the pages that travel with it in
// one piece, so that they are installed straight from here.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <cstdint>
#include <type_traits>

namespace hetmp::dsm {

enum class Channel : uint16_t {
  Page,    ///< PageMessage, with pages of data if data_bytes says so
  Runtime, ///< for the runtime's hook
  Control, ///< this library's own: remote free, exit request, start and end
};
inline constexpr Channel last_channel = Channel::Control;

/// What one message may carry: enough pages that what each message costs is little against what they cost.
inline constexpr uint32_t most_data_pages = 32;
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

/// Valid as long as whoever hands it out says.
struct Slot {
  const SlotHeader& header;
  const uint8_t* data; ///< header.data_bytes
};

} // namespace hetmp::dsm
