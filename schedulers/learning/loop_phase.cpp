#include "schedulers/learning/loop_phase.hpp"

#include "base/check.hpp"

namespace hetmp::schedulers {
namespace {

using enum LoopPhase;
using enum LoopAction;

constexpr LoopStep never{};

/// By event; in a row by phase: Fresh, Probing, Standing, LookedOnce.
constexpr LoopStep steps[][loop_phases] = {
    /* OtherTeam */ {{Fresh, Forget}, {Fresh, Forget}, {Fresh, Forget}, {Fresh, Forget}},
    /* VisitBegins */ {{Fresh, Probe}, {Probing, Probe}, {Standing, KeepTillAudit}, {LookedOnce, KeepTillAudit}},
    /* AuditDue */ {never, never, {Standing, Probe}, {LookedOnce, Probe}},
    /* NothingToLearn */
    {{Fresh, KeepAWhile}, {Probing, KeepAWhile}, {Standing, KeepAWhile}, {LookedOnce, KeepAWhile}},
    /* Doubt */ {{Probing, ProbeOn}, {Probing, ProbeOn}, never, never},
    /* NoDoubt */ {{Standing, AuditFirst}, {Standing, AuditFirst}, never, never},
    /* AuditUnsure */ {never, never, {LookedOnce, LookAgain}, never},
    /* AuditConfirms */ {never, never, {Standing, AuditLater}, {Standing, AuditLater}},
    /* AuditFindsSpeeds */ {never, never, {Standing, AuditAgain}, {Standing, AuditAgain}},
    /* AuditContradicts */ {never, never, {Probing, BeginAnew}, {Probing, BeginAnew}},
};
static_assert(sizeof steps == sizeof(LoopStep) * loop_events * loop_phases, "one row for each event");
static_assert(uint32_t(LookedOnce) + 1 == loop_phases && uint32_t(LoopEvent::AuditContradicts) + 1 == loop_events);

constexpr const LoopStep& step_of(LoopPhase phase, LoopEvent event) { return steps[uint32_t(event)][uint32_t(phase)]; }

} // namespace

bool possible(LoopPhase phase, LoopEvent event) { return step_of(phase, event) != never; }

LoopStep next(LoopPhase phase, LoopEvent event) {
  HETMP_CHECK(possible(phase, event));
  return step_of(phase, event);
}

} // namespace hetmp::schedulers
