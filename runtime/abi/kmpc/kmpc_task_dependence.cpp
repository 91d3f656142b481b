// Tasks with `depend` clauses, and taskwait with them.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmpc/kmp_dependence.hpp"
#include "runtime/abi/kmpc/kmp_task.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/tasking/helping.hpp"

using namespace hetmp::runtime;

namespace {

DependenceKind kind_of(uint8_t kind) {
  switch (kind) {
  case kmp_in:
    return DependenceKind::In;
  case kmp_mutexinoutset:
    return DependenceKind::MutexInOutSet;
  case kmp_inoutset:
    return DependenceKind::InOutSet;
  default:
    return DependenceKind::InOut;
  }
}

bool is_all_memory(const KmpDependence& item) {
  return (item.kind & kmp_all_memory) != 0 || item.address == kmp_address_of_all_memory;
}

void append(std::vector<Dependence>& items, int32_t count, const KmpDependence* list) {
  for (int32_t i = 0; i < count; i++)
    items.push_back({reinterpret_cast<const void*>(list[i].address), kind_of(list[i].kind), is_all_memory(list[i])});
}

/// A compiler may give a second list, of items that differ from all others.
std::vector<Dependence> dependences(int32_t count, const KmpDependence* list, int32_t count_2,
                                    const KmpDependence* list_2) {
  std::vector<Dependence> items;
  items.reserve(size_t(count + count_2));
  append(items, count, list);
  append(items, count_2, list_2);
  return items;
}

} // namespace

HETMP_ENTRY int32_t __kmpc_omp_task_with_deps(const SourceLocation*, int32_t gtid, KmpTask* task, int32_t count,
                                              const KmpDependence* list, int32_t count_2, const KmpDependence* list_2) {
  Thread& self = thread_of(gtid);
  ompt::entered(__builtin_return_address(0), [&] {
    submit_task(self, ready_kmp_task(adopted(self, task)), dependences(count, list, count_2, list_2));
  });
  return 0;
}

HETMP_ENTRY void __kmpc_omp_taskwait_deps_51(const SourceLocation*, int32_t gtid, int32_t count,
                                             const KmpDependence* list, int32_t count_2, const KmpDependence* list_2,
                                             int32_t nowait) {
  ompt::entered(__builtin_return_address(0),
                [&] { wait_for_dependences(thread_of(gtid), dependences(count, list, count_2, list_2), nowait != 0); });
}

HETMP_ENTRY void __kmpc_omp_wait_deps(const SourceLocation*, int32_t gtid, int32_t count, const KmpDependence* list,
                                      int32_t count_2, const KmpDependence* list_2) {
  ompt::entered(__builtin_return_address(0),
                [&] { wait_for_dependences(thread_of(gtid), dependences(count, list, count_2, list_2), false); });
}
