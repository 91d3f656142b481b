// What the DSM library offers the runtime in a program that runs as several node processes. The runtime finds it at
// start with dlsym("hetmp_dsm_fabric"); in a program with one node process the library is not even loaded.
#pragma once

#include "base/growing_allowance.hpp"
#include "base/machine/own_threads.hpp"
#include "base/node_set.hpp"
#include "dsm/guest_calls.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

inline constexpr uint32_t fabric_version = 29;
inline constexpr uint32_t largest_message = 3072; ///< bytes of one runtime message

inline constexpr int before_nodes = ENOTCONN; ///< an error of create_thread()

struct TaskSigns;

/// Faults this node has taken since start, by kind. Read at any time, by any thread; each counter only grows.
struct FaultCounters {
  uint64_t read_misses = 0;    ///< a read of a page this node had no copy of
  uint64_t write_misses = 0;   ///< a write to a page this node had no copy of
  uint64_t write_upgrades = 0; ///< a write to a page this node held read-only
  uint64_t invalidations = 0;  ///< copies this node lost to another node's write
  uint64_t bytes_received = 0; ///< page contents received
  uint64_t messages = 0;       ///< about pages that have come from other nodes
  uint64_t pages_taken = 0;    ///< pages that other nodes had, and have no copies of any more
  uint64_t waited_ns = 0;      ///< time in which a thread of this node, or several, waited for a page
  uint64_t served_ns = 0;      ///< time for which the service thread was busy with pages while none waited
  uint64_t moving_ns() const { return waited_ns + served_ns; }
  uint64_t faults() const { return read_misses + write_misses + write_upgrades; }
};

/// What one node has seen of one page since the program began (dsm/engine/page_statistics).
struct PageRecord {
  static constexpr uint32_t word_bytes = 4;
  /// Returns while the node's threads were in a region, as enter_region() named it.
  struct InRegion {
    uint64_t region = 0;
    uint64_t returns = 0;
  };
  uint64_t address = 0;
  uint64_t read_misses = 0;
  uint64_t write_misses = 0;
  uint64_t write_upgrades = 0;
  uint64_t invalidations = 0; ///< copies lost to another node's write
  uint64_t returns = 0;       ///< times the right to write came back after another node had taken it
  uint64_t waited_ns = 0;     ///< from a page's first fault to what it waited for, summed
  InRegion regions[4];        ///< those with most returns, in no order
  uint64_t written[16] = {};  ///< bit i: a write to word i of the page has faulted; all zero where that is not known
};

/// A block of the heap and who asked for it.
struct AllocationRecord {
  enum class Place : uint32_t {
    Elsewhere, ///< not in the nodes' memory: global data, or private
    Stack,     ///< of a thread of `node`
    Heap,      ///< of `node`
  } place = Place::Elsewhere;
  uint32_t node = 0;
  uint64_t begin = 0; ///< of the block, or 0: not known
  uint64_t bytes = 0;
  uint64_t callers[6] = {}; ///< return addresses, innermost first, 0 behind the last; all zero: not known
};

/// What one node has seen.
struct NodeObservation {
  uint32_t node;
  bool answered; ///< in time; otherwise the rest is empty
  FaultCounters counters;
  uint64_t waited_ns;      ///< in faults on all its pages
  const PageRecord* pages; ///< those it has faulted on most
  size_t page_count;
};

/// A page fault of a node, by the machine's monotonic clock.
struct FaultEvent {
  int64_t begin_ns;
  int64_t end_ns; ///< what was waited for is there
  uint64_t page;  ///< address
  enum class Kind : uint64_t { ReadMiss, WriteMiss, WriteUpgrade } kind;
};

/// One node's part of a timeline.
struct NodeTimeline {
  uint32_t node;
  bool answered;          ///< in time; otherwise the rest is empty
  int64_t clock_ahead_ns; ///< its clock against the origin's, as far as one message can tell
  const FaultEvent* faults;
  size_t fault_count;
  uint64_t faults_dropped; ///< those that did not fit
  const void* events;      ///< what the runtime's hook there has read
  size_t event_bytes;
};

