// Where a thread that is executed on another node has to come home: before a function that is each process's own.
//
// While a thread of the origin is executed elsewhere (dsm/migration/deputies.hpp) it may execute the program's code and
// functions that do nothing but compute. Everything else, the runtime's entry points above all, the C library's locks,
// streams and memory, works with what is private to a process. So each address by which the program calls such a
// function leads to a gate: a few instructions that go on to the function, or, on a thread that is abroad, end in a
// trap, and the thread goes on at home with the same gate. A few lead to a function that does the same abroad
// (memory_abroad.hpp, tasks_abroad.hpp), or has it done at home (calls_abroad.hpp). Those of the C library that work on
// text in memory are called abroad as at home, by threads with the locale of all nodes (docs/limits.md); what they
// allocate comes by gates, too, which stand before what the C library itself calls for that.
#pragma once

#include "base/loaded_object.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hetmp::dsm {

class CallsAbroad;
class MemoryAbroad;
class TasksAbroad;
class TextAbroad;
class WaysPastGates;

/// Whether the object is a mathematical library of the C library's, whose functions do nothing else.
bool is_mathematical(const LoadedObject& object);

/// Who has stand-ins.
struct Abroad {
  MemoryAbroad& memory;
  CallsAbroad& calls;
  TasksAbroad& tasks;
  TextAbroad& text;
};

/// Whether a thread is abroad, as gates read it in its own variables.
enum class Presence : char {
  Home,
  Abroad,
  AbroadWithLocale, ///< and the thread has a locale of its own (uselocale), which is its process's
};

class Gates {
 public:
  /// Puts gates before what loaded objects call. Once, before there are other processes, while the program has not
  /// begun; false if there is no memory for them, and then there are none. `flag`: of each thread, its Presence,
  /// counted from its thread pointer.
  /// Where one of `abroad` has a stand-in for a function, a thread that is abroad calls that. `ways`: notice calls of
  /// functions that lead past the gates.
  bool build(ptrdiff_t flag, const Abroad& abroad, WaysPastGates& ways);

  /// Whether the program has called a function whose effect belongs to its process (functions/bound_calls.hpp) since
  /// this was asked last; by any thread of this process that was not abroad. Any thread.
  bool take_bound_call() const;

  /// A gate with nothing behind it, to be called as void(): behind it the thread is at home.
  void (*come_home() const)() { return come_home_; }

  /// The beginning of the gate that holds this address; 0 if none does.
  uintptr_t gate_at(uintptr_t address) const {
    return address - begin_ < end_ - begin_ ? begin_ + (address - begin_) / gate_bytes * gate_bytes : 0;
  }

  static constexpr size_t gate_bytes = 64;

 private:
  uintptr_t add(uintptr_t function, uintptr_t stand_in = 0, bool notes = false, bool is_of_text = false);

  ptrdiff_t flag_ = 0;
  uintptr_t begin_ = 0, next_ = 0, end_ = 0;
  std::atomic<uint8_t>* noted_ = nullptr; ///< not 0: such a call was made; behind the gates, which write it. relaxed
  void (*come_home_)() = nullptr;
};

} // namespace hetmp::dsm
