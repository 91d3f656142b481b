// What notices that the program calls a function that leads past the gates (past_gates.hpp). Until then its threads may
// travel; from then on they stay at home, unless the call turns out to be harmless.
#pragma once

#include "base/loaded_object.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hetmp::dsm {

class WaysPastGates {
 public:
  /// `have_all_at_home`: returns when no thread is away, and none will leave any more. `program`: its
  /// objects. Before watched().
  void prepare(void (*have_all_at_home)(), std::vector<LoadedObject> program) {
    have_all_at_home_ = have_all_at_home;
    program_ = std::move(program);
  }

  /// Some instructions that note the call, wait until all threads are at home, and go on to `function` as if they were
  /// not there: with its caller's return address, which the dynamic linker's functions look at. 0: there is no room for
  /// more of them. `name`: of the function. While the program has not begun.
  uintptr_t watched(uintptr_t function, const char* name);
  /// No more will come. False: the memory cannot be executed.
  bool close();

  /// That the program has called such a function, in words; null: it has not. Any thread.
  const char* taken() const {
    const Way* const way = taken_.load(std::memory_order_acquire); // pairs with take()
    return way ? way->in_words : nullptr;
  }

  enum class Kind : uint8_t {
    Any,
    Symbol,        ///< dlsym: what it finds may be the program's own
    IntervalTimer, ///< setitimer and
    Timer,         ///< timer_create: which may run by the clock on the wall
  };
  struct Way {
    uintptr_t function = 0;
    Kind kind = Kind::Any;
    char in_words[48] = {};
  };

  /// A thread that is at home calls a watched function with these as its first two arguments. True: it has been called,
  /// with `result`.
  bool meet(const Way& way, uintptr_t first, uintptr_t second, uintptr_t& result);

 private:
  static constexpr size_t most = 64;

  void take(const Way& way);

  void (*have_all_at_home_)() = nullptr;
  std::vector<LoadedObject> program_;
  Way ways_[most];
  size_t count_ = 0;
  uintptr_t code_ = 0;
  std::atomic<const Way*> taken_{nullptr}; ///< released once all threads are at home
};

} // namespace hetmp::dsm
