// Loops that the compiler divides itself: it asks for each thread's share once. On several nodes the shares can follow
// the core speeds the user gives (HETMP_CSR), or be placed like those of any other loop (HETMP_LOOPS=all): a visit is
// measured, the next one divided accordingly.
//
// Static loops of one region that have as many iterations give each thread the same ones (OpenMP 5.1, section 2.11.4),
// barriers between them or not. So a region keeps the division that the first of them was given until it ends, for the
// others as well.
#include "base/check.hpp"
#include "runtime/global/node_loops.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/loops/plan_cache.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/team/events.hpp"
#include "runtime/team/node_team.hpp"
#include "schedulers/arithmetic/deal.hpp"
#include "schedulers/arithmetic/loop.hpp"
#include "schedulers/arithmetic/static_shares.hpp"

#include <algorithm>

namespace hetmp::runtime {

using schedulers::Assignment;
using schedulers::Range;

namespace {

LoopQuestion question_about(const StaticVisit& visit) {
  LoopQuestion question;
  question.identity = visit.identity;
  question.schedule.kind = schedulers::ScheduleKind::PlacedStatic;
  question.trips = visit.trips;
  return question;
}

/// A region whose loops have ever other numbers of iterations gains nothing by keeping a division for each. All threads
/// of all nodes meet them in one order, so those that are too many for one thread are so for all.
constexpr size_t most_divisions = 64;

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
    events::visit_begins(team, visit.identity.call_site);
    return *known;
  }
  events::visit_ends(team);
  const Assignment answer = team.global->loops.ask_loop(part, visit.global_name, question_about(visit));
  if (answer.repeats != 0)
    plan_cache::keep(part, visit.identity.call_site, visit.trips, answer);
  return answer;
}

/// Whether a placed loop is to be asked for; `visit` is the one that holds, or is to hold, for loops of as many
/// iterations.
bool is_first(NodeTeam& team, StaticVisit& visit, bool placed) {
  HETMP_CHECK(team.static_lock.held() && team.static_visits.size() <= most_divisions);
  if (const StaticVisit* earlier = find_visit(team, visit.trips)) {
    visit = *earlier;
    return false;
  }
  visit.unplaced = visit.answered = !placed || team.static_visits.size() >= most_divisions;
  if (team.static_visits.size() < most_divisions)
    team.static_visits.push_back(visit);
  return !visit.unplaced;
}

/// By what loops of `trips` iterations are divided until the region ends. The first thread of the node to come to the
/// first of them asks if that loop can be `placed`; the loop gives the visit its name.
StaticVisit visit_loop(NodeTeam& team, uint64_t name, uint64_t trips, const LoopIdentity& identity, bool placed) {
  StaticVisit mine;
  while (true) {
    mine = {};
    mine.trips = trips;
    mine.global_name = name;
    mine.identity = identity;
    const uint32_t seen = team.static_answers.epoch(); // before the look
    {
      FutexLockGuard guard(team.static_lock);
      if (is_first(team, mine, placed))
        break;
    }
    if (mine.answered)
      return mine;
    team.static_answers.wait_while(seen);
  }
  const Assignment assignment = obtain_assignment(team, mine);
  {
    FutexLockGuard guard(team.static_lock);
    StaticVisit* visit = find_named(team, name);
    HETMP_CHECK(visit && !visit->answered && !visit->unplaced);
    visit->assignment = assignment;
    visit->answered = true;
    visit->before = snapshot_of_node();
    mine = *visit;
  }
  team.static_answers.post();
  return mine;
}

Range part_of_node(const StaticVisit& visit) {
  return visit.assignment.piece_count != 0 ? visit.assignment.pieces[0] : Range{};
}

bool are_placed(const NodeTeam& team) { return team.global && placement().static_loops; }

/// A loop that is divided as an earlier one was can be helped where nobody measures that one any more.
void note_like_earlier(NodeTeam& team, const StaticVisit& earlier, const void* call_site) {
  if (!earlier.assignment.measured || earlier.threads_done == team.local_threads())
    events::visit_begins(team, call_site);
}

Range placed_share(ImplicitTask& task, uint64_t trips, const LoopIdentity& identity) {
  NodeTeam& team = *task.team;
  const uint64_t name = ++task.constructs;
  const StaticVisit visit = visit_loop(team, name, trips, identity, true);
  if (visit.unplaced) {
    note_unplaced_loop(team, identity.call_site);
    return unplaced_share(team, trips, task.local_number);
  }
  const Range own = share_of_part(team, part_of_node(visit), task.local_number);
  if (visit.global_name != name) {
    note_like_earlier(team, visit, identity.call_site);
  } else if (visit.assignment.measured) {
    task.static_visit = name;
    task.static_iterations = own.size();
    task.static_started = snapshot_of_thread();
  }
  return own;
}

} // namespace

void note_unplaced_loop(NodeTeam& team, const void* call_site) {
  events::visit_begins(team, call_site);
  // relaxed: read when the team's threads have joined.
  if (team.global && !team.unplaced.load(std::memory_order_relaxed))
    team.unplaced.store(true, std::memory_order_relaxed);
}

Range unplaced_share(const NodeTeam& team, uint64_t trips, uint32_t local) {
  const TeamDescription& part = team.description;
  HETMP_CHECK(local < part.local_threads && (team.global || team.working_threads <= part.local_threads));
  if (!team.global)
    return local < team.working_threads ? schedulers::static_share(trips, team.working_threads, local)
                                        : Range{trips, trips};
  const schedulers::CoreSpeeds& speeds = placement().speeds;
  if (speeds.all_equal())
    return schedulers::static_share(trips, part.threads, part.first_thread + local);
  const schedulers::LoopShape shape{trips,
                                    schedulers::deal_threads(part.threads, layout().cpu_counts(), part.participants)};
  return schedulers::thread_share(shape, speeds, part.node, local);
}

Range share_of_part(const NodeTeam& team, Range part, uint32_t local) {
  HETMP_CHECK(local < team.local_threads());
  const Range own = schedulers::static_share(part.size(), team.local_threads(), local);
  HETMP_CHECK(own.end <= part.size());
  return {part.begin + own.begin, part.begin + own.end};
}

std::optional<Range> part_like_others(ImplicitTask& task, uint64_t trips, const LoopIdentity& identity) {
  if (!are_placed(*task.team))
    return {};
  const StaticVisit visit = visit_loop(*task.team, ++task.constructs, trips, identity, false);
  if (visit.unplaced)
    return {};
  return part_of_node(visit);
}

Range begin_static_loop(ImplicitTask& task, uint64_t trips, const LoopIdentity& identity) {
  NodeTeam& team = *task.team;
  note_first_loop(task, trips);
  const bool placed = are_placed(team);
  if (!placed)
    note_unplaced_loop(team, identity.call_site);
  const Range share = placed ? placed_share(task, trips, identity) : unplaced_share(team, trips, task.local_number);
  events::iterations_begin(task, share, identity.call_site, identity.source);
  return share;
}

void end_static_loop(ImplicitTask& task) {
  task.in_static_loop = false;
  events::iterations_end(task, events::Iterations::Share, task.static_visit != 0);
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
    HETMP_CHECK(visit->answered && visit->threads_done < team.local_threads());
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
  team.global->loops.report_loop(team.description, name, question);
}

} // namespace hetmp::runtime
