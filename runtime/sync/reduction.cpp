#include "runtime/sync/reduction.hpp"

#include "base/check.hpp"
#include "base/environment.hpp"
#include "base/variables/variable.hpp"
#include "runtime/global/node_gatherings.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/sync/cancellation.hpp"
#include "runtime/sync/local_barrier.hpp"
#include "runtime/team/events.hpp"
#include "runtime/wait/fresh_page.hpp"

#include <algorithm>
#include <alloca.h>

namespace hetmp::runtime {
namespace {

/// Up to here threads fold one after the other; above, their copies are combined first.
constexpr uint32_t few_threads = 4;

ReductionMethod forced_method = ReductionMethod::None; // None = nobody forces one

bool combines(ReductionMethod method) {
  return method == ReductionMethod::Combine || method == ReductionMethod::CombineInOrder;
}

ReductionMethod choose_method(const NodeTeam& team, const ReductionRequest& request) {
  if (team.alone())
    return ReductionMethod::Serial;
  // Threads that leave a cancelled construct do not come to its reduction: then nobody may wait for them.
  const bool can_combine = request.data && request.combine && !regions_may_be_cancelled;
  if (team.global && can_combine) // shared variables travel between nodes: once for each node, not for each thread
    return forced_method == ReductionMethod::CombineInOrder ? forced_method : ReductionMethod::Combine;
  if (forced_method == ReductionMethod::Atomic && !request.atomic_possible)
    return ReductionMethod::Critical;
  if (combines(forced_method) && !can_combine)
    return ReductionMethod::Critical;
  if (forced_method != ReductionMethod::None)
    return forced_method;
  if (can_combine && team.description.threads > few_threads)
    return ReductionMethod::Combine;
  return request.atomic_possible ? ReductionMethod::Atomic : ReductionMethod::Critical;
}

/// Node 0 gets each thread's copies.
bool offers_each(const ImplicitTask& task) {
  return task.reduction == ReductionMethod::CombineInOrder && task.team->global && task.team->description.node != 0;
}

/// All copies of the node end up in its first thread's, always in the order of thread numbers; or, where each is
/// offered, stay as they are.
void combine_on_node(ImplicitTask& task, const ReductionRequest& request) {
  NodeTeam& team = *task.team;
  HETMP_CHECK(task.local_number < team.local_threads() && team.local_threads() <= team.reduction_data.size());
  team.reduction_data[task.local_number] = request.data;
  local_barrier(team, [&] {
    events::visit_ends(team);
    if (offers_each(task))
      return;
    for (uint32_t local = 1; local < team.local_threads(); local++)
      request.combine(team.reduction_data[0], team.reduction_data[local]);
  });
}

/// The leaders' copies end up in node 0's, in the order of nodes, which is that of thread numbers: the shared variables
/// are then node 0's alone to fold into, and do not wander from node to node. By node 0's first thread.
void combine_nodes(ImplicitTask& task, uint64_t sequence, const ReductionRequest& request) {
  NodeTeam& team = *task.team;
  const TeamDescription& part = team.description;
  HETMP_CHECK(part.node == 0 && task.local_number == 0 && part.participants.contains(0));
  for (const uint32_t other : part.participants.without(0)) {
    void* const copies = team.global->gatherings.take_copies(part, sequence, other);
    if (task.reduction == ReductionMethod::CombineInOrder)
      for (auto each = static_cast<void**>(copies); *each; each += request.variables)
        request.combine(request.data, each);
    else
      request.combine(request.data, copies);
  }
  if (!request.waits)
    team.global->gatherings.release_copies(part, sequence);
}

/// By the first thread of another node. Its copies, or those of each thread of the node, one after the other and a null
/// pointer behind them. Where the construct ends with a barrier they stay until node 0 has come there; otherwise node 0
/// has them when this returns.
void offer_to_node_0(ImplicitTask& task, uint64_t sequence, const ReductionRequest& request) {
  const NodeTeam& team = *task.team;
  HETMP_CHECK(team.description.node != 0 && task.local_number == 0);
  void* copies = request.data;
  uint32_t pointers = request.variables;
  if (offers_each(task)) {
    HETMP_CHECK(request.variables != 0);
    pointers *= team.local_threads();
    const auto all = static_cast<void**>(alloca((pointers + 1) * sizeof(void*)));
    for (uint32_t local = 0; local < team.local_threads(); local++)
      std::copy_n(static_cast<void**>(team.reduction_data[local]), request.variables, all + local * request.variables);
    all[pointers] = nullptr;
    copies = all;
  }
  on_fresh_page([&] {
    team.global->gatherings.offer_copies(team.description, sequence, copies, pointers, !request.waits);
    if (request.waits)
      team_barrier(task, request.site);
  });
}

ReductionAnswer combine(ImplicitTask& task, const ReductionRequest& request) {
  NodeTeam& team = *task.team;
  const uint64_t sequence = team.global ? ++task.constructs : 0; // on every thread: they count alike
  combine_on_node(task, request);
  if (task.local_number == 0) {
    team.reduction_site = request.site;
    if (team.global && team.description.node == 0)
      combine_nodes(task, sequence, request);
    if (!team.global || team.description.node == 0)
      return ReductionAnswer::Fold;
    offer_to_node_0(task, sequence, request);
  } else if (request.waits) {
    team_barrier(task, request.site); // meets the one that folds in end_reduction()
  }
  if (offers_each(task) && !request.waits)
    local_barrier(team, [] {}); // the node's copies are needed no more
  return ReductionAnswer::Nothing;
}

} // namespace

ReductionAnswer begin_reduction(ImplicitTask& task, const ReductionRequest& request) {
  const ompt::Reducing told;
  task.reduction = choose_method(*task.team, request);
  HETMP_CHECK(task.reduction != ReductionMethod::None);
  HETMP_CHECK(task.reduction != ReductionMethod::Atomic || request.atomic_possible);
  switch (task.reduction) {
  case ReductionMethod::Critical:
    enter_critical(request.lock);
    return ReductionAnswer::Fold;
  case ReductionMethod::Atomic:
    return ReductionAnswer::Atomic;
  case ReductionMethod::Combine:
  case ReductionMethod::CombineInOrder:
    return combine(task, request);
  default:
    return ReductionAnswer::Fold;
  }
}

bool begin_atomic_reduction(ImplicitTask& task, const ReductionRequest& request) {
  if (choose_method(*task.team, request) != ReductionMethod::Atomic)
    return false;
  task.reduction = ReductionMethod::Atomic;
  return true;
}

bool end_atomic_reduction_by_other(ImplicitTask& task) {
  if (task.reduction != ReductionMethod::Atomic || !team_barrier_by_other(task))
    return false;
  task.reduction = ReductionMethod::None;
  return true;
}

void end_reduction(ImplicitTask& task, bool waits, CriticalName* lock) {
  const ReductionMethod method = task.reduction;
  task.reduction = ReductionMethod::None;
  if (method == ReductionMethod::Critical)
    leave_critical(lock);
  if (waits && regions_may_be_cancelled)
    reduction_barrier(task, nullptr);
  else if (waits)
    team_barrier(task, combines(method) ? task.team->reduction_site : nullptr);
}

std::string_view forced_reduction_name() {
  switch (forced_method) {
  case ReductionMethod::Critical:
    return "critical";
  case ReductionMethod::Atomic:
    return "atomic";
  case ReductionMethod::Combine:
  case ReductionMethod::CombineInOrder:
    return "tree";
  default:
    return {};
  }
}

void read_reduction_settings() {
  forced_method = ReductionMethod::None;
  if (const auto text = environment_value(Variable::KMP_DETERMINISTIC_REDUCTION)) {
    const auto deterministic = parse_boolean(*text);
    if (!deterministic)
      complain(Variable::KMP_DETERMINISTIC_REDUCTION, *text, "neither true nor false", "false");
    else if (*deterministic)
      forced_method = ReductionMethod::CombineInOrder;
  }
  const auto text = environment_value(Variable::KMP_FORCE_REDUCTION);
  if (!text)
    return;
  if (equal_ignoring_case(*text, "critical"))
    forced_method = ReductionMethod::Critical;
  else if (equal_ignoring_case(*text, "atomic"))
    forced_method = ReductionMethod::Atomic;
  else if (equal_ignoring_case(*text, "tree"))
    forced_method = ReductionMethod::Combine;
  else
    complain(Variable::KMP_FORCE_REDUCTION, *text, "expected critical, atomic or tree", "the runtime's choice");
}

} // namespace hetmp::runtime
