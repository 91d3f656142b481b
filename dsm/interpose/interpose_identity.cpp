// Who a thread is: until main begins, the thread that executes constructors is shown as main's (main_thread.cpp).
#include "dsm/interpose/next_function.hpp"
#include "dsm/migration/contexts/context.hpp"
#include "dsm/process/node_process.hpp"

#include <csignal>
#include <pthread.h>
#include <sched.h>

namespace hetmp::dsm {
namespace {

/// Calls the C library's function about the thread that is meant.
template <class... Parameters, class... Arguments>
int about(int (*next)(pthread_t, Parameters...), pthread_t thread, Arguments... arguments) {
  const NodeProcess* const process = NodeProcess::instance();
  return next(process ? process->real_identity(thread) : thread, arguments...);
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

// Each finds the C library's function when it is called first.
#define HETMP_NEXT(name)                                                                                               \
  [] {                                                                                                                 \
    static auto* const next = next_of<decltype(name)>(#name);                                                          \
    return next;                                                                                                       \
  }()

#pragma GCC visibility push(default)
extern "C" {

// The C++ libraries call it, with an address in the object that has the variable.
int __cxa_thread_atexit_impl(void (*destroy)(void*), void* variable, void* object);

pthread_t pthread_self() noexcept {
  const pthread_t own = thread_pointer(); // as in the C library
  const NodeProcess* const process = NodeProcess::instance();
  return process ? process->shown_identity(own) : own;
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) noexcept {
  return about(HETMP_NEXT(pthread_getattr_np), thread, attributes);
}
int pthread_getname_np(pthread_t thread, char* name, size_t bytes) noexcept {
  return about(HETMP_NEXT(pthread_getname_np), thread, name, bytes);
}
int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  return about(HETMP_NEXT(pthread_setname_np), thread, name);
}
int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t* cpus) noexcept {
  return about(HETMP_NEXT(pthread_getaffinity_np), thread, bytes, cpus);
}
int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t* cpus) noexcept {
  return about(HETMP_NEXT(pthread_setaffinity_np), thread, bytes, cpus);
}
int pthread_getschedparam(pthread_t thread, int* policy, sched_param* parameters) noexcept {
  return about(HETMP_NEXT(pthread_getschedparam), thread, policy, parameters);
}
int pthread_setschedparam(pthread_t thread, int policy, const sched_param* parameters) noexcept {
  return about(HETMP_NEXT(pthread_setschedparam), thread, policy, parameters);
}
int pthread_kill(pthread_t thread, int number) noexcept { return about(HETMP_NEXT(pthread_kill), thread, number); }
int pthread_sigqueue(pthread_t thread, int number, sigval value) noexcept {
  return about(HETMP_NEXT(pthread_sigqueue), thread, number, value);
}
int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  return about(HETMP_NEXT(pthread_getcpuclockid), thread, clock);
}

int __cxa_thread_atexit_impl(void (*destroy)(void*), void* variable, void* object) {
  if (NodeProcess* const process = NodeProcess::instance())
    process->note_destructor(object);
  return HETMP_NEXT(__cxa_thread_atexit_impl)(destroy, variable, object);
}

} // extern "C"
#pragma GCC visibility pop
