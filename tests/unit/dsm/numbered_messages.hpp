// Messages whose whole content follows from a number, and who checks that they come whole and in order.
#pragma once

#include "dsm/transport/transport.hpp"

#include <cstdint>
#include <cstring>
#include <poll.h>

namespace hetmp::dsm {

struct Numbered {
  uint32_t lane;
  uint32_t bytes;
  uint64_t number;
};

inline uint8_t content(uint64_t number, size_t index) { return uint8_t(number * 13 + index); }

/// Most have less than a page of data, some have several pages.
inline uint32_t bytes_of(uint64_t number) {
  const uint64_t pages = number % 16 == 7 ? number % most_data_pages : 0;
  return uint32_t(pages * page_bytes + number * 331 % (page_bytes + 1));
}

/// Sends message `number` of a lane, with data whose length and content follow from the number.
inline void send_numbered(Transport& transport, uint32_t to, Lane lane, uint64_t number) {
  const Numbered message{uint32_t(lane), bytes_of(number), number};
  uint8_t data[most_data_bytes] = {};
  for (size_t i = 0; i < message.bytes; ++i)
    data[i] = content(number, i);
  transport.send(to, lane, Channel::Runtime, &message, sizeof message, data, message.bytes);
}

/// Checks that each lane's messages come in the order of their numbers.
class Checker {
 public:
  bool accept(const Slot& slot) {
    Numbered message;
    memcpy(&message, slot.header.message, sizeof message);
    bool right = slot.header.channel == Channel::Runtime && slot.header.header_bytes == sizeof message &&
                 slot.header.data_bytes == message.bytes && message.lane < 2 && message.number == next_[message.lane];
    for (size_t i = 0; right && i < message.bytes; ++i)
      right = slot.data[i] == content(message.number, i);
    if (right)
      next_[message.lane]++;
    return right;
  }
  uint64_t arrived(Lane lane) const { return next_[size_t(lane)]; }

 private:
  uint64_t next_[2] = {};
};

inline bool is_readable(int descriptor, int milliseconds) {
  pollfd readable{descriptor, POLLIN, 0};
  return poll(&readable, 1, milliseconds) == 1;
}

/// Enough for whatever is under way on this machine to arrive.
inline constexpr int long_ms = 30'000;

/// As the service thread sleeps: returns once there is something to receive. False if nothing came in all that time.
inline bool wait_for_messages(Transport& transport, int milliseconds = long_ms) {
  if (!transport.prepare_sleep())
    return true;
  const bool rang = is_readable(transport.doorbell(), milliseconds);
  transport.awake(rang);
  return rang;
}

} // namespace hetmp::dsm
