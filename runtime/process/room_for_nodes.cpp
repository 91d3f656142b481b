#include "runtime/process/room_for_nodes.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
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
  if (plan.transport->needs_sockets) // two connections, with two ends each, between any two nodes
    return 2 * nodes * nodes + (plan.transport->needs_rdma ? 7 : 5) * nodes + spare;
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
  return "node processes need " + std::to_string(needed) + " file descriptors, and there is room for " +
         std::to_string(opened.size()) + (error == EMFILE ? limit_clause(RLIMIT_NOFILE, "-n") : " (fs.file-max)");
}

/// Whether this process can have a connection to itself by TCP; else errno says why not.
bool loopback_connects() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int end = listener < 0 ? -1 : socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto* where = reinterpret_cast<sockaddr*>(&address);
  const bool connects = end >= 0 && bind(listener, where, bytes) == 0 && listen(listener, 1) == 0 &&
                        getsockname(listener, where, &bytes) == 0 && connect(end, where, bytes) == 0;
  const int error = errno;
  for (const int descriptor : {end, listener})
    if (descriptor >= 0)
      close(descriptor);
  errno = error;
  return connects;
}

/// What messages go by, and what tells that there are some.
std::string why_no_messages(const dsm::LaunchPlan& plan) {
  if (plan.transport->needs_sockets) {
    if (loopback_connects())
      return {};
    return std::string("node processes need TCP connections within this machine, and one fails: ") +
           strerrordesc_np(errno);
  }
  const int bell = eventfd(0, EFD_CLOEXEC);
  if (bell < 0)
    return std::string("node processes need event descriptors, and one is refused: ") + strerrordesc_np(errno);
  close(bell);
  return {};
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

/// Each node has a process, a thread that serves it, one that runs its errands and one that runs the program; and a
/// team has a thread for each CPU. One more sees to it that the program ends.
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
  // What counts is how many there are, and the usual size may be anything. The libraries' thread-local variables have
  // to fit as well.
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
  return "node processes need " + std::to_string(needed) + " processes and threads, and number " +
         std::to_string(made.size() + 1) + " cannot be made: " + strerrordesc_np(error) +
         (error == EAGAIN ? limit_clause(RLIMIT_NPROC, "-u") : "");
}

} // namespace

std::string why_no_room(const dsm::LaunchPlan& plan) {
  for (const auto find : {why_no_descriptors, why_no_messages, why_no_addresses, why_no_threads})
    if (std::string why = find(plan); !why.empty())
      return why;
  return {};
}

} // namespace hetmp::runtime
