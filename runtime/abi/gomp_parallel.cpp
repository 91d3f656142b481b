// Parallel regions as gcc begins them: the outlined function takes one pointer.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/gomp_loop.hpp"
#include "runtime/core/fork.hpp"

using namespace hetmp::runtime;

namespace hetmp::runtime {

void invoke_gomp(void* function, int, int, uint32_t, void* const* arguments) {
  reinterpret_cast<GompFunction>(function)(arguments[0]);
}

void push_gomp_clauses(Thread& self, unsigned threads, unsigned flags) {
  constexpr unsigned proc_bind_mask = 7;
  self.pushed_threads = threads;
  if (const unsigned proc_bind = flags & proc_bind_mask)
    self.pushed_proc_bind = int(proc_bind);
}

} // namespace hetmp::runtime

HETMP_ENTRY void GOMP_parallel(GompFunction function, void* data, unsigned threads, unsigned flags) {
  Thread& self = current_thread();
  push_gomp_clauses(self, threads, flags);
  fork_team(self, nullptr, reinterpret_cast<void*>(function), 1, &data, invoke_gomp);
}

// ---- regions that consist of one loop: every thread has begun it when the outlined function starts

namespace {

/// The loop travels as arguments, to nodes that share no memory with this one, too.
enum { argument_data, argument_start, argument_end, argument_increment, argument_chunk, argument_kind, arguments_of_loop };

void* as_argument(long value) { return reinterpret_cast<void*>(value); }
long as_number(void* argument) { return reinterpret_cast<long>(argument); }

void invoke_with_loop(void* function, int, int, uint32_t, void* const* arguments) {
  const GompLoop<long> loop = {as_number(arguments[argument_start]), as_number(arguments[argument_end]),
                               as_number(arguments[argument_increment])};
  begin_gomp_loop(loop, gomp_schedule(GompKind(as_number(arguments[argument_kind])), as_number(arguments[argument_chunk])), false,
                  function);
  reinterpret_cast<GompFunction>(function)(arguments[argument_data]);
}

void parallel_loop(GompFunction function, void* data, unsigned threads, long start, long end, long increment, GompKind kind,
                   long chunk, unsigned flags) {
  Thread& self = current_thread();
  push_gomp_clauses(self, threads, flags);
  void* arguments[arguments_of_loop];
  arguments[argument_data] = data;
  arguments[argument_start] = as_argument(start);
  arguments[argument_end] = as_argument(end);
  arguments[argument_increment] = as_argument(increment);
  arguments[argument_chunk] = as_argument(chunk);
  arguments[argument_kind] = as_argument(long(kind));
  fork_team(self, nullptr, reinterpret_cast<void*>(function), arguments_of_loop, arguments, invoke_with_loop);
}

} // namespace

#define HETMP_PARALLEL_LOOP(name, kind)                                                                             \
  HETMP_ENTRY void GOMP_parallel_loop_##name(GompFunction function, void* data, unsigned threads, long start,       \
                                             long end, long increment, long chunk, unsigned flags) {                \
    parallel_loop(function, data, threads, start, end, increment, GompKind::kind, chunk, flags);                    \
  }
HETMP_PARALLEL_LOOP(static, Static)
HETMP_PARALLEL_LOOP(dynamic, Dynamic)
HETMP_PARALLEL_LOOP(guided, Guided)
HETMP_PARALLEL_LOOP(nonmonotonic_dynamic, Dynamic)
HETMP_PARALLEL_LOOP(nonmonotonic_guided, Guided)

#define HETMP_PARALLEL_RUNTIME_LOOP(name)                                                                           \
  HETMP_ENTRY void GOMP_parallel_loop_##name(GompFunction function, void* data, unsigned threads, long start,       \
                                             long end, long increment, unsigned flags) {                            \
    parallel_loop(function, data, threads, start, end, increment, GompKind::Runtime, 0, flags);                     \
  }
HETMP_PARALLEL_RUNTIME_LOOP(runtime)
HETMP_PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime)
HETMP_PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime)

namespace {

void invoke_with_sections(void* function, int, int, uint32_t, void* const* arguments) {
  begin_gomp_sections(unsigned(as_number(arguments[1])), function);
  reinterpret_cast<GompFunction>(function)(arguments[0]);
}

} // namespace

HETMP_ENTRY void GOMP_parallel_sections(GompFunction function, void* data, unsigned threads, unsigned count, unsigned flags) {
  Thread& self = current_thread();
  push_gomp_clauses(self, threads, flags);
  void* arguments[] = {data, as_argument(long(count))};
  fork_team(self, nullptr, reinterpret_cast<void*>(function), 2, arguments, invoke_with_sections);
}
