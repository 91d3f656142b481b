// What the DSM library offers the runtime in a program that runs as several node processes. The runtime finds it at
// start with dlsym("hetmp_dsm_fabric"); in a program with one node process the library is not even loaded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

inline constexpr uint32_t fabric_version = 2;
inline constexpr uint32_t largest_message = 3072; ///< bytes of one runtime message

/// Faults this node has taken since start, by kind. Read at any time, by any thread; each counter only grows.
struct FaultCounters {
  uint64_t read_misses = 0;   ///< a read of a page this node had no copy of
  uint64_t write_misses = 0;  ///< a write to a page this node had no copy of
  uint64_t write_upgrades = 0;///< a write to a page this node held read-only
  uint64_t invalidations = 0; ///< copies this node lost to another node's write
  uint64_t bytes_received = 0;///< page contents received
  uint64_t faults() const { return read_misses + write_misses + write_upgrades; }
};

/// What the runtime gives the DSM (registered before main starts, before there is more than one process).
struct RuntimeHooks {
  /// A runtime message arrived. Runs on the node's service thread: must not block, must not touch DSM memory
  /// (application data, DSM stacks and their thread-local variables).
  void (*deliver)(uint32_t from, const void* bytes, uint32_t size);
  /// Runs on a node process other than the origin, once, on an ordinary thread, after the node's memory is ready.
  void (*node_started)();
  /// On the origin: the code address of the parallel region that runs on several nodes now, null between them. Any thread.
  const void* (*current_region)();
};

struct Fabric {
  uint32_t version;
  uint32_t node;                ///< this process; 0 is the origin. Final once main or node_started runs
  uint32_t nodes;               ///< node processes
  const char* interconnect;     ///< what connects them: "shared-memory" or "tcp"
  void (*attach)(const RuntimeHooks* hooks);
  /// Sends to another node (or to this one: delivered on this node's own service thread). Never blocks for long; any
  /// thread but from inside DSM fault service. Messages from one thread to one node arrive in order.
  void (*send)(uint32_t to, const void* bytes, uint32_t size);
  /// Whether `address` means the same memory on every node.
  bool (*is_shared)(const void* address);
  /// A detached thread whose stack and thread-local variables lie in shared memory. Returns 0 or an errno value.
  int (*create_thread)(void* (*body)(void*), void* argument, size_t stack_bytes);
  void (*read_faults)(FaultCounters* counters);
};

} // namespace hetmp::dsm

/// Null unless this process is one of several nodes.
extern "C" hetmp::dsm::Fabric* hetmp_dsm_fabric();
