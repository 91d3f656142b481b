// Memory for explicit tasks: a record in private memory and a body for the program's part, taken and given back by any
// thread at the cost of a list operation.
#pragma once

#include "runtime/task_graph/task.hpp"

#include <cstddef>

namespace hetmp::runtime {

/// Blocks that a thread keeps for its next tasks, by size. Owner: the thread.
struct TaskBlocks {
  static constexpr size_t classes = 23;
  struct List {
    ExplicitTask* first = nullptr;
    uint32_t count = 0;
  };
  List lists[classes];
};

/// A new record with `body_bytes` of uninitialised body, aligned to `alignment`, a power of two (at least 16 in any
/// case). Null when memory is exhausted.
ExplicitTask* take_task(TaskBlocks& blocks, size_t body_bytes, size_t alignment = 16);

/// Any thread; without blocks of its own, it passes null.
void give_back_task(TaskBlocks* blocks, ExplicitTask* task);

/// The task with this body.
ExplicitTask& task_of_body(void* body);

/// In a forked child: nobody else holds anything.
void forget_task_depots();

} // namespace hetmp::runtime
