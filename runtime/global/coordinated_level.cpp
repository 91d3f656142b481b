#include "runtime/global/coordinated_level.hpp"

#include "runtime/core/nodes.hpp"
#include "runtime/global/answers.hpp"

#include <algorithm>
#include <cstring>

namespace hetmp::runtime {
namespace {

Request request_of(const TeamDescription& part, Request::Kind kind, uint64_t sequence) {
  Request request;
  request.kind = kind;
  request.node = part.node;
  request.nodes = part.nodes;
  request.threads = part.threads;
  request.local_threads = part.local_threads;
  request.team = part.team;
  request.sequence = sequence;
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

uint64_t CoordinatedLevel::barrier(const TeamDescription& part, uint64_t sequence, uint64_t word) {
  Request request = request_of(part, Request::Kind::Barrier, sequence);
  request.word = word;
  return ask(request).word;
}

void CoordinatedLevel::join(const TeamDescription& part, uint64_t sequence) {
  Request request = request_of(part, Request::Kind::Join, sequence);
  if (part.node == 0)
    ask(request);
  else
    post(request);
}

schedulers::Range CoordinatedLevel::fetch(const TeamDescription& part, uint64_t loop, const PoolShape& shape) {
  Request request = request_of(part, Request::Kind::Fetch, loop);
  request.shape = shape;
  return ask(request).range;
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

LoopPlan CoordinatedLevel::plan_loop(const TeamDescription& part, uint64_t loop, const LoopIdentity& identity,
                                     uint64_t trips) {
  Request request = request_of(part, Request::Kind::Plan, loop);
  request.word = reinterpret_cast<uint64_t>(identity.call_site);
  request.trips = trips;
  if (identity.source) {
    request.source_length = uint32_t(std::min<size_t>(strlen(identity.source), Request::longest_source));
    memcpy(request.source, identity.source, request.source_length);
  }
  return ask(request).plan;
}

LoopPlan CoordinatedLevel::report_probe(const TeamDescription& part, uint64_t loop, const ProbeReport& report) {
  Request request = request_of(part, Request::Kind::Probe, loop);
  request.report = report;
  return ask(request).plan;
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

} // namespace hetmp::runtime
