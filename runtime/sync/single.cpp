#include "runtime/sync/single.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/team/node_team.hpp"

#include <cstdlib>

namespace hetmp::runtime {

bool begin_single(ImplicitTask& task) {
  NodeTeam& team = *task.team;
  if (team.alone())
    return true;
  // With several nodes the construct belongs to node 0: choosing by message would cost more than it could win.
  if (team.description.node != 0 && team.global)
    return false;
  // Threads count the constructs alike. The first to come moves the team's count to its own; relaxed: choosing one
  // thread orders nothing, the barrier after the construct does.
  uint32_t taken = task.singles++;
  HETMP_CHECK(int32_t(team.singles.load(std::memory_order_relaxed) - taken) >= 0); // nobody is before the team's count
  return team.singles.compare_exchange_strong(taken, taken + 1, std::memory_order_relaxed);
}

void* broadcast_pointer(ImplicitTask& task, void* pointer_or_null) {
  return reinterpret_cast<void*>(team_barrier_with_pointer(task, pointer_or_null));
}

void* construct_memory(ImplicitTask& task, size_t bytes) {
  void* memory = task.number == 0 ? calloc(1, bytes) : nullptr; // the program's heap: nodes share it
  if (task.number == 0 && !memory)
    die(exit_code::no_resources, "no memory for %zu bytes that a construct needs", bytes);
  void* own = memory;
  memory = broadcast_pointer(task, memory);
  if (!memory) // thread 0 has left a region that was cancelled, whose results nobody uses
    memory = own = calloc(1, bytes);
  if (own) { // one construct makes two calls at most, and all threads have come to this one
    free(task.construct_memory[1]);
    task.construct_memory[1] = task.construct_memory[0];
    task.construct_memory[0] = memory;
  }
  return memory;
}

void copyprivate(ImplicitTask& task, void* variables, void (*copy)(void*, void*), bool did_it) {
  if (task.team->alone())
    return;
  void* source = broadcast_pointer(task, did_it ? variables : nullptr);
  if (!did_it && source)
    copy(variables, source);
  team_barrier(task); // the source's variables live on its stack
}

} // namespace hetmp::runtime
