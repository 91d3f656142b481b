// libomp's settings and memory routines, as far as they mean something here.
#include "runtime/abi/omp/kmp_routines.hpp"

#include "base/environment.hpp"
#include "runtime/abi/kmp_cancel.hpp"
#include "runtime/process/library.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <pthread.h>
#include <string_view>

using namespace hetmp::runtime;

namespace {

enum Library { library_serial = 1, library_turnaround = 2, library_throughput = 3 };

constexpr size_t smallest_stack = 16 * 1024;
constexpr int default_blocktime_ms = 200; // libomp's

size_t system_stack_bytes() {
  size_t bytes = 8 << 20;
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
  }
  return bytes;
}

ProgramIcvs& settings() {
  initialise_runtime();
  return program_icvs();
}

} // namespace

size_t kmp_get_stacksize_s() {
  const size_t bytes = settings().stack_bytes;
  return bytes ? bytes : system_stack_bytes();
}
int kmp_get_stacksize() { return int(std::min<size_t>(kmp_get_stacksize_s(), INT_MAX)); }

/// For threads created from now on.
void kmp_set_stacksize_s(size_t bytes) { settings().stack_bytes = std::max(bytes, smallest_stack); }
void kmp_set_stacksize(int bytes) { kmp_set_stacksize_s(size_t(std::max(bytes, 0))); }

int kmp_get_blocktime() {
  const ProgramIcvs& icvs = settings();
  if (icvs.blocktime_ms >= 0)
    return icvs.blocktime_ms;
  switch (icvs.wait_policy) {
  case WaitPolicy::Active:
    return INT_MAX;
  case WaitPolicy::Passive:
    return 0;
  case WaitPolicy::Default:
    break;
  }
  return default_blocktime_ms;
}
/// Remembered only: how long threads spin is fixed at start.
void kmp_set_blocktime(int milliseconds) { settings().blocktime_ms = std::max(milliseconds, 0); }

int kmp_get_library() {
  if (settings().serial_library)
    return library_serial;
  return settings().wait_policy == WaitPolicy::Active ? library_turnaround : library_throughput;
}

/// Serial: no region of the calling task has more than one thread from here on. The other two differ in how
/// threads wait, which is fixed at start.
void kmp_set_library(int kind) {
  if (kind < library_serial || kind > library_throughput)
    return;
  settings().serial_library = kind == library_serial;
  if (kind == library_serial)
    changeable_icvs(current_task()).max_active_levels = 0;
  else if (kind == library_turnaround)
    settings().wait_policy = WaitPolicy::Active;
  else if (settings().wait_policy == WaitPolicy::Active)
    settings().wait_policy = WaitPolicy::Default;
}
void kmp_set_library_serial() { kmp_set_library(library_serial); }
void kmp_set_library_turnaround() { kmp_set_library(library_turnaround); }
void kmp_set_library_throughput() { kmp_set_library(library_throughput); }

/// Of settings as text only those are known that may change while the program runs.
void kmp_set_defaults(const char* words) {
  constexpr std::string_view target_offload = "OMP_TARGET_OFFLOAD=";
  const std::string_view text = words ? words : "";
  if (text.substr(0, target_offload.size()) == target_offload)
    settings().target_offload = parse_target_offload(text.substr(target_offload.size()));
}

// Tuning of libomp's inside, without a counterpart here.
void kmp_set_disp_num_buffers(int) {}

void kmp_set_warnings_on() { hetmp::set_complaints(true); }
void kmp_set_warnings_off() { hetmp::set_complaints(false); }

int kmp_get_num_known_threads() {
  current_thread(); // the caller counts
  return int(known_threads());
}
int kmp_get_cancellation_status(int kind) { return has_been_cancelled(current_task(), cancelled_of_kmp(kind)); }

void* kmp_malloc(size_t size) { return malloc(size); }
void* kmp_aligned_malloc(size_t size, size_t alignment) {
  void* pointer = nullptr;
  return posix_memalign(&pointer, std::max(alignment, sizeof(void*)), size) == 0 ? pointer : nullptr;
}
void* kmp_calloc(size_t count, size_t size) { return calloc(count, size); }
void* kmp_realloc(void* pointer, size_t size) { return realloc(pointer, size); }
void kmp_free(void* pointer) { free(pointer); }

HETMP_ENTRY void kmpc_set_stacksize(int bytes) { kmp_set_stacksize(bytes); }
HETMP_ENTRY void kmpc_set_stacksize_s(size_t bytes) { kmp_set_stacksize_s(bytes); }
HETMP_ENTRY void kmpc_set_blocktime(int milliseconds) { kmp_set_blocktime(milliseconds); }
HETMP_ENTRY void kmpc_set_library(int kind) { kmp_set_library(kind); }
HETMP_ENTRY void kmpc_set_defaults(const char* settings) { kmp_set_defaults(settings); }
HETMP_ENTRY void kmpc_set_disp_num_buffers(int count) { kmp_set_disp_num_buffers(count); }
HETMP_ENTRY void* kmpc_malloc(size_t size) { return kmp_malloc(size); }
HETMP_ENTRY void* kmpc_aligned_malloc(size_t size, size_t alignment) { return kmp_aligned_malloc(size, alignment); }
HETMP_ENTRY void* kmpc_calloc(size_t count, size_t size) { return kmp_calloc(count, size); }
HETMP_ENTRY void* kmpc_realloc(void* pointer, size_t size) { return kmp_realloc(pointer, size); }
HETMP_ENTRY void kmpc_free(void* pointer) { kmp_free(pointer); }
