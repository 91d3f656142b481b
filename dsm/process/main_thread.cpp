// The thread that executes main: NodeProcess's part.
#include "base/exit_codes.hpp"
#include "base/futex.hpp"
#include "base/message.hpp"
#include "dsm/migration/contexts/context.hpp"
#include "dsm/process/node_process.hpp"

#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// The program ends on main's stack, as everywhere: exit handlers may look for things there.
void* call_main(void* argument) {
  const auto call = *static_cast<const NodeProcess::MainCall*>(argument);
  NodeProcess::instance()->main_begins();
  exit(call.main(call.argc, call.argv, call.environment));
}

/// As the C library does on the last thread of a process that has ended by pthread_exit().
void* exit_with_success(void*) { exit(0); }

} // namespace

/// Constructors run on the process's first thread. Programs that keep in one who it was, and ask in main whether they
/// are that thread, are to find that they are. So until main begins its thread's identity is shown as that of the
/// first; and it begins with the thread-local variables of that (FirstVariables).
void NodeProcess::show_main_early() {
  if (const uintptr_t identity = stacks_.mains_identity()) {
    future_main_.store(identity, std::memory_order_relaxed); // relaxed, both: see shown_identity()
    first_thread_.store(thread_pointer(), std::memory_order_relaxed);
  }
}

void NodeProcess::main_begins() {
  first_variables_.give();
  // Whoever leaves by pthread_exit() has its keys' values destroyed; exit() destroys none.
  pthread_key_t key;
  const auto leave = [](void* self) {
    static_cast<NodeProcess*>(self)->main_has_left_.store(1, std::memory_order_release); // pairs with run_main()
    futex_wake(static_cast<NodeProcess*>(self)->main_has_left_, 1);
  };
  if (__pthread_key_create(&key, leave) == 0)
    pthread_setspecific(key, this);
  mains_thread_.store(pthread_self(), std::memory_order_relaxed); // relaxed: only its own thread finds itself there
}

void NodeProcess::run_main(int argc, char** argv, char** environment) {
  main_call_ = {main_call_.main, argc, argv, environment};
  first_variables_.take();
  main_is_to_begin();
  if (const int error = stacks_.create_main(call_main, &main_call_))
    die(exit_code::software, "cannot create main's thread: %s", strerrordesc_np(error));
  while (main_has_left_.load(std::memory_order_acquire) == 0) // pairs with main_begins()
    futex_wait(main_has_left_, 0);
  // The program goes on for as long as it has threads, main's among them until that is gone; this one is none.
  wait_for_last_thread(
      [this] { return own_threads_.count() + (hooks_.own_threads ? hooks_.own_threads() : OwnThreads::Count{}); });
  if (stacks_.create_thread(exit_with_success, nullptr, 0))
    exit(0);
  while (true)
    pause();
}

} // namespace hetmp::dsm
