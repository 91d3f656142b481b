// Memory that a thread asks for while it is executed on another node, and what it gives back there.
//
// Programs in C++ allocate every few microseconds, and a thread that went home for each block would be at home all the
// time. So the gates before the functions that allocate (gates.hpp) lead a thread that is abroad to a stand-in, which
// takes the block from the heap of the node where the thread is executed: its blocks are as good as any, and near.
//
// Small blocks come from those that the carrier keeps (dsm/space/block_cache.hpp), without further ado. The heap itself
// is private to the node's process and wants a thread of that process. So for as long as it works there the
// carrier makes its own thread pointer valid again. Meanwhile its guest cannot be sent home, since it may hold the
// heap's locks, nor while it executes a stand-in's own instructions, which have found its host: whoever would send it
// (Carrier::meet_signal) lets it be until the next look, a millisecond later. What the heap cannot give, and what is
// none of its blocks, is left to the function itself, at home.
#pragma once

#include "dsm/guest_calls.hpp"
#include "dsm/space/block_cache.hpp"
#include "dsm/space/heap.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hetmp::dsm {

class Carrier;
struct GuestTask;

/// A carrier, to the stand-ins. Written by the carrier's own thread, and read by it and its signal handler only.
/// What a variable is to the guest's tasks that take part in a reduction of it.
struct ReducedVariable {
  uint64_t group = 0, pointer = 0; ///< asked for; 0: nothing
  uint64_t copy = 0, variable = 0; ///< the answer
};

struct Host {
  volatile uintptr_t guest = 0; ///< thread pointer of the guest; 0: none
  uintptr_t own = 0;            ///< the carrier's own
  volatile bool works = false;  ///< for its guest, with its own thread pointer
  BlockCache* blocks = nullptr; ///< what its guests have freed, for the next ones; stays as long as the process
  // Of CallsAbroad.
  Carrier* carrier = nullptr;
  GuestCall call;                   ///< the one in hand
  GuestAnswer answer;               ///< to the last one; written by the service thread while the carrier waits for it
  volatile bool loop_ended = false; ///< a GuestFunction::LoopEnds goes along with the next call, or the way home
  volatile bool knows_team = false; ///< since its guest came; then the next two are the guest's
  volatile int number = 0, team_size = 0;
  static constexpr uint32_t most_reduced = 8;
  volatile uint32_t reduced_count = 0;   ///< of those asked for last, since its guest came
  ReducedVariable reduced[most_reduced]; ///< that many are the guest's
  // Of TasksAbroad.
  GuestTask* kept_tasks = nullptr; ///< memory for the next tasks of guests, of this node's heap
  // The same, since the guest came.
  volatile bool has_no_children = false; ///< the task that it executes waits for none
  volatile uintptr_t deepest = 0;        ///< stack pointer below which it executes none of the tasks that it generates
};

class MemoryAbroad {
 public:
  static constexpr size_t most_hosts = 256;
  enum Function : uint32_t {
    Malloc,
    Calloc,
    Free,
    New,
    NewArray,
    NewOrNull,
    NewArrayOrNull,
    Delete,
    DeleteArray,
    DeleteSized,
    DeleteArraySized,
    Realloc,
    Memalign,
    AlignedAlloc,
    PosixMemalign,
    NewAligned,
    NewArrayAligned,
    DeleteAligned,
    DeleteArrayAligned,
    DeleteSizedAligned,
    DeleteArraySizedAligned,
    functions
  };

  // Before there are other processes:

  /// To be called before a function that has a stand-in, to be at home.
  void set_way_home(void (*come_home)()) { come_home_ = come_home; }
  /// Which stand-in the function of this name has; 0: none. Kept for the stand-in: the function itself.
  uintptr_t stand_in(std::string_view name, uintptr_t function);
  /// Whether such a function has to be the C++ library's, and else hetmp's, for the stand-in to do the same.
  static bool is_of_cxx(std::string_view name) { return name.starts_with("_Z"); }

  // On another node than the origin:

  /// Where blocks come from and go to, before there are carriers. `free_elsewhere`: gives another node's block back.
  void serve(Heap& heap, uint32_t node, void (*free_elsewhere)(void* block));
  /// For a carrier, before they run; null: there is no room, or no heap, and its guests go home for their memory.
  Host* add_host();

  /// Whether the instruction is a stand-in's own.
  static bool is_stand_in(uintptr_t instruction);

 private:
  struct StandIns;
  friend struct AsHost;

  // As the host, in its process:
  static void* take(size_t bytes);
  static void* give_back(void* block); ///< of some heap
  struct Wanted {
    BlockCache* cache;
    size_t bytes;
  };
  static void* take_small(Wanted wanted);
  struct Freed {
    BlockCache* cache;
    void* block; ///< of some heap
  };
  static void* give_back_small(Freed freed);

  void (*come_home_)() = nullptr;
  uintptr_t originals_[functions] = {};
  Heap* heap_ = nullptr;
  uint32_t node_ = 0;
  void (*free_elsewhere_)(void* block) = nullptr;
  bool sets_pointer_itself_ = false; ///< the processor has an instruction for it that the kernel allows
  size_t hosts_ = 0;
  Host host_[most_hosts];
};

} // namespace hetmp::dsm
