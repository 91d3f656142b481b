#include "dsm/process/node_process.hpp"

#include "base/cpu_list.hpp"
#include "base/environment.hpp"
#include "base/futex.hpp"
#include "base/high_descriptor.hpp"
#include "base/message.hpp"
#include "base/variables/variable.hpp"
#include "dsm/ahead/prefetch_choice.hpp"
#include "dsm/engine/service_thread.hpp"
#include "dsm/objects/anonymous_data.hpp"
#include "dsm/objects/direct_binding.hpp"
#include "dsm/objects/globals.hpp"
#include "dsm/objects/quiet_streams.hpp"
#include "dsm/process/control_message.hpp"
#include "dsm/process/errands.hpp"
#include "dsm/process/forking.hpp"
#include "dsm/process/private_threads.hpp"
#include "dsm/process/signal_actions.hpp"
#include "dsm/space/address_space.hpp"
#include "dsm/space/core_dump.hpp"
#include "dsm/space/initial_stack.hpp"
#include "dsm/space/late_window.hpp"
#include "dsm/transport/cipher.hpp"
#include "dsm/transport/loopback.hpp"
#include "dsm/transport/make_transport.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <malloc.h>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE

enum class State : uint8_t { Undecided, Deciding, Alone, Node };
std::atomic<State> state{State::Undecided};
NodeProcess* the_process; // written before `state` becomes Node

/// Long: where all nodes are processes of one machine, their ends are seen at once.
constexpr int64_t patience_on_one_machine = 60'000'000'000;

/// By a signal or a debugger. Where /proc does not tell, nobody is.
bool is_stopped(pid_t process) {
  char name[32], text[512];
  snprintf(name, sizeof name, "/proc/%d/stat", process);
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file >= 0 ? read(file, text, sizeof text - 1) : -1;
  if (file >= 0)
    close(file);
  if (bytes <= 0)
    return false;
  text[bytes] = '\0';
  const char* name_end = strrchr(text, ')');
  return name_end && (name_end[2] == 'T' || name_end[2] == 't');
}

/// Whether a debugger traces this process.
bool is_traced() {
  FILE* status = fopen("/proc/self/status", "re");
  int tracer = 0;
  for (char line[256]; status && fgets(line, sizeof line, status);)
    if (sscanf(line, "TracerPid: %d", &tracer) == 1)
      break;
  if (status)
    fclose(status);
  return tracer != 0;
}

/// A child process that shares this one's descriptors and working directory (a file that any node opens is open for the
/// program) and whose end is not reported by SIGCHLD (the program's own wait() must not see it). Threads that
/// constructors have started hold no lock then that the child would wait for: fork() takes care of that, but cannot
/// share descriptors. To a debugger the kernel calls such a child a thread; then it would take its memory for this
/// process's, and leave its breakpoints there when it goes. So where there is one the child is an ordinary one.
pid_t clone_node(Heap& heap, int* pidfd) {
  const long exit_signal = is_traced() ? SIGCHLD : 0;
  const QuietStreams quiet_streams; // before the heap: whoever uses a stream may allocate
  const Heap::Quiet quiet_heap(heap);
  return pid_t(syscall(SYS_clone, CLONE_FILES | CLONE_FS | CLONE_PIDFD | exit_signal, nullptr, pidfd, nullptr, 0));
}

