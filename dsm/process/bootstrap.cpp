// How this process becomes one of several nodes: it makes the others as copies of itself, or joins those that a
// launcher has started.
#include "base/environment.hpp"
#include "base/exit_codes.hpp"
#include "base/high_descriptor.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/machine/process_status.hpp"
#include "base/message.hpp"
#include "base/stream_buffering.hpp"
#include "base/variables/variable.hpp"
#include "dsm/engine/service_thread.hpp"
#include "dsm/objects/direct_binding.hpp"
#include "dsm/objects/globals.hpp"
#include "dsm/objects/open_streams.hpp"
#include "dsm/objects/private_objects.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"
#include "dsm/space/address_space.hpp"
#include "dsm/space/core_dump.hpp"
#include "dsm/space/late_window.hpp"
#include "dsm/transport/cipher.hpp"
#include "dsm/transport/loopback.hpp"
#include "dsm/transport/rdma/make_transport.hpp"
#include "dsm/transport/rdma/private_rdma.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// Long: where all nodes are processes of one machine, their ends are seen at once.
constexpr int64_t patience_on_one_machine = 60'000'000'000;

/// A child process that shares this one's descriptors and working directory (a file that any node opens is open for the
/// program) and whose end is not reported by SIGCHLD (the program's own wait() must not see it). Threads that
/// constructors have started hold no lock then that the child would wait for: fork() takes care of that, but cannot
/// share descriptors. To a debugger the kernel calls such a child a thread; then it would take its memory for this
/// process's, and leave its breakpoints there when it goes. So where there is one the child is an ordinary one.
pid_t clone_node(Heap& heap, const AddressPlan& plan, int* pidfd) {
  const long exit_signal = is_traced() ? SIGCHLD : 0;
  QuietStreams quiet_streams; // before the heap: whoever uses a stream may allocate
  const Heap::Quiet quiet_heap(heap);
  const auto flags = CLONE_FILES | CLONE_FS | CLONE_PIDFD | exit_signal;
  const auto child = pid_t(syscall(SYS_clone, flags, nullptr, pidfd, nullptr, 0));
  if (child == 0)
    quiet_streams.leave_to_origin(plan);
  return child;
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

/// How long a node may be silent, in nanoseconds; `usual` if nobody says. Complains if `aloud`.
int64_t patience_with_silence(int64_t usual, bool aloud) {
  constexpr int64_t least_s = 2, most_s = 86'400; // a sign of life comes every second
  const auto text = environment_value(Variable::HETMP_PATIENCE);
  if (!text)
    return usual;
  if (equal_ignoring_case(*text, "off"))
    return Transport::endless_patience;
  const auto seconds = parse_integer(*text, least_s, most_s);
  if (!seconds && aloud)
    complain(Variable::HETMP_PATIENCE, *text, "neither off nor a number of seconds from 2 to 86400",
             std::to_string(usual / 1'000'000'000));
  return seconds ? *seconds * 1'000'000'000 : usual;
}

} // namespace

void NodeProcess::become(uint32_t node) {
  node_ = node;
  own_pid_ = getpid();
  fabric_.node = node;
  members_.become(node, *transport_);
  // In a child that the program forks nobody gives memory back.
  auto may_discard = [](Segment range) { return instance() && instance()->unpublished(range); };
  if (node != launch_.node) {      // a copy of the process that the plan was for
    thread_memory.cache = nullptr; // of the origin's blocks
    heap_.become(node, may_discard);
  } else
    heap_.set_may_discard(may_discard);
  if (node != origin)
    main_is_to_begin(); // elsewhere
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
    die(exit_code::software, "%s: %s", members_.name_of(launch_.node).c_str(), problem.c_str());
  if (launch_.made_by_launcher() && keys_.empty())
    die(exit_code::software,
        "%s: another program has used this run's keys before; a run that is encrypted is for one program",
        members_.name_of(launch_.node).c_str());
}

/// Whether it is wanted or only welcome, the transport knows.
void NodeProcess::load_rdma() {
  if (launch_.transport->needs_rdma) // a library for each kind of device: no two machines need the same
    load_for_ourselves([this] { rdma_ = load_private_rdma(rdma_problem_); });
}

void NodeProcess::add_rdma(Transport::Place& place) {
  place.rdma = rdma_;
  place.rdma_problem = rdma_problem_;
  place.rdma_device = environment_value(Variable::HETMP_VERBS_DEVICE).value_or("");
  place.name_of = [this](uint32_t node) { return members_.name_of(node); };
}

void NodeProcess::start_nodes() {
  if (launch_.sealed)
    load_cipher(); // before the memory is divided
  load_rdma();     // likewise
  bind_directly();
  plan_.set(plan_.nodes(), find_globals());
  initial_stack_.announce(stacks_.main());
  if (executable_stacks_wanted())
    stacks_.make_executable();
  set_up_streams();
  shared_variables_.fill_in_streams();
  fflush(nullptr); // what is buffered now would be written by every node
  // Lines of several nodes must not mix. Here, for all of them: the variable `stdout` itself may lie among the
  // program's data, which another node cannot read before its memory is served.
  const bool is_kept = is_fully_buffered(stdout) && !isatty(STDOUT_FILENO);
  setvbuf(stdout, nullptr, _IOLBF, 0);
  origin_pid_ = getpid();
  prepare_objects();
  if (launch_.node == origin)
    pointer_locks_.make(heap_);
  if (launch_.made_by_launcher())
    join_node_processes();
  else
    make_node_processes();
  if (node_ == origin && is_kept) // until other nodes may write any (runtime/process/standard_output.hpp)
    setvbuf(stdout, nullptr, _IOFBF, 0);
}

void NodeProcess::make_node_processes() {
  file_data_.make_anonymous(); // what has been loaded since the first constructor
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
      place.is_stopped = [this](uint32_t other) { return members_.is_stopped(other); };
    add_rdma(place);
    transport_->join(place);
    for (ConnectionKeys& others : keys)
      forget(others);
  };
  transport_ = std::move(transport);
  for (uint32_t node = 1; node < plan_.nodes(); ++node) {
    int pidfd = -1;
    const pid_t child = clone_node(heap_, plan_, &pidfd);
    if (child < 0)
      die(exit_code::software, "cannot create the process of node %u: %s", node, strerrordesc_np(errno));
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != origin_pid_)
        _exit(exit_code::software);
      join(node);
      service_->watch_nobody();
      serve_as_node(node);
    }
    pidfd = above_standard_streams(pidfd);
    members_.add_process(node, child, pidfd);
    service_->watch_node_process(node, child, pidfd);
  }
  join(origin);
  become(origin);
  serve();
}

