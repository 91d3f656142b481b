#include "dsm/process/node_process.hpp"

#include "base/check.hpp"
#include "base/environment.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "base/variables/variable.hpp"
#include "dsm/ahead/prefetch_choice.hpp"
#include "dsm/engine/service_thread.hpp"
#include "dsm/objects/private_objects.hpp"
#include "dsm/process/changes.hpp"
#include "dsm/process/control_message.hpp"
#include "dsm/process/private_threads.hpp"
#include "dsm/space/address_space.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// What this process is, in one word: undecided, about to be decided, no node, or the node process.
class WhatThisIs {
 public:
  /// Null: it is none, or not yet, or has left. As long as nobody has decided, `decide` says.
  template <class Decide> NodeProcess* node_process(Decide decide) const {
    const uintptr_t word = word_.load(std::memory_order_acquire); // pairs with the release in decide()
    if (is_node(word)) [[likely]]
      return reinterpret_cast<NodeProcess*>(word);
    return word == undecided ? decide() : nullptr;
  }
  /// Also of one that has left.
  NodeProcess* operator->() const {
    return reinterpret_cast<NodeProcess*>(word_.load(std::memory_order_relaxed) &
                                          ~has_left); // whoever asks knows of it
  }

  /// One thread decides. relaxed: nothing is published before it has.
  bool begin() {
    uintptr_t before = undecided;
    return word_.compare_exchange_strong(before, deciding, std::memory_order_relaxed);
  }
  /// Null: no node.
  void decide(NodeProcess* process) {
    const uintptr_t word = process ? reinterpret_cast<uintptr_t>(process) : alone;
    word_.store(word, std::memory_order_release); // pairs with the acquire in node_process(): the process is whole
  }
  /// In a forked child. relaxed: no other thread is there.
  void leave() {
    const uintptr_t word = word_.load(std::memory_order_relaxed);
    word_.store(word > alone ? word | has_left : alone, std::memory_order_relaxed);
  }

 private:
  static bool is_node(uintptr_t word) { return word > alone && !(word & has_left); }

  static constexpr uintptr_t undecided = 0, deciding = 2, alone = 4; ///< or a pointer, which is greater
  static constexpr uintptr_t has_left = 1;                           ///< with a pointer
  std::atomic<uintptr_t> word_{undecided}; ///< released by decide(), acquired by node_process()
};
constinit WhatThisIs the_process;

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

bool read_boolean(Variable variable, bool usual) {
  const auto text = environment_value(variable);
  const auto value = text ? parse_boolean(*text) : std::optional(usual);
  if (!value)
    complain(variable, *text, "expected true or false", usual ? "true" : "false");
  return value.value_or(usual);
}

} // namespace

