#include "dsm/node/private_threads.hpp"

#include "base/address_layout.hpp"
#include "base/message.hpp"

#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <sched.h>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE

/// Not the creator's real-time priority: a thread that runs exit handlers or collects processes at that priority can keep the CPU for
/// ever from the very thread it waits for, also inside the kernel.
void set_ordinary_priority(pthread_attr_t& attributes) {
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  const sched_param no_priority{}; // what is not set is the creator's, also with an explicit policy, which has no such priority
  pthread_attr_setschedparam(&attributes, &no_priority);
}

/// Where priorities may not be set (a sandbox), the creator's will do: there nobody has got another one.
int create(pthread_attr_t& attributes, void* (*body)(void*), void* argument) {
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, body, argument);
  if (error == 0 || error == EAGAIN)
    return error;
  pthread_attr_setinheritsched(&attributes, PTHREAD_INHERIT_SCHED);
  return pthread_create(&thread, &attributes, body, argument);
}

} // namespace

int start_private_thread(void* (*body)(void*), void* argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, usual_stack_bytes); // the default is the user's limit, which may be any number
  set_ordinary_priority(attributes);
  const bool before = allocates_privately;
  allocates_privately = true; // the C library allocates the new thread's tables in the creating thread
  const int error = create(attributes, body, argument);
  allocates_privately = before;
  pthread_attr_destroy(&attributes);
  return error;
}

void create_private_thread(void* (*body)(void*), void* argument) {
  if (const int error = start_private_thread(body, argument))
    die(failure, "cannot create a service thread: %s", strerrordesc_np(error));
}

} // namespace hetmp::dsm
