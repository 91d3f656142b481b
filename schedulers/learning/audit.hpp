// What a visit says of a decision that stands. Pure.
#pragma once

#include "schedulers/learning/decision.hpp"
#include "schedulers/learning/loop_phase.hpp"

#include <optional>

namespace hetmp::schedulers {

/// What an audit goes by.
struct AuditQuestion {
  const Decision& standing; ///< in force
  const Decision& average;  ///< what the averages over visits lead to, this visit included
  const Decision& seen;     ///< what this visit alone leads to
};

struct Verdict {
  LoopEvent event;   ///< AuditUnsure, AuditConfirms, AuditFindsSpeeds or AuditContradicts
  Decision decision; ///< in force from now on
};

/// By how much the speeds, relative to each other, of the nodes that divide the work differ; 1 = not at all.
double change_of_speeds(const Decision& before, const Decision& after);

/// By one visit. `looked_once`: the visit before has been unsure.
Verdict judge_visit(const AuditQuestion& question, bool looked_once);

/// By speeds over all visits since the last audit; nothing if other nodes would be used: that is for judge_visit().
std::optional<Verdict> judge_many_visits(const AuditQuestion& question);

} // namespace hetmp::schedulers