/// std::cout and its like are set up by whichever constructor of the program comes first. Those run on the origin only,
/// but the streams are private to each node: so it is done before there are nodes. What is made here ends at once: the
/// program's own then are the last and flush the streams.
void set_up_streams() {
  using Operation = void (*)(void*);
  const auto construct = reinterpret_cast<Operation>(dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitC1Ev"));
  const auto destroy = reinterpret_cast<Operation>(dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitD1Ev"));
  if (!construct || !destroy) // not a program in C++
    return;
  char init;
  construct(&init);
  destroy(&init);
}

void end_program(int exit_code, void*) { the_process->end(exit_code); }

PrefetchChoice read_prefetch() {
  const auto text = environment_value(Variable::HETMP_PREFETCH);
  if (!text)
    return {};
  const auto choice = parse_prefetch(*text);
  if (!choice)
    complain(Variable::HETMP_PREFETCH, *text, "expected true, false, or some of streams,visits,pushes", "true");
  return choice.value_or(PrefetchChoice{});
}

} // namespace

struct FabricFunctions {
  static void attach(const RuntimeHooks* hooks) {
    the_process->hooks_ = *hooks;
    the_process->observation_.set_read_events(hooks->read_events);
    if (hooks->set_signal)
      set_signals_by(hooks->set_signal);
  }
  static void send(uint32_t to, const void* bytes, uint32_t size) {
    // Into private memory first: the caller's buffer may lie on a shared stack, and a lock must not be held while that
    // faults.
    uint8_t copy[largest_message];
    memcpy(copy, bytes, std::min(size, largest_message));
    // The service thread answers the runtime's questions; it must not wait for the lock of the others' lane.
    const Lane lane = is_service_thread ? Lane::Service : Lane::Anyone;
    the_process->transport_->send(to, lane, Channel::Runtime, nullptr, 0, copy, size);
  }
  static bool is_shared(const void* address) {
    return the_process->plan_.is_shared(reinterpret_cast<uintptr_t>(address));
  }
  static int create_thread(void* (*body)(void*), void* argument, size_t stack_bytes) {
    return the_process->stacks_.create_thread(body, argument, stack_bytes);
  }
  static void read_faults(FaultCounters* counters) { the_process->pages_.read_counters(counters); }
  static void watch_pages() { the_process->observation_.watch(); }
  static void enter_region(uint64_t region) { the_process->pages_.enter_region(region); }
  static void gather_pages(void (*take)(void*, const NodeObservation&), void* context) {
    the_process->observation_.gather_pages(take, context);
  }
  static void find_allocation(uint64_t address, AllocationRecord* block) {
    *block = the_process->observation_.find_allocation(address);
  }
  static void watch_faults(size_t most_event_bytes) { the_process->observation_.watch_faults(most_event_bytes); }
  static void gather_timelines(void (*take)(void*, const NodeTimeline&), void* context) {
    the_process->observation_.gather_timelines(take, context);
  }
  static void push(const void* address, uint32_t to) {
    send_control(*the_process->transport_, the_process->node_, is_service_thread ? Lane::Service : Lane::Anyone,
                 control::Push{reinterpret_cast<uintptr_t>(address), to});
  }
  static void offer(uint64_t purpose, uint64_t nodes, const void* const* addresses, size_t count) {
    if (!the_process->service_->prefetcher().pusher.offer(purpose, nodes, addresses, count))
      return;
    send_control(*the_process->transport_, the_process->node_, Lane::Anyone, control::Offer{});
  }
  static void offer_again(uint64_t purpose) { the_process->service_->engine().offer_again(purpose); }
  static void begin_visit(uint64_t loop) {
    if (!the_process->service_->prefetcher().visits.begin(loop))
      return;
    static constexpr control::Encoded message(control::Visit{}); // the caller may hold a lock: no shared page
    send_control(*the_process->transport_, the_process->node_, Lane::Anyone, message);
  }
  static void end_visit() { the_process->service_->prefetcher().visits.end(); }
};

NodeProcess* NodeProcess::instance() {
  switch (state.load(std::memory_order_acquire)) { // pairs with the release in decide()
  case State::Node:
    return the_process;
  case State::Undecided:
    return decide();
  default:
    return nullptr;
  }
}

NodeProcess* NodeProcess::decide() {
  if (!environ) // the C library is not up yet
    return nullptr;
  State undecided = State::Undecided;
  if (!state.compare_exchange_strong(undecided, State::Deciding, std::memory_order_acq_rel))
    return nullptr;
  const char* text = environment_text(plan_variable);
  const std::optional<LaunchPlan> plan = text ? parse_plan(text) : std::nullopt;
  if (!plan || plan->process != getpid()) {
    state.store(State::Alone, std::memory_order_release);
    return nullptr;
  }
  // A thread of the program may fault on its stack while it holds the lock of the arena it allocates from, and only the
  // service thread can then bring the page: the two must never share an arena.
  if (plan->users_layout)
    give_back_layout(*plan->users_layout);
  if (const std::string what = what_lies_among_nodes(); !what.empty())
    die(failure, "node processes cannot begin: %s", what.c_str());
  constexpr int no_sharing = 1 << 16;
  mallopt(M_ARENA_MAX, no_sharing);
  the_process = new NodeProcess(*plan);
  // Exit handlers run in reverse: as the first one, before any constructor, this is the last. Destructors of the
  // program and of its shared objects still find every page.
  on_exit(end_program, nullptr);
  prepare_for_forks();
  state.store(State::Node, std::memory_order_release);
  return the_process;
}

void NodeProcess::leave() { state.store(State::Alone, std::memory_order_relaxed); } // there is no other thread

NodeProcess::NodeProcess(LaunchPlan plan)
    : launch_(std::move(plan)), service_(std::make_unique<ServiceThread>(plan_, budget_, pages_)), node_(launch_.node) {
  if (launch_.keys >= 0) // before anybody here can start a process that would inherit them
    keys_ = take_keys(launch_.keys, launch_.cpus.size());
  if (launch_.words >= 0)
    fcntl(launch_.words, F_SETFD, FD_CLOEXEC); // the program's, not of those that it starts
  plan_.set(uint32_t(launch_.cpus.size()), {});
  for (uint32_t node = 0; node < plan_.nodes(); ++node)
    map_fresh(AddressPlan::slice(node));
  const auto here = [this] {
    return std::count(launch_.hosts.begin(), launch_.hosts.end(), launch_.hosts[launch_.node]);
  };
  budget_.set_up(launch_.node < launch_.hosts.size() ? uint32_t(here()) : 1);
  heap_.become(launch_.node, nullptr);
  const PrefetchChoice prefetch = read_prefetch();
  service_->prefetcher().enable(prefetch);
  heap_.set_budget(&budget_);
  fabric_ = {fabric_version,
             launch_.node,
             plan_.nodes(),
             launch_.transport->name.data(),
             FabricFunctions::attach,
             FabricFunctions::send,
             FabricFunctions::is_shared,
             FabricFunctions::create_thread,
             FabricFunctions::read_faults,
             FabricFunctions::watch_pages,
             FabricFunctions::enter_region,
             FabricFunctions::gather_pages,
             FabricFunctions::find_allocation,
             FabricFunctions::watch_faults,
             FabricFunctions::gather_timelines,
             prefetch.pushes ? FabricFunctions::push : nullptr,
             prefetch.pushes ? FabricFunctions::offer : nullptr,
             prefetch.pushes ? FabricFunctions::offer_again : nullptr,
             prefetch.visits ? FabricFunctions::begin_visit : nullptr,
             prefetch.visits ? FabricFunctions::end_visit : nullptr};
}

void NodeProcess::become(uint32_t node) {
  node_ = node;
  own_pid_ = getpid();
  fabric_.node = node;
  static NodeProcess* self = this;
  auto may_discard = [](Segment range) { return self->unpublished(range); };
  if (node != launch_.node) // a copy of the process that the plan was for
    heap_.become(node, may_discard);
  else
    heap_.set_may_discard(may_discard);
  stacks_.become(node);
  bind_thread(launch_.cpus[node]);
}

void NodeProcess::forget_others_memory() {
  for (uint32_t node = 0; node < plan_.nodes(); ++node)
    if (node != node_ && node_ != origin)
      map_over(AddressPlan::slice(node));
  if (node_ != origin)
    for (const Segment& segment : plan_.globals())
      map_over(segment);
  if (node_ != origin)
    leave_out_of_dumps(LateWindow::instance().range()); // what there is of it, the origin has
}

/// A run that cannot be encrypted as it should does not begin.
void NodeProcess::load_cipher() {
  std::string problem;
  cipher_ = load_private_cipher(problem);
  if (!cipher_)
    die(failure, "%s: %s", name_of(launch_.node).c_str(), problem.c_str());
  if (launch_.made_by_launcher() && keys_.empty())
    die(failure, "%s: another program has used this run's keys before; a run that is encrypted is for one program",
        name_of(launch_.node).c_str());
}

void NodeProcess::start_nodes() {
  if (launch_.sealed)
    load_cipher(); // before the memory is divided
  bind_directly();
  plan_.set(plan_.nodes(), find_globals());
  stacks_.plan_main(address_layout().stack_bytes);
  announce_initial_stack(stacks_.main());
  if (executable_stacks_wanted())
    stacks_.make_executable();
  set_up_streams();
  fflush(nullptr); // what is buffered now would be written by every node
  // Lines of several nodes must not mix. Here, for all of them: the variable `stdout` itself may lie among the
  // program's data, which another node cannot read before its memory is served.
  setvbuf(stdout, nullptr, _IOLBF, 0);
  origin_pid_ = getpid();
  if (launch_.made_by_launcher())
    join_node_processes();
  else
    make_node_processes();
}

void NodeProcess::make_node_processes() {
  make_data_anonymous(); // what has been loaded since the first constructor
  std::unique_ptr<Transport> transport = make_transport(*launch_.transport);
  transport->prepare(plan_.nodes());
  const bool by_sockets = launch_.transport->needs_sockets;
  const auto sockets = by_sockets ? connect_by_loopback(plan_.nodes()) : std::vector<std::vector<SocketPair>>();
  const int64_t patience = by_sockets ? patience_with_silence(patience_on_one_machine, true) : 0;
  std::vector<ConnectionKeys> keys;
  if (cipher_)
    keys = make_keys(plan_.nodes());
  const auto join = [&](uint32_t node) {
    Transport::Place place;
    place.node = node;
    place.nodes = plan_.nodes();
    if (by_sockets)
      place.sockets = sockets[node];
    if (cipher_) {
      place.cipher = cipher_;
      place.keys = &keys[node];
    }
    // The origin is the one who knows whether a debugger has stopped another one, and the others end with it.
    place.watch = node == origin ? Transport::Watch::Silence : Transport::Watch::ForThem;
    place.patience_ns = place.patience_with_messages_ns = patience;
    if (node == origin)
      place.is_stopped = [this](uint32_t other) { return other != origin && is_stopped(node_pids_[other - 1]); };
    transport_->join(place);
    for (ConnectionKeys& others : keys)
      forget(others);
  };
  transport_ = std::move(transport);
  for (uint32_t node = 1; node < plan_.nodes(); ++node) {
    int pidfd = -1;
    const pid_t child = clone_node(heap_, &pidfd);
    if (child < 0)
      die(failure, "cannot create the process of node %u: %s", node, strerrordesc_np(errno));
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != origin_pid_)
        _exit(failure);
      join(node);
      service_->watch_nobody();
      serve_as_node(node);
    }
    pidfd = above_standard_streams(pidfd);
    pidfds_.push_back(pidfd);
    node_pids_.push_back(child);
    service_->watch_node_process(node, child, pidfd);
  }
  join(origin);
  become(origin);
  serve();
}

/// The threads come first. To make one the C library writes to variables of its own, some of which a program may have
/// among its data (copy relocations: __libc_single_threaded), and allocates, perhaps by a pointer that lies there. A
/// page that is touched after its content has gone and before userfaultfd watches it would stay zeros for ever.
void NodeProcess::serve() {
  start_errands();
  service_->start(node_, *transport_, *this, create_private_thread);
  forget_others_memory();
  stacks_.meet_others(plan_.nodes());
  service_->begin();
}

void NodeProcess::serve_as_node(uint32_t node) {
  char name[16];
  snprintf(name, sizeof name, "hetmp-node-%u", node);
  prctl(PR_SET_NAME, name);
  leave_signals_to_origin(launch_.made_by_launcher());
  become(node);
  serve();
  if (hooks_.node_started)
    hooks_.node_started();
  if (launch_.made_by_launcher())
    tell_identity();
  while (true)
    pause();
}

} // namespace hetmp::dsm
