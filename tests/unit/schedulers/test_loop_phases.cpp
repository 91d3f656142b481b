// The table of a loop's phases: every pair of a phase and an event, by itself, as drawn, and as visits bring it about.
#include "loop_visits.hpp"

#include "base/check.hpp"
#include "schedulers/learning/loop_phase.hpp"

#include <csignal>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

namespace hetmp::schedulers {
namespace {

using enum LoopPhase;
using enum LoopEvent;
using enum LoopAction;

constexpr LoopPhase all_phases[] = {Fresh, Probing, Standing, LookedOnce};
const char* const phase_names[] = {"Fresh", "Probing", "Standing", "LookedOnce"};
constexpr LoopEvent all_events[] = {OtherTeam, VisitBegins, AuditDue,      NothingToLearn,   Doubt,
                                    NoDoubt,   AuditUnsure, AuditConfirms, AuditFindsSpeeds, AuditContradicts};
const char* const event_names[] = {"OtherTeam", "VisitBegins", "AuditDue",      "NothingToLearn",   "Doubt",
                                   "NoDoubt",   "AuditUnsure", "AuditConfirms", "AuditFindsSpeeds", "AuditContradicts"};
static_assert(std::size(all_phases) == loop_phases && std::size(all_events) == loop_events);

std::string name(LoopPhase phase) { return phase_names[size_t(phase)]; }
std::string name(LoopEvent event) { return event_names[size_t(event)]; }

template <class Visitor> void walk(const Visitor& visitor) {
  for (const LoopPhase phase : all_phases)
    for (const LoopEvent event : all_events) {
      SCOPED_TRACE(name(phase) + ", " + name(event));
      visitor(phase, event);
    }
}

bool begins_a_visit(LoopEvent event) { return event <= NothingToLearn; }
bool is_of_a_probe(LoopEvent event) { return event == Doubt || event == NoDoubt; }

TEST(LoopPhases, WhatCanBe) {
  walk([](LoopPhase phase, LoopEvent event) {
    bool expected = true; // a visit may begin whenever it likes
    if (event == AuditDue)
      expected = stands(phase);
    else if (!begins_a_visit(event))
      expected = is_of_a_probe(event) != stands(phase);
    if (event == AuditUnsure && phase == LookedOnce)
      expected = false; // or audits would never end
    EXPECT_EQ(possible(phase, event), expected);
  });
}

TEST(LoopPhases, WhereEachEventLeads) {
  walk([](LoopPhase phase, LoopEvent event) {
    if (!possible(phase, event))
      return;
    LoopPhase expected = phase; // of a visit that only begins
    if (event == OtherTeam)
      expected = Fresh;
    else if (event == Doubt || event == AuditContradicts)
      expected = Probing;
    else if (event == AuditUnsure)
      expected = LookedOnce;
    else if (!begins_a_visit(event))
      expected = Standing;
    EXPECT_EQ(next(phase, event).phase, expected);
  });
}

TEST(LoopPhases, WhatIsDone) {
  const LoopAction of_events[] = {Forget,     Probe,     Probe,      KeepAWhile, ProbeOn,
                                  AuditFirst, LookAgain, AuditLater, AuditAgain, BeginAnew};
  walk([&](LoopPhase phase, LoopEvent event) {
    if (!possible(phase, event))
      return;
    const bool kept = event == VisitBegins && stands(phase);
    EXPECT_EQ(next(phase, event).action, kept ? KeepTillAudit : of_events[size_t(event)]);
  });
}

#if HETMP_CHECKS
void enter(LoopPhase phase, LoopEvent event) {
  signal(SIGABRT, SIG_DFL);
  next(phase, event);
}

TEST(LoopPhasesDeathTest, WhatCannotBeIsAsserted) {
  walk([](LoopPhase phase, LoopEvent event) {
    if (!possible(phase, event)) {
      EXPECT_EXIT(enter(phase, event), testing::KilledBySignal(SIGABRT), "check failed: possible");
    }
  });
}
#endif

/// The picture has what leads to another phase and what is measured in the same one; another team comes at any time.
TEST(LoopPhases, AreAsDrawn) {
  using Edges = std::set<std::tuple<std::string, std::string, std::string>>;
  Edges expected, drawn;
  walk([&](LoopPhase phase, LoopEvent event) {
    if (possible(phase, event) && !begins_a_visit(event))
      expected.insert({name(phase), name(event), name(next(phase, event).phase)});
  });
  std::ifstream file(LOOP_PHASES_PICTURE);
  const std::regex edge(R"re(^ *(\w+)(?::\w)? -> (\w+)(?::\w)? \[label="([^"]*)".*)re");
  std::smatch found;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, found, edge)) {
      std::istringstream labels(std::regex_replace(found[3].str(), std::regex(R"(\\n)"), " "));
      for (std::string label; labels >> label;)
        drawn.insert({found[1], label, found[2]});
    }
  EXPECT_EQ(drawn, expected);
}

// Visits that bring each pair about. The decision is for two nodes whenever there is one that stands: its first audit
// comes after 8 visits, the next one after 16.

const std::vector<NodeMeasurement> doubtful = probe(1000, 5, 3000, 15);
const std::vector<NodeMeasurement> too_many_faults = probe(1000, 11, 3000, 33); // but not on average with quiet visits
const std::vector<NodeMeasurement> other_speeds = probe(1000, 0, 2000, 0);
constexpr uint64_t trips = 1000, few_trips = 23; // of 12 threads

/// With visits left until the audit.
LoopHistory history_in(LoopPhase phase) {
  LoopHistory history;
  history.begin_visit(team, rules(), trips);
  if (phase == Probing)
    history.absorb(doubtful, rules());
  if (stands(phase))
    settle(history, quiet);
  if (phase == LookedOnce) { // by a policy that measures every visit
    history.begin_visit(team, rules(), trips);
    history.asked_every_time();
    history.absorb(too_many_faults, rules());
  }
  EXPECT_EQ(history.phase(), phase);
  return history;
}

/// The visits before the audit; each has another number of iterations, so that none was announced.
void pass_visits_until_audit(LoopHistory& history) {
  for (uint64_t i = 1; true; ++i) {
    LoopHistory copy = history;
    if (copy.begin_visit(team, rules(), trips + i).probe)
      return;
    history.begin_visit(team, rules(), trips + i);
  }
}

/// What the visits that stood say at an audit: node 1 is faster than the decision has it.
VisitMeasurements many_visits() {
  return {quiet, quiet, {measured(4, 16 * 400, 16 * 4000.0, 0), measured(8, 16 * 800, 16 * 8 * 2000.0, 0)}};
}

DecisionRules one_probe() {
  DecisionRules result = rules();
  result.most_probes = 1;
  return result;
}

/// Measures a visit such that this is the event.
void measure(LoopHistory& history, LoopEvent event) {
  switch (event) {
  case Doubt:
    history.absorb(doubtful, rules());
    break;
  case NoDoubt:
    history.absorb(quiet, one_probe());
    break;
  case AuditUnsure:
    history.absorb(too_many_faults, rules());
    break;
  case AuditConfirms:
    history.absorb(quiet, rules());
    break;
  case AuditFindsSpeeds:
    history.absorb(many_visits(), rules());
    break;
  default:
    history.absorb(other_speeds, rules());
  }
}

void expect_beginning(LoopPhase phase, LoopEvent event) {
  LoopHistory history = history_in(phase);
  if (stands(phase) && event != VisitBegins)
    pass_visits_until_audit(history);
  const Decision before = history.decision();
  const LoopHistory::Visit visit =
      event == OtherTeam ? history.begin_visit({4, 4}, rules(), trips)
                         : history.begin_visit(team, rules(), event == NothingToLearn ? few_trips : trips);
  const LoopStep step = next(phase, event);
  EXPECT_EQ(history.phase(), step.phase);
  EXPECT_EQ(visit.probe, step.action == Probe || step.action == Forget);
  if (step.action == KeepAWhile) {
    EXPECT_EQ(visit.repeats, 16u);
  }
  if (step.action == KeepTillAudit) {
    EXPECT_EQ(visit.repeats, phase == Standing ? 7u : 6u);
    EXPECT_TRUE(history.begin_visit(team, rules(), trips).probe) << "when these are over";
  }
  if (step.action == Forget) {
    EXPECT_EQ(history.probed_visits(), 0u);
    EXPECT_EQ(history.visits(), 1u);
  } else {
    EXPECT_EQ(history.decision().nodes, before.nodes);
    EXPECT_EQ(history.decision().speed, before.speed);
  }
}

void expect_measuring(LoopPhase phase, LoopEvent event) {
  LoopHistory history = history_in(phase);
  if (stands(phase)) {
    pass_visits_until_audit(history);
    ASSERT_TRUE(history.begin_visit(team, rules(), trips).probe);
  }
  const Decision before = history.decision();
  measure(history, event);
  const LoopStep step = next(phase, event);
  EXPECT_EQ(history.phase(), step.phase);
  if (step.action == LookAgain) {
    EXPECT_EQ(history.decision().speed, before.speed);
  }
  if (step.action == BeginAnew) {
    LoopHistory fresh;
    fresh.absorb(other_speeds, rules());
    EXPECT_EQ(history.nodes()[1].us_per_iteration, fresh.nodes()[1].us_per_iteration);
  }
  const LoopHistory::Visit after = history.begin_visit(team, rules(), trips);
  EXPECT_EQ(after.probe, step.action == ProbeOn || step.action == LookAgain || step.action == BeginAnew);
  if (!after.probe) {
    EXPECT_EQ(after.repeats + 1, step.action == AuditLater ? 16u : 8u);
  }
}

TEST(LoopPhases, VisitsGoThroughAllOfThem) {
  walk([](LoopPhase phase, LoopEvent event) {
    if (!possible(phase, event))
      return;
    if (begins_a_visit(event))
      expect_beginning(phase, event);
    else
      expect_measuring(phase, event);
  });
}

TEST(LoopPhases, AContradictionMayBeDecidedAtOnce) {
  LoopHistory history = history_in(Standing);
  pass_visits_until_audit(history);
  history.begin_visit(team, rules(), trips);
  history.absorb(other_speeds, one_probe());
  EXPECT_EQ(history.phase(), Standing);
  EXPECT_EQ(history.decision().speed, (std::vector<double>{2, 1}));
  EXPECT_EQ(history.begin_visit(team, rules(), trips).repeats, 7u);
}

} // namespace
} // namespace hetmp::schedulers
