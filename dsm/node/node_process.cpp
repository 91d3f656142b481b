#include "dsm/node/node_process.hpp"

#include "base/cpu_list.hpp"
#include "base/environment.hpp"
#include "base/futex.hpp"
#include "base/message.hpp"
#include "dsm/node/cipher.hpp"
#include "dsm/node/errands.hpp"
#include "dsm/node/globals.hpp"
#include "dsm/node/identity.hpp"
#include "dsm/node/loopback.hpp"
#include "dsm/node/private_threads.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <linux/sched.h>
#include <malloc.h>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE

enum class State : uint8_t { Undecided, Deciding, Alone, Node };
std::atomic<State> state{State::Undecided};
NodeProcess* the_process; // written before `state` becomes Node

/// Fresh zero memory at a fixed place; the previous content of this process there is gone.
void map_over(const Segment& segment) {
  void* memory = reinterpret_cast<void*>(
      syscall(SYS_mmap, segment.begin, segment.bytes(), PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
  if (memory == MAP_FAILED)
    die(failure, "cannot map the shared address range at %#zx: %s", size_t(segment.begin), strerrordesc_np(errno));
}

/// A child process that shares this one's descriptors and working directory (a file that any node opens is open for the
/// program) and whose end is not reported by SIGCHLD (the program's own wait() must not see it).
pid_t clone_node(int* pidfd) {
  return pid_t(syscall(SYS_clone, CLONE_FILES | CLONE_FS | CLONE_PIDFD, nullptr, pidfd, nullptr, 0));
}

/// std::cout and its like are set up by whichever constructor of the program comes first. Those run on the origin only, but
/// the streams are private to each node: so it is done before there are nodes. What is made here ends at once: the program's
/// own then are the last and flush the streams.
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

struct MainCall {
  int (*main)(int, char**, char**);
  int argc;
  char** argv;
  char** environment;
  int result = 0;
};

size_t main_stack_bytes() {
  rlimit limit{};
  constexpr size_t least = size_t(8) << 20, most = size_t(1) << 30;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return size_t(64) << 20;
  return page_up(std::clamp<size_t>(limit.rlim_cur, least, most));
}

struct ControlMessage {
  enum class Kind : uint32_t {
    Free,  ///< `address`: a block of the receiver's heap
    Exit,  ///< to the origin: exit(`exit_code`) was called
    Fact,  ///< to the origin: a line of the sender's identity, as data
    Joined, ///< to the origin: that was all of it
    Unmap,  ///< `address`, `exit_code` pages: part of the receiver's slice
    Change, ///< a struct Change, as data
    Changed, ///< the receiver's change is made; `exit_code`: 0 or an errno value; `address`: what it asked for
    End,   ///< from the origin: the program has ended
    Observe, ///< for the receiver's Observation, as data
    Lost,  ///< to the origin: node `address` can no longer be reached, the reason as data
  } kind;
  int32_t exit_code;
  uint64_t address;
};

/// For all nodes to join, from when the launcher has connected them: programs load in that time.
constexpr int64_t patience_s = 30;

constexpr int any_child = 0x40000000; // __WALL: also children whose end raises no SIGCHLD

void end_program(int exit_code, void*) { the_process->end(exit_code); }

/// Flushing waits for whoever holds a stream, perhaps a thread that reads from a terminal for ever.
void* exit_soon(void* code) {
  constexpr timespec patience{2, 0};
  nanosleep(&patience, nullptr);
  _exit(int(reinterpret_cast<intptr_t>(code)));
}

void exit_here(void* code) { exit(int(reinterpret_cast<intptr_t>(code))); }

bool wants_to_fetch_ahead() {
  const auto text = environment_value("HETMP_PREFETCH");
  if (!text)
    return true;
  const auto wanted = parse_boolean(*text);
  if (!wanted)
    complain("HETMP_PREFETCH", *text, "neither true nor false", "true");
  return wanted.value_or(true);
}

/// How long a node may be silent that runs on another host, in nanoseconds; `usual` if nobody says. Complains if `aloud`.
int64_t patience_with_silence(int64_t usual, bool aloud) {
  constexpr int64_t least_s = 2, most_s = 86'400; // a sign of life comes every second
  const auto text = environment_value("HETMP_PATIENCE");
  if (!text)
    return usual;
  if (equal_ignoring_case(*text, "off"))
    return TcpTransport::endless_patience;
  const auto seconds = parse_integer(*text, least_s, most_s);
  if (!seconds && aloud)
    complain("HETMP_PATIENCE", *text, "neither off nor a number of seconds from 2 to 86400",
             std::to_string(usual / 1'000'000'000));
  return seconds ? *seconds * 1'000'000'000 : usual;
}

} // namespace

void create_private_thread(void* (*body)(void*), void* argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // Not the creator's real-time priority: a thread that runs exit handlers or collects processes at that priority can
  // keep the CPU for ever from the very thread it waits for, also inside the kernel.
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  const bool before = allocates_privately;
  allocates_privately = true; // the C library allocates the new thread's tables in the creating thread
  pthread_t thread;
  if (const int error = pthread_create(&thread, &attributes, body, argument))
    die(failure, "cannot create a service thread: %s", strerrordesc_np(error));
  allocates_privately = before;
  pthread_attr_destroy(&attributes);
}

struct FabricFunctions {
  static void attach(const RuntimeHooks* hooks) {
    the_process->hooks_ = *hooks;
    the_process->observation_.set_read_events(hooks->read_events);
  }
  static void send(uint32_t to, const void* bytes, uint32_t size) {
    // Into private memory first: the caller's buffer may lie on a shared stack, and a lock must not be held while that faults.
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
    return the_process->create_thread(body, argument, stack_bytes);
  }
  static void read_faults(FaultCounters* counters) { the_process->service_.read_counters(counters); }
  static void watch_pages() { the_process->observation_.watch(); }
  static void enter_region(uint64_t region) { the_process->service_.enter_region(region); }
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
  const char* text = getenv(plan_variable);
  const std::optional<LaunchPlan> plan = text ? parse_plan(text) : std::nullopt;
  if (!plan || plan->process != getpid()) {
    state.store(State::Alone, std::memory_order_release);
    return nullptr;
  }
  // A thread of the program may fault on its stack while it holds the lock of the arena it allocates from, and only the
  // service thread can then bring the page: the two must never share an arena.
  constexpr int no_sharing = 1 << 16;
  mallopt(M_ARENA_MAX, no_sharing);
  the_process = new NodeProcess(*plan);
  // Exit handlers run in reverse: as the first one, before any constructor, this is the last. Destructors of the program
  // and of its shared objects still find every page.
  on_exit(end_program, nullptr);
  state.store(State::Node, std::memory_order_release);
  return the_process;
}

NodeProcess::NodeProcess(LaunchPlan plan) : launch_(std::move(plan)), node_(launch_.node) {
  if (launch_.keys >= 0) // before anybody here can start a process that would inherit them
    keys_ = take_keys(launch_.keys, launch_.cpus.size());
  plan_.set(uint32_t(launch_.cpus.size()), {});
  for (uint32_t node = 0; node < plan_.nodes(); ++node)
    map_over(AddressPlan::slice(node));
  const auto here = [this] { return std::count(launch_.hosts.begin(), launch_.hosts.end(), launch_.hosts[launch_.node]); };
  budget_.set_up(launch_.node < launch_.hosts.size() ? uint32_t(here()) : 1);
  heap_.become(launch_.node, nullptr);
  service_.fetch_ahead(wants_to_fetch_ahead());
  heap_.set_budget(&budget_);
  fabric_ = {fabric_version,
             launch_.node,
             plan_.nodes(),
             launch_.transport == LaunchPlan::Transport::Tcp ? "tcp" : "shared-memory",
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
             FabricFunctions::gather_timelines};
}

void NodeProcess::become(uint32_t node) {
  node_ = node;
  fabric_.node = node;
  transport_->become(node);
  static NodeProcess* self = this;
  auto may_discard = [](Segment range) { return self->service_.is_unpublished(range); };
  if (node != launch_.node) // a copy of the process that the plan was for
    heap_.become(node, may_discard);
  else
    heap_.set_may_discard(may_discard);
  next_stack_ = AddressPlan::stack_part(node).begin;
  bind_thread(launch_.cpus[node]);
}

void NodeProcess::forget_others_memory() {
  for (uint32_t node = 0; node < plan_.nodes(); ++node)
    if (node != node_ && node_ != origin)
      map_over(AddressPlan::slice(node));
  if (node_ != origin)
    for (const Segment& segment : plan_.globals())
      map_over(segment);
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
  plan_.set(plan_.nodes(), find_globals());
  set_up_streams();
  fflush(nullptr); // what is buffered now would be written by every node
  // Lines of several nodes must not mix. Here, for all of them: the variable `stdout` itself may lie among the program's
  // data, which another node cannot read before its memory is served.
  setvbuf(stdout, nullptr, _IOLBF, 0);
  origin_pid_ = getpid();
  if (launch_.made_by_launcher())
    join_node_processes();
  else
    make_node_processes();
}

void NodeProcess::make_node_processes() {
  make_anonymous(plan_.globals());
  const bool by_tcp = launch_.transport == LaunchPlan::Transport::Tcp;
  std::vector<std::vector<SocketPair>> sockets;
  std::vector<ConnectionKeys> keys;
  if (by_tcp)
    sockets = connect_by_loopback(plan_.nodes());
  else
    shared_memory_.create(plan_.nodes());
  if (cipher_)
    keys = make_keys(plan_.nodes());
  const auto connect = [&](uint32_t node) {
    if (by_tcp)
      tcp_.connect(node, sockets[node], false);
    if (cipher_)
      tcp_.seal_with(*cipher_, keys[node]);
    for (ConnectionKeys& others : keys)
      forget(others);
  };
  transport_ = by_tcp ? static_cast<Transport*>(&tcp_) : &shared_memory_;
  for (uint32_t node = 1; node < plan_.nodes(); ++node) {
    int pidfd = -1;
    const pid_t child = clone_node(&pidfd);
    if (child < 0)
      die(failure, "cannot create the process of node %u: %s", node, strerrordesc_np(errno));
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != origin_pid_)
        _exit(failure);
      connect(node);
      service_.watch_nobody();
      serve_as_node(node);
    }
    pidfds_.push_back(pidfd);
    service_.watch_node_process(node, child, pidfd);
  }
  connect(origin);
  become(origin);
  start_errands();
  service_.start(node_, *transport_, *this);
}

/// Each process was started by itself, so nothing is inherited: the origin's globals hold what is true, the others' copies
/// are dropped, and all must have loaded the same files to the same places.
void NodeProcess::join_node_processes() {
  tcp_.set_patience(patience_with_silence(tcp_.patience(), launch_.node == origin));
  tcp_.connect(launch_.node, launch_.sockets, true);
  if (cipher_)
    tcp_.seal_with(*cipher_, keys_);
  forget(keys_);
  transport_ = &tcp_;
  own_identity_ = own_identity();
  if (launch_.node != origin)
    serve_as_node(launch_.node);
  identities_.resize(plan_.nodes());
  make_anonymous(plan_.globals());
  become(origin);
  start_errands();
  service_.start(node_, *transport_, *this);
  wait_until_all_have_joined();
}

void NodeProcess::wait_until_all_have_joined() {
  const uint32_t others = plan_.nodes() - 1;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t deadline = now.tv_sec + patience_s;
  // acquire: pairs with the release in node_joins(); what the others have checked is done
  while (joined_.load(std::memory_order_acquire) != others) {
    constexpr timespec moment{0, 1'000'000};
    nanosleep(&moment, nullptr);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > deadline)
      die(failure, "only %u of %u other nodes have joined the run in %d s", joined_.load(std::memory_order_relaxed), others,
          int(patience_s));
  }
}

