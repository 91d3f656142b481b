// How a run ends: NodeProcess's part when the program has ended.

#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"

#include <cstdio>
#include <ctime>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// Flushing waits for whoever holds a stream, perhaps a thread that reads from a terminal for ever.
void* exit_soon(void* code) {
  constexpr timespec patience{2, 0};
  nanosleep(&patience, nullptr);
  _exit(int(reinterpret_cast<intptr_t>(code)));
}

} // namespace

void NodeProcess::end(int exit_code) {
  if (getpid() != origin_pid_)
    return;
  start_private_thread(exit_soon,
                       reinterpret_cast<void*>(intptr_t(exit_code))); // where no thread is left, it goes without
  fflush(nullptr); // the C library would do it next, when pages of other nodes can no longer be had
  members_.end_others();
  _exit(exit_code);
}

} // namespace hetmp::dsm
