#include "runtime/process/invoke.hpp"

#include "runtime/ompt/events.hpp"

#include <cstddef>
#include <utility>

// The linker's names for the ends of the section that HETMP_CALLS_PROGRAM names.
extern "C" __attribute__((visibility("hidden"))) const char __start_hetmp_calls[], __stop_hetmp_calls[];

namespace hetmp::runtime {
namespace {

// Compilers put what they make of a template into a section of its own, whatever section is asked for. So all that is
// a template here becomes a part of the two functions that are none.
#define HETMP_PART_OF_CALLER __attribute__((always_inline)) inline

template <size_t> using AnyPointer = void*;

template <size_t... I>
HETMP_PART_OF_CALLER void call(void* microtask, int* gtid, int* number, void* const* arguments,
                               std::index_sequence<I...>) {
  using Function = void (*)(int*, int*, AnyPointer<I>...);
  reinterpret_cast<Function>(microtask)(gtid, number, arguments[I]...);
}

/// Calls it with `steps` times Step arguments, if that is one of the numbers Steps.
template <size_t Step, size_t... Steps>
HETMP_PART_OF_CALLER void call_with(size_t steps, void* microtask, int* gtid, int* number, void* const* arguments,
                                    std::index_sequence<Steps...>) {
  static_cast<void>(
      ((steps == Steps && (call(microtask, gtid, number, arguments, std::make_index_sequence<Steps * Step>()), true)) ||
       ...));
}

// Up to `exact_arguments` each number of arguments has a call of its own. Above, the number is rounded up: every
// calling convention in which the caller removes the arguments lets a function receive more than it asks for.
constexpr size_t exact_arguments = 48;
constexpr size_t step = 64;

HETMP_CALLS_PROGRAM void invoke_with_many(void* microtask, int* gtid, int* number, uint32_t count,
                                          void* const* arguments) {
  ompt::note_exit_frame(__builtin_frame_address(0));
  void* padded[most_arguments];
  const size_t steps = (count + step - 1) / step;
  for (size_t i = 0; i < steps * step; i++)
    padded[i] = i < count ? arguments[i] : nullptr;
  call_with<step>(steps, microtask, gtid, number, padded, std::make_index_sequence<most_arguments / step + 1>());
}

} // namespace

HETMP_CALLS_PROGRAM void invoke_microtask(void* microtask, int gtid, int thread_number, uint32_t count,
                                          void* const* arguments) {
  ompt::note_exit_frame(__builtin_frame_address(0));
  if (count <= exact_arguments)
    call_with<1>(count, microtask, &gtid, &thread_number, arguments, std::make_index_sequence<exact_arguments + 1>());
  else
    invoke_with_many(microtask, &gtid, &thread_number, count, arguments);
}

CodeRange code_that_calls_program() { return {__start_hetmp_calls, __stop_hetmp_calls}; }

} // namespace hetmp::runtime
