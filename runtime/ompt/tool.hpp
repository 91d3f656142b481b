// The program's tool (OMPT), if it has one: how it is found, started and ended, and the callbacks that it has asked
// for.
#pragma once

#include "runtime/ompt/interface.hpp"

#include "runtime/wait/futex_lock.hpp"

#include <atomic>

namespace hetmp::runtime::ompt {

/// What answers a tool's question of that name; null: none does. It belongs to what programs call, which has it
/// (runtime/abi/ompt/inquiry.cpp); the tool's start only hands it on.
InterfaceFunction answer_for(const char* name);

/// By the specification's section 19.2: a tool is the first function ompt_start_tool that is found and returns
/// something: in the program, in OMP_TOOL_LIBRARIES, or in libarcher.so as with libomp. Of its process; it stays until
/// the program or the tool itself ends it.
class Tool {
 public:
  /// Looks for it and starts it, once; whether this call did. Before the runtime knows any thread: what happened before
  /// is not told.
  bool start();
  /// Its finaliser, once; it is told nothing after that.
  void finish();
  /// In a forked child: nobody is told anything.
  void forget() { active_.store(false, std::memory_order_relaxed); } // relaxed: there is one thread

  /// Whether there is one that wants to be told. acquire: pairs with the release in start(); what it reads then are the
  /// callbacks.
  bool is_active() const { return active_.load(std::memory_order_acquire); }
  /// Null: it does not want to hear of that. relaxed: a callback that is set while others happen is told of some.
  template <Event event> typename CallbackOf<event>::Type callback() const {
    return reinterpret_cast<typename CallbackOf<event>::Type>(callbacks_[int(event)].load(std::memory_order_relaxed));
  }

  // What tools call.
  SetResult set_callback(int event, InterfaceFunction callback);
  bool get_callback(int event, InterfaceFunction& callback) const;
  /// A number that no other call gets, in this process.
  uint64_t unique_id() { return last_id_.fetch_add(1, std::memory_order_relaxed) + 1; } // relaxed: only a number

 private:
  void look_for_it();

  std::atomic<InterfaceFunction> callbacks_[events_end] = {}; ///< see callback()
  FutexLock starting_;
  std::atomic<int> starter_{0};      ///< the thread that starts it or has; relaxed: it looks for itself only
  bool started_ = false;             ///< guarded by starting_
  std::atomic<bool> active_{false};  ///< see is_active()
  std::atomic<bool> ended_{false};   ///< relaxed: it only chooses who ends it
  std::atomic<uint64_t> last_id_{0}; ///< see unique_id()
  StartToolResult* result_ = nullptr;
};

Tool& the_tool();

} // namespace hetmp::runtime::ompt
