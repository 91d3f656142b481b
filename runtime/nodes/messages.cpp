// Nodes that are processes: requests, answers and starts of teams travel as messages. The coordinator belongs to the
// origin's service thread, which delivers messages; it is touched by no other thread, so it has no lock.
#include "runtime/nodes/messages.hpp"

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "base/message.hpp"
#include "perf/counters.hpp"
#include "runtime/global/global_level_instance.hpp"
#include "runtime/nodes/coordinated_level.hpp"
#include "runtime/nodes/page_report.hpp"
#include "runtime/nodes/pushes.hpp"
#include "runtime/nodes/timeline.hpp"
#include "runtime/process/ending_signals.hpp"
#include "runtime/process/fault_source.hpp"
#include "runtime/process/library.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/thread_factory.hpp"
#include "runtime/regions/spread.hpp"
#include "runtime/regions/spread_team.hpp"
#include "runtime/team/visits.hpp"

#include <cstdio>
#include <cstring>
#include <utility>

namespace hetmp::runtime {
namespace {

constexpr int exit_code_protocol = 76; // EX_PROTOCOL of sysexits.h

dsm::Fabric* fabric;

enum class MessageKind : uint32_t { Request = 1, Answer, Start, Report };

struct AnswerMessage {
  MessageKind kind = MessageKind::Answer;
  Answer answer;
};
struct RequestMessage {
  MessageKind kind = MessageKind::Request;
  Request request; ///< last: only request.bytes() of it travel
};
struct StartMessage {
  MessageKind kind = MessageKind::Start;
  TeamDescription part; ///< last: only the used arguments travel
};
static_assert(sizeof(RequestMessage) <= dsm::largest_message);
static_assert(sizeof(StartMessage) <= dsm::largest_message);
static_assert(sizeof(AnswerMessage) <= dsm::largest_message);

size_t bytes_of(const TeamDescription& part) {
  return offsetof(TeamDescription, arguments) + part.argument_count * sizeof(void*);
}

/// The part of a team that waits for this node's resident leader. One slot is enough: only the initial task of the
/// program spreads teams over node processes, so there is one at a time. Filled by the service thread, emptied by the
/// leader; `handed` and `taken` count both.
struct Mailbox {
  TeamDescription part;
  EventCount handed;
  std::atomic<uint32_t> taken{0};
} mailbox;

/// The last region that was started on other nodes; relaxed: for messages to people only.
std::atomic<const void*> region_now{nullptr};

const void* current_region() { return region_now.load(std::memory_order_relaxed); }

class MessageLevel final : public CoordinatedLevel {
 public:
  explicit MessageLevel(Coordinator coordinator) : coordinator_(std::move(coordinator)) {}

  void start(const TeamDescription& part) override {
    page_report::region_begins(part);
    StartMessage message;
    memcpy(static_cast<void*>(&message.part), &part, bytes_of(part));
    region_now.store(reinterpret_cast<const void*>(part.microtask), std::memory_order_relaxed);
    fabric->send(part.node, &message, uint32_t(offsetof(StartMessage, part) + bytes_of(part)));
    offer_arguments(*fabric, part);
  }

  void offer_copies(const TeamDescription& part, uint64_t sequence, void* copies, uint32_t variables,
                    bool waits) override {
    push_copies(*fabric, copies, variables);
    CoordinatedLevel::offer_copies(part, sequence, copies, variables, waits);
  }

  void join(const TeamDescription& part, uint64_t sequence, bool unplaced) override {
    CoordinatedLevel::join(part, sequence, unplaced);
    if (part.node == 0) // the primary's node waits for all others
      region_now.store(nullptr, std::memory_order_relaxed);
    page_report::region_ends();
  }

  /// The service thread makes it, while teams may be running. Waits for it a second at most; then nothing is known.
  perf::Report report() override {
    // Never freed: what the service thread allocates lies in its own arena, whose lock nobody may hold who can fault.
    auto* drawn = new DrawnReport;
    report_wanted_.store(drawn, std::memory_order_release); // pairs with the exchange in draw_report()
    const MessageKind kind = MessageKind::Report;
    fabric->send(0, &kind, sizeof kind);
    constexpr int64_t patience = 1'000'000'000;
    const int64_t deadline = monotonic_ns() + patience;
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
    DrawnReport* drawn = report_wanted_.exchange(nullptr, std::memory_order_acquire);
    if (!drawn)
      return;
    drawn->report = coordinator_.report();
    drawn->done.store(1, std::memory_order_release); // pairs with the acquire in report()
    futex_wake(drawn->done, 1);
  }

  /// Service thread of the origin.
  void handle(const Request& request) {
    answers_.clear();
    if (!coordinator_.handle(request, answers_))
      die(exit_code_protocol, "node %u sent a request that cannot be", request.node);
    after(request, coordinator_);
    for (const Answer& answer : answers_)
      reply(answer);
    if (request.kind == Request::Kind::Barrier)
      offer_result(request);
  }

  /// Service thread of any node: the coordinator's answer.
  static bool receive(const Answer& answer) { return deliver(answer); }

 protected:
  void post(const Request& request) override {
    RequestMessage message;
    memcpy(static_cast<void*>(&message.request), &request, request.bytes());
    fabric->send(0, &message, uint32_t(offsetof(RequestMessage, request) + request.bytes()));
  }

 private:
  struct DrawnReport {
    perf::Report report;
    FutexWord done{0};
  };

