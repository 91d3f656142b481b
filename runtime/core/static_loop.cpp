// Loops that the compiler divides itself: it asks for each thread's share once. On several nodes the shares can follow the
// core speeds the user gives (HETMP_CSR), or be placed like those of any other loop (HETMP_LOOPS=all): a visit is measured,
// the next one divided accordingly.
#include "runtime/core/loop.hpp"
#include "runtime/core/nodes.hpp"
#include "runtime/core/placement.hpp"
#include "runtime/core/plan_cache.hpp"
#include "runtime/core/traced.hpp"
#include "runtime/core/visits.hpp"
#include "schedulers/deal.hpp"
#include "schedulers/loop.hpp"
#include "schedulers/static_shares.hpp"

#include <algorithm>

namespace hetmp::runtime {

using schedulers::Assignment;
using schedulers::Range;

namespace {

LoopQuestion question_about(const StaticVisit& visit) {
  LoopQuestion question;
  question.identity = visit.identity;
  question.schedule = schedulers::Schedule{}; // static
  question.trips = visit.trips;
  return question;
}

/// Visits before the last barrier are over on every thread: each has left its loops before it came to the barrier.
void forget_older_visits(NodeTeam& team, uint32_t barriers) {
  std::erase_if(team.static_visits, [&](const StaticVisit& visit) { return visit.barriers != barriers; });
}

StaticVisit* find_visit(NodeTeam& team, uint64_t trips) {
  for (StaticVisit& visit : team.static_visits)
    if (visit.trips == trips)
      return &visit;
  return nullptr;
}

StaticVisit* find_named(NodeTeam& team, uint64_t name) {
  for (StaticVisit& visit : team.static_visits)
    if (visit.global_name == name)
      return &visit;
  return nullptr;
}

Assignment obtain_assignment(NodeTeam& team, const StaticVisit& visit) {
  const TeamDescription& part = team.description;
  if (const auto known = plan_cache::take(part, visit.identity.call_site, visit.trips)) {
    visits::begins(team, visit.identity.call_site);
    return *known;
  }
  visits::ends(team);
  const Assignment answer = team.global->ask_loop(part, visit.global_name, question_about(visit));
  if (answer.repeats != 0)
    plan_cache::keep(part, visit.identity.call_site, visit.trips, answer);
  return answer;
}

/// The assignment that holds for loops of `trips` iterations until the next barrier. The first thread of the node to come
/// to the first of them asks; that loop gives the visit its name.
StaticVisit visit_loop(NodeTeam& team, uint64_t name, uint64_t trips, const LoopIdentity& identity) {
  const uint32_t barriers = team.released.epoch();
  StaticVisit mine;
  while (true) {
    const uint32_t seen = team.static_answers.epoch(); // before the look
    {
      FutexLockGuard guard(team.static_lock);
      forget_older_visits(team, barriers);
      if (const StaticVisit* visit = find_visit(team, trips)) {
        if (visit->answered)
          return *visit;
      } else {
        mine.trips = trips;
        mine.barriers = barriers;
        mine.global_name = name;
        mine.identity = identity;
        team.static_visits.push_back(mine);
        break;
      }
    }
    team.static_answers.wait_while(seen);
  }
  const Assignment assignment = obtain_assignment(team, mine);
  {
    FutexLockGuard guard(team.static_lock);
    StaticVisit* visit = find_named(team, name);
    visit->assignment = assignment;
    visit->answered = true;
    visit->before = snapshot_of_node();
    mine = *visit;
  }
  team.static_answers.post();
  return mine;
}

Range placed_share(ImplicitTask& task, uint64_t trips, const LoopIdentity& identity) {
  NodeTeam& team = *task.team;
  const uint64_t name = ++task.constructs;
  const StaticVisit visit = visit_loop(team, name, trips, identity);
  const Range piece = visit.assignment.piece_count != 0 ? visit.assignment.pieces[0] : Range{};
  const Range own = schedulers::static_share(piece.size(), team.local_threads(), task.local_number);
  if (visit.assignment.measured && visit.global_name == name) {
    task.static_visit = name;
    task.static_iterations = own.size();
    task.static_started = snapshot_of_thread();
  }
  return {piece.begin + own.begin, piece.begin + own.end};
}

} // namespace

void note_unplaced_loop(NodeTeam& team, const void* call_site) {
  visits::begins(team, call_site);
  // relaxed: read when the team's threads have joined.
  if (team.global && !team.unplaced.load(std::memory_order_relaxed))
    team.unplaced.store(true, std::memory_order_relaxed);
}

Range unplaced_share(const NodeTeam& team, uint64_t trips, uint32_t local) {
  const TeamDescription& part = team.description;
  if (!team.global)
    return local < team.working_threads ? schedulers::static_share(trips, team.working_threads, local)
                                        : Range{trips, trips};
  const schedulers::CoreSpeeds& speeds = placement().speeds;
  if (speeds.all_equal())
    return schedulers::static_share(trips, part.threads, part.first_thread + local);
  const schedulers::LoopShape shape{
      trips, schedulers::deal_threads(part.threads, layout().cpu_counts(), part.participants)};
  return schedulers::thread_share(shape, speeds, part.node, local);
}

Range begin_static_loop(ImplicitTask& task, uint64_t trips, const LoopIdentity& identity) {
  NodeTeam& team = *task.team;
  const bool placed = team.global && placement().static_loops;
  if (!placed)
    note_unplaced_loop(team, identity.call_site);
  const Range share = placed ? placed_share(task, trips, identity) : unplaced_share(team, trips, task.local_number);
  trace_iterations_begin(task, share, identity.call_site, identity.source);
  return share;
}

void end_static_loop(ImplicitTask& task) {
  task.in_static_loop = false;
  trace_iterations_end(task, perf::TraceEvent::Kind::Share, task.static_visit != 0);
  if (task.static_visit == 0)
    return;
  const schedulers::ChunkMeasurement chunk = since(task.static_started);
  const uint64_t name = task.static_visit;
  task.static_visit = 0;
  NodeTeam& team = *task.team;
  LoopQuestion question;
  {
    FutexLockGuard guard(team.static_lock);
    StaticVisit* visit = find_named(team, name);
    if (!visit)
      return;
    schedulers::NodeMeasurement& sum = visit->sum;
    sum.iterations += task.static_iterations;
    sum.thread_us += chunk.elapsed_us;
    sum.busy_us = std::max(sum.busy_us, 0.0) + chunk.busy_us;
    if (++visit->threads_done < team.local_threads())
      return;
    sum.threads = team.local_threads();
    add_since(visit->before, sum);
    question = question_about(*visit);
    question.done = sum;
  }
  team.global->report_loop(team.description, name, question);
}

} // namespace hetmp::runtime