/// Service thread of the origin. An empty fact: there are no more.
void NodeProcess::node_joins(uint32_t from, const std::string& fact) {
  if (from >= identities_.size() || joined_.load(std::memory_order_relaxed) >= plan_.nodes() - 1)
    die(failure, "%s joins a run that has begun", name_of(from).c_str());
  if (!fact.empty()) {
    identities_[from].push_back(fact);
    return;
  }
  if (const std::string wrong = first_difference(own_identity_, identities_[from], name_of(from)); !wrong.empty())
    die(failure, "%s; all nodes of a run need the same files at the same places", wrong.c_str());
  joined_.fetch_add(1, std::memory_order_release);
}

void NodeProcess::serve_as_node(uint32_t node) {
  char name[16];
  snprintf(name, sizeof name, "hetmp-node-%u", node);
  prctl(PR_SET_NAME, name);
  // The terminal's signals are for the program, that is for the origin; this process ends when the origin does.
  for (int terminal_signal : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP})
    signal(terminal_signal, SIG_IGN);
  become(node);
  forget_others_memory();
  start_errands();
  service_.start(node_, *transport_, *this);
  if (hooks_.node_started)
    hooks_.node_started();
  if (launch_.made_by_launcher()) {
    ControlMessage message{ControlMessage::Kind::Fact, 0, 0};
    for (const std::string& fact : own_identity_)
      transport_->send(origin, Lane::Anyone, Channel::Control, &message, sizeof message, fact.data(),
                       std::min(fact.size(), page_bytes));
    message.kind = ControlMessage::Kind::Joined;
    transport_->send(origin, Lane::Anyone, Channel::Control, &message, sizeof message, nullptr, 0);
  }
  while (true)
    pause();
}

