// Parallel regions and who is in them.
#include "base/message.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/process/invoke.hpp"
#include "runtime/regions/fork.hpp"
#include "runtime/team/thread.hpp"

#include <algorithm>
#include <alloca.h>
#include <cstdarg>

using namespace hetmp::runtime;

namespace {

constexpr int severity_warning = 1; ///< else an error

/// Of a num_threads clause; 0: as if there were none.
uint32_t number_of_threads(int32_t wanted) { return uint32_t(std::max(wanted, 0)); }

} // namespace

/// Functions that generate tasks begin with it, also where they generate none. A thread that is on another node has
/// this variable with it, so it needs no gate there (dsm/migration/gates.hpp); only one that is not known yet does, at
/// home.
HETMP_ENTRY int32_t __kmpc_global_thread_num(const SourceLocation*) {
  return own_thread.number >= 0 ? own_thread.number : current_thread().gtid;
}

HETMP_ENTRY int32_t __kmpc_global_num_threads(const SourceLocation*) { return int32_t(known_threads()); }

HETMP_ENTRY int32_t __kmpc_bound_thread_num(const SourceLocation*) { return int32_t(current_task().number); }

HETMP_ENTRY int32_t __kmpc_bound_num_threads(const SourceLocation*) { return int32_t(current_task().team_size); }

HETMP_ENTRY int32_t __kmpc_in_parallel(const SourceLocation*) { return current_task().active_level > 0; }

HETMP_ENTRY int32_t __kmpc_ok_to_fork(const SourceLocation*) { return 1; }

HETMP_ENTRY void __kmpc_begin(const SourceLocation*, int32_t) { current_thread(); }

HETMP_ENTRY void __kmpc_end(const SourceLocation*) {}

HETMP_ENTRY void __kmpc_fork_call(const SourceLocation* location, int32_t count, void* microtask, ...) {
  void** arguments = static_cast<void**>(alloca(size_t(count > 0 ? count : 1) * sizeof(void*)));
  va_list list;
  va_start(list, microtask);
  for (int32_t i = 0; i < count; i++)
    arguments[i] = va_arg(list, void*);
  va_end(list);
  Thread& self = current_thread();
  ompt::entered(__builtin_return_address(0), [&] { fork_team(self, location, microtask, uint32_t(count), arguments); });
}

HETMP_ENTRY void __kmpc_fork_call_if(const SourceLocation* location, int32_t, void* microtask, int32_t condition,
                                     void* argument) {
  Thread& self = current_thread();
  const uint32_t count = argument ? 1 : 0;
  ompt::entered(__builtin_return_address(0), [&] {
    if (condition) {
      fork_team(self, location, microtask, count, &argument);
      return;
    }
    begin_serial_region(self, location);
    invoke_microtask(microtask, self.gtid, 0, count, &argument);
    end_serial_region(self);
  });
}

HETMP_ENTRY void __kmpc_serialized_parallel(const SourceLocation* location, int32_t gtid) {
  Thread& self = thread_of(gtid);
  ompt::entered(__builtin_return_address(0), [&] { begin_serial_region(self, location); });
  ompt::note_exit_frame(__builtin_frame_address(0)); // the caller executes the region's code itself
}

HETMP_ENTRY void __kmpc_end_serialized_parallel(const SourceLocation*, int32_t gtid) {
  ompt::entered(__builtin_return_address(0), [&] { end_serial_region(thread_of(gtid)); });
}

HETMP_ENTRY void __kmpc_push_num_threads(const SourceLocation*, int32_t gtid, int32_t threads) {
  Thread& self = thread_of(gtid);
  self.pushed_threads = number_of_threads(threads);
  self.pushed_list.count = 0;
  self.pushed_strict.threads = 0;
}

HETMP_ENTRY void __kmpc_pop_num_threads(const SourceLocation*, int32_t) {}

HETMP_ENTRY void __kmpc_push_num_threads_strict(const SourceLocation* location, int32_t gtid, int32_t threads,
                                                int severity, const char* message) {
  __kmpc_push_num_threads(location, gtid, threads);
  thread_of(gtid).pushed_strict = {number_of_threads(threads), severity != severity_warning, message};
}

/// The first number is for the next region, the others for those inside of it. A list of one says nothing about these.
HETMP_ENTRY void __kmpc_push_num_threads_list(const SourceLocation* location, int32_t gtid, uint32_t length,
                                              const int32_t* threads) {
  if (length == 0)
    return;
  __kmpc_push_num_threads(location, gtid, threads[0]);
  if (length - 1 > ListedSizes::most) {
    hetmp::say_once(thread_of(gtid).long_list_told, "a num_threads clause with %u numbers; the first %u count", length,
                    ListedSizes::most + 1);
  }
  ListedSizes& list = thread_of(gtid).pushed_list;
  list.count = std::min(length - 1, ListedSizes::most);
  std::transform(threads + 1, threads + 1 + list.count, list.sizes, [](int32_t wanted) { return std::max(wanted, 1); });
}

HETMP_ENTRY void __kmpc_push_num_threads_list_strict(const SourceLocation* location, int32_t gtid, uint32_t length,
                                                     const int32_t* threads, int severity, const char* message) {
  __kmpc_push_num_threads_list(location, gtid, length, threads);
  if (length > 0)
    thread_of(gtid).pushed_strict = {number_of_threads(threads[0]), severity != severity_warning, message};
}

HETMP_ENTRY void __kmpc_push_proc_bind(const SourceLocation*, int32_t gtid, int32_t proc_bind) {
  thread_of(gtid).pushed_proc_bind = proc_bind;
}
