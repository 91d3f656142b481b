#include "runtime/global/room_for_nodes.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace hetmp::runtime {
namespace {

/// " (ulimit -n is 64)"; nothing where the limit has no end. `unit`: bytes for one of what the shell counts in.
std::string limit_clause(__rlimit_resource resource, const char* option, uint64_t unit = 1) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return {};
  return std::string(" (ulimit ") + option + " is " + std::to_string(limit.rlim_cur / unit) + ')';
}

/// Those that the nodes keep open, in the one table that they share, and some for the program's own first files.
size_t descriptors_needed(const dsm::LaunchPlan& plan) {
  constexpr size_t spare = 2;
  const size_t nodes = plan.cpus.size();
  if (plan.transport == dsm::LaunchPlan::Transport::Tcp) // two connections, with two ends each, between any two nodes
    return 2 * nodes * nodes + 5 * nodes + spare;
  return 3 * nodes + spare; // of each node: its page faults, its bell, its process
}

std::string why_no_descriptors(const dsm::LaunchPlan& plan) {
  const size_t needed = descriptors_needed(plan);
  std::vector<int> opened;
  int error = 0;
  while (opened.size() < needed && error == 0) {
    const int descriptor = open("/", O_PATH | O_CLOEXEC);
    if (descriptor < 0)
      error = errno;
    else
      opened.push_back(descriptor);
  }
  for (const int descriptor : opened)
    close(descriptor);
  if (error != EMFILE && error != ENFILE)
    return {};
  return "node processes need " + std::to_string(needed) + " file descriptors, and there is room for " + std::to_string(opened.size()) +
         (error == EMFILE ? limit_clause(RLIMIT_NOFILE, "-n") : " (fs.file-max)");
}

std::string why_no_addresses(const dsm::LaunchPlan& plan) {
  const uint64_t bytes = plan.cpus.size() * dsm::address_space_of_node;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) {
    munmap(memory, bytes);
    return {};
  }
  constexpr uint64_t kib = 1024;
  const std::string limits = limit_clause(RLIMIT_AS, "-v", kib) + limit_clause(RLIMIT_DATA, "-d", kib);
  return "node processes need address space of " + std::to_string(bytes >> 40) + " TiB, and it is refused" +
         (limits.empty() ? " (vm.overcommit_memory is 2?)" : limits);
}

/// Each node has a process, a thread that serves it, one that runs its errands and one that runs the program; and a team has a thread for
/// each CPU. One more sees to it that the program ends.
size_t threads_needed(const dsm::LaunchPlan& plan) {
  size_t cpus = 0;
  for (const auto& of_node : plan.cpus)
    cpus += of_node.size();
  const size_t nodes = plan.cpus.size();
  return 4 * nodes + (cpus > nodes ? cpus - nodes : 0) + 1;
}

struct Gate {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
};

void* wait_at(void* gate) {
  pthread_mutex_lock(&static_cast<Gate*>(gate)->lock);
  pthread_mutex_unlock(&static_cast<Gate*>(gate)->lock);
  return nullptr;
}

std::string why_no_threads(const dsm::LaunchPlan& plan) {
  const size_t needed = threads_needed(plan);
  Gate gate;
  std::vector<pthread_t> made;
  int error = 0;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // What counts is how many there are, and the usual size may be anything. The libraries' thread-local variables have to fit as well.
  pthread_attr_setstacksize(&attributes, size_t(1) << 20);
  pthread_mutex_lock(&gate.lock);
  while (made.size() < needed && error == 0) {
    pthread_t thread;
    error = pthread_create(&thread, &attributes, wait_at, &gate);
    if (error == 0)
      made.push_back(thread);
  }
  pthread_mutex_unlock(&gate.lock);
  pthread_attr_destroy(&attributes);
  for (const pthread_t thread : made)
    pthread_join(thread, nullptr);
  if (error == 0 || error == EINVAL) // EINVAL: they did not fit, which says nothing of how many there may be
    return {};
  return "node processes need " + std::to_string(needed) + " processes and threads, and number " + std::to_string(made.size() + 1) +
         " cannot be made: " + strerrordesc_np(error) + (error == EAGAIN ? limit_clause(RLIMIT_NPROC, "-u") : "");
}

} // namespace

std::string why_no_room(const dsm::LaunchPlan& plan) {
  for (const auto find : {why_no_descriptors, why_no_addresses, why_no_threads})
    if (std::string why = find(plan); !why.empty())
      return why;
  return {};
}

} // namespace hetmp::runtime
