// What leaders of nodes ask the coordinator, and what it answers: one structure for each request and each answer, with
// the fields it has. How they travel is codec.hpp's.
#pragma once

#include "base/node_set.hpp"
#include "runtime/global/handover.hpp"
#include "schedulers/policies/policy.hpp"

#include <compare>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

namespace hetmp::runtime {

/// A construct that a team meets: each of its nodes counts them, and all count alike.
struct ConstructName {
  uint64_t team = 0; ///< unique in the program
  uint64_t sequence = 0;
  auto operator<=>(const ConstructName&) const = default;
};

/// Who asks, and is answered.
struct Asker {
  uint32_t node = 0;
  uint32_t ticket = 0; ///< of the waiting thread on its node (answers.hpp); 0 if none waits
  bool operator==(const Asker&) const = default;
};

/// `nodes` are those of the team; `microtask` is the function of its region.
struct Request {
  struct Barrier { ///< Answer::BarrierOver, or Tasks
    ConstructName name;
    NodeSet nodes;
    uint64_t microtask;
    uint64_t word; ///< the answer has the bitwise OR of all nodes' words
    uint64_t site; ///< in the program, or 0
  };
  struct Join { ///< Joined, on node 0 only
    ConstructName name;
    NodeSet nodes;
    uint64_t microtask;
    bool unplaced;     ///< the region had loops that are divided without asking
    bool threads_stay; ///< threads of the node have variables of their own: their numbers must not be others'
    uint64_t trips;    ///< iterations of the first loop that the node's first thread met; 0: unknown
    bool bound;        ///< the node has called what belongs to its process (Fabric::take_bound_call)
  };
  struct AskLoop { ///< Assigned
    ConstructName name;
    NodeSet nodes;
    uint64_t microtask;
    uint32_t threads; ///< of the team
    uint64_t call_site;
    schedulers::Schedule schedule;
    uint64_t trips;
    schedulers::NodeMeasurement done;
    std::string_view source; ///< where the loop is in the program, at most longest_source bytes; somebody else's memory
  };
  struct ReportLoop { ///< not answered
    ConstructName name;
    schedulers::NodeMeasurement done;
  };
  struct OrderedWait { ///< Go
    ConstructName loop;
    uint64_t index;
  };
  struct OrderedPost { ///< not answered
    ConstructName loop;
    uint64_t next;
  };
  struct Lock { ///< LockGranted, to the node
    uint64_t key;
  };
  struct TryLock { ///< LockTried
    uint64_t key;
  };
  struct GiveBackLock { ///< not answered, or LockGranted
    uint64_t key;
    bool again; ///< the node wants it again
  };
  struct KeepLock { ///< what LockRecalled asked for is not free; not answered
    uint64_t key;
    uint32_t trial;
  };
  struct ReleaseLock { ///< a thread releases what one of another node has taken; not answered
    uint64_t key;
  };
  struct OfferCopies { ///< Go, if it waits
    ConstructName name;
    NodeSet nodes;
    uint64_t address;
    bool waits; ///< until all nodes' copies are combined
  };
  struct TakeCopies { ///< by node 0: Copies
    ConstructName name;
    NodeSet nodes;
    uint32_t of_node;
  };
  struct ReleaseCopies { ///< by node 0; not answered
    ConstructName name;
    NodeSet nodes;
  };
  struct AskIdle { ///< IdleNodes
    uint64_t team;
  };
  struct OfferTasks { ///< TasksUnwanted, or a TaskDone for each
    uint64_t team;
    Handover tasks;
  };
  struct ReturnTask { ///< the node that generated it gets TaskDone
    uint32_t origin;  ///< that node
    uint32_t slot;    ///< of the task's record there
    uint64_t nanoseconds;
  };
  struct Cancel { ///< the team's other nodes get Cancelled
    uint64_t team;
    NodeSet nodes;
    uint32_t construct; ///< 0: the region (heard_cancellations.hpp)
    uint64_t loop;      ///< the sequence number of a loop that is not to be handed out any more; 0: none
  };
  static constexpr uint32_t longest_source = 512;

  Asker from;
  std::variant<Barrier, Join, AskLoop, ReportLoop, OrderedWait, OrderedPost, Lock, TryLock, GiveBackLock, KeepLock,
               ReleaseLock, OfferCopies, TakeCopies, ReleaseCopies, AskIdle, OfferTasks, ReturnTask, Cancel>
      content;
};

struct Answer {
  struct Go {}; ///< what was waited for has happened
  struct BarrierOver {
    uint64_t word; ///< of all nodes
  };
  struct Joined {
    uint64_t trips; ///< the most that a node has told
    bool bound;     ///< a node has
  };
  struct Tasks { ///< to one that waits at a barrier, instead of the barrier's end
    Handover tasks;
  };
  struct Assigned {
    schedulers::Assignment assignment;
  };
  // Of locks; `recalled`: other nodes wait behind.
  struct LockGranted { ///< to a node: it owns the lock
    uint64_t key;
    bool recalled;
  };
  struct LockTried { ///< to a thread; with the lock the node owns it
    uint64_t key;
    bool taken;
    bool recalled;
  };
  struct LockRecalled { ///< to a node: it gives the lock back when it is free
    uint64_t key;
    uint32_t trial; ///< not 0: only if it is free now
    bool leaves;    ///< to the origin only: from now on other nodes have it, or want it
  };
  struct LockHome { ///< to the origin: it owns the lock, and no other node wants it any more
    uint64_t key;
  };
  struct LockReleased { ///< to the node that owns it: as if its holder had released it
    uint64_t key;
  };
  struct Copies {
    uint64_t address;
  };
  struct IdleNodes {
    uint32_t count; ///< nodes of the team that wait at a barrier
  };
  struct TasksUnwanted { ///< to a node, not to a thread: what it offered has not been executed
    Handover tasks;
  };
  struct TaskDone { ///< to a node: another has executed its task
    uint32_t slot;
    uint64_t nanoseconds;
  };
  struct Cancelled { ///< to a node: another has cancelled it
    uint64_t team;
    uint32_t construct;
  };

  Asker to;
  std::variant<Go, BarrierOver, Joined, Tasks, Assigned, LockGranted, LockTried, LockRecalled, LockHome, LockReleased,
               Copies, IdleNodes, TasksUnwanted, TaskDone, Cancelled>
      content;
};

// Copied byte by byte from thread to thread; nothing in them is to be freed.
static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Answer>);

} // namespace hetmp::runtime