/// What the runtime gives the DSM (registered before main starts, before there is more than one process).
struct RuntimeHooks {
  /// A runtime message arrived. Runs on the node's service thread: must not block, must not touch DSM memory
  /// (application data, DSM stacks and their thread-local variables).
  void (*deliver)(uint32_t from, const void* bytes, uint32_t size);
  /// Runs on a node process other than the origin, once, on an ordinary thread, after the node's memory is ready.
  void (*node_started)();
  /// On the origin: the code address of the parallel region that runs on several nodes now, null between them. Any
  /// thread.
  const void* (*current_region)();
  /// Fills `to` with events of this process for a timeline, at most `most` bytes; returns how many. May be null. Runs
  /// on the service thread, like deliver.
  size_t (*read_events)(void* to, size_t most) = nullptr;
  /// How a process sets what a signal does, as sigaction(). May be null.
  int (*set_signal)(int number, const struct sigaction* action, struct sigaction* before) = nullptr;
  /// On the origin: an object was loaded that other nodes cannot use, or that keeps something for each thread. Any
  /// thread. May be null.
  void (*bound_to_origin)() = nullptr;
  /// How many of the runtime's threads in this process do not sleep until others have come somewhere; the largest
  /// number where other nodes share its CPUs. A hint. Any thread. May be null.
  uint32_t (*threads_awake)() = nullptr;
  /// How many CPUs this process may keep busy. 0: only a part of one. Any thread. May be null.
  uint32_t (*usable_cpus)() = nullptr;
  /// The threads of this process that the runtime has made. Any thread. May be null.
  OwnThreads::Count (*own_threads)() = nullptr;
  /// What connects the nodes was decided when they joined: Fabric.interconnect has its name now. On each node, before
  /// main or node_started runs. May be null.
  void (*interconnect_chosen)() = nullptr;
  /// On the origin: the program has set something for its process that other nodes cannot be given, so that regions
  /// are not to go there. Threads on journeys come home to ask for it. Any thread. May be null.
  void (*regions_stay)() = nullptr;
};

/// Room for the context of a thread that is executed elsewhere, with all registers that a processor has today except
/// for AMX tiles.
inline constexpr size_t context_room = 4096, context_alignment = 64;

/// A piece of program in which a thread of the origin may go on, for a while, on another node
/// (dsm/migration/journeys/travel.hpp).
struct Journey {
  uint32_t node = 0;          ///< where its carrier is to be; 0: the thread has a CPU at home, and leaves it if that is
                              ///< denied it, for a node that has one free
  const void* code = nullptr; ///< what the thread executes
  const void* base = nullptr; ///< the stack pointer of the function that calls the program's code, and waits for it to
                              ///< return: what is below may be executed elsewhere
  void* room = nullptr;       ///< for its context, on its stack above `base`
  void* presence = nullptr;   ///< a pointer of the thread's own, which is null to it while it is abroad
  MakeGuestCall make_call = nullptr; ///< what makes its calls while it is abroad; null: it comes home for each
  void (*task_is_over)() = nullptr;  ///< at home: a task has ended that was executed as a part of another one, and has
                                     ///< set something for itself (TaskSigns)
  int64_t delay_ns = 0;              ///< it departs after so long at the earliest
  GrowingAllowance allowance; ///< it may lose so much abroad before it is sent home, and stays there until it is more
  int64_t page_ns = 0;        ///< what a page that is brought to the other node will probably cost besides
  int64_t change_ns = 0; ///< what a stay for which two threads have changed places has waited for pages; 0: unknown
  int64_t usual_ns = 0;  ///< the CPU time of a thread on such a journey; 0: unknown
  const uint32_t* cpus = nullptr; ///< how many each node has, as long as there are journeys; null: they share some
  uint32_t nodes = 0;             ///< so many
  bool shares_cpu = false; ///< the team has more threads than the nodes have CPUs: who has one at home leaves it to the
                           ///< others there as soon as one elsewhere is free
  bool restless = false;   ///< for tests: it departs again after the same delay, whatever a stay has brought
};

