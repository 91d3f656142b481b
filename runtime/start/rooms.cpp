#include "runtime/start/rooms.hpp"

#include "runtime/ompt/events.hpp"
#include "runtime/process/ending_signals.hpp"
#include "runtime/process/library.hpp"
#include "runtime/settings/icv.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/sync/program_locks.hpp"
#include "runtime/sync/reduction.hpp"
#include "runtime/task_graph/dependences.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/tasking/away_tasks.hpp"
#include "runtime/tasking/helpers.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/task_watch.hpp"
#include "runtime/team/cancellations.hpp"
#include "runtime/team/display.hpp"
#include "runtime/team/late_members.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/team/worker_pool.hpp"

namespace hetmp::runtime {
namespace {

struct Room {
  const char* name;
  void (*set_up)();          ///< null: nothing to do
  void (*forget_in_child)(); ///< null: nothing to forget
};

void read_cancellation() { regions_may_be_cancelled = program_icvs().cancellation; }

void forget_tasks_of_this_thread() {
  if (Thread* self = known_thread())
    forget_unfinished_tasks(*self);
}

// In the order of the ladder of rooms (docs/architecture.md), so that a room may rely on those below it. Each forgets
// what is its own and asks no other, but for two: tasking's last two want to know which thread this is, which
// team/thread.cpp keeps.
constexpr Room rooms[] = {
    {"process: signals that end the program", nullptr, forget_ending_signals},
    {"process: spinning", refresh_spinning, nullptr},
    {"ompt: the tool", nullptr, ompt::forget_tool_in_child},
    {"task_graph: memory of tasks", nullptr, forget_task_depots},
    {"task_graph: exclusions", nullptr, forget_exclusions},
    {"team: display of affinity", affinity::read_display_affinity, nullptr},
    {"team: workers", nullptr, forget_all_workers},
    {"team: members that begin late", nullptr, forget_late_members},
    {"team: threads", nullptr, forget_other_threads},
    {"tasking: tasks on other nodes", nullptr, forget_away_tasks},
    {"tasking: watch of events", nullptr, forget_task_watch},
    {"tasking: helpers", nullptr, forget_helpers},
    {"tasking: tasks of this thread", nullptr, forget_tasks_of_this_thread},
    {"sync: locks", nullptr, [] { program_locks.become_alone(); }},
    {"sync: cancellation", read_cancellation, nullptr},
    {"sync: reductions", read_reduction_settings, nullptr},
};

} // namespace

void set_up_rooms() {
  for (const Room& room : rooms)
    if (room.set_up)
      room.set_up();
}

void forget_in_child() {
  for (const Room& room : rooms)
    if (room.forget_in_child)
      room.forget_in_child();
}

} // namespace hetmp::runtime
