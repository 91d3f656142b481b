// System V's shared memory: a segment that the program attaches lies at the same address on every node of one machine,
// as a shared mapping of a file does. At an address of the program's choice it is its node's alone.
#include "dsm/interpose/calling_process.hpp"

#include <cstdint>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

void* shmat(int segment, const void* where, int flags) noexcept {
  NodeProcess* const process = process_of_caller();
  const bool is_for_all =
      process && process->has_started() && process->is_this_process() && !process->made_by_launcher() && !where;
  return is_for_all ? process->files().attach(segment, flags)
                    : reinterpret_cast<void*>(syscall(SYS_shmat, segment, where, flags));
}

int shmdt(const void* where) noexcept {
  NodeProcess* const process = process_of_caller();
  const bool is_for_all =
      process && process->is_this_process() && FileArea::contains(reinterpret_cast<uintptr_t>(where));
  return is_for_all ? process->files().detach(where) : int(syscall(SYS_shmdt, where));
}

} // extern "C"
#pragma GCC visibility pop
