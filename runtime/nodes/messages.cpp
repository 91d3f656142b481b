// Nodes that are processes: requests, answers and starts of teams travel as messages. The coordinator belongs to the
// origin's service thread, which delivers messages; it is touched by no other thread, so it has no lock.
#include "runtime/nodes/messages.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/exit_codes.hpp"
#include "base/futex.hpp"
#include "base/message.hpp"
#include "perf/counters.hpp"
#include "runtime/global/codec.hpp"
#include "runtime/nodes/coordinated_level.hpp"
#include "runtime/nodes/node_setup.hpp"
#include "runtime/nodes/page_report.hpp"
#include "runtime/nodes/pushes.hpp"
#include "runtime/nodes/timeline.hpp"
#include "runtime/process/code_ids.hpp"
#include "runtime/process/ending_signals.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/process/library.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/thread_factory.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/regions/spread_team.hpp"
#include "runtime/regions/travelling.hpp"
#include "runtime/sync/node_lock.hpp"
#include "runtime/sync/program_locks.hpp"
#include "runtime/wait/wait.hpp"

#include <clocale>
#include <cstring>
#include <utility>

namespace hetmp::runtime {
namespace {

static_assert(EncodedMessage::most_bytes <= dsm::largest_message);

/// Hands it to the fabric.
void send(uint32_t to, const EncodedMessage& message) {
  HETMP_CHECK(to < fabric->nodes && message.size() != 0 && message.size() <= EncodedMessage::most_bytes);
  fabric->send(to, message.data(), message.size());
}

/// A thread of this node begins or ends to wait for other nodes.
void tell_waits(bool begins) {
  if (fabric->wait_outside)
    fabric->wait_outside(begins);
}

/// The part of a team that waits for this node's resident leader. One slot is enough: only the initial task of the
/// program spreads teams over node processes, so there is one at a time. Filled by the service thread, emptied by the
/// leader; `handed_` and `taken_` count both.
class Mailbox {
 public:
  /// Service thread. False: the last one has not been taken.
  bool put(const TeamStart& start) {
    // acquire: pairs with the release in take(), the leader has copied the previous part.
    if (taken_.load(std::memory_order_acquire) != handed_.epoch())
      return false;
    start_ = start;
    handed_.post();
    return true;
  }

  /// The leader, which waits for the next one.
  TeamCode take(TeamDescription& part) {
    const uint32_t seen = taken_.load(std::memory_order_relaxed); // its own
    tell_waits(true);
    handed_.wait_while(seen);
    tell_waits(false);
    HETMP_CHECK(handed_.epoch() == seen + 1); // put() refuses what comes before this one is taken
    part = start_.part;
    const TeamCode code = start_.code;
    taken_.store(seen + 1, std::memory_order_release); // pairs with the acquire in put()
    return code;
  }

 private:
  TeamStart start_;
  EventCount handed_;
  std::atomic<uint32_t> taken_{0}; ///< released by take(), acquired by put()
};

class MessageLevel final : public CoordinatedLevel {
 public:
  explicit MessageLevel(Coordinator coordinator) : coordinator_(std::move(coordinator)) {}

  void start(const TeamDescription& part) override {
    HETMP_CHECK(fabric->node == 0 && part.node != 0 && part.participants.contains(part.node)); // only node 0 spreads
    page_report::region_begins(part);
    region_now_.store(reinterpret_cast<const void*>(part.microtask), std::memory_order_relaxed);
    latest_team_.store(part.team, std::memory_order_relaxed); // what the team sends comes later
    send(part.node, EncodedMessage(part, {name_code(part.microtask), name_code(part.invoke)}));
    offer_arguments(*fabric, part);
  }

  void offer_copies(const TeamDescription& part, uint64_t sequence, void* copies, uint32_t variables,
                    bool waits) override {
    push_copies(*fabric, copies, variables);
    CoordinatedLevel::offer_copies(part, sequence, copies, variables, waits);
  }

  Seen join(const TeamDescription& part, uint64_t sequence, const Seen& seen) override {
    const Seen joined = CoordinatedLevel::join(part, sequence, seen);
    if (part.node == 0) // the primary's node waits for all others
      region_now_.store(nullptr, std::memory_order_relaxed);
    page_report::region_ends();
    return joined;
  }
  const void* region_now() const { return region_now_.load(std::memory_order_relaxed); }

  /// Teams on node processes have one root: see Mailbox.
  const HeardCancellations& cancellations_of(const TeamDescription&) override { return heard_; }

  Mailbox& mailbox() { return mailbox_; }