int NodeProcess::create_thread(void* (*body)(void*), void* argument, size_t stack_bytes) {
  constexpr size_t default_stack = size_t(8) << 20;
  const size_t bytes = page_up(std::max(stack_bytes ? stack_bytes : default_stack, size_t(256) << 10)) + page_bytes;
  const uintptr_t begin = next_stack_.fetch_add(bytes, std::memory_order_relaxed); // unique; orders nothing else
  if (begin + bytes > AddressPlan::stack_part(node_).end)
    return EAGAIN;
  mprotect(reinterpret_cast<void*>(begin), page_bytes, PROT_NONE); // an overflow faults instead of overwriting
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int error = pthread_attr_setstack(&attributes, reinterpret_cast<void*>(begin + page_bytes), bytes - page_bytes);
  pthread_t thread;
  if (!error)
    error = pthread_create(&thread, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  return error;
}

int NodeProcess::run_main(int (*main)(int, char**, char**), int argc, char** argv, char** environment) {
  // In private memory: both threads use it while main's stack may be anywhere.
  static MainCall call;
  static FutexWord done;
  call = {main, argc, argv, environment};
  const auto body = [](void*) -> void* {
    call.result = call.main(call.argc, call.argv, call.environment);
    done.store(1, std::memory_order_release); // pairs with the acquire below: the result is there
    futex_wake(done, 1);
    return nullptr;
  };
  if (const int error = create_thread(body, nullptr, main_stack_bytes()))
    die(failure, "cannot create main's thread: %s", strerrordesc_np(error));
  while (!done.load(std::memory_order_acquire))
    futex_wait(done, 0);
  return call.result;
}

void NodeProcess::runtime_message(uint32_t from, const void* bytes, uint32_t size) {
  if (hooks_.deliver)
    hooks_.deliver(from, bytes, size);
}

void NodeProcess::control_message(uint32_t from, const Slot& slot) {
  ControlMessage message;
  if (slot.header.header_bytes != sizeof message)
    die(failure, "node %u sent a control message of %u bytes", from, slot.header.header_bytes);
  memcpy(&message, slot.header.message, sizeof message);
  switch (message.kind) {
  case ControlMessage::Kind::Free: {
    void* block = reinterpret_cast<void*>(message.address);
    if (!AddressPlan::slice(node_).contains(message.address))
      die(failure, "node %u wants to free %p, which is not a block of node %u", from, block, node_);
    if (!heap_.try_free(block))
      to_free_.push_back(block);
    break;
  }
  case ControlMessage::Kind::Exit:
    do_later(exit_here, reinterpret_cast<void*>(intptr_t(message.exit_code)));
    break;
  case ControlMessage::Kind::Fact:
    node_joins(from, std::string(reinterpret_cast<const char*>(slot.data), slot.header.data_bytes));
    break;
  case ControlMessage::Kind::Joined:
    node_joins(from, {});
    break;
  case ControlMessage::Kind::Unmap: {
    const Segment range{message.address, message.address + (uint64_t(uint32_t(message.exit_code)) << page_shift)};
    if (!AddressPlan::large_part(node_).contains(range.begin) || range.end > AddressPlan::large_part(node_).end)
      die(failure, "%s wants to unmap %#zx, which is not node %u's", name_of(from).c_str(), size_t(range.begin), node_);
    if (!heap_.try_unmap(range))
      to_unmap_.push_back(range);
    break;
  }
  case ControlMessage::Kind::Change:
    change_arrived(from, slot.data, slot.header.data_bytes);
    break;
  case ControlMessage::Kind::Changed:
    change_answered(message.exit_code, message.address);
    break;
  case ControlMessage::Kind::End:
    if (from != origin)
      die(failure, "%s wants to end the run, which is the origin's to do", name_of(from).c_str());
    _exit(0);
  case ControlMessage::Kind::Observe:
    if (!observation_.message(from, node_, slot.data, slot.header.data_bytes))
      die(failure, "node %u sent an observation of %u bytes that means nothing", from, slot.header.data_bytes);
    break;
  case ControlMessage::Kind::Lost:
    if (node_ == origin && message.address < plan_.nodes())
      node_lost({uint32_t(message.address), std::string(reinterpret_cast<const char*>(slot.data), slot.header.data_bytes)});
    break;
  }
}

void NodeProcess::send_observation(uint32_t to, const void* bytes, size_t size) {
  const ControlMessage message{ControlMessage::Kind::Observe, 0, 0};
  transport_->send(to, is_service_thread ? Lane::Service : Lane::Anyone, Channel::Control, &message, sizeof message, bytes,
                   size);
}

bool NodeProcess::retry() {
  std::erase_if(to_free_, [this](void* block) { return heap_.try_free(block); });
  std::erase_if(to_unmap_, [this](Segment range) { return heap_.try_unmap(range); });
  return !to_free_.empty() || !to_unmap_.empty();
}

void NodeProcess::end(int exit_code) {
  if (getpid() != origin_pid_)
    return;
  create_private_thread(exit_soon, reinterpret_cast<void*>(intptr_t(exit_code)));
  fflush(nullptr); // the C library would do it next, when pages of other nodes can no longer be had
  ending_.store(true, std::memory_order_release); // pairs with the acquire in node_ended() and node_lost()
  end_other_nodes();
  _exit(exit_code);
}

void NodeProcess::end_other_nodes() {
  if (launch_.made_by_launcher()) {
    const ControlMessage message{ControlMessage::Kind::End, 0, 0};
    for (uint32_t node = 0; node < plan_.nodes(); ++node)
      if (node != origin)
        transport_->send(node, Lane::Anyone, Channel::Control, &message, sizeof message, nullptr, 0);
    return; // their launcher collects them
  }
  for (int pidfd : pidfds_)
    syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0);
  for (int pidfd : pidfds_) {
    siginfo_t info;
    waitid(idtype_t(3) /* P_PIDFD */, id_t(pidfd), &info, WEXITED | any_child);
  }
}

