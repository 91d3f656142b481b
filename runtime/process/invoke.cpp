#include "runtime/process/invoke.hpp"

#include <array>
#include <cstddef>
#include <utility>

// The linker's names for the ends of the section that HETMP_CALLS_PROGRAM names.
extern "C" __attribute__((visibility("hidden"))) const char __start_hetmp_calls[], __stop_hetmp_calls[];

namespace hetmp::runtime {
namespace {

using CallOfCount = void (*)(void*, int*, int*, void* const*); ///< of a microtask of so many arguments

template <size_t> using AnyPointer = void*;

template <class Indices> struct Caller;

template <size_t... I> struct Caller<std::index_sequence<I...>> {
  HETMP_CALLS_PROGRAM static void call(void* microtask, int* gtid, int* number, void* const* arguments) {
    using Function = void (*)(int*, int*, AnyPointer<I>...);
    reinterpret_cast<Function>(microtask)(gtid, number, arguments[I]...);
  }
};

template <size_t Step, size_t... I>
constexpr std::array<CallOfCount, sizeof...(I)> invokers(std::index_sequence<I...>) {
  return {&Caller<std::make_index_sequence<I * Step>>::call...};
}

// Up to `exact_arguments` there is an invoker for each number. Above, the number is rounded up: every calling
// convention in which the caller removes the arguments lets a function receive more than it asks for.
constexpr size_t exact_arguments = 48;
constexpr size_t step = 64;
constexpr auto exact = invokers<1>(std::make_index_sequence<exact_arguments + 1>());
constexpr auto rounded = invokers<step>(std::make_index_sequence<most_arguments / step + 1>());

HETMP_CALLS_PROGRAM void invoke_with_many(void* microtask, int* gtid, int* number, uint32_t count,
                                          void* const* arguments) {
  void* padded[most_arguments];
  const size_t steps = (count + step - 1) / step;
  for (size_t i = 0; i < steps * step; i++)
    padded[i] = i < count ? arguments[i] : nullptr;
  rounded[steps](microtask, gtid, number, padded);
}

} // namespace

HETMP_CALLS_PROGRAM void invoke_microtask(void* microtask, int gtid, int thread_number, uint32_t count,
                                          void* const* arguments) {
  if (count <= exact_arguments)
    exact[count](microtask, &gtid, &thread_number, arguments);
  else
    invoke_with_many(microtask, &gtid, &thread_number, count, arguments);
}

CodeRange code_that_calls_program() { return {__start_hetmp_calls, __stop_hetmp_calls}; }

} // namespace hetmp::runtime
