// Kinds of locks that would wait in the kernel in a way that another node cannot end (futex_waiters.hpp has the way
// that works). Between processes: a node's memory is shared with a process that is no node only where a file is mapped,
// so elsewhere the ordinary kind means the same. Robust locks and those with a priority are kept by the kernel, per
// process: what is made instead are ordinary ones, which do all the same as long as no owner ends, and one line says
// so.
#include "base/message.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/space/file_area.hpp"

#include <cerrno>
#include <cstdint>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

namespace hetmp::dsm {
namespace {

bool several_nodes() { return NodeProcess::instance() != nullptr; }

template <class Function> Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

template <class Attributes> int set_shared(const char* name, Attributes* attributes, int shared) {
  const bool known = shared == PTHREAD_PROCESS_SHARED || shared == PTHREAD_PROCESS_PRIVATE;
  return real<int(Attributes*, int)>(name)(attributes, several_nodes() && known ? PTHREAD_PROCESS_PRIVATE : shared);
}

enum class Kind : uint8_t { Robust, Priority };

int set_kind(const char* name, Kind kind, pthread_mutexattr_t* attributes, int value, int ordinary) {
  const auto set = real<int(pthread_mutexattr_t*, int)>(name);
  const int error = set(attributes, value);
  NodeProcess* const process = NodeProcess::instance();
  if (!process || error || value == ordinary)
    return error;
  say_once(kind == Kind::Robust ? process->said.robust : process->said.priority,
           "%s: on several nodes mutexes are ordinary ones: %s", name,
           kind == Kind::Robust ? "one whose owner has ended stays locked" : "they change nobody's priority");
  return set(attributes, ordinary);
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

int pthread_mutexattr_setpshared(pthread_mutexattr_t* attributes, int shared) noexcept {
  return set_shared("pthread_mutexattr_setpshared", attributes, shared);
}
int pthread_condattr_setpshared(pthread_condattr_t* attributes, int shared) noexcept {
  return set_shared("pthread_condattr_setpshared", attributes, shared);
}
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t* attributes, int shared) noexcept {
  return set_shared("pthread_rwlockattr_setpshared", attributes, shared);
}
int pthread_barrierattr_setpshared(pthread_barrierattr_t* attributes, int shared) noexcept {
  return set_shared("pthread_barrierattr_setpshared", attributes, shared);
}
int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  const bool is_in_file = FileArea::contains(reinterpret_cast<uintptr_t>(semaphore)); // there the kernel knows waiters
  return real<int(sem_t*, int, unsigned)>("sem_init")(semaphore, several_nodes() && !is_in_file ? 0 : shared, value);
}
int pthread_mutexattr_setrobust(pthread_mutexattr_t* attributes, int robustness) noexcept {
  return set_kind("pthread_mutexattr_setrobust", Kind::Robust, attributes, robustness, PTHREAD_MUTEX_STALLED);
}
int pthread_mutexattr_setprotocol(pthread_mutexattr_t* attributes, int protocol) noexcept {
  return set_kind("pthread_mutexattr_setprotocol", Kind::Priority, attributes, protocol, PTHREAD_PRIO_NONE);
}

} // extern "C"
#pragma GCC visibility pop