/// Each process was started by itself, so nothing is inherited: the origin's globals hold what is true, the others'
/// copies are dropped, and all must have loaded the same files to the same places.
void NodeProcess::join_node_processes() {
  // A whole message takes its time where links are slow.
  constexpr int64_t least_with_messages = 10'000'000'000;
  Transport::Place place;
  place.node = launch_.node;
  place.nodes = plan_.nodes();
  place.sockets = launch_.sockets;
  place.cipher = cipher_;
  place.keys = &keys_;
  place.watch = Transport::Watch::Silence;
  place.patience_ns = patience_with_silence(Transport::usual_patience_ns, launch_.node == origin);
  place.patience_with_messages_ns = place.patience_ns == Transport::endless_patience
                                        ? place.patience_ns
                                        : std::max(4 * place.patience_ns, least_with_messages);
  add_rdma(place);
  std::unique_ptr<Transport> transport = make_transport(*launch_.transport);
  transport->join(place);
  forget(keys_);
  transport_ = std::move(transport);
  members_.take_identity();
  if (launch_.node != origin)
    serve_as_node(launch_.node);
  file_data_.make_anonymous(); // what has been loaded since the first constructor
  become(origin);
  serve();
  members_.wait_until_all_have_joined();
}

/// The threads come first: see private_threads.hpp.
void NodeProcess::serve() {
  if (const char* const chosen = transport_->chosen()) {
    why_interconnect_ = transport_->why_chosen();
    fabric_.interconnect = chosen;
    fabric_.why_interconnect = why_interconnect_.c_str();
    if (hooks_.interconnect_chosen)
      hooks_.interconnect_chosen();
  }
  errands_.start();
  start_migration();
  service_->start(node_, *transport_, *this, create_private_thread);
  forget_others_memory();
  stacks_.meet_others(plan_.nodes());
  service_->begin();
}

void NodeProcess::start_migration() {
  if (!fabric_.begin_journey)
    return;
  constexpr auto read_faults = [](FaultCounters* counters) { instance()->pages_.read_counters(counters); };
  if (node_ == origin)
    migration_.start_at_origin(
        *this, read_faults, [] { return int64_t(instance()->usable_cpus()) - int64_t(instance()->threads_at_work()); },
        create_private_thread);
  else
    migration_.start_elsewhere(*this, read_faults, create_private_thread, heap_, node_,
                               [](void* block) { instance()->free_remote(block); });
}

void NodeProcess::serve_as_node(uint32_t node) {
  char name[16];
  snprintf(name, sizeof name, "hetmp-node-%u", node);
  prctl(PR_SET_NAME, name);
  leave_signals_to_origin(*this, launch_.made_by_launcher());
  become(node);
  serve();
  if (hooks_.node_started)
    hooks_.node_started();
  if (launch_.made_by_launcher())
    members_.tell_identity();
  while (true)
    pause();
}

} // namespace hetmp::dsm