struct FabricFunctions {
  static void attach(const RuntimeHooks* hooks) {
    the_process->hooks_ = *hooks;
    the_process->members_.set_current_region(hooks->current_region);
    the_process->observation_.set_read_events(hooks->read_events);
  }
  static void send(uint32_t to, const void* bytes, uint32_t size) {
    HETMP_CHECK(size <= largest_message && to < the_process->plan_.nodes());
    // The service thread answers the runtime's questions; it must not wait for the lock of the others' lane. Its stack
    // is private.
    if (on_service_thread()) {
      the_process->transport_->send(to, Lane::Service, Channel::Runtime, nullptr, 0, bytes, size);
      return;
    }
    // Into private memory first: what the caller has, and its stack, may be shared, and the lane's lock should not be
    // held while that faults.
    const auto copy = std::make_unique_for_overwrite<uint8_t[]>(size);
    memcpy(copy.get(), bytes, size);
    the_process->transport_->send(to, Lane::Anyone, Channel::Runtime, nullptr, 0, copy.get(), size);
  }
  static bool is_shared(const void* address) {
    return the_process->plan_.is_shared(reinterpret_cast<uintptr_t>(address));
  }
  static bool may_hold_code(const void* address) {
    return the_process->code_.may_hold(reinterpret_cast<uintptr_t>(address));
  }
  static bool holds_code(const void* address) { return the_process->code_.holds(reinterpret_cast<uintptr_t>(address)); }
  static int create_thread(void* (*body)(void*), void* argument, size_t stack_bytes) {
    return the_process->transport_ ? the_process->stacks_.create_thread(body, argument, stack_bytes) : before_nodes;
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
    send_control(*the_process->transport_, the_process->node_, on_service_thread() ? Lane::Service : Lane::Anyone,
                 control::Push{reinterpret_cast<uintptr_t>(address), to});
  }
  static void offer(uint64_t purpose, NodeSet nodes, const void* const* addresses, size_t count) {
    if (!the_process->service_->prefetcher().pusher.offer(purpose, nodes, addresses, count))
      return;
    send_control(*the_process->transport_, the_process->node_, Lane::Anyone, control::Offer{});
  }
  static void offer_again(uint64_t purpose) {
    HETMP_CHECK(on_service_thread()); // the engine is its own
    the_process->service_->engine().offer_again(purpose);
  }
  static void offer_is_over(bool everywhere) {
    HETMP_CHECK(on_service_thread()); // the engine is its own
    the_process->service_->engine().offer_is_over(everywhere);
  }
  static void begin_visit(uint64_t loop) { the_process->begin_visit(loop); }
  static void wait_outside(bool begins) {
    OutsideWaits& waits = the_process->service_->turns().outside();
    begins ? waits.begin() : waits.end();
  }
  static void compute_alone(bool begins) { the_process->service_->prefetcher().streams.compute_alone(begins); }
  static void begin_journey(const Journey* journey) { the_process->migration_.deputies().begin_journey(*journey); }
  static void end_journey(JourneySeen* seen) {
    Deputies& deputies = the_process->migration_.deputies();
    deputies.end_journey(*seen);
    if (deputies.away() == 0)
      the_process->service_->prefetcher().lent.lend(false);
  }
  static JourneyPart begin_part(const JourneyPart* part) {
    return the_process->migration_.deputies().begin_part(*part);
  }
  static int64_t time_elsewhere() { return the_process->migration_.deputies().time_elsewhere(); }
  static int64_t cost_at_home() { return the_process->migration_.deputies().cost_at_home(); }
  static bool may_depart(siginfo_t* signal) { return the_process->migration_.deputies().may_depart(*signal); }
  static void has_waited() { the_process->migration_.deputies().has_waited(); }
  static void bring_home() { the_process->bring_home(); }
  static void begin_new_pages() { the_process->heap_.begin_new_pages(); }
  static void let_return_by(const void* begin, const void* end) { the_process->migration_.let_return_by(begin, end); }
  static bool take_bound_call() { return the_process->migration_.take_bound_call(); }
  static const char* why_no_journeys() { return the_process->migration_.why_nobody_departs(); }
  static void end_visit() { the_process->service_->prefetcher().visits.end(); }
};

NodeProcess* NodeProcess::instance() { return the_process.node_process(decide); }

NodeProcess* NodeProcess::decide() {
  if (!environ) // the C library is not up yet
    return nullptr;
  if (!the_process.begin())
    return nullptr;
  const char* text = environment_text(plan_variable);
  const std::optional<LaunchPlan> plan = text ? parse_plan(text) : std::nullopt;
  if (!plan || plan->process != getpid()) {
    the_process.decide(nullptr);
    return nullptr;
  }
  // A thread of the program may fault on its stack while it holds the lock of the arena it allocates from, and only the
  // service thread can then bring the page: the two must never share an arena.
  if (plan->users_layout)
    give_back_layout(*plan->users_layout);
  if (const std::string what = what_lies_among_nodes(); !what.empty())
    die(exit_code::software, "node processes cannot begin: %s", what.c_str());
  constexpr int no_sharing = 1 << 16;
  mallopt(M_ARENA_MAX, no_sharing);
  auto* const process = new NodeProcess(*plan);
  // Exit handlers run in reverse: as the first one, before any constructor, this is the last. Destructors of the
  // program and of its shared objects still find every page.
  on_exit(end_program, nullptr);
  prepare_for_forks();
  the_process.decide(process);
  return process;
}