/// As messages name it.
std::string NodeProcess::name_of(uint32_t node) const {
  std::string name = "node " + std::to_string(node);
  if (node < launch_.hosts.size())
    name += " (host " + launch_.hosts[node] + ")";
  return name;
}

/// ", in the parallel region at FILE+0xOFFSET", or nothing between regions.
std::string NodeProcess::place_of_loss() const {
  const void* region = hooks_.current_region ? hooks_.current_region() : nullptr;
  Dl_info info;
  if (!region || !dladdr(region, &info) || !info.dli_fname)
    return {};
  const std::string path = info.dli_fname;
  char offset[32];
  snprintf(offset, sizeof offset, "+%#zx", reinterpret_cast<size_t>(region) - reinterpret_cast<size_t>(info.dli_fbase));
  return ", in the parallel region at " + path.substr(path.rfind('/') + 1) + offset;
}

/// The origin speaks for all; the others end with it, and tell it of what only they may see: a connection between two of
/// them that has ended. Nodes other than the origin need not agree on who is lost.
void NodeProcess::node_lost(const Transport::Loss& loss) {
  if (ending_.load(std::memory_order_acquire))
    return;
  if (node_ != origin && loss.node != origin) {
    const ControlMessage message{ControlMessage::Kind::Lost, 0, loss.node};
    transport_->send(origin, Lane::Service, Channel::Control, &message, sizeof message, loss.reason.data(),
                     std::min(loss.reason.size(), page_bytes));
  }
  if (node_ == origin)
    say("%s was lost%s: %s; the program cannot go on without its memory", name_of(loss.node).c_str(),
        place_of_loss().c_str(), loss.reason.c_str());
  if (node_ == origin || loss.node == origin)
    _exit(failure);
}

