#include "schedulers/learning/audit.hpp"

#include "schedulers/learning/speed_ratios.hpp"

#include <algorithm>

namespace hetmp::schedulers {
namespace {

/// An audit that finds a speed changed by more contradicts the decision.
constexpr double contradicting_difference = 1.2;
/// The same of speeds over all visits since the last audit. Little: where two nodes' CPUs are threads of one core,
/// whoever is alone at the end of a visit is the faster for it, which hides about half of an uneven division.
constexpr double changed_on_average = 1.02;

Decision with_speeds_of(Decision decision, const Decision& other) {
  decision.speed = other.speed;
  return decision;
}

} // namespace

/// Of other nodes they do not matter: what is in use stays the same.
double change_of_speeds(const Decision& before, const Decision& after) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (uint32_t i = 0; i < before.speed.size() && i < after.speed.size(); ++i)
    if (before.uses(i) && before.speed[i] > 0 && after.speed[i] > 0) {
      least = std::min(least, after.speed[i] / before.speed[i]);
      greatest = std::max(greatest, after.speed[i] / before.speed[i]);
    }
  return greatest > 0 ? greatest / least : 1;
}

/// What the visit itself shows is compared with the decision, not the average in which it weighs three quarters. Speeds
/// that an audit confirms stay exactly as they were.
Verdict judge_visit(const AuditQuestion& question, bool looked_once) {
  const auto& [standing, average, seen] = question;
  const bool several = standing.only_node() < 0;
  const bool second_of_several = several && looked_once;
  // At the second look, what the average keeps of the first one is not asked.
  const bool average_agrees = second_of_several || average.nodes == standing.nodes;
  const bool other_nodes = seen.nodes != standing.nodes || !average_agrees;
  // Where one node has had the loop, the others' pages are cold, and one visit only shows how they come back. And
  // several nodes are not given up because of the faults of one visit.
  if (!looked_once && (several ? other_nodes : seen.nodes == standing.nodes))
    return {LoopEvent::AuditUnsure, standing};
  if (other_nodes || change_of_speeds(standing, seen) > contradicting_difference)
    return {LoopEvent::AuditContradicts, seen};
  if (second_of_several)
    return {LoopEvent::AuditConfirms, standing};
  const bool same_speeds = change_of_speeds(standing, average) < smallest_difference;
  return {LoopEvent::AuditConfirms, same_speeds ? with_speeds_of(average, standing) : average};
}

/// Speeds that have changed are taken as they are, as no probe tells them better; others stay exactly as they were:
/// moving a boundary by a few iterations would move pages.
std::optional<Verdict> judge_many_visits(const AuditQuestion& question) {
  const auto& [standing, average, seen] = question;
  if (seen.nodes != standing.nodes || average.nodes != standing.nodes)
    return std::nullopt;
  if (change_of_speeds(standing, seen) > changed_on_average)
    return Verdict{LoopEvent::AuditFindsSpeeds, seen};
  return Verdict{LoopEvent::AuditConfirms, with_speeds_of(average, standing)};
}

} // namespace hetmp::schedulers
