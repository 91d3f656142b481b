#include "runtime/process/thread_factory.hpp"

#include "runtime/process/fabric.hpp"
#include "runtime/process/nodes.hpp"

#include <algorithm>
#include <climits>
#include <pthread.h>
#include <unistd.h>

namespace hetmp::runtime {

int make_thread(void* (*body)(void*), void* argument, size_t stack_bytes) {
  const bool among_nodes = fabric && several_processes(); // not a forked child, which is one node by itself
  return among_nodes ? fabric->create_thread(body, argument, stack_bytes)
                     : make_posix_thread(body, argument, stack_bytes);
}

int make_posix_thread(void* (*body)(void*), void* argument, size_t stack_bytes) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes))
    return error;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack_bytes != 0) {
    const size_t page = size_t(sysconf(_SC_PAGESIZE));
    const size_t least = size_t(sysconf(_SC_THREAD_STACK_MIN));
    const size_t bytes = (std::max(stack_bytes, least) + page - 1) / page * page;
    pthread_attr_setstacksize(&attributes, bytes);
  }
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  return error;
}

} // namespace hetmp::runtime