  void follow(const schedulers::DecisionRules& rules) override { coordinator_.follow(rules); }
  /// The service thread makes it, while teams may be running. Waits for it a second at most; then nothing is known.
  perf::Report report() override {
    // Never freed: what the service thread allocates lies in its own arena, whose lock nobody may hold who can fault.
    auto* drawn = new DrawnReport;
    report_wanted_.store(drawn, std::memory_order_release); // pairs with the exchange in draw_report()
    send(0, EncodedMessage(ReportWanted{}));
    constexpr int64_t patience = 1'000'000'000;
    const int64_t deadline = monotonic_ns() + patience;
    // acquire: pairs with the release in draw_report().
    for (int64_t left = patience; drawn->done.load(std::memory_order_acquire) == 0; left = deadline - monotonic_ns()) {
      if (left <= 0) {
        perf::Report nothing;
        nothing.nodes = fabric->nodes;
        return nothing;
      }
      const timespec timeout{left / patience, left % patience};
      futex_wait(drawn->done, 0, FutexScope::Process, &timeout);
    }
    return drawn->report;
  }

  /// Service thread of the origin: somebody wants the report.
  void draw_report() {
    // acquire: pairs with the release in report().
    DrawnReport* drawn = report_wanted_.exchange(nullptr, std::memory_order_acquire);
    if (!drawn)
      return;
    drawn->report = coordinator_.report();
    drawn->done.store(1, std::memory_order_release); // pairs with the acquire in report()
    futex_wake(drawn->done, 1);
  }

  /// Service thread of the origin. What its own node has to say to the answers comes before all other requests.
  void handle(const Request& request) {
    handle_one(request);
    for (size_t i = 0; i < replies_.size(); ++i)
      handle_one(Request(replies_[i])); // which may append more
    replies_.clear();
  }

  /// Service thread of any node but the origin: the coordinator's answer.
  bool receive(const Answer& answer) {
    if (!deliver(answer, replies_))
      return false;
    for (const Request& reply : replies_)
      post(reply);
    replies_.clear();
    return true;
  }

 protected:
  /// Service thread.
  void hear(const Answer::Cancelled& cancelled) override { heard_.hear(cancelled.team, cancelled.construct); }
  void post(const Request& request) override { send(0, EncodedMessage(request)); }
  void waits_outside(bool begins) override { tell_waits(begins); }

 private:
  struct DrawnReport {
    perf::Report report;
    FutexWord done{0};
  };

  void handle_one(const Request& request) {
    answers_.clear();
    if (!is_of_team(request) || !coordinator_.handle(request, answers_, now_us()))
      die(exit_code::protocol, "node %u sent a request that cannot be", request.from.node);
    after(request, coordinator_);
    for (const Answer& answer : answers_)
      reply(answer);
    if (const auto* barrier = std::get_if<Request::Barrier>(&request.content))
      offer_result(request.from.node, *barrier);
    else if (const auto* join = std::get_if<Request::Join>(&request.content))
      note_end(request.from.node, join->nodes);
  }

  /// What a node cancels comes before it joins, and teams follow each other. Another team's would be kept by the nodes,
  /// which would not hear of this one any more.
  bool is_of_team(const Request& request) const {
    const auto* cancel = std::get_if<Request::Cancel>(&request.content);
    return !cancel || cancel->team == latest_team_.load(std::memory_order_relaxed); // stored before the team was sent
  }

  /// A barrier of which this is a part: when it is over, nodes may read what node 0 has written before it.
  void offer_result(uint32_t from, const Request::Barrier& barrier) {
    if (from == 0)
      barrier_site_ = barrier.site;
    if (!answers_.empty() && barrier_site_ != 0 && fabric->offer_again)
      fabric->offer_again(barrier.microtask ^ barrier_site_);
  }

  /// When the other nodes are at the end of the region they read nothing more for it; and in its midst, when the origin
  /// is at its end, not much more.
  void note_end(uint32_t from, NodeSet team) {
    joined_.add(from);
    const NodeSet others = team.without(0);
    const bool all_others = (joined_ & others) == others;
    if (fabric->offer_is_over && (all_others ? from != 0 : from == 0))
      fabric->offer_is_over(all_others);
    if (joined_ == team)
      joined_ = {};
  }

  void reply(const Answer& answer) {
    if (answer.to.node == fabric->node)
      deliver(answer, replies_);
    else
      send(answer.to.node, EncodedMessage(answer));
  }

