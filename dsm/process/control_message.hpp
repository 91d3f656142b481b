// What the nodes' DSM libraries tell each other besides pages. Travels as it is: nodes run the same library.
#pragma once

#include <cstdint>

namespace hetmp::dsm {

struct ControlMessage {
  enum class Kind : uint32_t {
    Free,    ///< `address`: a block of the receiver's heap
    Exit,    ///< to the origin: exit(`exit_code`) was called
    Fact,    ///< to the origin: a line of the sender's identity, as data
    Joined,  ///< to the origin: that was all of it
    Unmap,   ///< `address`, `exit_code` pages: part of the receiver's slice
    Change,  ///< a struct Change, as data
    Changed, ///< the receiver's change is made; `exit_code`: 0 or an errno value; `address`: what it asked for
    End,     ///< from the origin: the program has ended
    Observe, ///< for the receiver's Observation, as data
    Lost,    ///< to the origin: node `address` can no longer be reached, the reason as data
    Push,    ///< to itself: `address`: a page that node `exit_code` will read
    Offer,   ///< to itself: an offer has been made that is worth pushing
    Visit,   ///< to itself: a visit has begun, for which there is something to fetch
  } kind;
  int32_t exit_code;
  uint64_t address;
};

} // namespace hetmp::dsm
