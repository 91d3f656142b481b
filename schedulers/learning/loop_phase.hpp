// The phases of a loop's history, and what each event leads to. Pure.
//
// docs/design/loops.md has the picture. These are no events: that a visit ends without having been measured (because it
// was cancelled, say); another number of iterations, which only tells how visits are counted; and that a region
// withdraws from nodes: its teams then have another shape, which means another history.
#pragma once

#include <cstdint>

namespace hetmp::schedulers {

enum class LoopPhase : uint8_t {
  Fresh,      ///< nothing has been decided
  Probing,    ///< visits are probed, and each one decides anew
  Standing,   ///< the decision stands until the next audit
  LookedOnce, ///< it stands, but a first look left doubt: the next visit that is measured says whether it goes on
};
inline constexpr uint32_t loop_phases = 4;

enum class LoopEvent : uint8_t {
  // A visit begins. OtherTeam is followed by another one of these.
  OtherTeam,      ///< by a team of another shape than so far, or by the first team
  VisitBegins,    ///< before the next audit, if the decision stands
  AuditDue,       ///< at or after the one for which the next audit was set
  NothingToLearn, ///< in place of one that would be probed: on one node, or with too few iterations
  // A visit has been measured. AuditContradicts is followed by Doubt or NoDoubt.
  Doubt,            ///< more probes are needed
  NoDoubt,          ///< there are enough of them
  AuditUnsure,      ///< one look is not enough to tell
  AuditConfirms,    ///< the decision in force is as good as what was seen
  AuditFindsSpeeds, ///< same nodes, but of other speeds on all visits since the last audit: these are followed
  AuditContradicts, ///< other nodes, or other speeds
};
inline constexpr uint32_t loop_events = 10;

enum class LoopAction : uint8_t {
  None, ///< the event cannot be in this phase
  // Of a visit that begins.
  Forget,        ///< all that is known
  Probe,         ///< the visit
  KeepTillAudit, ///< neither this visit is probed nor any other before the next audit
  KeepAWhile,    ///< neither this visit is probed nor are some after it
  // Of a visit that has been measured.
  ProbeOn,    ///< the next visit is probed, too
  AuditFirst, ///< after a first interval, by how clear the decision is
  AuditAgain, ///< after the same interval as before
  AuditLater, ///< after twice the interval
  LookAgain,  ///< the audit goes on with the next visit
  BeginAnew,  ///< this visit is the first one that counts
};

/// What an event leads to.
struct LoopStep {
  LoopPhase phase = LoopPhase::Fresh; ///< from now on
  LoopAction action = LoopAction::None;
  constexpr bool operator==(const LoopStep&) const = default;
};

/// Whether the event can be in the phase.
bool possible(LoopPhase phase, LoopEvent event);

/// Of an event that can be in the phase.
LoopStep next(LoopPhase phase, LoopEvent event);

constexpr bool is_decided(LoopPhase phase) { return phase != LoopPhase::Fresh; }
/// The decision stands: visits are not probed but for audits.
constexpr bool stands(LoopPhase phase) { return phase == LoopPhase::Standing || phase == LoopPhase::LookedOnce; }

} // namespace hetmp::schedulers
