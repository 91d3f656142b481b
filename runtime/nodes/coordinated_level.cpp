#include "runtime/nodes/coordinated_level.hpp"

#include "runtime/global/answers.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/tasking/away_tasks.hpp"

#include <algorithm>
#include <cstring>

namespace hetmp::runtime {
namespace {

Request request_of(const TeamDescription& part, Request::Kind kind, uint64_t sequence) {
  Request request;
  request.kind = kind;
  request.node = part.node;
  request.nodes = part.nodes;
  request.participants = part.participants;
  request.threads = part.threads;
  request.microtask = reinterpret_cast<uint64_t>(part.microtask);
  request.team = part.team;
  request.sequence = sequence;
  return request;
}

Request loop_request(const TeamDescription& part, Request::Kind kind, uint64_t loop, const LoopQuestion& question) {
  Request request = request_of(part, kind, loop);
  request.word = reinterpret_cast<uint64_t>(question.identity.call_site);
  request.schedule = question.schedule;
  request.trips = question.trips;
  request.done = question.done;
  if (const char* source = question.identity.source) {
    request.payload_length = uint32_t(std::min<size_t>(strlen(source), Request::longest_payload));
    memcpy(request.payload, source, request.payload_length);
  }
  return request;
}

Request lock_request(Request::Kind kind, uint64_t key) {
  Request request;
  request.kind = kind;
  request.node = own_node();
  request.word = key;
  return request;
}

} // namespace

const Answer& CoordinatedLevel::ask(Request& request) {
  request.ticket = AnswerSlots::own_ticket();
  const uint32_t expected = AnswerSlots::expect(request.ticket);
  post(request);
  return AnswerSlots::wait(request.ticket, expected);
}

NodesMeeting CoordinatedLevel::barrier(const TeamDescription& part, uint64_t sequence, uint64_t word,
                                       const void* site) {
  Request request = request_of(part, Request::Kind::Barrier, sequence);
  request.word = word;
  request.site = reinterpret_cast<uint64_t>(site);
  const Answer& answer = ask(request);
  return {answer.kind != Answer::Kind::Tasks, answer.word, answer.tasks};
}

uint32_t CoordinatedLevel::idle_nodes(const TeamDescription& part) {
  Request request = request_of(part, Request::Kind::AskIdle, 0);
  return uint32_t(ask(request).word);
}

void CoordinatedLevel::offer_tasks(const TeamDescription& part, const Handover& tasks) {
  Request request = request_of(part, Request::Kind::OfferTasks, 0);
  request.payload_length = sizeof tasks;
  memcpy(request.payload, &tasks, sizeof tasks);
  post(request);
}

void CoordinatedLevel::return_task(const TeamDescription& part, uint32_t origin, uint32_t slot, uint64_t nanoseconds) {
  Request request = request_of(part, Request::Kind::ReturnTask, origin);
  request.word = slot;
  request.trips = nanoseconds;
  post(request);
}

bool CoordinatedLevel::deliver(const Answer& answer) {
  if (answer.kind != Answer::Kind::TasksBack)
    return AnswerSlots::deliver(answer);
  return answer.tasks.count <= Handover::most && come_back(answer.tasks, answer.word);
}

void CoordinatedLevel::join(const TeamDescription& part, uint64_t sequence, bool unplaced) {
  Request request = request_of(part, Request::Kind::Join, sequence);
  request.word = unplaced ? 1 : 0;
  if (part.node == 0)
    ask(request);
  else
    post(request);
}

schedulers::Assignment CoordinatedLevel::ask_loop(const TeamDescription& part, uint64_t loop,
                                                  const LoopQuestion& question) {
  Request request = loop_request(part, Request::Kind::AskLoop, loop, question);
  return ask(request).assignment;
}

void CoordinatedLevel::report_loop(const TeamDescription& part, uint64_t loop, const LoopQuestion& question) {
  post(loop_request(part, Request::Kind::ReportLoop, loop, question));
}

void CoordinatedLevel::offer_copies(const TeamDescription& part, uint64_t sequence, void* copies, uint32_t,
                                    bool waits) {
  Request request = request_of(part, Request::Kind::OfferCopies, sequence);
  request.word = reinterpret_cast<uint64_t>(copies);
  request.trips = waits ? 1 : 0;
  if (waits)
    ask(request);
  else
    post(request);
}

void* CoordinatedLevel::take_copies(const TeamDescription& part, uint64_t sequence, uint32_t node) {
  Request request = request_of(part, Request::Kind::TakeCopies, sequence);
  request.word = node;
  return reinterpret_cast<void*>(ask(request).word);
}

void CoordinatedLevel::release_copies(const TeamDescription& part, uint64_t sequence) {
  post(request_of(part, Request::Kind::ReleaseCopies, sequence));
}

void CoordinatedLevel::ordered_wait(const TeamDescription& part, uint64_t loop, uint64_t index) {
  Request request = request_of(part, Request::Kind::OrderedWait, loop);
  request.word = index;
  ask(request);
}

void CoordinatedLevel::ordered_post(const TeamDescription& part, uint64_t loop, uint64_t next) {
  Request request = request_of(part, Request::Kind::OrderedPost, loop);
  request.word = next;
  post(request);
}

void CoordinatedLevel::lock(uint64_t key) {
  Request request = lock_request(Request::Kind::Lock, key);
  ask(request);
}

bool CoordinatedLevel::try_lock(uint64_t key) {
  Request request = lock_request(Request::Kind::TryLock, key);
  return ask(request).word != 0;
}

void CoordinatedLevel::unlock(uint64_t key) { post(lock_request(Request::Kind::Unlock, key)); }

void CoordinatedLevel::after(const Request& request, const Coordinator& coordinator) {
  if (request.kind == Request::Kind::Join && request.node == 0)
    publish_needed_nodes(reinterpret_cast<const void*>(request.microtask), coordinator.nodes_needed(request.microtask));
}

} // namespace hetmp::runtime
