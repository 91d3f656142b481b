// What programs set for their process: by the C library (dsm/process/process_state), and by the C++ libraries, whose
// names these are where they are mangled. The latter's locales and handlers no other node can be given: when main has
// set one, regions stay at home.
#include "dsm/interpose/calling_process.hpp"
#include "dsm/interpose/next_function.hpp"
#include "dsm/process/process_state.hpp"

#include <cstdlib>
#include <unistd.h>

namespace hetmp::dsm {

using Handler = void (*)();

namespace {

/// Null unless what the calling thread sets is to hold for other nodes as well. A child that is about to execute
/// something sets its own.
NodeProcess* of_all_nodes() {
  NodeProcess* process = process_of_caller();
  return process && process->node() == origin && process->has_started() && process->is_this_process() ? process
                                                                                                      : nullptr;
}

ProcessState* state_of_all() {
  NodeProcess* process = of_all_nodes();
  return process ? &process->state() : nullptr;
}

void only_here() {
  if (const NodeProcess* process = of_all_nodes())
    process->tell_regions_stay();
}

/// As std::locale::global(const std::locale&): what it returns is written where the first argument says. A locale is a
/// pointer to what all of its copies share.
void* set_global_locale(const char* name, void* before, void* const* locale) {
  void* const now = *locale; // `before` may be the same object
  void* const result = next_of<void*(void*, void* const*)>(name)(before, locale);
  if (*static_cast<void**>(before) != now)
    only_here();
  return result;
}

/// As a function of this name, which returns what was set before.
template <class Value> Value set_here(const char* name, Value value) {
  const Value before = next_of<Value(Value)>(name)(value);
  if (before != value)
    only_here();
  return before;
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

char* setlocale(int category, const char* name) noexcept {
  ProcessState* all = name ? state_of_all() : nullptr; // without a name it only asks
  const StateFunctions& next = state_functions();
  return all ? all->setlocale(next, category, name) : next.setlocale(category, name);
}

int setenv(const char* name, const char* value, int replace) noexcept {
  ProcessState* all = state_of_all();
  const StateFunctions& next = state_functions();
  return all ? all->setenv(next, name, value, replace) : next.setenv(name, value, replace);
}

int putenv(char* entry) noexcept {
  ProcessState* all = state_of_all();
  const StateFunctions& next = state_functions();
  return all ? all->putenv(next, entry) : next.putenv(entry);
}

int unsetenv(const char* name) noexcept {
  ProcessState* all = state_of_all();
  const StateFunctions& next = state_functions();
  return all ? all->unsetenv(next, name) : next.unsetenv(name);
}

int clearenv() noexcept {
  ProcessState* all = state_of_all();
  const StateFunctions& next = state_functions();
  return all ? all->clearenv(next) : next.clearenv();
}

int setrlimit(__rlimit_resource_t resource, const rlimit* limit) noexcept {
  ProcessState* all = state_of_all();
  const StateFunctions& next = state_functions();
  return all ? all->prlimit(next, int(resource), limit, nullptr) : next.setrlimit(resource, limit);
}

int prlimit(pid_t process, __rlimit_resource resource, const rlimit* limit, rlimit* before) noexcept {
  ProcessState* all = limit && (process == 0 || process == getpid()) ? state_of_all() : nullptr;
  const StateFunctions& next = state_functions();
  return all ? all->prlimit(next, int(resource), limit, before) : next.prlimit(process, resource, limit, before);
}

// With 64-bit offsets, which are the only ones on this machine.
int setrlimit64(__rlimit_resource_t resource, const rlimit64* limit) noexcept {
  static_assert(sizeof(rlimit) == sizeof(rlimit64));
  return setrlimit(resource, reinterpret_cast<const rlimit*>(limit));
}

int prlimit64(pid_t process, __rlimit_resource resource, const rlimit64* limit, rlimit64* before) noexcept {
  return prlimit(process, resource, reinterpret_cast<const rlimit*>(limit), reinterpret_cast<rlimit*>(before));
}

/// std::locale::global(), of libstdc++ and of libc++.
void* _ZNSt6locale6globalERKS_(void* before, void* const* locale) {
  return set_global_locale("_ZNSt6locale6globalERKS_", before, locale);
}
void* _ZNSt3__16locale6globalERKS0_(void* before, void* const* locale) {
  return set_global_locale("_ZNSt3__16locale6globalERKS0_", before, locale);
}

/// std::set_new_handler(), std::set_terminate(), of either library, and std::pmr::set_default_resource(). This library
/// has functions of these names already, from the static libstdc++: the linker gives the names to these
/// (dsm/CMakeLists.txt).
Handler hetmp_set_new_handler(Handler handler) { return set_here("_ZSt15set_new_handlerPFvvE", handler); }
Handler hetmp_set_terminate(Handler handler) { return set_here("_ZSt13set_terminatePFvvE", handler); }
void* hetmp_set_default_resource(void* resource) {
  return set_here("_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE", resource);
}

} // extern "C"
#pragma GCC visibility pop
