// Variables of which the runtime keeps a copy for each thread, as code without thread-local storage has them, and of
// which only threads of the last node ask for theirs: a region that has come to need one node only meets them again.

// run with hetmp: OMP_SCHEDULE=hetprobe HETMP_FAULT_PERIOD_US=1000000000
#include "stress.hpp"

#include <omp.h>

namespace {

constexpr int team = 4, own = 1000;
int variable;

extern "C" void* __kmpc_threadprivate_cached(const void*, int gtid, void* original, size_t bytes, void*** cache);
extern "C" int __kmpc_global_thread_num(const void*);

int& copy_of_this_thread() {
  static void** cache;
  return *static_cast<int*>(
      __kmpc_threadprivate_cached(nullptr, __kmpc_global_thread_num(nullptr), &variable, sizeof variable, &cache));
}

bool is_last() { return omp_get_thread_num() == team - 1; }

/// Its loop is soon decided for one node. Returns what the last thread has of its own, if it is to ask.
int decided_region(long* data, int count, bool ask) {
  int seen = 0;
#pragma omp parallel num_threads(team)
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < count; ++i)
      data[i] += i;
    if (ask && is_last())
      seen = copy_of_this_thread();
  }
  return seen;
}

} // namespace

int main() {
  static long data[20000];
  constexpr int visits = 40;
  omp_set_dynamic(0);
  for (int visit = 0; visit < visits; ++visit)
    decided_region(data, 20000, false);
#pragma omp parallel num_threads(team)
  if (is_last())
    copy_of_this_thread() = own;
  for (int visit = 0; visit < visits; ++visit)
    CHECK_EQUAL(decided_region(data, 20000, true), own);
  for (int i = 0; i < 20000; ++i)
    CHECK_EQUAL(data[i], 2l * visits * i);
}