  Coordinator coordinator_;
  std::vector<Answer> answers_; ///< kept for its memory
  std::vector<Request> replies_;
  NodeSet joined_;            ///< nodes at the end of the present region
  uint64_t barrier_site_ = 0; ///< where node 0 came to its last barrier
  std::atomic<DrawnReport*> report_wanted_{nullptr};
  /// The last region that was started on other nodes; relaxed: for messages to people only.
  std::atomic<const void*> region_now_{nullptr};
  std::atomic<uint64_t> latest_team_{0}; ///< that was started on other nodes; relaxed: see is_of_team()
  HeardCancellations heard_;
  Mailbox mailbox_;
};

/// There is one before messages can come.
MessageLevel& level() { return static_cast<MessageLevel&>(*program_level); }

[[noreturn]] void refuse(uint32_t from, uint32_t size, const char* why) {
  die(exit_code::protocol, "node %u sent a runtime message of %u bytes that %s", from, size, why);
}

// What a message makes this node do; null, or why no correct node sends it there.

const char* take(uint32_t from, const Request& request) {
  if (request.from.node != from || fabric->node != 0)
    return "is another node's";
  level().handle(request);
  return nullptr;
}

const char* take(uint32_t from, const Answer& answer) {
  if (from != 0 || answer.to.node != fabric->node)
    return "is another node's";
  return level().receive(answer) ? nullptr : "answers what was not asked";
}

const char* take(uint32_t, const TeamStart& start) {
  if (start.part.node != fabric->node)
    return "is another node's";
  return level().mailbox().put(start) ? nullptr : "starts a team while another one starts there";
}

const char* take(uint32_t from, ReportWanted) {
  if (from != 0 || fabric->node != 0)
    return "is another node's";
  level().draw_report();
  return nullptr;
}

void deliver(uint32_t from, const void* bytes, uint32_t size) {
  Message message;
  const char* why = decode({static_cast<const std::byte*>(bytes), size}, message);
  if (!why)
    why = std::visit([from](const auto& content) { return take(from, content); }, message);
  if (why)
    refuse(from, size, why);
}

/// The functions that the team executes, where they are in this process.
void take_code(TeamDescription& part, const TeamCode& code) {
  part.microtask = find_function<void*>(code.microtask);
  part.invoke = find_function<Invoker>(code.invoke);
  if (!part.microtask || !part.invoke)
    die(exit_code::protocol, "node %u is to start a team whose code it has not loaded", fabric->node);
}

/// The C library gives a thread the tables of characters (isalpha) that the locale has when it begins. This one has
/// begun before main, which may have set another one.
void take_tables_of_locale() {
  if (uselocale(nullptr) == LC_GLOBAL_LOCALE)
    uselocale(LC_GLOBAL_LOCALE);
}

/// The resident leader of a node process: runs this node's part of each team as its first thread.
void* lead(void*) {
  auto* part = new TeamDescription;
  while (true) {
    take_code(*part, level().mailbox().take(*part));
    take_tables_of_locale();
    page_report::region_begins(*part);
    run_node_part(*part); // its join is what ends the region
  }
  return nullptr;
}

const void* current_region() { return level().region_now(); }

void node_started() {
  set_own_node(fabric->node);
  program_locks.stay_in_table(fabric->come_home);
  program_locks.table().attach(level(), false);
  perf::set_counter_settings({{}, false}); // the origin complains for all
  refresh_spinning();
  // Its part of a team has this thread at least, whatever stacks the user wants: the others are told of by who misses
  // them.
  const size_t wanted = program_icvs().stack_bytes;
  int error = fabric->create_thread(lead, nullptr, wanted);
  if (error && wanted)
    error = fabric->create_thread(lead, nullptr, 0);
  if (error)
    die(exit_code::no_resources, "node %u cannot create its first thread: %s", fabric->node, strerrordesc_np(error));
}

uint32_t threads_awake() { return spinning.has_cpus() ? spinning.awake() : UINT32_MAX; }
uint32_t usable_cpus() { return spinning.usable_cpus(); }

} // namespace

void attach_fabric(dsm::Fabric& joined) {
  fabric = &joined;
  static const dsm::RuntimeHooks hooks{deliver,
                                       node_started,
                                       current_region,
                                       timeline::read_events,
                                       program_sigaction,
                                       bind_threads_to_origin,
                                       threads_awake,
                                       usable_cpus,
                                       own_threads,
                                       read_chosen_interconnect,
                                       keep_regions_at_home};
  joined.attach(&hooks);
  travelling::attach(joined);
}

CoordinatedLevel* make_message_level(Coordinator coordinator) {
  auto* const made = new MessageLevel(std::move(coordinator));
  program_locks.table().attach(*made, true);
  return made;
}

} // namespace hetmp::runtime
