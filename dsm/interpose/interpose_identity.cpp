// Who a thread is: until main begins, the thread that executes constructors is shown as main's (main_thread.cpp).
#include "dsm/interpose/next_function.hpp"
#include "dsm/migration/contexts/context.hpp"
#include "dsm/process/node_process.hpp"

#include <csignal>
#include <pthread.h>
#include <sched.h>

// The C++ libraries call it, with an address in the object that has the variable.
extern "C" __attribute__((visibility("default"))) int __cxa_thread_atexit_impl(void (*destroy)(void*), void* variable,
                                                                               void* object);

namespace hetmp::dsm {
namespace {

/// The C library's functions.
struct IdentityFunctions {
  decltype(pthread_getattr_np)* const getattr_np = next_of<decltype(pthread_getattr_np)>("pthread_getattr_np");
  decltype(pthread_getname_np)* const getname_np = next_of<decltype(pthread_getname_np)>("pthread_getname_np");
  decltype(pthread_setname_np)* const setname_np = next_of<decltype(pthread_setname_np)>("pthread_setname_np");
  decltype(pthread_getaffinity_np)* const getaffinity_np =
      next_of<decltype(pthread_getaffinity_np)>("pthread_getaffinity_np");
  decltype(pthread_setaffinity_np)* const setaffinity_np =
      next_of<decltype(pthread_setaffinity_np)>("pthread_setaffinity_np");
  decltype(pthread_getschedparam)* const getschedparam =
      next_of<decltype(pthread_getschedparam)>("pthread_getschedparam");
  decltype(pthread_setschedparam)* const setschedparam =
      next_of<decltype(pthread_setschedparam)>("pthread_setschedparam");
  decltype(pthread_kill)* const kill = next_of<decltype(pthread_kill)>("pthread_kill");
  decltype(pthread_sigqueue)* const sigqueue = next_of<decltype(pthread_sigqueue)>("pthread_sigqueue");
  decltype(pthread_getcpuclockid)* const getcpuclockid =
      next_of<decltype(pthread_getcpuclockid)>("pthread_getcpuclockid");
  decltype(__cxa_thread_atexit_impl)* const register_destructor =
      next_of<decltype(__cxa_thread_atexit_impl)>("__cxa_thread_atexit_impl");
};
const IdentityFunctions& c_library() {
  // Asked for first by a constructor of this library: a handler of a signal may be next.
  static const IdentityFunctions found;
  return found;
}
__attribute__((constructor)) void find_identity_functions() { c_library(); }

/// Calls the C library's function about the thread that is meant.
template <class... Parameters, class... Arguments>
int about(int (*function)(pthread_t, Parameters...), pthread_t thread, Arguments... arguments) {
  const NodeProcess* const process = NodeProcess::instance();
  return function(process ? process->real_identity(thread) : thread, arguments...);
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

pthread_t pthread_self() noexcept {
  const pthread_t own = thread_pointer(); // as in the C library
  const NodeProcess* const process = NodeProcess::instance();
  return process ? process->shown_identity(own) : own;
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) noexcept {
  return about(c_library().getattr_np, thread, attributes);
}
int pthread_getname_np(pthread_t thread, char* name, size_t bytes) noexcept {
  return about(c_library().getname_np, thread, name, bytes);
}
int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  return about(c_library().setname_np, thread, name);
}
int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t* cpus) noexcept {
  return about(c_library().getaffinity_np, thread, bytes, cpus);
}
int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t* cpus) noexcept {
  return about(c_library().setaffinity_np, thread, bytes, cpus);
}
int pthread_getschedparam(pthread_t thread, int* policy, sched_param* parameters) noexcept {
  return about(c_library().getschedparam, thread, policy, parameters);
}
int pthread_setschedparam(pthread_t thread, int policy, const sched_param* parameters) noexcept {
  return about(c_library().setschedparam, thread, policy, parameters);
}
int pthread_kill(pthread_t thread, int number) noexcept { return about(c_library().kill, thread, number); }
int pthread_sigqueue(pthread_t thread, int number, sigval value) noexcept {
  return about(c_library().sigqueue, thread, number, value);
}
int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  return about(c_library().getcpuclockid, thread, clock);
}

int __cxa_thread_atexit_impl(void (*destroy)(void*), void* variable, void* object) {
  if (NodeProcess* const process = NodeProcess::instance())
    process->note_destructor(object);
  return c_library().register_destructor(destroy, variable, object);
}

} // extern "C"
#pragma GCC visibility pop
