// Changes that every node has to make: of the address space, or an address would stop meaning the same everywhere
// (protection of shared memory, mappings of files, objects that come late), of what signals do, and of what the C
// library keeps for the process (process_state.hpp). All calls but the last one do nothing elsewhere before there are
// other nodes.
//
// Whoever makes a change waits until all nodes have answered; their service threads carry it out at once, and it waits
// for nothing there but the kernel. What needs locks or shared memory (objects, unwind tables, streams, the
// environment) is an errand (errands.hpp).
#pragma once

#include "base/futex.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace hetmp::dsm {

/// Travels as it is, as data of a control message: nodes run the same library.
struct Change {
  enum class Kind : uint32_t {
    Protect,          ///< mprotect
    MapFile,          ///< an open file at a place that is free on every node; only between processes of one machine
    Unmap,            ///< what MapFile has mapped
    AttachSegment,    ///< shmat of segment `protection`, at a place that is free on every node
    DetachSegment,    ///< shmdt
    Load,             ///< the origin is to dlopen `path` with `flags`; it answers with the handle
    SetAction,        ///< sigaction: `protection` is the signal, `begin` its handler, `bytes` the mask's 64 signals
    RegisterFrames,   ///< `begin`: unwind tables of an object, in shared memory, that other nodes' loaders do not know
    ExecutableStacks, ///< from now on
    ForgetStream,     ///< `begin`: a stream that the node's C library has opened and another node closes
    SetLimit,         ///< setrlimit of resource `protection`: `begin` its soft limit, `bytes` its hard one
    SetLocale,        ///< setlocale of category `protection`; `begin`: the name, in shared memory
    SetVariable,      ///< putenv; `begin`: NAME=value, in shared memory, where it stays
    UnsetVariable,    ///< unsetenv; `begin`: the name, in shared memory
    ClearVariables,   ///< clearenv
    ReadTimeZone,     ///< tzset: the variable TZ may have changed
    AllotKey,         ///< of the origin: pthread_key_create, `begin` destroys the values; it answers with the key
    CreateKey,        ///< the key `offset`, which the origin has allotted, with `begin`
    RemoveKey,        ///< pthread_key_delete of the key `offset`, but at the origin
    FreeKey,          ///< of the origin: the same
    BindThreads,      ///< of the origin: thread numbers stay with their threads
    StayAtHome,       ///< of the origin: its threads have all come home, and leave no more
    TellPointerLocks, ///< no change: where the origin has made them (pointer_locks.hpp)
    TellUse,    ///< no change: up to where the node uses part `offset` of its slice; NodeProcess::parts: which ones
    TellLoaded, ///< no change: from where on the origin uses the window for late objects (LateWindow::used_from())
  };
  Kind kind = Kind::Protect;
  int32_t protection = 0;
  int32_t flags = 0;       ///< MapFile: MAP_SHARED or MAP_PRIVATE; Load: RTLD_...; SetAction: SA_...
  int32_t descriptor = -1; ///< MapFile: processes of one machine share their descriptors
  uint64_t begin = 0;      ///< page aligned, where it is the beginning of a range
  uint64_t bytes = 0;
  int64_t offset = 0;
  char path[1024] = {};
};

class NodeProcess;

/// What a node process asks of the others, one change at a time, and what has come of all changes.
class Changes {
 public:
  /// Of one node, or of all others. The first error, 0: none; `result`: of the last one to answer.
  int ask(NodeProcess& process, const Change& change, uint32_t whom, uint64_t* result);
  /// Service thread: another node has made the change that this one has asked for, or could not.
  void answered(int error, uint64_t result);

  /// Some shared memory may be anything but readable and writable, whichever node has made it so.
  void protection_may_differ() { any_protection_differs_.store(true, std::memory_order_relaxed); }
  bool protection_differs() const { return any_protection_differs_.load(std::memory_order_relaxed); }

 private:
  std::mutex one_at_a_time_; ///< never taken by the service thread
  Change under_way_;         ///< private memory: the caller's own may lie on a shared stack
  /// Nodes that have not answered yet. Released by answered(), acquired by ask(). relaxed where it is set: the service
  /// thread sees that by way of the messages, before it takes an answer.
  FutexWord unanswered_{0};

  // Reset with the lock, then written by the service thread alone, which has them from ask() by way of the messages.
  // relaxed: `unanswered_` orders them, released after they are written and acquired before they are read.
  std::atomic<int> first_error_{0};      ///< relaxed, see above
  std::atomic<uint64_t> last_result_{0}; ///< relaxed, see above

  /// relaxed: it only ever becomes true, and before the change has been answered; the program itself sees to it that no
  /// thread gives memory back while another one still protects it.
  std::atomic<bool> any_protection_differs_{false};
};

/// Makes the change here and then on all other nodes. Returns 0, or the errno value of a node that could not; nothing
/// is undone then. Any thread but the service thread; one change of a node at a time, the others wait.
int change_everywhere(const Change& change);
/// The same, without this node.
int change_elsewhere(const Change& change);
/// Only node `node`, which is not this one, makes it, and has something to say.
int change_at(const Change& change, uint32_t node, uint64_t* result);

/// Service thread: another node wants the change.
void change_arrived(uint32_t from, const void* data, size_t bytes);
} // namespace hetmp::dsm
