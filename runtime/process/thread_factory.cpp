#include "runtime/process/thread_factory.hpp"

#include "base/machine/own_threads.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/process/nodes.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <pthread.h>
#include <unistd.h>

namespace hetmp::runtime {
namespace {

struct Factory {
  OwnThreads made;
  bool shortage_told = false;
};
constinit Factory factory;

struct Start {
  void* (*body)(void*);
  void* argument;
};

void* begin_thread(void* argument) {
  const std::unique_ptr<Start> start(static_cast<Start*>(argument));
  return factory.made.run(start->body, start->argument);
}

int make(void* (*body)(void*), void* argument, size_t stack_bytes) {
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

int make_counted(decltype(make) how, void* (*body)(void*), void* argument, size_t stack_bytes) {
  std::unique_ptr<Start> start(new Start{body, argument});
  const int error = how(begin_thread, start.get(), stack_bytes);
  if (!error)
    (void)start.release(); // the thread's
  return error;
}

void* exit_behind_last_thread(void*) {
  wait_for_last_thread(own_threads);
  exit(0);
}

} // namespace

int make_thread(void* (*body)(void*), void* argument, size_t stack_bytes) {
  const bool among_nodes = fabric && several_processes(); // not a forked child, which is one node by itself
  return make_counted(among_nodes ? fabric->create_thread : make, body, argument, stack_bytes);
}

int make_posix_thread(void* (*body)(void*), void* argument, size_t stack_bytes) {
  return make_counted(make, body, argument, stack_bytes);
}

OwnThreads::Count own_threads() { return factory.made.count(); }

bool& shortage_told() { return factory.shortage_told; }

void forget_own_threads() { factory.made.forget(); }

void end_with_last_thread() { make_posix_thread(exit_behind_last_thread, nullptr, 0); }

} // namespace hetmp::runtime
