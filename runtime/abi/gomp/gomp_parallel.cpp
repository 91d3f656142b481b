// Parallel regions as gcc begins them: the outlined function takes one pointer.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/gomp_loop.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/regions/fork.hpp"
#include "runtime/sync/cancellation.hpp"
#include "runtime/team/thread.hpp"

using namespace hetmp::runtime;

namespace hetmp::runtime {

HETMP_CALLS_PROGRAM void invoke_gomp(void* function, int, int, uint32_t, void* const* arguments) {
  ompt::note_exit_frame(__builtin_frame_address(0));
  reinterpret_cast<GompFunction>(function)(arguments[0]);
  asm volatile("" ::: "memory"); // no jump instead of the call: a tool finds this frame below the program's
}

void push_gomp_clauses(Thread& self, unsigned threads, unsigned flags) {
  constexpr unsigned proc_bind_mask = 7;
  if (threads != 0) // or what __kmpc_push_num_threads has said holds
    self.pushed_threads = threads;
  if (const unsigned proc_bind = flags & proc_bind_mask)
    self.pushed_proc_bind = int(proc_bind);
}

} // namespace hetmp::runtime

HETMP_ENTRY void GOMP_parallel(GompFunction function, void* data, unsigned threads, unsigned flags) {
  Thread& self = current_thread();
  push_gomp_clauses(self, threads, flags);
  ompt::entered(__builtin_return_address(0),
                [&] { fork_team(self, nullptr, reinterpret_cast<void*>(function), 1, &data, invoke_gomp); });
}

// ---- regions that consist of one loop: every thread has begun it when the outlined function starts

namespace {

void* as_argument(long value) { return reinterpret_cast<void*>(value); }
long as_number(void* argument) { return reinterpret_cast<long>(argument); }

/// The loop travels as arguments, to nodes that share no memory with this one, too.
struct LoopArguments {
  enum { data, start, end, increment, chunk, kind, count };
  void* words[count];

  LoopArguments(void* its_data, const GompLoop<long>& loop, GompKind its_kind, long its_chunk)
      : words{its_data,
              as_argument(loop.start),
              as_argument(loop.end),
              as_argument(loop.increment),
              as_argument(its_chunk),
              as_argument(long(its_kind))} {}

  static void begin(void* const* arguments, const void* function) {
    begin_gomp_loop(
        GompLoop<long>{as_number(arguments[start]), as_number(arguments[end]), as_number(arguments[increment])},
        gomp_schedule(GompKind(as_number(arguments[kind])), as_number(arguments[chunk])), false, function);
  }
};

HETMP_CALLS_PROGRAM void invoke_with_loop(void* function, int, int, uint32_t, void* const* arguments) {
  ompt::note_exit_frame(__builtin_frame_address(0));
  LoopArguments::begin(arguments, function);
  reinterpret_cast<GompFunction>(function)(arguments[LoopArguments::data]);
  asm volatile("" ::: "memory"); // no jump instead of the call: a tool finds this frame below the program's
}

void parallel_loop(GompFunction function, void* data, unsigned threads, const GompLoop<long>& loop, GompKind kind,
                   long chunk, unsigned flags, const void* caller) {
  Thread& self = current_thread();
  push_gomp_clauses(self, threads, flags);
  const LoopArguments arguments(data, loop, kind, chunk);
  ompt::entered(caller, [&] {
    fork_team(self, nullptr, reinterpret_cast<void*>(function), LoopArguments::count, arguments.words,
              invoke_with_loop);
  });
}

} // namespace

#define HETMP_PARALLEL_LOOP(name, kind)                                                                                \
  HETMP_ENTRY void GOMP_parallel_loop_##name(GompFunction function, void* data, unsigned threads, long start,          \
                                             long end, long increment, long chunk, unsigned flags) {                   \
    parallel_loop(function, data, threads, {start, end, increment}, GompKind::kind, chunk, flags,                      \
                  __builtin_return_address(0));                                                                        \
  }
