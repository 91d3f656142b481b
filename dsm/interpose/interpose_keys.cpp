// Keys of thread-specific data (dsm/process/thread_keys): the program's own are made on all nodes.
#include "dsm/interpose/calling_process.hpp"
#include "dsm/interpose/kept_results.hpp"
#include "dsm/process/thread_keys.hpp"

#include <cerrno>
#include <threads.h>

namespace hetmp::dsm {
namespace {

/// Null unless the call that returns to `caller` is one of the program's on a node. The program's constructors may end
/// with theirs, which return to the C library then.
ThreadKeys* keys_of_program(const void* caller) {
  NodeProcess* const process = process_of_caller();
  const bool is_programs = process && process->is_this_process() &&
                           (process->thread_keys().is_programs(caller) || !process->main_has_begun());
  return is_programs ? &process->thread_keys() : nullptr;
}

int create(ThreadKeys* keys, pthread_key_t* key, void (*destroy)(void*)) {
  return keys ? keys->create(key, destroy) : __pthread_key_create(key, destroy);
}

int remove(ThreadKeys* keys, pthread_key_t key) {
  return keys && keys->is_of_all_nodes(key) ? keys->remove(key) : kept_results().delete_key(key);
}

int set(const void* caller, pthread_key_t key, const void* value) {
  NodeProcess* const process = value ? process_of_caller() : nullptr;
  if (process && process->thread_keys().may_be_first())
    if (ThreadKeys* const keys = keys_of_program(caller))
      keys->has_value();
  return kept_results().set_specific(key, value);
}

int in_c11(int error) { return error == 0 ? thrd_success : error == ENOMEM ? thrd_nomem : thrd_error; }

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

int pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) noexcept {
  return create(keys_of_program(__builtin_return_address(0)), key, destroy);
}

int tss_create(tss_t* key, tss_dtor_t destroy) {
  return in_c11(create(keys_of_program(__builtin_return_address(0)), key, destroy));
}

int pthread_key_delete(pthread_key_t key) noexcept { return remove(keys_of_program(__builtin_return_address(0)), key); }

void tss_delete(tss_t key) { remove(keys_of_program(__builtin_return_address(0)), key); }

int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  return set(__builtin_return_address(0), key, value);
}

int tss_set(tss_t key, void* value) { return in_c11(set(__builtin_return_address(0), key, value)); }

} // extern "C"
#pragma GCC visibility pop
