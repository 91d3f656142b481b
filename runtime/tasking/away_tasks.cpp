#include "runtime/tasking/away_tasks.hpp"

#include "base/check.hpp"
#include "runtime/task_graph/team_tasks.hpp"
#include "runtime/team/team_facts.hpp"

namespace hetmp::runtime {
namespace {

constexpr uint32_t most_away = 256;
/// What a slot points to is released by send_away() and acquired by come_back(). relaxed: a look before the try.
std::atomic<ExplicitTask*> slots[most_away];

} // namespace

uint32_t send_away(ExplicitTask& task) {
  HETMP_CHECK(task.deferred && task.attached && !task.begun); // else another node could not execute it
  for (uint32_t slot = 0; slot < most_away; slot++) {
    ExplicitTask* none = nullptr;
    // release: pairs with come_back(), which may be another thread's.
    if (slots[slot].load(std::memory_order_relaxed) == nullptr &&
        slots[slot].compare_exchange_strong(none, &task, std::memory_order_release, std::memory_order_relaxed))
      return slot;
  }
  return no_slot;
}

bool come_back(uint32_t slot, uint64_t word) {
  ExplicitTask* task = slot < most_away ? slots[slot].exchange(nullptr, std::memory_order_acquire) : nullptr;
  if (!task)
    return false;
  HETMP_CHECK(task->deferred && task->team);
  task->away_word = word;
  tasks_of(*task->team).put_back(task);
  return true;
}

void forget_away_tasks() {
  for (std::atomic<ExplicitTask*>& slot : slots)
    slot.store(nullptr, std::memory_order_relaxed); // relaxed: a forked child has one thread
}

} // namespace hetmp::runtime
