#include "schedulers/together/loop_group.hpp"

#include "schedulers/learning/audit.hpp"
#include "schedulers/learning/decision_parts.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace hetmp::schedulers {
namespace {

/// Of the work since the last choice, in loops of which it is known what they take,
constexpr double most_of_it = 0.9;
/// and where others are held already.
constexpr double half_of_it = 0.5;
/// A trial that takes so many times what one node would is ended at a glance.
constexpr double hopeless = 1.5;
/// Visits of one loop that a trial takes at most.
constexpr double longest_trial = 12;
/// Where they are shorter than this, the trial goes on for so many that are not measured before it is given up.
constexpr double short_visit_us = 5000;
constexpr double timed_trial = 48;
/// Likewise, of a loop that is not the watched one, which seems not to come any more.
constexpr double most_visits_alone = 100;
constexpr double never_known = std::numeric_limits<double>::infinity();
constexpr uint32_t longest_hold = 4096;
/// For so many visits, loops whose decisions stand are asked about so often: a choice should not have to wait for them,
/// and how they run tells what the others cost them.
constexpr uint32_t soon = 3;
constexpr uint64_t young = 32;
/// An audit of a loop that is divided costs next to nothing.
constexpr uint32_t audited_again = 64;
/// Speeds that differ by more are worth another division.
constexpr double moved = 1.2;

std::string in_milliseconds(double us) { return in_digits(us / 1000) + " ms"; }

/// Of all the loops' visits that were weighed.
std::string why(const TogetherChoice& choice, const TogetherCosts& costs, size_t loops) {
  const std::string of_all = std::to_string(loops) + (loops > 1 ? " loops together: " : " loop: ");
  const std::string alone = in_milliseconds(costs.alone_us[choice.node]) + " on " + node_name(choice.node);
  const std::string taken = in_milliseconds(costs.own_us);
  if (choice.place == Together::Divided)
    return of_all + taken + " divided at one place, " + alone;
  return of_all + alone + ", " + taken + " as they were";
}

} // namespace

LoopGroup::LoopGroup() : next_hold_(first_hold) {}

void LoopGroup::visited(LoopHistory& loop, bool measured, const DecisionRules& rules, double now_us) {
  Member& member = member_of(loop);
  const bool has_clock = now_us > 0 && rules.mode != DecisionMode::Speeds; // whose trials are on one node
  const bool is_watched = trial_ != Trial::None || (&loop == watch_.leader && has_clock);
  loop.ask_again_after(loop.visits() < young || is_watched ? soon : UINT32_MAX);
  if (trial_ == Trial::None && measured)
    rejoin(member, rules);
  if (trial_ == Trial::None)
    weigh(rules);
  if (trial_ == Trial::Divided && (measured || is_timed_)) {
    try_divided(free_members());
    judge_divided_trial(rules);
  }
  if (trial_ == Trial::Alone && measured && !loop.is_bound())
    hold_alone(member);
  if (trial_ == Trial::Alone && member.visits() > most_visits_alone)
    abandon_alone();
  if (&loop == watch_.leader && has_clock)
    look_at_clock(loop, rules, now_us);
}

LoopGroup::Member& LoopGroup::member_of(LoopHistory& loop) {
  const auto found =
      std::find_if(members_.begin(), members_.end(), [&](const Member& member) { return member.loop == &loop; });
  return found != members_.end() ? *found : members_.emplace_back(Member{.loop = &loop});
}

/// Those that decide for themselves, and have.
LoopGroup::Members LoopGroup::free_members() {
  Members found;
  for (Member& member : members_)
    if (!member.loop->is_bound() && member.loop->decided())
      found.push_back(&member);
  return found;
}

/// Those that an earlier choice has placed: a later one is also about them.
LoopGroup::Members LoopGroup::held_members() {
  Members found;
  for (Member& member : members_)
    if (member.loop->is_placed() && !member.tried)
      found.push_back(&member);
  return found;
}

LoopCost LoopGroup::cost_of(const Member& member) {
  const VisitTime time = member.loop->times().least();
  const Decision& decision = member.loop->decision();
  LoopCost cost;
  cost.visits = member.visits();
  cost.iterations = member.iterations();
  cost.own_us = time.elapsed_us;
  cost.alone_us = time.alone_us;
  cost.nodes = decision.nodes;
  for (uint32_t i = 0; i < cost.alone_us.size(); ++i)
    if (i >= decision.speed.size() || !(decision.speed[i] > 0)) // the user excludes it
      cost.alone_us[i] = never_known;
  for (const NodeKnowledge& node : member.loop->nodes()) {
    cost.busy_us.push_back(node.measured ? node.busy_us_per_iteration : 0);
    cost.faults.push_back(node.measured ? node.faults_per_iteration : 0);
  }
  return cost;
}

