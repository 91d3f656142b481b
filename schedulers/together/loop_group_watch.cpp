// What a group of loops learns from the clock.
#include "schedulers/learning/decision_parts.hpp"
#include "schedulers/together/loop_group.hpp"

#include <algorithm>
#include <utility>

namespace hetmp::schedulers {
namespace {

/// Of the loop that is watched.
constexpr uint64_t watched_visits = 6;
constexpr uint32_t least_intervals = 2;
/// For so many visits, the clock waits for loops that are still probed.
constexpr uint64_t patience = 32;
/// By the clock, which other programs disturb; and by an estimate, which tells nothing of what lies between loops.
constexpr double faster = 0.95;
constexpr double clearly_faster = 0.9;
constexpr double beyond_doubt = 0.5;

} // namespace

/// Once: what is found out is what stays.
void LoopGroup::watch(const Members& members, uint64_t visits_to_skip) {
  if (was_watched_)
    return;
  const Member* leader = *std::max_element(
      members.begin(), members.end(), [](const Member* a, const Member* b) { return a->work_us() < b->work_us(); });
  if (watch_.leader != leader->loop)
    watch_ = {.leader = leader->loop, .from_visit = leader->loop->visits() + visits_to_skip};
}

/// What all loops would take at another place than now, per iteration of the leader.
LoopGroup::Estimate LoopGroup::estimate_alone(const DecisionRules& rules) {
  Members seen;
  for (Member& member : members_)
    if (member.loop->times().glimpsed() && member.iterations() > 0)
      seen.push_back(&member);
  const double iterations = member_of(*watch_.leader).iterations();
  if (seen.empty() || !(iterations > 0))
    return {};
  const TogetherCosts costs = costs_of(seen, rules);
  const bool on_other_node = !costs.mixed && seen.front()->loop->decision().nodes == NodeSet::of(choice_.node);
  const uint32_t node = choice_.place == Together::OnOneNode && on_other_node ? 0 : best_node_together(costs);
  return {node, costs.alone_us[node] / iterations};
}

void LoopGroup::look_at_clock(const LoopHistory& leader, const DecisionRules& rules, double now_us) {
  if (leader.visits() < watch_.from_visit)
    return;
  const bool all_stand = std::all_of(members_.begin(), members_.end(), [](const Member& member) {
    return member.loop->settled() || !member.loop->decided();
  });
  const bool stands = all_stand || leader.visits() >= watch_.from_visit + patience;
  if (stands != std::exchange(watch_.stands, stands))
    watch_.pace.begin_anew();
  watch_.pace.look(leader.visits(), leader.iterations(), now_us);
  if (watch_.pace.intervals() < least_intervals)
    return;
  const bool is_seen = stands && watch_.pace.visits() >= watched_visits;
  const double taken_us = watch_.pace.us_per_iteration();
  if (trial_ == Trial::Alone) {
    if (is_seen)
      judge_alone(taken_us);
    return;
  }
  if (!is_seen && was_glanced_at_)
    return;
  const Estimate alone = estimate_alone(rules);
  if (alone.us <= (is_seen ? clearly_faster : beyond_doubt) * taken_us)
    try_alone(alone.node, taken_us);
  else if (is_seen)
    end_watch();
}

void LoopGroup::try_alone(uint32_t node, double before_us) {
  watch_.node = node;
  trial_ = Trial::Alone;
  watch_.before_us = before_us;
  watch_.early = !watch_.stands;
  was_glanced_at_ |= watch_.early;
  watch_.pace.begin_anew();
  watch_.from_visit = watch_.leader->visits() + visits_that_move_pages;
  for (Member& member : members_)
    if (member.loop->decided())
      hold_alone(member);
  count_anew();
}

void LoopGroup::hold_alone(Member& member) {
  Decision together = member.own = member.loop->decision();
  member.was_placed = member.loop->is_placed();
  together.nodes = NodeSet::of(watch_.node);
  together.reason = "a trial of all loops on " + node_name(watch_.node);
  member.tried = true;
  member.loop->hold(std::move(together), first_hold, true);
}

/// What is faster is held. Otherwise decisions are as they were before; those that did not stand yet are found on.
void LoopGroup::judge_alone(double taken_us) {
  const bool is_faster = taken_us <= faster * watch_.before_us;
  trial_ = Trial::None;
  for (Member& member : members_) {
    if (!std::exchange(member.tried, false) || !member.loop->is_bound())
      continue;
    Decision decision = is_faster ? member.loop->decision() : member.own;
    if (is_faster)
      decision.reason = "all loops on " + node_name(watch_.node) + ": the program takes " +
                        in_digits(taken_us / watch_.before_us) + " times what it did before";
    if (!is_faster && !watch_.early && !member.was_placed)
      member.loop->keep(std::move(decision), next_hold_);
    else if (is_faster || !watch_.early)
      member.loop->hold(std::move(decision), next_hold_);
    else
      member.loop->release(std::move(decision));
  }
  if (is_faster)
    choice_ = {Together::OnOneNode, watch_.node};
  const bool goes_on = is_faster ? watch_.node != 0 : watch_.early; // the origin may be faster still
  if (goes_on)
    watch_ = {.leader = watch_.leader, .from_visit = watch_.leader->visits() + 1};
  else
    end_watch();
  count_anew();
}

/// Nothing is known of it.
void LoopGroup::abandon_alone() {
  trial_ = Trial::None;
  for (Member& member : members_)
    if (std::exchange(member.tried, false) && member.loop->is_bound())
      member.loop->release(std::move(member.own));
  end_watch();
  count_anew();
}

void LoopGroup::end_watch() {
  was_watched_ = true;
  watch_ = {};
}

} // namespace hetmp::schedulers
