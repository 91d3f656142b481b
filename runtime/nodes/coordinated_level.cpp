#include "runtime/nodes/coordinated_level.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/global/answers.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/sync/program_locks.hpp"
#include "runtime/tasking/away_tasks.hpp"

#include <algorithm>
#include <span>

namespace hetmp::runtime {
namespace {

ConstructName name_of(const TeamDescription& part, uint64_t sequence) { return {part.team, sequence}; }

uint64_t microtask_of(const TeamDescription& part) { return reinterpret_cast<uint64_t>(part.microtask); }

std::string_view source_of(const LoopIdentity& loop) {
  return std::string_view(loop.source ? loop.source : "").substr(0, Request::longest_source);
}

template <class Expected> const Expected& expect(const Answer& answer) {
  const auto* expected = std::get_if<Expected>(&answer.content);
  if (!expected)
    die(exit_code::protocol, "node 0 sent an answer to another question than was asked");
  return *expected;
}

bool come_back_unexecuted(const Handover& unwanted) {
  return std::ranges::all_of(std::span(unwanted.tasks, unwanted.count),
                             [](const HandedTask& task) { return come_back(task.slot, 0); });
}

// What the coordinator says of locks; false if it means nothing here.

bool deliver_lock(const Answer::LockGranted& granted) {
  return program_locks.table().granted(granted.key, granted.recalled);
}

bool deliver_lock(const Answer::LockTried& tried) {
  return !tried.taken || program_locks.table().granted_to_trier(tried.key, tried.recalled);
}

/// `trial`: the recall's that is answered.
void reply(lock_word::Tell what, uint64_t key, uint32_t trial, std::vector<Request>& replies) {
  using lock_word::Tell;
  if (what == Tell::GiveBack || what == Tell::GiveBackAndAsk)
    replies.push_back({{.node = own_node()}, Request::GiveBackLock{key, what == Tell::GiveBackAndAsk}});
  else if (what == Tell::Keep)
    replies.push_back({{.node = own_node()}, Request::KeepLock{key, trial}});
}

bool deliver_lock(const Answer::LockRecalled& asked, std::vector<Request>& replies) {
  reply(program_locks.table().recalled(asked.key, asked.trial != 0, asked.leaves), asked.key, asked.trial, replies);
  return true;
}

bool deliver_lock(const Answer::LockReleased& released, std::vector<Request>& replies) {
  reply(program_locks.released_elsewhere(released.key), released.key, 0, replies);
  return true;
}

bool deliver_lock(const Answer::LockHome& home) {
  if (own_node() == 0)
    program_locks.table().came_home(home.key);
  return own_node() == 0;
}

} // namespace

void CoordinatedLevel::tell(uint32_t node, const auto& content) { post({{.node = node}, content}); }

const Answer& CoordinatedLevel::ask(uint32_t node, const auto& content) {
  HETMP_CHECK(node < layout().nodes());
  const Asker self{node, AnswerSlots::own_ticket()};
  const uint32_t expected = AnswerSlots::expect(self.ticket);
  post({self, content});
  waits_outside(true);
  const Answer& answer = AnswerSlots::wait(self.ticket, expected);
  waits_outside(false);
  return answer;
}

NodesMeeting CoordinatedLevel::barrier(const TeamDescription& part, uint64_t sequence, uint64_t word,
                                       const void* site) {
  const Answer& answer = ask(part.node, Request::Barrier{name_of(part, sequence), part.participants, microtask_of(part),
                                                         word, reinterpret_cast<uint64_t>(site)});
  if (const auto* given = std::get_if<Answer::Tasks>(&answer.content))
    return {false, 0, given->tasks};
  return {true, expect<Answer::BarrierOver>(answer).word, {}};
}

uint32_t CoordinatedLevel::idle_nodes(const TeamDescription& part) {
  return expect<Answer::IdleNodes>(ask(part.node, Request::AskIdle{part.team})).count;
}

void CoordinatedLevel::offer_tasks(const TeamDescription& part, const Handover& tasks) {
  tell(part.node, Request::OfferTasks{part.team, tasks});
}

void CoordinatedLevel::return_task(const TeamDescription& part, uint32_t origin, uint32_t slot, uint64_t nanoseconds) {
  tell(part.node, Request::ReturnTask{origin, slot, nanoseconds});
}

bool CoordinatedLevel::deliver(const Answer& answer, std::vector<Request>& replies) {
  if (const auto* unwanted = std::get_if<Answer::TasksUnwanted>(&answer.content))
    return come_back_unexecuted(unwanted->tasks);
  if (const auto* done = std::get_if<Answer::TaskDone>(&answer.content))
    return come_back(done->slot, done->nanoseconds + 1);
  if (const auto* cancelled = std::get_if<Answer::Cancelled>(&answer.content)) {
    hear(*cancelled);
    return true;
  }
  if (const auto* granted = std::get_if<Answer::LockGranted>(&answer.content))
    return deliver_lock(*granted);
  if (const auto* recalled = std::get_if<Answer::LockRecalled>(&answer.content))
    return deliver_lock(*recalled, replies);
  if (const auto* released = std::get_if<Answer::LockReleased>(&answer.content))
    return deliver_lock(*released, replies);
  if (const auto* home = std::get_if<Answer::LockHome>(&answer.content))
    return deliver_lock(*home);
  if (const auto* tried = std::get_if<Answer::LockTried>(&answer.content); tried && !deliver_lock(*tried))
    return false;
  return AnswerSlots::deliver(answer);
}

NodeRegions::Seen CoordinatedLevel::join(const TeamDescription& part, uint64_t sequence, const Seen& seen) {
  const Request::Join content{name_of(part, sequence),       part.participants, microtask_of(part), seen.unplaced,
                              threads_stay_where_they_are(), seen.trips,        seen.bound};
  if (part.node == 0) {
    const auto& joined = expect<Answer::Joined>(ask(part.node, content));
    return {seen.unplaced, joined.trips, joined.bound};
  }
  tell(part.node, content);
  return seen;
}

schedulers::Assignment CoordinatedLevel::ask_loop(const TeamDescription& part, uint64_t loop,
                                                  const LoopQuestion& question) {
  const Request::AskLoop content{name_of(part, loop),
                                 part.participants,
                                 microtask_of(part),
                                 part.threads,
                                 reinterpret_cast<uint64_t>(question.identity.call_site),
                                 question.schedule,
                                 question.trips,
                                 question.done,
                                 source_of(question.identity)};
  return expect<Answer::Assigned>(ask(part.node, content)).assignment;
}

void CoordinatedLevel::report_loop(const TeamDescription& part, uint64_t loop, const LoopQuestion& question) {
  tell(part.node, Request::ReportLoop{name_of(part, loop), question.done});
}

void CoordinatedLevel::offer_copies(const TeamDescription& part, uint64_t sequence, void* copies, uint32_t,
                                    bool waits) {
  const Request::OfferCopies content{name_of(part, sequence), part.participants, reinterpret_cast<uint64_t>(copies),
                                     waits};
  if (waits)
    expect<Answer::Go>(ask(part.node, content));
  else
    tell(part.node, content);
}

void* CoordinatedLevel::take_copies(const TeamDescription& part, uint64_t sequence, uint32_t node) {
  const Request::TakeCopies content{name_of(part, sequence), part.participants, node};
  return reinterpret_cast<void*>(expect<Answer::Copies>(ask(part.node, content)).address);
}

void CoordinatedLevel::release_copies(const TeamDescription& part, uint64_t sequence) {
  tell(part.node, Request::ReleaseCopies{name_of(part, sequence), part.participants});
}

void CoordinatedLevel::ordered_wait(const TeamDescription& part, uint64_t loop, uint64_t index) {
  expect<Answer::Go>(ask(part.node, Request::OrderedWait{name_of(part, loop), index}));
}

void CoordinatedLevel::ordered_post(const TeamDescription& part, uint64_t loop, uint64_t next) {
  tell(part.node, Request::OrderedPost{name_of(part, loop), next});
}

void CoordinatedLevel::ask_lock(uint64_t key) {
  asked_locks_.fetch_add(1, std::memory_order_relaxed);
  tell(own_node(), Request::Lock{key});
}

bool CoordinatedLevel::try_lock(uint64_t key) {
  asked_locks_.fetch_add(1, std::memory_order_relaxed);
  return expect<Answer::LockTried>(ask(own_node(), Request::TryLock{key})).taken;
}

void CoordinatedLevel::give_back_lock(uint64_t key, bool again) { tell(own_node(), Request::GiveBackLock{key, again}); }

void CoordinatedLevel::release_lock(uint64_t key) { tell(own_node(), Request::ReleaseLock{key}); }

void CoordinatedLevel::cancel_elsewhere(const TeamDescription& part, uint32_t construct, uint64_t loop) {
  HETMP_CHECK(part.team != 0 && part.nodes > 1);
  tell(part.node, Request::Cancel{part.team, part.participants, construct, loop});
}

void CoordinatedLevel::after(const Request& request, const Coordinator& coordinator) {
  const auto* join = std::get_if<Request::Join>(&request.content);
  if (join && join->threads_stay)
    keep_threads_where_they_are(); // before the region is over for node 0, which plans the next one
  if (join && request.from.node == 0)
    publish_needed_nodes(reinterpret_cast<const void*>(join->microtask), coordinator.nodes_needed(join->microtask),
                         coordinator.placed_loops(join->microtask));
}

} // namespace hetmp::runtime
