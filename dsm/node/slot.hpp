// A message between node processes as the receiver sees it, whatever brought it: with room for a page, so that a page
// travels with its message and is installed straight from here.
#pragma once

#include "dsm/node/address_plan.hpp"

#include <cstdint>

namespace hetmp::dsm {

enum class Channel : uint16_t {
  Page,    ///< protocol::Message, with a page of data if data_bytes says so
  Runtime, ///< for the runtime's hook
  Control, ///< this library's own: remote free, exit request, start and end
};
inline constexpr Channel last_channel = Channel::Control;

struct SlotHeader {
  Channel channel = Channel::Page;
  uint16_t header_bytes = 0; ///< of the message itself, in `message`
  uint32_t data_bytes = 0;   ///< in `data`
  uint8_t message[56] = {};
};
static_assert(sizeof(SlotHeader) == 64);

struct Slot {
  SlotHeader header;
  uint8_t data[page_bytes];
};

} // namespace hetmp::dsm
