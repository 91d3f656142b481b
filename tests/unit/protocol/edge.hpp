// What surrounds a node in the model: page tables, blocked threads, channels; and what can be made wrong with
// them.
#pragma once

#include "dsm/protocol/node.hpp"

#include <cstdint>

namespace hetmp::dsm::protocol::model {

/// Faults of an edge (or a network, or of the protocol's own rules) that the invariants must bring to light.
enum class Bug : uint8_t {
  None,
  ForgetProtect, ///< the page stays writable after Protect
  ForgetDrop,    ///< the copy stays mapped after Drop
  EarlyAck,      ///< a sharer acknowledges an Invalidate before it has processed it
  LoseDone,      ///< Done messages get lost
  Overtaking,    ///< messages of one page overtake each other on a channel
  IgnoreHold,    ///< the edge never answers a Hold action
  PushWhileBusy, ///< home pushes a page that it is just serving somebody
  MoveWhileBusy, ///< home goes away though others wait for the page
  MoveUnheard,   ///< the old home forgets to note that the home has moved
  ForgetAsker,   ///< who sends a request on puts itself in the place of the node that asked
  ReturnEarly,   ///< home goes back to the registrar before the new owner has the page
  ForgetWatch,   ///< a write to a page that is watched is not let through
  GoOnWithout    ///< a survivor takes a lost node's silence for its acknowledgement
};

/// Watched: read-only though the node may write, so that its next write is seen (dsm/ahead/witnesses.hpp).
enum class Mapping : uint8_t { None, ReadOnly, Writable, Watched };
enum class WriteThread : uint8_t { None, Blocked, Retry }; ///< Retry: woken, but the page is still read-only

/// One page on one node: the page table's entry and the threads that fault on it.
struct View {
  uint64_t content = 0;
  Mapping mapping = Mapping::None;
  bool reader_blocked = false;
  WriteThread writer = WriteThread::None;
};

struct InFlight {
  uint8_t from, to;
  Message message;
  uint64_t content;
};

/// What may happen besides faults.
struct Powers {
  bool fetch_ahead = false; ///< faults that no thread waits for
  bool push = false;
  bool move = false;  ///< homes may move whenever the protocol lets them, whatever the policy says
  bool lose = false;  ///< one node
  bool watch = false; ///< pages that may be written are left read-only until they are
};

struct Size {
  uint32_t nodes = 2, pages = 1, first_home = 0; ///< the registrar of page p is (p + first_home) mod nodes
  bool one_home = false;                         ///< it is first_home for every page
  Powers powers = {};
};

struct Event {
  enum class Kind : uint8_t {
    ReadFault,  ///< free: a thread faults, or its fault is reported late
    WriteFault, ///< free
    ReadAhead,  ///< free: like a fault, but no thread waits
    WriteAhead, ///< free
    Push,       ///< free: home sends `node` the page
    Lose,       ///< free: nothing comes from or to the node any more; its threads may run on with what they have
    Watch,      ///< free: the node's edge makes a writable page read-only, as if it had been left so when it came
    Store,      ///< free: a thread of a node where the page is writable increments its content
    Deliver,    ///< progress: `index` in World::flying
    Retry,      ///< progress: a woken writer finds the page read-only and faults again
    Resume,     ///< progress: the hold time at the home ends
    Learn       ///< progress: the node learns that another was lost
  };
  Kind kind;
  uint32_t node = 0;
  PageNumber page = 0;
  size_t index = 0;
  bool move = false; ///< Deliver, Resume: the home goes along if it may
};

/// Whether the world cannot do without it: the others only happen if somebody wants them to.
constexpr bool is_progress(const Event& event) { return event.kind >= Event::Kind::Deliver; }

} // namespace hetmp::dsm::protocol::model
