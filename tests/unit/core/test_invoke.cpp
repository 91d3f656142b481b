// How outlined functions are called: with all their arguments, and from code that a thread may return to elsewhere.
#include "runtime/process/invoke.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

namespace hetmp::runtime {
namespace {

/// What the function that was called last has seen.
struct Seen {
  int gtid = 0;
  int number = 0;
  uintptr_t sum = 0; ///< each argument times its place, from 1 on
  const void* returns_to = nullptr;
} seen;

template <size_t> using AnyPointer = void*;

template <class Indices> struct Microtask;
template <size_t... I> struct Microtask<std::index_sequence<I...>> {
  static void call(int* gtid, int* number, AnyPointer<I>... arguments) {
    seen = {*gtid, *number, (uintptr_t(0) + ... + (reinterpret_cast<uintptr_t>(arguments) * (I + 1))),
            __builtin_return_address(0)};
  }
};

template <size_t Count> void check() {
  std::array<void*, Count + 1> arguments{}; // one more: of none there is no array
  uintptr_t sum = 0;
  for (size_t i = 0; i < Count; ++i) {
    arguments[i] = reinterpret_cast<void*>(7 * i + 3);
    sum += (7 * i + 3) * (i + 1);
  }
  seen = {};
  invoke_microtask(reinterpret_cast<void*>(&Microtask<std::make_index_sequence<Count>>::call), 11, 5, Count,
                   arguments.data());
  EXPECT_EQ(seen.gtid, 11) << Count;
  EXPECT_EQ(seen.number, 5) << Count;
  EXPECT_EQ(seen.sum, sum) << Count;
  const CodeRange calls = code_that_calls_program();
  EXPECT_TRUE(seen.returns_to >= calls.begin && seen.returns_to < calls.end)
      << Count << " arguments: a thread would have to come home before it returns";
}

template <size_t... Counts> void check_each(std::index_sequence<Counts...>) { (check<Counts>(), ...); }

TEST(InvokeMicrotask, ArgumentsArriveAndTheCallerIsCodeThatCallsPrograms) {
  check_each(std::make_index_sequence<70>()); // around the largest number with a call of its own, and registers' number
  check_each(std::index_sequence<127, 128, 129, most_arguments - 1, most_arguments>());
}

} // namespace
} // namespace hetmp::runtime