void NodeProcess::leave() {
  thread_memory.cache = nullptr; // of a heap that is not used any more
  the_process->migration_.deputies().forget();
  the_process.leave();
}

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
  const bool turns = read_boolean(Variable::HETMP_TURNS, true);
  service_->turns().enable(turns, prefetch.streams);
  if (read_boolean(Variable::HETMP_BUSY_POLL, false))
    service_->poll_busily();
  heap_.set_budget(&budget_);
  fabric_ = {fabric_version,
             launch_.node,
             plan_.nodes(),
             launch_.transport->name.data(),
             "",
             FabricFunctions::attach,
             FabricFunctions::send,
             FabricFunctions::is_shared,
             FabricFunctions::may_hold_code,
             FabricFunctions::holds_code,
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
             prefetch.pushes ? FabricFunctions::offer_is_over : nullptr,
             prefetch.visits ? FabricFunctions::begin_visit : nullptr,
             prefetch.visits ? FabricFunctions::end_visit : nullptr,
             turns ? FabricFunctions::wait_outside : nullptr,
             prefetch.streams ? FabricFunctions::compute_alone : nullptr,
             nullptr, // travelling: see prepare_migration()
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             FabricFunctions::bring_home,
             FabricFunctions::begin_new_pages,
             FabricFunctions::let_return_by,
             FabricFunctions::why_no_journeys,
             nullptr}; // see prepare_migration()
}

void* NodeProcess::allocate_for_all(size_t bytes) { return the_process->heap_.allocate(bytes); }

/// Of the program's threads; for any thread of any node (WaysPastGates).
void NodeProcess::have_all_at_home() {
  NodeProcess* const process = instance();
  if (!process || must_allocate_privately())
    return;
  if (process->node() == origin)
    process->migration_.deputies().stay_at_home();
  else
    change_at({.kind = Change::Kind::StayAtHome}, origin, nullptr);
}

void NodeProcess::begin_early() {
  file_data_.make_anonymous();
  stacks_.plan_main(address_layout().stack_bytes);
  show_main_early();
  if (launch_.made_by_launcher())
    return;
  const std::vector<LoadedObject> objects = loaded_objects();
  shared_variables_.share(SharedVariables::Kind::Streams, objects, which_are_private(facts_of(objects)),
                          allocate_for_all);
}

void NodeProcess::prepare_objects() {
  const std::vector<LoadedObject> objects = loaded_objects();
  const std::vector<ObjectFacts> facts = facts_of(objects);
  // The C++ library keeps keys in objects of the program's.
  thread_keys_.ignore(those_that_are(true, objects, which_serve_the_process(facts)));
  prepare_migration(objects, which_are_private(facts));
}

/// Threads travel between copies of one process: others may have put gates, and what they lead to, elsewhere. So with
/// variables that a place is found for here.
void NodeProcess::prepare_migration(const std::vector<LoadedObject>& objects, const std::vector<bool>& are_private) {
  if (launch_.made_by_launcher())
    return;
  shared_variables_.share(SharedVariables::Kind::CLibrary, objects, are_private, allocate_for_all);
  if (!read_boolean(Variable::HETMP_MIGRATION, true) || !migration_.prepare(have_all_at_home))
    return;
  fabric_.begin_journey = FabricFunctions::begin_journey;
  fabric_.end_journey = FabricFunctions::end_journey;
  fabric_.begin_part = FabricFunctions::begin_part;
  fabric_.may_depart = FabricFunctions::may_depart;
  fabric_.task_signs = task_signs;
  fabric_.has_waited = FabricFunctions::has_waited;
  fabric_.time_elsewhere = FabricFunctions::time_elsewhere;
  fabric_.cost_at_home = FabricFunctions::cost_at_home;
  fabric_.come_home = migration_.come_home();
  fabric_.take_bound_call = FabricFunctions::take_bound_call;
}

} // namespace hetmp::dsm