void NodeProcess::node_ended(uint32_t node, pid_t pid, int pidfd) {
  if (ending_.load(std::memory_order_acquire))
    return;
  siginfo_t info{};
  int code = failure;
  // Only looked at, not collected: see create_private_thread() about real-time priority. This process ends now anyway.
  if (waitid(idtype_t(3) /* P_PIDFD */, id_t(pidfd), &info, WEXITED | WNOWAIT | any_child) == 0 && info.si_code != CLD_EXITED) {
    code = 128 + info.si_status;
    say("node %u (process %d) was ended by signal %d (%s)%s; the program cannot go on without its memory", node, pid,
        info.si_status, sigdescr_np(info.si_status), place_of_loss().c_str());
  } else {
    say("node %u (process %d) ended with exit code %d; the program cannot go on without its memory", node, pid,
        info.si_status);
  }
  _exit(code); // the other node processes end with this one
}

void NodeProcess::free_remote(void* block) {
  const ControlMessage message{ControlMessage::Kind::Free, 0, reinterpret_cast<uintptr_t>(block)};
  transport_->send(Heap::owner(block), Lane::Anyone, Channel::Control, &message, sizeof message,
                  nullptr, 0);
}

void NodeProcess::unmap_remote(Segment range) {
  const ControlMessage message{ControlMessage::Kind::Unmap, int32_t(range.bytes() >> page_shift), range.begin};
  const uint32_t owner = Heap::owner(reinterpret_cast<const void*>(range.begin));
  transport_->send(owner, Lane::Anyone, Channel::Control, &message, sizeof message, nullptr, 0);
}

void NodeProcess::send_change(uint32_t to, const Change& change) {
  const ControlMessage message{ControlMessage::Kind::Change, 0, 0};
  transport_->send(to, Lane::Anyone, Channel::Control, &message, sizeof message, &change, sizeof change);
}

void NodeProcess::answer_change(uint32_t to, int error, uint64_t result) {
  const ControlMessage message{ControlMessage::Kind::Changed, error, result};
  const Lane lane = is_service_thread ? Lane::Service : Lane::Anyone;
  transport_->send(to, lane, Channel::Control, &message, sizeof message, nullptr, 0);
}

void NodeProcess::exit_at_origin(int code) {
  fflush(stdout);
  const ControlMessage message{ControlMessage::Kind::Exit, code, 0};
  transport_->send(origin, Lane::Anyone, Channel::Control, &message, sizeof message, nullptr, 0);
  while (true)
    pause();
}

} // namespace hetmp::dsm