  /// A barrier of which this is a part: when it is over, nodes may read what node 0 has written before it.
  void offer_result(const Request& request) {
    if (request.node == 0)
      barrier_site_ = request.site;
    if (!answers_.empty() && barrier_site_ != 0 && fabric->offer_again)
      fabric->offer_again(request.microtask ^ barrier_site_);
  }

  void reply(const Answer& answer) {
    if (answer.node == fabric->node) {
      deliver(answer);
      return;
    }
    AnswerMessage message;
    message.answer = answer;
    fabric->send(answer.node, &message, sizeof message);
  }

  Coordinator coordinator_;
  std::vector<Answer> answers_; ///< kept for its memory
  uint64_t barrier_site_ = 0;   ///< where node 0 came to its last barrier
  std::atomic<DrawnReport*> report_wanted_{nullptr};
};

MessageLevel* level;

[[noreturn]] void refuse(uint32_t from, uint32_t size) {
  die(exit_code_protocol, "node %u sent a runtime message of %u bytes that means nothing", from, size);
}

void deliver(uint32_t from, const void* bytes, uint32_t size) {
  MessageKind kind{};
  if (size < sizeof kind || size > dsm::largest_message)
    refuse(from, size);
  memcpy(&kind, bytes, sizeof kind);
  switch (kind) {
  case MessageKind::Request: {
    RequestMessage message;
    memcpy(static_cast<void*>(&message), bytes, std::min<size_t>(size, sizeof message));
    if (size < offsetof(RequestMessage, request) + offsetof(Request, payload) ||
        message.request.payload_length > Request::longest_payload ||
        size != offsetof(RequestMessage, request) + message.request.bytes() || message.request.node != from)
      refuse(from, size);
    level->handle(message.request);
    return;
  }
  case MessageKind::Answer: {
    AnswerMessage message;
    if (size != sizeof message || from != 0)
      refuse(from, size);
    memcpy(static_cast<void*>(&message), bytes, size);
    if (!MessageLevel::receive(message.answer))
      refuse(from, size);
    return;
  }
  case MessageKind::Start: {
    StartMessage message;
    memcpy(static_cast<void*>(&message), bytes, std::min<size_t>(size, sizeof message));
    if (size < offsetof(StartMessage, part) + offsetof(TeamDescription, arguments) ||
        message.part.argument_count > most_forwarded_arguments ||
        size != offsetof(StartMessage, part) + bytes_of(message.part) || message.part.node != fabric->node)
      refuse(from, size);
    // acquire: pairs with the release in lead(), the leader has copied the previous part.
    if (mailbox.taken.load(std::memory_order_acquire) != mailbox.handed.epoch())
      die(exit_code_protocol, "a team was started on node %u while another one starts there", fabric->node);
    memcpy(static_cast<void*>(&mailbox.part), &message.part, bytes_of(message.part));
    mailbox.handed.post();
    return;
  }
  case MessageKind::Report:
    if (size != sizeof kind || from != 0 || fabric->node != 0)
      refuse(from, size);
    level->draw_report();
    return;
  }
  refuse(from, size);
}

/// The resident leader of a node process: runs this node's part of each team as its first thread.
void* lead(void*) {
  auto* part = new TeamDescription;
  for (uint32_t seen = 0;; ++seen) {
    mailbox.handed.wait_while(seen);
    memcpy(static_cast<void*>(part), &mailbox.part, bytes_of(mailbox.part));
    mailbox.taken.store(seen + 1, std::memory_order_release); // pairs with the acquire in deliver()
    page_report::region_begins(*part);
    run_node_part(*part); // its join is what ends the region
  }
  return nullptr;
}

void node_started() {
  set_own_node(fabric->node);
  perf::set_counter_settings({{}, false}); // the origin complains for all
  refresh_spinning();
  // Its part of a team has this thread at least, whatever stacks the user wants: the others are told of by who misses
  // them.
  const size_t wanted = program_icvs().stack_bytes;
  int error = fabric->create_thread(lead, nullptr, wanted);
  if (error && wanted)
    error = fabric->create_thread(lead, nullptr, 0);
  if (error)
    die(71, "node %u cannot create its first thread: %s", fabric->node, strerrordesc_np(error));
}

NodeFaults faults_of_this_node() {
  dsm::FaultCounters counters;
  fabric->read_faults(&counters);
  return {counters.read_misses, counters.write_misses, counters.write_upgrades};
}

bool primary_lies_in_shared_memory() { return fabric->is_shared(__builtin_frame_address(0)); }

/// What threads of this node have printed must not be lost in this process, nor come after what follows the region.
void flush_output() { fflush(nullptr); }

int make_shared_thread(void* (*body)(void*), void* argument, size_t stack_bytes) {
  return fabric->create_thread(body, argument, stack_bytes);
}

} // namespace

void attach_fabric(dsm::Fabric& joined) {
  fabric = &joined;
  static const dsm::RuntimeHooks hooks{deliver, node_started, current_region, timeline::read_events, program_sigaction};
  fabric->attach(&hooks);
  make_thread = make_shared_thread;
  node_faults = faults_of_this_node;
  spread_hooks.may_spread = primary_lies_in_shared_memory;
  spread_hooks.node_part_finished = flush_output;
  visits::hooks = {fabric->begin_visit, fabric->end_visit};
}

CoordinatedLevel* make_message_level(Coordinator coordinator) {
  return level = new MessageLevel(std::move(coordinator));
}

} // namespace hetmp::runtime
