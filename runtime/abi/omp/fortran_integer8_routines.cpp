// Fortran's twins for programs whose default integers have eight bytes (gfortran -fdefault-integer-8): only libgomp has
// these names. Functions without arguments have no such twin, and results are int as ever.
#include "runtime/abi/omp/omp_routines.hpp"

#include <algorithm>
#include <climits>
#include <memory>

namespace {

/// What an int can hold of it.
int to_int(int64_t value) { return int(std::clamp<int64_t>(value, INT_MIN, INT_MAX)); }

/// For `count` numbers that a routine writes as int.
template <class Write> void widen(int count, int64_t* to, Write&& write) {
  if (count <= 0)
    return;
  const auto numbers = std::make_unique<int[]>(size_t(count));
  write(numbers.get());
  std::copy_n(numbers.get(), count, to);
}

} // namespace

#define TWIN(result, name)                                                                                             \
  HETMP_ENTRY result name##_8_(const int64_t* value) { return name(to_int(*value)); }

TWIN(void, omp_set_num_threads)
TWIN(void, omp_set_max_active_levels)
TWIN(void, omp_set_default_device)
TWIN(void, omp_set_num_teams)
TWIN(void, omp_set_teams_thread_limit)
TWIN(int, omp_get_ancestor_thread_num)
TWIN(int, omp_get_team_size)
TWIN(int, omp_get_place_num_procs)
// Logical arguments.
TWIN(void, omp_set_dynamic)
TWIN(void, omp_set_nested)
TWIN(void, omp_display_env)

// The kind of a schedule has four bytes in any case.
HETMP_ENTRY void omp_set_schedule_8_(const uint32_t* kind, const int64_t* chunk) {
  omp_set_schedule(*kind, to_int(*chunk));
}
HETMP_ENTRY void omp_get_schedule_8_(uint32_t* kind, int64_t* chunk) {
  int narrow = 0;
  omp_get_schedule(kind, &narrow);
  *chunk = narrow;
}

HETMP_ENTRY void omp_get_place_proc_ids_8_(const int64_t* place, int64_t* ids) {
  const int number = to_int(*place);
  widen(omp_get_place_num_procs(number), ids, [&](int* narrow) { omp_get_place_proc_ids(number, narrow); });
}
HETMP_ENTRY void omp_get_partition_place_nums_8_(int64_t* places) {
  widen(omp_get_partition_num_places(), places, [](int* narrow) { omp_get_partition_place_nums(narrow); });
}

HETMP_ENTRY uintptr_t omp_init_allocator_8_(const uintptr_t* space, const int64_t* traits_count,
                                            const OmpAllocatorTrait* traits) {
  return omp_init_allocator(*space, to_int(*traits_count), traits);
}
