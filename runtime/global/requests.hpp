// What leaders of nodes ask the coordinator, and what it answers.
#pragma once

#include "base/node_set.hpp"
#include "runtime/global/global_level.hpp"
#include "runtime/global/handover.hpp"
#include "schedulers/policies/policy.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::runtime {

struct Request {
  enum class Kind : uint32_t {
    Barrier,     ///< sequence, word, site
    Join,        ///< sequence, word = 1 if the region had unplaced loops; answered on node 0 only
    AskLoop,     ///< sequence = loop, word = call site, schedule, trips, done; payload = where it is in the program's
                 ///< source
    ReportLoop,  ///< the same; no answer
    OrderedWait, ///< sequence = loop, word = index
    OrderedPost, ///< sequence = loop, word = next; no answer
    Lock,        ///< word = key
    TryLock,     ///< word = key; the answer's word is 1 if the lock was free
    Unlock,      ///< word = key; no answer
    OfferCopies, ///< sequence, word = address, trips = 1 if the node waits until they are combined; otherwise no answer
    TakeCopies,  ///< by node 0: sequence, word = node; the answer's word is the address
    ReleaseCopies, ///< by node 0: sequence; no answer
    AskIdle,       ///< the answer's word is the number of the team's nodes that wait at a barrier
    OfferTasks,    ///< payload = a Handover; answered by tasks that nobody wants
    ReturnTask,    ///< sequence = the task's node, word = its slot, trips = nanoseconds; the answer goes to the task's
                   ///< node
  };
  static constexpr uint32_t longest_payload = 512;

  Kind kind = Kind::Barrier;
  uint32_t node = 0;
  uint32_t ticket = 0;                   ///< of the waiting thread on its node; comes back with the answer
  uint32_t nodes = 1;                    ///< of the team
  uint32_t threads = 1;                  ///< of the team
  NodeSet participants = NodeSet::of(0); ///< the nodes of the team
  uint64_t team = 0;
  uint64_t microtask = 0; ///< the team's region
  uint64_t sequence = 0;
  uint64_t word = 0;
  uint64_t trips = 0;
  uint64_t site = 0; ///< in the program
  schedulers::Schedule schedule;
  schedulers::NodeMeasurement done;
  uint32_t payload_length = 0;
  char payload[longest_payload] = {}; ///< last, so that only the used part travels

  size_t bytes() const { return offsetof(Request, payload) + payload_length; }
};
static_assert(sizeof(Handover) <= Request::longest_payload);

struct Answer {
  enum class Kind : uint32_t {
    Reply,     ///< to the thread with this ticket
    Tasks,     ///< to one that waits at a barrier: tasks, instead of the barrier's end
    TasksBack, ///< to the node, not to a thread: tasks that it had offered; word = 0 if they were not executed, else
               ///< nanoseconds + 1
  };
  Kind kind = Kind::Reply;
  uint32_t node = 0;
  uint32_t ticket = 0;
  uint64_t word = 0;
  schedulers::Assignment assignment;
  Handover tasks;
};

/// To whom, with nothing in it yet.
inline Answer answer_to(const Request& request) {
  Answer answer;
  answer.node = request.node;
  answer.ticket = request.ticket;
  return answer;
}

} // namespace hetmp::runtime