/// Of some, all of teams of one shape.
TogetherCosts LoopGroup::costs_of(const Members& members, const DecisionRules& rules) {
  std::vector<uint32_t> threads;
  for (const NodeKnowledge& node : members.front()->loop->nodes())
    threads.push_back(node.threads);
  std::vector<LoopCost> loops;
  for (const Member* member : members)
    loops.push_back(cost_of(*member));
  return costs_together(loops, threads, rules);
}

bool LoopGroup::carry(const Members& some, double least_part) const {
  double all = 0, part = 0;
  for (const Member& member : members_)
    if (trial_ == Trial::None || member.tried)
      all += member.work_us();
  for (const Member* member : some)
    part += member->work_us();
  return part > 0 && part >= least_part * all && (trial_ != Trial::None || part >= weighed_us_);
}

void LoopGroup::weigh(const DecisionRules& rules) {
  Members known, glimpsed;
  for (Member* member : free_members())
    if (const VisitTimes& times = member->loop->times(); times.glimpsed() && member->iterations() > 0) {
      glimpsed.push_back(member);
      if (times.known())
        known.push_back(member);
    }
  const double least_part = holds_ == 0 ? most_of_it : half_of_it;
  if (!carry(known, least_part)) {
    follow(known, rules);
    if (carry(glimpsed, least_part))
      watch(glimpsed, 1);
    return;
  }
  const TogetherCosts costs = costs_of(known, rules);
  const TogetherChoice choice = choose_together(costs, divided_was_tried_, rules);
  if (choice.place == Together::Divided) {
    trial_ = Trial::Divided;
    is_timed_ = false;
    divided_was_tried_ = true;
    watch_ = {};
    untried_ = costs;
    speed_ = rules.speeds.empty() ? costs.speed : known.front()->loop->decision().speed;
    count_anew();
    try_divided(free_members());
    try_divided(held_members());
  } else if (choice.place == Together::OnOneNode) {
    Members all = held_members();
    all.insert(all.end(), known.begin(), known.end());
    hold(all, choice, costs, rules);
  } else {
    watch(known, 1);
  }
}

/// Also those of which little is known: whatever is elsewhere has pages come and go.
void LoopGroup::try_divided(const Members& members) {
  for (Member* member : members) {
    member->own = member->loop->decision();
    member->tried = true;
    member->loop->try_out(divided(*member->loop, "a trial of all loops divided at one place"));
  }
}

Decision LoopGroup::divided(const LoopHistory& loop, const char* reason) const {
  Decision decision = loop.decision();
  decision.nodes = nodes_with_speed(speed_);
  decision.speed = speed_;
  decision.reason = reason;
  return decision;
}

void LoopGroup::judge_divided_trial(const DecisionRules& rules) {
  Members known, glimpsed, tried;
  for (Member& member : members_) {
    if (!member.tried)
      continue;
    tried.push_back(&member);
    const VisitTimes& times = member.loop->times();
    if (!times.glimpsed() || !(member.iterations() > 0))
      continue;
    glimpsed.push_back(&member);
    if (times.known())
      known.push_back(&member);
  }
  if (!carry(glimpsed, half_of_it))
    return;
  const TogetherCosts costs = costs_of(glimpsed, rules);
  const bool seems_lost = costs.own_us > hopeless * costs.alone_us[best_node_together(costs)];
  const bool lost = seems_lost && (!is_timed_ || most_visits(glimpsed) >= longest_trial);
  const bool long_enough = most_visits(tried) >= (is_timed_ ? timed_trial : longest_trial);
  if (!lost && !long_enough && (is_timed_ || !carry(known, most_of_it)))
    return;
  const TogetherChoice choice = judge_divided(costs, untried_, rules);
  if (choice.place != Together::Divided && !is_timed_ && are_short(glimpsed)) {
    time_trial(tried);
    return;
  }
  trial_ = Trial::None;
  hold(tried, choice, costs, rules);
}

