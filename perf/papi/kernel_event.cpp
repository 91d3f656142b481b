#include "perf/papi/kernel_event.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::perf {
namespace {

struct NamedEvent {
  std::string_view name, other_name;
  KernelEvent event;
};

constexpr NamedEvent events[] = {
    {"PERF_COUNT_HW_INSTRUCTIONS", "INSTRUCTIONS", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS}},
    {"PERF_COUNT_HW_CPU_CYCLES", "CYCLES", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES}},
    {"PERF_COUNT_HW_CACHE_REFERENCES", "CACHE-REFERENCES", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES}},
    {"PERF_COUNT_HW_CACHE_MISSES", "CACHE-MISSES", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES}},
    {"PERF_COUNT_HW_BRANCH_MISSES", "BRANCH-MISSES", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES}},
    {"PERF_COUNT_SW_CPU_CLOCK", "CPU-CLOCK", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK}},
    {"PERF_COUNT_SW_TASK_CLOCK", "TASK-CLOCK", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK}},
    {"PERF_COUNT_SW_PAGE_FAULTS", "PAGE-FAULTS", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}},
    {"PERF_COUNT_SW_PAGE_FAULTS_MIN", "MINOR-FAULTS", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN}},
    {"PERF_COUNT_SW_PAGE_FAULTS_MAJ", "MAJOR-FAULTS", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ}},
    {"PERF_COUNT_SW_CONTEXT_SWITCHES", "CONTEXT-SWITCHES", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES}},
    {"PERF_COUNT_SW_CPU_MIGRATIONS", "CPU-MIGRATIONS", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS}},
};

struct Reading {
  uint64_t count, enabled, running; ///< the latter two in nanoseconds
};

int open_counter(KernelEvent event, bool user_code_only) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = event.type;
  wanted.config = event.config;
  wanted.exclude_kernel = user_code_only;
  wanted.exclude_hv = user_code_only;
  wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return int(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

/// -1 if it cannot be read.
long paranoia() {
  char text[16] = {};
  const int file = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  return length > 0 ? strtol(text, nullptr, 10) : -1;
}

std::string refusal() {
  // Up to 2 the kernel lets everybody count in user code; what refuses then is a filter of system calls.
  constexpr long highest_that_allows = 2;
  const long level = paranoia();
  return "the kernel refuses counters (perf_event_paranoid is " + std::to_string(level) +
         (level <= highest_that_allows ? ", so a sandbox forbids them)" : ")");
}

} // namespace

std::optional<KernelEvent> find_kernel_event(std::string_view name) {
  if (name.starts_with("perf::"))
    name.remove_prefix(6);
  for (const NamedEvent& known : events)
    if (name == known.name || name == known.other_name)
      return known.event;
  return {};
}

KernelCounter::~KernelCounter() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

bool KernelCounter::start(KernelEvent event) {
  // Some software events happen in the kernel only: all of them are counted where that is allowed.
  if (event.type == PERF_TYPE_SOFTWARE)
    descriptor_ = open_counter(event, false);
  if (descriptor_ < 0)
    descriptor_ = open_counter(event, true);
  return descriptor_ >= 0;
}

bool KernelCounter::read(uint64_t& count) const {
  Reading reading{};
  if (descriptor_ < 0 || ::read(descriptor_, &reading, sizeof reading) != ssize_t(sizeof reading))
    return false;
  count = reading.count;
  if (reading.running > 0 && reading.running < reading.enabled)
    count = uint64_t(double(count) * double(reading.enabled) / double(reading.running));
  return true;
}

std::string why_no_hardware_counters() {
  KernelCounter counter;
  if (counter.start({PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS}))
    return {};
  switch (errno) {
  case ENOENT:
  case EOPNOTSUPP:
  case ENODEV:
    return "this machine has no hardware counters";
  case EACCES:
  case EPERM:
    return refusal();
  case ENOSYS:
    return "this kernel has no perf_event_open";
  default:
    return std::string("the kernel says: ") + strerror(errno);
  }
}

} // namespace hetmp::perf