/// What a thread on a journey calls while it executes something private to its process: a task, from a barrier.
struct JourneyPart {
  const void* code = nullptr; ///< as a Journey's
  const void* base = nullptr; ///< the same
};

/// What a journey was.
struct JourneySeen {
  uint32_t stays = 0;
  uint32_t lost_stays = 0; ///< of those, they that got on too slowly
  uint32_t refused = 0;    ///< departures for which there was no carrier
  int64_t abroad_ns = 0;
  int64_t computed_ns = 0; ///< of those: without what it waited for pages
  int64_t longer_ns = 0;   ///< so much longer, or less so than that, it would have taken at home
  uint64_t pages = 0;      ///< that the carriers' nodes have taken meanwhile, and some for those that they have copied
  uint64_t fetched = 0;    ///< pages that those have received meanwhile
  int64_t cpu_ns = 0;      ///< of the thread, wherever it was
  uint32_t changes = 0;    ///< stays for which another thread came home,
  int64_t changes_waited_ns = 0; ///< and what these have waited for pages
};

struct Fabric {
  uint32_t version;
  uint32_t node;                ///< this process; 0 is the origin. Final once main or node_started runs
  uint32_t nodes;               ///< node processes
  const char* interconnect;     ///< what connects them: a name of dsm/transports.hpp
  const char* why_interconnect; ///< where that was decided when they joined: why it is no better one; else empty
  void (*attach)(const RuntimeHooks* hooks);
  /// Sends to another node (or to this one: delivered on this node's own service thread). Never blocks for long; any
  /// thread but from inside DSM fault service. Messages from one thread to one node arrive in order.
  void (*send)(uint32_t to, const void* bytes, uint32_t size);
  /// Whether `address` means the same memory on every node.
  bool (*is_shared)(const void* address);
  /// Whether code at `address` can be the same code on every node though it belongs to no object that all have loaded;
  /// and whether this node may execute what is there. Any thread but the service thread.
  bool (*may_hold_code)(const void* address);
  bool (*holds_code)(const void* address);
  /// A detached thread whose stack and thread-local variables lie in shared memory. Returns 0 or an errno value;
  /// before_nodes: a constructor of the program's has called, before there are nodes, and no thread can be had there.
  int (*create_thread)(void* (*body)(void*), void* argument, size_t stack_bytes);
  void (*read_faults)(FaultCounters* counters);

  // For a report. Without watch_pages() nothing is counted and the rest finds nothing.

  /// Before there is more than one process: nodes keep statistics of pages, and of where larger blocks are allocated.
  void (*watch_pages)();
  /// The node's threads are in this parallel region from now on: its function's address; 0: in none. Any thread.
  void (*enter_region)(uint64_t region);
  /// Origin, one ordinary thread at a time, also while teams run: asks all nodes what they have seen, and tells `take`
  /// in the order of their numbers. Waits for them for a second at most.
  void (*gather_pages)(void (*take)(void* context, const NodeObservation& seen), void* context);
  /// Likewise: what lies at the address.
  void (*find_allocation)(uint64_t address, AllocationRecord* block);

  // For a timeline, likewise; waits for five seconds at most.
  void (*watch_faults)(size_t most_event_bytes); ///< bytes that read_events may give
  void (*gather_timelines)(void (*take)(void* context, const NodeTimeline& seen), void* context);

