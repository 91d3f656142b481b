// Stacks of the threads that execute the program's code on this node, with their thread-local variables: in the part of
// the node's slice that is kept for them. They stay until the program ends.
//
// The first one of the origin is main's. What programs ask about "the stack" they are told of this one
// (initial_stack.hpp), so it lies by itself between two guards, and is known before there are other nodes.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <mutex>
#include <vector>

namespace hetmp::dsm {

class ThreadStacks {
 public:
  using Body = void* (*)(void*);

  /// main's stack: as large as its limit lets it become, with the thread-local variables on top. The same on all nodes.
  void plan_main(uint64_t limit);
  Segment main() const { return main_; }
  /// pthread_self() of the thread that create_main() will make; 0: this C library does not tell.
  uintptr_t mains_identity() const;

  /// From now on stacks are executable, also those that are there, and those of other nodes' threads: a function nested
  /// in main may be called anywhere.
  void make_executable();

  void become(uint32_t node);
  /// Their memory is mapped as it will stay.
  void meet_others(uint32_t nodes);

  /// Starts a detached thread. 0, or an errno value; EAGAIN also if there is no room for its stack.
  int create_thread(Body body, void* argument, size_t stack_bytes);
  /// The same for main's. On the origin.
  int create_main(Body body, void* argument);

  /// What lies behind has never been used. Any thread.
  uintptr_t used_until() const { return __atomic_load_n(&free_.begin, __ATOMIC_RELAXED); }

 private:
  int protection() const;
  void protect_others() const;
  Segment take(size_t bytes);
  int start(Body body, void* argument, const Segment& stack);

  std::mutex lock_; ///< guards what follows
  Segment free_{};  ///< its beginning: see used_until()
  std::vector<Segment> stacks_;
  bool executable_ = false;
  Segment main_{};
  uint32_t node_ = origin;
  uint32_t nodes_ = 1; ///< that have been met
};

} // namespace hetmp::dsm
