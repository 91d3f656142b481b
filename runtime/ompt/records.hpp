// What is kept for a tool (OMPT): of each thread, region and task. None of it exists where there is no tool.
#pragma once

#include "runtime/ompt/interface.hpp"

#include <atomic>

namespace hetmp::runtime::ompt {

/// Of a parallel region. Its primary makes it before the region begins and destroys it behind its end; other members
/// leave it earlier.
struct RegionRecord {
  Data data{};
  int flags = 0;
  struct TaskRecord* encountering = nullptr; ///< the task that met the construct
  const void* caller = nullptr;              ///< where
  uint32_t teams = 0;                        ///< of a league: how many,
  uint32_t next_team = 0;                    ///< and which one begins next: its initial task is told of
};

/// Of a task: implicit, explicit, or an initial one.
struct TaskRecord {
  Data data{};
  Frame frame{};
  int flags = 0;
  RegionRecord* region = nullptr; ///< that it belongs to; null: its thread has left it
  uint32_t number = 0;            ///< of its thread, in that region's team
  uint32_t team_size = 1;
  /// What its thread goes back to: of an explicit task the one that it interrupts, of an implicit one the task that met
  /// the region.
  TaskRecord* below = nullptr;
  /// An explicit one: its code is over, its event is not. relaxed: a hint for whoever fulfils it.
  std::atomic<bool> is_detached{false};
  DispatchChunk chunk{};      ///< of a taskloop's task: its iterations; 0: it is another one
  const void* body = nullptr; ///< an explicit one: the program's part of it,
  uint64_t body_bytes = 0;    ///< and how much that is

  // The work-sharing construct that it is in.
  WorkKind work = WorkKind::Loop;
  uint64_t work_count = 0;
  bool in_work = false;
};

/// Of a thread; it alone uses it.
struct ThreadRecord {
  Data data{};
  ThreadKind kind = ThreadKind::Other;
  State state = State::Undefined;
  uint64_t wait_id = 0;                               ///< what it waits for
  TaskRecord* task = nullptr;                         ///< that it executes
  const void* caller = nullptr;                       ///< where the program has called the runtime
  SyncKind barrier = SyncKind::BarrierImplementation; ///< what the barrier is that the program has called
  bool handed_on = false; ///< the rest of the task that it executes is another part's, of any thread
  bool yields = false;    ///< the task that it begins next is begun at a taskyield
};

} // namespace hetmp::runtime::ompt