  /// The page at the address will be read by node `to`: if its home is here and it is idle, a copy is sent there. A
  /// hint that may come to nothing. Null where it is not wanted. Any thread.
  void (*push)(const void* address, uint32_t to);
  /// Origin, one thread at a time: these nodes are about to do something for which they may have to read what
  /// lies at these addresses. Only those of the origin's stacks matter; the DSM learns for each purpose (a code
  /// address) whether it does well to push them. Null likewise.
  void (*offer)(uint64_t purpose, NodeSet nodes, const void* const* addresses, size_t count);
  /// The same pages to the same nodes, for something else. Origin, from inside `deliver`. Null likewise.
  void (*offer_again)(uint64_t purpose);
  /// The origin's threads have done it and wait for the others, or all nodes have done it: the origin's are likely to
  /// write these pages next. Likewise.
  void (*offer_is_over)(bool everywhere);

  // Hints about loops; null where they are not wanted. Any thread.

  /// This node's threads begin a visit of the loop: what the last visit had to fetch may be fetched ahead. `loop`: the
  /// address it is begun from. Each of the threads may say so. Not for visits in which faults are counted to decide by.
  void (*begin_visit)(uint64_t loop);
  /// What this node's threads touch from now on is no loop's. Also for a visit that is not to be helped nor remembered.
  void (*end_visit)();

  /// A thread of this node, or the node without a team, begins or ends to wait for what other nodes do. Null where it
  /// is not wanted. Any thread.
  void (*wait_outside)(bool begins);

  /// From now on, or not any more, the program is executed by this node's threads alone: nobody else wants what they
  /// use. Null where nothing is fetched ahead. Any thread.
  void (*compute_alone)(bool begins);

  // Travelling; null where it is not wanted or cannot be. On the origin, by a thread of create_thread().

  void (*begin_journey)(const Journey* journey);
  /// The calling thread is at home.
  void (*end_journey)(JourneySeen* seen);
  /// On a journey, at home: what the calling thread may execute elsewhere is this part from now on. Returns the part
  /// until now, which comes back when this one has ended; such calls nest.
  JourneyPart (*begin_part)(const JourneyPart* part);
  /// On a journey, at home: whether the calling thread may go elsewhere at once. If so, it does when it sends itself
  /// this signal (rt_tgsigqueueinfo), by code between the addresses of let_return_by() that is called at the base of
  /// the part in hand; or stays, if that cannot be.
  bool (*may_depart)(siginfo_t* signal);
  /// Of the calling thread. What a task with settings of its own generates elsewhere is generated at home.
  TaskSigns* (*task_signs)();
  /// On a journey: the calling thread, at home, has waited, and is about to compute again.
  void (*has_waited)();
  /// On a journey: how long so far the calling thread, at home, has been on other nodes, ns.
  int64_t (*time_elsewhere)();
  /// Likewise: what moving pages has cost those at home meanwhile, ns.
  int64_t (*cost_at_home)();
  /// Behind it the calling thread is at home, wherever it was.
  void (*come_home)();
  /// No thread goes to other nodes any more, as far as one can tell: the pages that they took meanwhile come back
  /// together. Any thread.
  void (*bring_home)();
  /// Threads are about to go to other nodes for the first time in a region: what those at home allocate there shall not
  /// lie where the others read. Any thread.
  void (*begin_new_pages)();
  /// The code between these addresses, to which functions of the program return on a journey, touches nothing but the
  /// stack until it has returned to where `base` stands. Once, before there are other nodes.
  void (*let_return_by)(const void* begin, const void* end);
  /// Why there are no journeys, or none any more; null: there may be some. Any thread.
  const char* (*why_no_journeys)();
  /// Whether threads of this process have called, since this was asked last, a function of a library whose effect or
  /// result belongs to the process or the thread (migration/functions/bound_calls.hpp). Any thread. Null: nobody
  /// notices.
  bool (*take_bound_call)();
};

} // namespace hetmp::dsm

/// Null unless this process is one of several nodes.
extern "C" hetmp::dsm::Fabric* hetmp_dsm_fabric();
