// Doacross loops, as gcc asks for them: all loops of the nest count from 0 by 1.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/gomp_loop.hpp"
#include "runtime/loops/doacross.hpp"

#include <cstdarg>

using namespace hetmp::runtime;
using Unsigned = unsigned long long;

namespace {

template <class T>
bool start(unsigned count, const T* trips, GompKind kind, T chunk, const void* call_site, T* begin, T* end) {
  std::vector<DoacrossDimension> dimensions;
  for (unsigned i = 0; i < count; i++)
    dimensions.push_back({0, int64_t(trips[i]) - 1, 1});
  begin_doacross(current_task(), dimensions.data(), count);
  const GompKind in_order = GompKind(long(kind) | gomp_monotonic); // earlier iterations are begun earlier
  return start_gomp_loop<T>({0, trips[0], 1}, in_order, chunk, false, call_site, begin, end);
}

static_assert(sizeof(long) == sizeof(int64_t) && sizeof(Unsigned) == sizeof(int64_t)); // T is one of the two

template <class T> void post(const T* counts, const void* caller) {
  ImplicitTask& task = current_task();
  if (post_iteration(task, reinterpret_cast<const int64_t*>(counts)) && ompt::observed()) [[unlikely]]
    tell_doacross(caller, counts, task.doacross.dimensions.size(), ompt::depends_source);
}

/// The values of the inner loops' variables are in `list`.
template <class T> void wait(T first, va_list list, const void* caller) {
  ImplicitTask& task = current_task();
  if (!task.doacross.posted)
    return; // then nobody knows how many values there are
  std::vector<int64_t>& values = task.doacross.awaited;
  values[0] = int64_t(first);
  for (size_t i = 1; i < values.size(); i++)
    values[i] = int64_t(va_arg(list, T));
  if (wait_for_iteration(task, values.data()) && ompt::observed()) [[unlikely]]
    tell_doacross(caller, values.data(), values.size(), ompt::depends_sink);
}

} // namespace

#define HETMP_DOACROSS_LOOP(name, kind)                                                                                \
  HETMP_ENTRY bool GOMP_loop_doacross_##name##_start(unsigned count, const long* trips, long chunk, long* begin,       \
                                                     long* end) {                                                      \
    return start(count, trips, GompKind::kind, chunk, __builtin_return_address(0), begin, end);                        \
  }                                                                                                                    \
  HETMP_ENTRY bool GOMP_loop_ull_doacross_##name##_start(unsigned count, const Unsigned* trips, Unsigned chunk,        \
                                                         Unsigned* begin, Unsigned* end) {                             \
    return start(count, trips, GompKind::kind, chunk, __builtin_return_address(0), begin, end);                        \
  }
HETMP_DOACROSS_LOOP(static, Static)
HETMP_DOACROSS_LOOP(dynamic, Dynamic)
HETMP_DOACROSS_LOOP(guided, Guided)

HETMP_ENTRY bool GOMP_loop_doacross_runtime_start(unsigned count, const long* trips, long* begin, long* end) {
  return start(count, trips, GompKind::Runtime, 0L, __builtin_return_address(0), begin, end);
}

HETMP_ENTRY bool GOMP_loop_ull_doacross_runtime_start(unsigned count, const Unsigned* trips, Unsigned* begin,
                                                      Unsigned* end) {
  return start(count, trips, GompKind::Runtime, Unsigned(0), __builtin_return_address(0), begin, end);
}

HETMP_ENTRY bool GOMP_loop_doacross_start(unsigned count, const long* trips, long schedule, long chunk, long* begin,
                                          long* end, uintptr_t* reductions, void** memory) {
  begin_special_construct(reductions, memory);
  return start(count, trips, GompKind(schedule), chunk, __builtin_return_address(0), begin, end);
}

HETMP_ENTRY bool GOMP_loop_ull_doacross_start(unsigned count, const Unsigned* trips, long schedule, Unsigned chunk,
                                              Unsigned* begin, Unsigned* end, uintptr_t* reductions, void** memory) {
  begin_special_construct(reductions, memory);
  return start(count, trips, GompKind(schedule), chunk, __builtin_return_address(0), begin, end);
}

HETMP_ENTRY void GOMP_doacross_post(const long* counts) { post(counts, __builtin_return_address(0)); }

HETMP_ENTRY void GOMP_doacross_ull_post(const Unsigned* counts) { post(counts, __builtin_return_address(0)); }

HETMP_ENTRY void GOMP_doacross_wait(long first, ...) {
  va_list list;
  va_start(list, first);
  wait(first, list, __builtin_return_address(0));
  va_end(list);
}

HETMP_ENTRY void GOMP_doacross_ull_wait(Unsigned first, ...) {
  va_list list;
  va_start(list, first);
  wait(first, list, __builtin_return_address(0));
  va_end(list);
}
