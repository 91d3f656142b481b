#include "runtime/loops/loop.hpp"

#include "base/check.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/team/events.hpp"
#include "runtime/team/node_team.hpp"
#include "schedulers/arithmetic/loop.hpp"
#include "schedulers/policies/policy_table.hpp"

#include <algorithm>
#include <utility>

namespace hetmp::runtime {

using schedulers::ChunkBatch;
using schedulers::Range;
using schedulers::Schedule;
using schedulers::ScheduleKind;

namespace {

/// What the request comes to for this team.
Schedule settle(Schedule schedule, const NodeTeam& team) {
  if (schedulers::is_placed(schedule.kind) && !team.global) {
    if (several_processes())
      note_runtime_loop_at_home(team.description.microtask);
    return Schedule{}; // nothing to compare: static
  }
  // Nobody has said how loops with schedule(runtime) are shared, so nobody relies on equal shares: nodes of unequal
  // speed get unequal ones. Still each thread has one contiguous share.
  if (schedule.unsaid && team.global && schedule.chunk == 0 && placement().speeds.all_equal())
    return Schedule{.kind = ScheduleKind::PlacedStatic, .unsaid = true};
  // Threads at home may go on elsewhere, and find there the pages of the last visit if their iterations are the same.
  if (schedule.kind == ScheduleKind::Auto)
    schedule = several_processes() && !team.global ? Schedule{} : Schedule{.kind = ScheduleKind::Guided};
  if (team.alone() && schedule.kind != ScheduleKind::Static)
    return Schedule{.kind = ScheduleKind::Static, .chunk = schedule.chunk};
  // On several nodes a dynamic loop without a chunk chooses the size of nodes' batches by itself.
  if (schedule.kind != ScheduleKind::Static && !team.global)
    schedule.chunk = std::max<uint64_t>(schedule.chunk, 1);
  return schedule;
}

bool needs_buffer(const LoopProgress& loop) { return loop.ordered || loop.schedule.kind != ScheduleKind::Static; }

void wait_for_buffer(NodeTeam& team, LoopBuffer& buffer, uint64_t loop_number) {
  const uint32_t turn = uint32_t(loop_number / NodeTeam::loop_ring);
  HETMP_CHECK(int32_t(turn - buffer.uses.epoch()) >= 0); // the turn has not passed
  for (uint32_t uses = buffer.uses.epoch(); uses != turn; uses = buffer.uses.epoch()) {
    start_late_members(team); // they have to leave the loop that has the buffer
    buffer.uses.wait_while(uses);
  }
}

/// For its next loop. By a thread of the team that is in none of its loops any more, or the last one. relaxed: the post
/// of `uses`, or the start of the team's next region, publishes it.
void make_ready(ImplicitTask& task, LoopBuffer& buffer, bool dealt) {
  if (dealt)
    for (uint32_t local = 0; local < task.team->local_threads(); local++)
      buffer.shares[local].reset();
  buffer.finished.store(0, std::memory_order_relaxed);
  buffer.next.store(0, std::memory_order_relaxed);
  buffer.ordered_done.store(0, std::memory_order_relaxed);
  reset_placed_loop(task, buffer);
}

/// The thread will not touch the buffer again; the last one readies it.
void leave_buffer(ImplicitTask& task, LoopBuffer& buffer) {
  // acq_rel: the last thread's reset comes after every other thread's last use.
  const uint32_t others = buffer.finished.fetch_add(1, std::memory_order_acq_rel);
  HETMP_CHECK(others < task.team->local_threads());
  if (others + 1 != task.team->local_threads())
    return;
  make_ready(task, buffer, task.loop.dealt);
  buffer.uses.post(); // publishes it
}

// ---- schedules

/// Local thread `local`'s `round`-th chunk of a static schedule; a share without chunk is the only one of round 0.
Range static_piece(const LoopProgress& loop, const NodeTeam& team, uint32_t local, uint64_t round) {
  if (loop.schedule.chunk != 0)
    return schedulers::static_chunk(loop.trips, loop.schedule.chunk, team.description.threads,
                                    team.description.first_thread + local, round);
  if (round != 0)
    return {loop.trips, loop.trips};
  if (loop.equal_shares)
    return schedulers::static_share(loop.trips, team.description.threads, team.description.first_thread + local);
  return loop.node_part ? share_of_part(team, *loop.node_part, local) : unplaced_share(team, loop.trips, local);
}

/// Such loops are divided as the region's other static ones of as many iterations.
void choose_division(ImplicitTask& task, const LoopRequest& request) {
  LoopProgress& loop = task.loop;
  loop.equal_shares = request.equal_shares;
  loop.node_part.reset();
  if (loop.schedule.kind == ScheduleKind::Static && loop.schedule.chunk == 0 && !loop.equal_shares && loop.trips != 0)
    loop.node_part = part_like_others(task, loop.trips, {request.source, request.call_site});
}

/// A thread that may be elsewhere comes home to ask for chunks.
void choose_batches(ImplicitTask& task, const LoopRequest& request) {
  LoopProgress& loop = task.loop;
  loop.in_batches = request.in_batches && task.has_waited && !request.ordered && !task.doacross.posted;
  if (!loop.in_batches)
    return;
  loop.batched = 0;
  if (loop.batch_of != request.call_site)
    loop.batch = {};
  loop.batch_of = request.call_site;
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
  HETMP_CHECK(chunk.end <= loop.trips);
  if (loop.ordered)
    open_ordered_chunk(task, chunk, static_predecessor_end(loop, *task.team, task.local_number, loop.round));
  loop.round++;
  return true;
}

// Dynamic loops count chunks, not iterations: nothing overflows however large the chunk is.

uint64_t chunks_of(const LoopProgress& loop) {
  const uint64_t size = loop.schedule.chunk;
  return size == 1 ? loop.trips : loop.trips / size + (loop.trips % size != 0 ? 1 : 0);
}

bool can_be_dealt(const LoopProgress& loop, const NodeTeam& team) {
  return loop.schedule.kind == ScheduleKind::Dynamic && !loop.schedule.monotonic && !loop.ordered && !team.global &&
         loop.chunks <= ChunkShare::most_chunks;
}

/// Of some chunks that follow each other.
Range dynamic_chunks(const LoopProgress& loop, uint64_t first, uint64_t count = 1) {
  HETMP_CHECK(first < loop.chunks && count != 0 && count <= loop.chunks - first);
  const uint64_t begin = first * loop.schedule.chunk, last = (first + count - 1) * loop.schedule.chunk;
  return {begin, last + std::min(loop.schedule.chunk, loop.trips - last)};
}

/// Tells how long the thread's last batch took. They are timed by how long it was executed: at home it waits for turns
/// on a CPU that others compute on as well, and no batch would come to be worth its way.
const ChunkBatch& next_batch(ImplicitTask& task) {
  LoopProgress& loop = task.loop;
  const int64_t executed_ns = thread_cpu_nanoseconds() + task.time_elsewhere();
  if (loop.batched != 0)
    loop.batch.took(loop.batched, double(executed_ns - loop.batch_began_ns) / 1000);
  loop.batch_began_ns = executed_ns;
  return loop.batch;
}

/// A loop of fewer chunks is counted without a look whether there are any left, which would fetch the cache line a
/// second time: threads that come too late, as often as they like, do not make the number overflow.
constexpr uint64_t most_counted_at_once = uint64_t(1) << 62;

Range take_counted(LoopBuffer& buffer, ImplicitTask& task, uint32_t threads) {
  LoopProgress& loop = task.loop;
  HETMP_CHECK(!loop.dealt && loop.schedule.chunk != 0);
  // relaxed, all: only the number matters; what the iterations touch is ordered by barriers.
  if (!loop.in_batches && loop.chunks < most_counted_at_once) {
    const uint64_t number = buffer.next.fetch_add(1, std::memory_order_relaxed);
    return number < loop.chunks ? dynamic_chunks(loop, number) : Range{};
  }
  const uint64_t next = buffer.next.load(std::memory_order_relaxed);
  if (next >= loop.chunks)
    return {};
  const uint64_t wanted = loop.in_batches ? next_batch(task).chunks(loop.chunks - next, threads) : 1;
  const uint64_t number = buffer.next.fetch_add(wanted, std::memory_order_relaxed);
  if (number >= loop.chunks)
    return {};
  loop.batched = uint32_t(std::min(wanted, loop.chunks - number));
  return dynamic_chunks(loop, number, loop.batched);
}

ChunkNumbers chunks_dealt(const LoopProgress& loop, uint32_t threads, uint32_t local) {
  const Range share = schedulers::static_share(loop.chunks, threads, local);
  return {uint32_t(share.begin), uint32_t(share.end)};
}

/// From the thread that had some the last time, then from one after the other.
uint32_t steal_chunk(LoopBuffer& buffer, ImplicitTask& task, uint32_t threads) {
  LoopProgress& loop = task.loop;
  for (uint32_t i = 0; i < threads; i++) {
    const uint32_t victim = (loop.victim + i) % threads;
    if (victim == task.local_number)
      continue;
    ChunkNumbers stolen = buffer.shares[victim].steal([&] { return chunks_dealt(loop, threads, victim); });
    if (stolen.empty())
      continue;
    HETMP_CHECK(stolen.end <= loop.chunks);
    loop.victim = victim;
    buffer.shares[task.local_number].put({stolen.begin + 1, stolen.end});
    return stolen.begin;
  }
  return ChunkShare::none;
}

/// What the thread has of its own.
ChunkNumbers take_own(ChunkShare& own, ImplicitTask& task, uint32_t threads) {
  const auto dealt = [&] { return chunks_dealt(task.loop, threads, task.local_number); };
  if (task.loop.in_batches)
    return own.take_some([&batch = next_batch(task)](uint32_t left) { return uint32_t(batch.chunks(left, 1)); }, dealt);
  const uint32_t number = own.take(dealt);
  return number == ChunkShare::none ? ChunkNumbers{} : ChunkNumbers{number, number + 1};
}

/// The loop's last chunk is the last one of the thread that gets it: lastprivate variables have what they had in the
/// thread's last one.
Range take_dealt(LoopBuffer& buffer, ImplicitTask& task) {
  LoopProgress& loop = task.loop;
  const uint32_t threads = task.team->local_threads();
  ChunkShare& own = buffer.shares[task.local_number];
  while (!loop.had_last) {
    ChunkNumbers taken = take_own(own, task, threads);
    if (taken.empty()) {
      const uint32_t stolen = steal_chunk(buffer, task, threads);
      if (stolen == ChunkShare::none)
        break;
      taken = {stolen, stolen + 1};
    }
    if (taken.end == loop.chunks) {
      HETMP_CHECK(!loop.has_last); // each chunk is given out once
      loop.has_last = true;
      --taken.end;
    }
    loop.batched = taken.end - taken.begin;
    if (!taken.empty())
      return dynamic_chunks(loop, taken.begin, loop.batched);
  }
  loop.had_last |= loop.has_last;
  return std::exchange(loop.has_last, false) ? dynamic_chunks(loop, loop.chunks - 1) : Range{};
}

Range take_guided(LoopBuffer& buffer, const LoopProgress& loop, uint32_t threads) {
  HETMP_CHECK(threads != 0 && !loop.dealt);
  uint64_t begin = buffer.next.load(std::memory_order_relaxed);
  while (begin < loop.trips) {
    const uint64_t end = begin + schedulers::guided_chunk(loop.trips - begin, loop.schedule.chunk, threads);
    HETMP_CHECK(begin < end && end <= loop.trips);
    if (buffer.next.compare_exchange_weak(begin, end, std::memory_order_relaxed))
      return {begin, end};
  }
  return {};
}

bool next_on_one_node(ImplicitTask& task, Range& chunk) {
  LoopProgress& loop = task.loop;
  LoopBuffer& buffer = buffer_of(task);
  if (loop.dealt)
    chunk = take_dealt(buffer, task);
  else if (loop.schedule.kind == ScheduleKind::Guided)
    chunk = take_guided(buffer, loop, task.team_size);
  else
    chunk = take_counted(buffer, task, task.team_size);
  if (chunk.empty())
    return false;
  HETMP_CHECK(chunk.end <= loop.trips);
  if (loop.ordered)
    open_ordered_chunk(task, chunk, chunk.begin); // the node hands out every iteration
  return true;
}

/// What a policy that places a loop gives a node does not come in order: a thread executes the loop's last iteration
/// when there is nothing else for it.
bool take_placed(ImplicitTask& task, Range& chunk) {
  LoopProgress& loop = task.loop;
  if (loop.had_last)
    return false;
  while (next_placed_chunk(task, chunk)) {
    if (chunk.end != loop.trips)
      return true;
    loop.has_last = true;
    chunk.end--;
    if (!chunk.empty())
      return true;
  }
  loop.had_last = true; // or somebody else has it
  chunk = {loop.trips - 1, loop.trips};
  return std::exchange(loop.has_last, false);
}

bool take_chunk(ImplicitTask& task, Range& chunk) {
  if (task.loop.schedule.kind == ScheduleKind::Static)
    return next_static(task, chunk);
  if (!task.team->global)
    return next_on_one_node(task, chunk);
  return schedulers::is_placed(task.loop.schedule.kind) ? take_placed(task, chunk) : next_placed_chunk(task, chunk);
}

/// What the thread could take without asking another node. The numbers only grow, so nothing is given out twice.
void drop_chunks(ImplicitTask& task, LoopBuffer& buffer) {
  LoopProgress& loop = task.loop;
  if (task.team->global) {
    drop_placed_chunks(task, buffer);
  } else if (loop.dealt) {
    const uint32_t threads = task.team->local_threads(), local = task.local_number;
    buffer.shares[local].take_some([](uint32_t left) { return left; },
                                   [&] { return chunks_dealt(loop, threads, local); });
  } else {
    const uint64_t all = loop.schedule.kind == ScheduleKind::Guided ? loop.trips : loop.chunks;
    uint64_t next = buffer.next.load(std::memory_order_relaxed); // relaxed, all: see take_counted()
    while (next < all && !buffer.next.compare_exchange_weak(next, all, std::memory_order_relaxed)) {
    }
  }
}

} // namespace

LoopBuffer& buffer_of(ImplicitTask& task) { return task.team->loops[task.loop.number % NodeTeam::loop_ring]; }

void begin_loop(ImplicitTask& task, const LoopRequest& request) {
  LoopProgress& loop = task.loop;
  task.worksharing++;
  loop.schedule = settle(request.schedule, *task.team);
  if (request.ordered && schedulers::is_placed(loop.schedule.kind))
    loop.schedule = Schedule{};
  if (!schedulers::is_placed(loop.schedule.kind) || !schedulers::policy_of(loop.schedule.kind).learns)
    note_unplaced_loop(*task.team, request.call_site);
  loop.trips = request.trips;
  note_first_loop(task, request.trips);
  choose_division(task, request);
  loop.ordered = request.ordered;
  loop.source = request.source;
  loop.call_site = request.call_site;
  loop.round = 0;
  loop.chunks = loop.schedule.kind == ScheduleKind::Dynamic && loop.schedule.chunk != 0 ? chunks_of(loop) : 0;
  loop.dealt = can_be_dealt(loop, *task.team);
  loop.victim = task.local_number + 1;
  choose_batches(task, request);
  loop.has_last = loop.had_last = false;
  loop.measured = Measured::Nothing;
  loop.chunk = {};
  loop.open = true;
  if (!needs_buffer(loop))
    return;
  loop.number = task.loops++;
  loop.global_name = ++task.constructs;
  HETMP_CHECK(!loop.dealt || buffer_of(task).shares);
  wait_for_buffer(*task.team, buffer_of(task), loop.number);
}

void restart_loops(NodeTeam& team) {
  uint64_t most = 0;
  for (uint32_t local = 0; local < team.local_threads(); local++)
    most = std::max(most, team.members[local].loops);
  const uint64_t rounds = most / NodeTeam::loop_ring + 1; // no buffer has been used more often
  for (LoopBuffer& buffer : team.loops) {
    make_ready(team.members[0], buffer, true);
    HETMP_CHECK(int32_t(uint32_t(rounds) - buffer.uses.epoch()) >= 0);
    while (buffer.uses.epoch() != uint32_t(rounds))
      buffer.uses.post();
  }
  for (uint32_t local = 0; local < team.local_threads(); local++)
    team.members[local].loops = rounds * NodeTeam::loop_ring;
}

void abandon_loop(ImplicitTask& task) {
  LoopProgress& loop = task.loop;
  HETMP_CHECK(!loop.ordered);
  if (loop.open && loop.schedule.kind == ScheduleKind::Static) { // nobody else has to do with the thread's share
    events::iterations_end(task, events::Iterations::Chunk, false);
    loop.open = false;
  }
  for (Range chunk; loop.open; next_chunk(task, chunk))
    drop_chunks(task, buffer_of(task));
}

bool next_chunk(ImplicitTask& task, Range& chunk) {
  LoopProgress& loop = task.loop;
  if (!loop.open)
    return false;
  HETMP_CHECK(task.local_number < task.team->local_threads());
  if (loop.ordered)
    close_ordered_chunk(task);
  events::iterations_end(task, events::Iterations::Chunk, loop.measured == Measured::Everything);
  if (take_chunk(task, chunk)) {
    events::iterations_begin(task, chunk, loop.call_site, loop.source);
    return true;
  }
  loop.open = false;
  if (needs_buffer(loop))
    leave_buffer(task, buffer_of(task));
  return false;
}

} // namespace hetmp::runtime
