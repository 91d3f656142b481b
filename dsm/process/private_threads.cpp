#include "dsm/process/private_threads.hpp"

#include "base/exit_codes.hpp"
#include "base/futex.hpp"
#include "base/machine/address_layout.hpp"
#include "base/message.hpp"
#include "dsm/objects/private_libc.hpp"
#include "dsm/process/node_process.hpp"

#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <sched.h>

namespace hetmp::dsm {
namespace {

struct Start {
  void* (*body)(void*);
  void* argument;
  FutexWord is_private; ///< 1: the thread is
};

#if defined(__x86_64__)
/// The table by which the dynamic linker finds the thread's variables (the dtv, by the ABI's description of
/// thread-local storage the second word of what the thread register points to). The element before its first one says
/// how many it has besides these two.
void make_table_private() {
  struct Element {
    size_t number;
    void* block;
  };
  Element** thread;
  asm("mov %%fs:0, %0" : "=r"(thread));
  Element* const table = thread[1] - 1;
  const NodeProcess* process = NodeProcess::instance();
  if (!process || !process->plan().is_shared(reinterpret_cast<uintptr_t>(table)))
    return;
  const size_t elements = table->number + 2;
  Element* const copy = static_cast<Element*>(__libc_malloc(elements * sizeof(Element)));
  if (!copy)
    die(exit_code::software, "no memory for a service thread");
  memcpy(copy, table, elements * sizeof(Element));
  thread[1] = copy + 1;
}
#else
#error "make_table_private() is to be written for this processor"
#endif

void* private_thread(void* argument) {
  auto* const start = static_cast<Start*>(argument);
  make_table_private();
  const auto body = start->body;
  void* const own = start->argument;
  start->is_private.store(1, std::memory_order_release); // pairs with the creator's look, who then deletes it
  futex_wake(start->is_private, 1);
  NodeProcess* const process = NodeProcess::instance(); // none in a child that the program has forked
  return process ? process->own_threads().run(body, own) : body(own);
}

/// Not the creator's real-time priority: a thread that runs exit handlers or collects processes at that priority can
/// keep the CPU for ever from the very thread it waits for, also inside the kernel.
void set_ordinary_priority(pthread_attr_t& attributes) {
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  const sched_param
      no_priority{}; // what is not set is the creator's, also with an explicit policy, which has no such priority
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
  auto* const start = new Start{body, argument, 0}; // not on this stack, which may be shared
  const bool before =
      allocate_privately(true); // the C library allocates the new thread's tables in the creating thread
  const int error = create(attributes, private_thread, start);
  allocate_privately(before);
  pthread_attr_destroy(&attributes);
  while (!error && start->is_private.load(std::memory_order_acquire) == 0) // pairs with the release in private_thread()
    futex_wait(start->is_private, 0);
  delete start;
  return error;
}

void create_private_thread(void* (*body)(void*), void* argument) {
  if (const int error = start_private_thread(body, argument))
    die(exit_code::software, "cannot create a service thread: %s", strerrordesc_np(error));
}

} // namespace hetmp::dsm
