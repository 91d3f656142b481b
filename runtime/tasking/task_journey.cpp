#include "runtime/tasking/task_journey.hpp"

#include "runtime/process/fabric.hpp"
#include "runtime/task_graph/task.hpp"

namespace hetmp::runtime {

__attribute__((noinline)) void call_on_journey(const ExplicitTask& task, int gtid) {
  void (*const come_home)() = fabric->come_home;
  const void* stack_pointer;
  asm volatile("mov %%rsp, %0" : "=r"(stack_pointer));
  const dsm::JourneyPart part{reinterpret_cast<const void*>(task.function), stack_pointer};
  const dsm::JourneyPart before = fabric->begin_part(&part);
  task.function(gtid, task.body);
  come_home(); // before anything else: what follows is this process's own
  fabric->begin_part(&before);
}

} // namespace hetmp::runtime