HETMP_PARALLEL_LOOP(static, Static)
HETMP_PARALLEL_LOOP(dynamic, MonotonicDynamic)
HETMP_PARALLEL_LOOP(guided, MonotonicGuided)
HETMP_PARALLEL_LOOP(nonmonotonic_dynamic, Dynamic)
HETMP_PARALLEL_LOOP(nonmonotonic_guided, Guided)

#define HETMP_PARALLEL_RUNTIME_LOOP(name, kind)                                                                        \
  HETMP_ENTRY void GOMP_parallel_loop_##name(GompFunction function, void* data, unsigned threads, long start,          \
                                             long end, long increment, unsigned flags) {                               \
    parallel_loop(function, data, threads, {start, end, increment}, GompKind::kind, 0, flags,                          \
                  __builtin_return_address(0));                                                                        \
  }
HETMP_PARALLEL_RUNTIME_LOOP(runtime, MonotonicRuntime)
HETMP_PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime, Runtime)
HETMP_PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime, Runtime)

namespace {

HETMP_CALLS_PROGRAM void invoke_with_sections(void* function, int, int, uint32_t, void* const* arguments) {
  ompt::note_exit_frame(__builtin_frame_address(0));
  begin_gomp_sections(unsigned(as_number(arguments[1])), function);
  reinterpret_cast<GompFunction>(function)(arguments[0]);
  asm volatile("" ::: "memory"); // no jump instead of the call: a tool finds this frame below the program's
}

} // namespace

HETMP_ENTRY void GOMP_parallel_sections(GompFunction function, void* data, unsigned threads, unsigned count,
                                        unsigned flags) {
  Thread& self = current_thread();
  push_gomp_clauses(self, threads, flags);
  void* arguments[] = {data, as_argument(long(count))};
  ompt::entered(__builtin_return_address(0), [&] {
    fork_team(self, nullptr, reinterpret_cast<void*>(function), 2, arguments, invoke_with_sections);
  });
}

// ---- before gcc 4.9: the caller itself executes the function between start and end

namespace {

void start(GompFunction function, unsigned threads, uint32_t count, void* const* arguments, Invoker invoker) {
  Thread& self = current_thread();
  push_gomp_clauses(self, threads, 0);
  begin_open_region(self, reinterpret_cast<void*>(function), count, arguments, invoker);
}

void start_loop(GompFunction function, void* data, unsigned threads, const GompLoop<long>& loop, GompKind kind,
                long chunk) {
  const LoopArguments arguments(data, loop, kind, chunk);
  start(function, threads, LoopArguments::count, arguments.words, invoke_with_loop);
  LoopArguments::begin(arguments.words, reinterpret_cast<void*>(function));
}

} // namespace

HETMP_ENTRY void GOMP_parallel_start(GompFunction function, void* data, unsigned threads) {
  ompt::entered(__builtin_return_address(0), [&] { start(function, threads, 1, &data, invoke_gomp); });
}

HETMP_ENTRY void GOMP_parallel_end() {
  ompt::entered(__builtin_return_address(0), [] {
    meet_at_end(current_task());
    end_open_region(current_thread());
  });
}

#define HETMP_PARALLEL_LOOP_START(name, kind)                                                                          \
  HETMP_ENTRY void GOMP_parallel_loop_##name##_start(GompFunction function, void* data, unsigned threads, long first,  \
                                                     long end, long increment, long chunk) {                           \
    start_loop(function, data, threads, {first, end, increment}, GompKind::kind, chunk);                               \
  }
HETMP_PARALLEL_LOOP_START(static, Static)
HETMP_PARALLEL_LOOP_START(dynamic, MonotonicDynamic)
HETMP_PARALLEL_LOOP_START(guided, MonotonicGuided)

HETMP_ENTRY void GOMP_parallel_loop_runtime_start(GompFunction function, void* data, unsigned threads, long first,
                                                  long end, long increment) {
  start_loop(function, data, threads, {first, end, increment}, GompKind::MonotonicRuntime, 0);
}

HETMP_ENTRY void GOMP_parallel_sections_start(GompFunction function, void* data, unsigned threads, unsigned count) {
  void* arguments[] = {data, as_argument(long(count))};
  start(function, threads, 2, arguments, invoke_with_sections);
  begin_gomp_sections(count, reinterpret_cast<void*>(function));
}
