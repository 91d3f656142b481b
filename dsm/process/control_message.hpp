// What the nodes' DSM libraries tell each other besides pages: a type for each message, with the fields it has. They
// travel as they are, since nodes run the same library, behind a number that says which one it is.
#pragma once

#include "dsm/migration/journeys/travel.hpp"
#include "dsm/transport/transport.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace hetmp::dsm {

namespace control {

/// A block of the receiver's heap is to be freed.
struct Free {
  uint64_t block;
};
/// To the origin: exit(`code`) was called.
struct Exit {
  int64_t code;
};
/// To the origin: a line of the sender's identity.
struct Fact {
  static constexpr bool carries_data = true;
};
/// To the origin: that was all of it.
struct Joined {};
/// A part of the receiver's slice is to be unmapped.
struct Unmap {
  uint64_t begin;
  uint64_t pages;
};
/// The receiver is to make a change, a struct Change.
struct MakeChange {
  static constexpr bool carries_data = true;
};
/// The receiver's change is made, or could not be.
struct Changed {
  int64_t error;   ///< 0, or an errno value
  uint64_t result; ///< what the change asked for
};
/// From the origin: the program has ended.
struct End {};
/// For the receiver's Observation.
struct Observe {
  static constexpr bool carries_data = true;
};
/// To the origin: a node can no longer be reached, for the reason that follows.
struct Lost {
  static constexpr bool carries_data = true;
  uint64_t node;
};
/// To itself: another node will read a page.
struct Push {
  uint64_t address; ///< in the page
  uint64_t reader;
};
/// To itself: an offer has been made that is worth pushing.
struct Offer {};
/// To itself: a visit has begun, for which there is something to fetch.
struct Visit {};

/// About the turn (dsm/turns): asked for and given back, to the origin; given, by it.
struct Turn {
  uint64_t step; ///< a TurnMessage
};

/// A context of a thread of the origin is to be executed.
struct Depart {
  DepartureMessage departure;
};
/// To the origin: it is to be executed there again.
struct ComeHome {
  HomecomingMessage homecoming;
};
/// From the origin: its thread is to come home.
struct CallHome {
  uint64_t deputy;
};
/// From the origin: its thread may come home.
struct InviteHome {
  uint64_t deputy;
  uint64_t invitation; ///< an Invitation
};

/// To the origin: its thread, whose deputy this is, makes the struct GuestCall that follows.
struct CallForGuest {
  static constexpr bool carries_data = true;
  uint64_t deputy;
};
/// From the origin: the struct GuestAnswer to that.
struct AnswerToGuest {
  static constexpr bool carries_data = true;
  uint32_t deputy;
  uint32_t phase; ///< see DepartureMessage; 0: the same as before
};

/// The number of a message is its place here.
using Message = std::variant<Free, Exit, Fact, Joined, Unmap, MakeChange, Changed, End, Observe, Lost, Push, Offer,
                             Visit, Turn, Depart, ComeHome, CallHome, InviteHome, CallForGuest, AnswerToGuest>;

template <class M> constexpr bool carries_data = requires { M::carries_data; };

template <class M> constexpr size_t bytes_of_fields = std::is_empty_v<M> ? 0 : sizeof(M);

template <class M, class... T> constexpr uint64_t place_among(const std::variant<T...>*) {
  uint64_t place = 0;
  static_cast<void>(((std::is_same_v<M, T> || (++place, false)) || ...));
  return place;
}

/// A message as it travels.
template <class M> struct Encoded {
  static_assert(std::is_trivially_copyable_v<M>);
  static_assert(std::is_empty_v<M> || std::has_unique_object_representations_v<M>, "no padding, which would travel");

  static constexpr uint64_t number = place_among<M>(static_cast<Message*>(nullptr));
  static_assert(number < std::variant_size_v<Message>);
  std::array<uint8_t, sizeof number + bytes_of_fields<M>> bytes{};
  static_assert(sizeof bytes <= sizeof(SlotHeader::message));

  explicit constexpr Encoded(const M& message) {
    const auto head = std::bit_cast<std::array<uint8_t, sizeof number>>(number);
    for (size_t i = 0; i < head.size(); ++i)
      bytes[i] = head[i];
    if constexpr (!std::is_empty_v<M>) {
      const auto fields = std::bit_cast<std::array<uint8_t, sizeof(M)>>(message);
      for (size_t i = 0; i < fields.size(); ++i)
        bytes[head.size() + i] = fields[i];
    }
  }
};

/// The message, if header is that of the I-th one.
template <size_t I> bool read_as(const SlotHeader& header, uint64_t number, std::optional<Message>& message) {
  using M = std::variant_alternative_t<I, Message>;
  if (number != I || header.header_bytes != sizeof number + bytes_of_fields<M> ||
      (header.data_bytes != 0 && !carries_data<M>))
    return false;
  M fields{};
  if constexpr (!std::is_empty_v<M>)
    memcpy(&fields, header.message + sizeof number, sizeof fields);
  message = fields;
  return true;
}

/// Nothing if it is none: a number that means nothing, a length that is not its, or data where it has none.
inline std::optional<Message> read(const SlotHeader& header) {
  uint64_t number;
  std::optional<Message> message;
  if (header.header_bytes < sizeof number || header.header_bytes > sizeof header.message)
    return message;
  memcpy(&number, header.message, sizeof number);
  [&]<size_t... I>(std::index_sequence<I...>) { static_cast<void>((read_as<I>(header, number, message) || ...)); }
  (std::make_index_sequence<std::variant_size_v<Message>>());
  return message;
}

} // namespace control

template <class M> void send_control(Transport& transport, uint32_t to, Lane lane, const control::Encoded<M>& message) {
  transport.send(to, lane, Channel::Control, message.bytes.data(), message.bytes.size(), nullptr, 0);
}
template <class M> void send_control(Transport& transport, uint32_t to, Lane lane, const M& message) {
  send_control(transport, to, lane, control::Encoded<M>(message));
}
template <class M>
void send_control(Transport& transport, uint32_t to, Lane lane, const M& message, const void* data, size_t bytes) {
  static_assert(control::carries_data<M>);
  const control::Encoded<M> encoded(message);
  transport.send(to, lane, Channel::Control, encoded.bytes.data(), encoded.bytes.size(), data, bytes);
}

} // namespace hetmp::dsm