/// To measure a short visit takes a part of it: the next ones are only timed.
void LoopGroup::time_trial(const Members& tried) {
  is_timed_ = true;
  for (Member* member : tried)
    member->loop->hold(member->loop->decision(), first_hold, true);
  count_anew();
}

double LoopGroup::most_visits(const Members& members) {
  double most = 0;
  for (const Member* member : members)
    most = std::max(most, member->visits());
  return most;
}

bool LoopGroup::are_short(const Members& members) {
  double visits = 0, work_us = 0;
  for (const Member* member : members) {
    visits += member->visits();
    work_us += member->work_us();
  }
  return work_us < short_visit_us * visits;
}

/// A loop that decides for itself again goes on where all are divided as long as that takes less than one node: a
/// single audit of a short loop sees few faults and little time. Of speeds that audits find, only those of a loop with
/// most of the work are followed, by all: pages would travel between loops that are divided at different places.
void LoopGroup::rejoin(Member& member, const DecisionRules& rules) {
  LoopHistory& loop = *member.loop;
  if (choice_.place != Together::Divided || loop.is_bound() || !loop.decided() || !loop.times().known() ||
      !(member.iterations() > 0))
    return;
  const Decision own = loop.decision();
  const bool is_sure = own.only_node() < 0 && loop.phase() == LoopPhase::Standing;
  const bool has_paid = std::exchange(member.is_divided, false) && pays_divided(costs_of({&member}, rules));
  if (!is_sure && !has_paid)
    return;
  Decision together = divided(loop, "divided as most of the program's loops");
  const bool has_moved = own.only_node() < 0 && change_of_speeds(together, own) > moved;
  const bool is_seen_again = !member.own.speed.empty() && change_of_speeds(member.own, own) <= moved;
  if (has_moved && (is_sure || is_seen_again) && carry({&member}, half_of_it))
    together.speed = speed_ = own.speed;
  member.own = own;
  loop.hold(std::move(together), audited_again);
  member.is_divided = true;
}

/// What the others' pages cost where they have to come and go for these loops, their own times do not tell.
void LoopGroup::follow(const Members& others, const DecisionRules& rules) {
  const char* const reason = "as most of the program's loops";
  const bool all_divided = choice_.place == Together::Divided;
  for (Member* member : others) {
    if (choice_.place == Together::AsTheyAre || !member->loop->times().known() || !(member->iterations() > 0))
      continue;
    const TogetherCosts costs = costs_of({member}, rules);
    if ((all_divided ? costs.divided_us : costs.alone_us[choice_.node]) > costs.own_us)
      continue;
    Decision decision = all_divided ? divided(*member->loop, reason) : member->loop->decision();
    if (!all_divided) {
      decision.nodes = NodeSet::of(choice_.node);
      decision.reason = reason;
    }
    member->loop->hold(std::move(decision), next_hold_ / 2);
    member->is_divided = all_divided;
  }
}

void LoopGroup::hold(const Members& members, const TogetherChoice& choice, const TogetherCosts& costs,
                     const DecisionRules& rules) {
  for (Member* member : members) {
    Decision decision = member->tried ? member->own : member->loop->decision();
    if (choice.place == Together::OnOneNode)
      decision.nodes = NodeSet::of(choice.node);
    else if (choice.place == Together::Divided)
      decision = member->loop->decision();
    if (choice.place != Together::AsTheyAre)
      decision.reason = why(choice, costs, members.size());
    member->tried = false;
    member->is_divided = choice.place == Together::Divided;
    if (choice.place == Together::AsTheyAre)
      member->loop->keep(std::move(decision), next_hold_);
    else
      member->loop->hold(std::move(decision), next_hold_);
  }
  choice_ = choice;
  weighed_us_ = costs.own_us;
  divided_was_tried_ = choice.place != Together::Divided && divided_was_tried_;
  next_hold_ = std::min(2 * next_hold_, longest_hold);
  ++holds_;
  watch_ = {};
  const bool at_home = choice.place == Together::OnOneNode && choice.node == 0;
  if (!at_home)
    watch(members, visits_that_move_pages);
  follow(free_members(), rules);
  count_anew();
}

void LoopGroup::count_anew() {
  for (Member& member : members_) {
    member.visits_before = static_cast<double>(member.loop->visits());
    member.iterations_before = member.loop->iterations();
  }
}

} // namespace hetmp::schedulers
