#include "runtime/core/loop.hpp"

#include "runtime/core/traced.hpp"

#include "schedulers/loop.hpp"

#include <algorithm>

namespace hetmp::runtime {

using schedulers::Range;
using schedulers::Schedule;
using schedulers::ScheduleKind;

namespace {

/// What the request comes to for this team.
Schedule settle(Schedule schedule, const NodeTeam& team) {
  if (schedulers::probes(schedule.kind) && !team.global)
    return Schedule{}; // nothing to compare: static
  if (schedule.kind == ScheduleKind::Auto)
    schedule = Schedule{.kind = ScheduleKind::Guided};
  if (team.alone() && schedule.kind != ScheduleKind::Static)
    return Schedule{.kind = ScheduleKind::Static, .chunk = schedule.chunk};
  // On several nodes a dynamic loop without a chunk chooses the size of nodes' batches by itself.
  if (schedule.kind != ScheduleKind::Static && !team.global)
    schedule.chunk = std::max<uint64_t>(schedule.chunk, 1);
  return schedule;
}

bool needs_buffer(const LoopProgress& loop) {
  return loop.ordered || loop.schedule.kind != ScheduleKind::Static;
}

void wait_for_buffer(LoopBuffer& buffer, uint64_t loop_number) {
  const uint32_t turn = uint32_t(loop_number / NodeTeam::loop_ring);
  for (uint32_t uses = buffer.uses.epoch(); uses != turn; uses = buffer.uses.epoch())
    buffer.uses.wait_while(uses);
}

/// The thread will not touch the buffer again; the last one readies it for its next loop.
void leave_buffer(ImplicitTask& task, LoopBuffer& buffer) {
  NodeTeam& team = *task.team;
  // acq_rel: the last thread's reset comes after every other thread's last use.
  if (buffer.finished.fetch_add(1, std::memory_order_acq_rel) + 1 != team.local_threads())
    return;
  buffer.finished.store(0, std::memory_order_relaxed);
  buffer.next.store(0, std::memory_order_relaxed);
  buffer.ordered_done.store(0, std::memory_order_relaxed);
  reset_placed_loop(task, buffer);
  buffer.uses.post(); // publishes the reset
}

// ---- schedules

/// Local thread `local`'s `round`-th chunk of a static schedule; a share without chunk is the only one of round 0.
Range static_piece(const LoopProgress& loop, const NodeTeam& team, uint32_t local, uint64_t round) {
  if (loop.schedule.chunk != 0)
    return schedulers::static_chunk(loop.trips, loop.schedule.chunk, team.description.threads,
                                    team.description.first_thread + local, round);
  return round == 0 ? unplaced_share(team, loop.trips, local) : Range{loop.trips, loop.trips};
}

/// End of the chunk that comes before the one of (local, round) among those of this node.
uint64_t static_predecessor_end(const LoopProgress& loop, const NodeTeam& team, uint32_t local, uint64_t round) {
  if (local > 0)
    return static_piece(loop, team, local - 1, round).end;
  return round == 0 ? 0 : static_piece(loop, team, team.local_threads() - 1, round - 1).end;
}

bool next_static(ImplicitTask& task, Range& chunk) {
  LoopProgress& loop = task.loop;
  chunk = static_piece(loop, *task.team, task.local_number, loop.round);
  if (chunk.empty())
    return false;
  if (loop.ordered)
    open_ordered_chunk(task, chunk, static_predecessor_end(loop, *task.team, task.local_number, loop.round));
  loop.round++;
  return true;
}

/// The counter counts chunks, not iterations: it cannot overflow however large the chunk is.
Range take_dynamic(LoopBuffer& buffer, const LoopProgress& loop) {
  const uint64_t size = loop.schedule.chunk;
  const uint64_t chunks = loop.trips / size + (loop.trips % size != 0 ? 1 : 0);
  if (buffer.next.load(std::memory_order_relaxed) >= chunks)
    return {};
  // relaxed: only the number matters; what the iterations touch is ordered by barriers.
  const uint64_t number = buffer.next.fetch_add(1, std::memory_order_relaxed);
  if (number >= chunks)
    return {};
  const uint64_t begin = number * size;
  return {begin, begin + std::min(size, loop.trips - begin)};
}

Range take_guided(LoopBuffer& buffer, const LoopProgress& loop, uint32_t threads) {
  uint64_t begin = buffer.next.load(std::memory_order_relaxed);
  while (begin < loop.trips) {
    const uint64_t end = begin + schedulers::guided_chunk(loop.trips - begin, loop.schedule.chunk, threads);
    if (buffer.next.compare_exchange_weak(begin, end, std::memory_order_relaxed))
      return {begin, end};
  }
  return {};
}

bool next_on_one_node(ImplicitTask& task, Range& chunk) {
  const LoopProgress& loop = task.loop;
  LoopBuffer& buffer = buffer_of(task);
  chunk = loop.schedule.kind == ScheduleKind::Guided ? take_guided(buffer, loop, task.team_size)
                                                     : take_dynamic(buffer, loop);
  if (chunk.empty())
    return false;
  if (loop.ordered)
    open_ordered_chunk(task, chunk, chunk.begin); // the node hands out every iteration
  return true;
}

bool take_chunk(ImplicitTask& task, Range& chunk) {
  switch (task.loop.schedule.kind) {
  case ScheduleKind::Static:
    return next_static(task, chunk);
  default:
    return task.team->global ? next_placed_chunk(task, chunk) : next_on_one_node(task, chunk);
  }
}

} // namespace

LoopBuffer& buffer_of(ImplicitTask& task) {
  return task.team->loops[task.loop.number % NodeTeam::loop_ring];
}

void begin_loop(ImplicitTask& task, const LoopRequest& request) {
  LoopProgress& loop = task.loop;
  loop.schedule = settle(request.schedule, *task.team);
  if (request.ordered && schedulers::probes(loop.schedule.kind))
    loop.schedule = Schedule{};
  if (!schedulers::probes(loop.schedule.kind))
    note_unplaced_loop(*task.team, request.call_site);
  loop.trips = request.trips;
  loop.ordered = request.ordered;
  loop.source = request.source;
  loop.call_site = request.call_site;
  loop.round = 0;
  loop.measured = Measured::Nothing;
  loop.chunk = {};
  loop.open = true;
  if (!needs_buffer(loop))
    return;
  loop.number = task.loops++;
  loop.global_name = ++task.constructs;
  wait_for_buffer(buffer_of(task), loop.number);
}

bool next_chunk(ImplicitTask& task, Range& chunk) {
  LoopProgress& loop = task.loop;
  if (!loop.open)
    return false;
  if (loop.ordered)
    close_ordered_chunk(task);
  trace_iterations_end(task, perf::TraceEvent::Kind::Chunk, loop.measured == Measured::Everything);
  if (take_chunk(task, chunk)) {
    trace_iterations_begin(task, chunk, loop.call_site, loop.source);
    return true;
  }
  loop.open = false;
  if (needs_buffer(loop))
    leave_buffer(task, buffer_of(task));
  return false;
}

} // namespace hetmp::runtime
