// Memory for explicit tasks: a record in private memory and a body for the program's part, taken and given back by any
// thread at the cost of a list operation.
#pragma once

#include "base/check.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/task_graph/task.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::runtime {

/// What lies in front of a task's record and stays from task to task.
///
/// Behind the record comes the body, with the record's address right before it. With node processes the body lies in
/// the program's heap instead: other nodes may be given pointers into it. A small one stays with its record when that
/// is given back: the heap would take longer than a small task does.
struct alignas(ExplicitTask) TaskBlock {
  TaskBlock* next = nullptr; ///< link of lists
  void* body = nullptr;      ///< null: none yet
  uint32_t body_alignment = 0;
  bool body_on_heap = false; ///< the program's, which nodes share
  uint8_t size_class = 0;

  /// Where the ExplicitTask is to be constructed, or is.
  void* record() { return this + 1; }
};

inline TaskBlock& block_of(ExplicitTask& task) { return reinterpret_cast<TaskBlock*>(&task)[-1]; }

/// Blocks that a thread keeps for its next tasks, by size. Owner: the thread.
struct TaskBlocks {
  static constexpr size_t classes = 23;
  struct List {
    TaskBlock* first = nullptr;
    uint32_t count = 0;

    void push(TaskBlock& block) {
      HETMP_CHECK(&block != first); // given back once
      block.next = first;
      first = &block;
      count++;
    }
    /// Null: it is empty.
    TaskBlock* pop() {
      TaskBlock* const block = first;
      HETMP_CHECK((block == nullptr) == (count == 0));
      if (block) {
        first = block->next;
        count--;
      }
      return block;
    }
  };
  List lists[classes];
  /// Constructed, for the next tasks that have no bodies of their own (undeferred.hpp): as many as lie inside of each
  /// other, within reason.
  List in_place;
};

// Sizes of bodies go up by granules, and from 1 KiB on they double: the heap gives blocks of some pages back to the
// kernel each time.
constexpr size_t body_granule = 64;
constexpr size_t small_body_classes = 16;
constexpr uint32_t most_small_blocks = 64; ///< of each size that a thread keeps

/// As take_task(), by other ways than from the thread's own list.
TaskBlock* take_task_anyhow(TaskBlocks& blocks, size_t body_bytes, size_t alignment);

/// A record that is not constructed yet, and `body_bytes` of uninitialised body, aligned to `alignment`, a power of two
/// (at least 16 in any case). Null when memory is exhausted.
inline TaskBlock* take_task(TaskBlocks& blocks, size_t body_bytes, size_t alignment) {
  constexpr size_t usual_alignment = alignof(max_align_t);
  const size_t size_class = (body_bytes + body_granule - 1) / body_granule;
  if (size_class >= small_body_classes || alignment > usual_alignment) [[unlikely]]
    return take_task_anyhow(blocks, body_bytes, alignment);
  TaskBlocks::List& own = blocks.lists[size_class];
  TaskBlock* const block = own.first;
  if (!block || block->body_alignment != usual_alignment || block->body_on_heap != several_processes()) [[unlikely]]
    return take_task_anyhow(blocks, body_bytes, alignment);
  HETMP_CHECK(block->body && block->size_class == size_class);
  return own.pop();
}

/// As give_back_task(), whatever the record is like.
void give_back_anyhow(TaskBlocks* blocks, ExplicitTask* task);

/// Any thread; without blocks of its own, it passes null.
inline void give_back_task(TaskBlocks* blocks, ExplicitTask* task) {
  TaskBlock& block = block_of(*task);
  if (!blocks || task->observed || block.size_class >= small_body_classes ||
      blocks->lists[block.size_class].count >= most_small_blocks) [[unlikely]] {
    give_back_anyhow(blocks, task);
    return;
  }
  // Nobody waits for it, and it waits for nobody. relaxed: it is the caller's alone.
  HETMP_CHECK(!task->dependences && !task->dependence && uint32_t(task->children.load(std::memory_order_relaxed)) == 0);
  blocks->lists[block.size_class].push(block);
}

/// The task with this body.
inline ExplicitTask& task_of_body(void* body) { return *static_cast<ExplicitTask**>(body)[-1]; }

/// In a forked child: nobody else holds anything.
void forget_task_depots();

} // namespace hetmp::runtime
