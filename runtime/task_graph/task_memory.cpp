#include "runtime/task_graph/task_memory.hpp"

#include "base/check.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace hetmp::runtime {
namespace {

// A block: the record, then the body with the record's address right before it. With node processes the body lies in
// the program's heap instead: other nodes may be given pointers into it. A small one stays with its record when that is
// given back: the heap would take longer than a small task does.
constexpr size_t granule = 64;
constexpr size_t record_bytes = (sizeof(ExplicitTask) + sizeof(void*) + granule - 1) / granule * granule;
constexpr uint8_t no_class = TaskBlocks::classes;
constexpr uint32_t most_kept = 64; ///< blocks of one size that a thread keeps
constexpr uint32_t moved_at_once = 32;

/// What threads have too many of and others lack: tasks are often made by one thread and completed by another.
struct Depot {
  FutexLock lock;
  TaskBlocks::List blocks; ///< guarded by the lock
};
Depot depots[TaskBlocks::classes];

void put(TaskBlocks::List& list, ExplicitTask* block) {
  HETMP_CHECK(block && block != list.first); // given back once
  block->next = list.first;
  list.first = block;
  list.count++;
}

ExplicitTask* take(TaskBlocks::List& list) {
  ExplicitTask* block = list.first;
  HETMP_CHECK((block == nullptr) == (list.count == 0));
  if (block) {
    list.first = block->next;
    list.count--;
  }
  return block;
}

void move_some(TaskBlocks::List& from, TaskBlocks::List& to) {
  for (uint32_t i = 0; i < moved_at_once && from.first; i++)
    put(to, take(from));
}

ExplicitTask* allocate(size_t bytes) {
  void* memory = operator new(bytes, std::align_val_t(granule), std::nothrow);
  return memory ? new (memory) ExplicitTask : nullptr;
}

ExplicitTask* take_block(TaskBlocks& blocks, size_t size_class) {
  TaskBlocks::List& own = blocks.lists[size_class];
  if (ExplicitTask* block = take(own)) {
    HETMP_CHECK(block->size_class == size_class);
    return block;
  }
  Depot& depot = depots[size_class];
  {
    FutexLockGuard guard(depot.lock);
    move_some(depot.blocks, own);
  }
  if (ExplicitTask* block = take(own))
    return block;
  ExplicitTask* block = allocate(record_bytes + size_class * granule);
  if (block)
    block->size_class = uint8_t(size_class);
  return block;
}

void* body_of_heap(size_t bytes, size_t alignment) {
  const size_t room = std::max(alignment, sizeof(void*)); // before the body, which stays aligned
  char* block = static_cast<char*>(aligned_alloc(alignment, (bytes + room + alignment - 1) / alignment * alignment));
  return block ? block + room : nullptr;
}

/// `kept`: what a record of the same size on the heap has had before; else null.
bool add_body(ExplicitTask& task, size_t bytes, size_t alignment, void* kept) {
  if (task.body_on_heap) {
    const size_t all_of_class = task.size_class == no_class ? bytes : task.size_class * granule;
    task.body = kept ? kept : body_of_heap(all_of_class, alignment);
    if (!task.body)
      return false;
  } else {
    const uintptr_t first = reinterpret_cast<uintptr_t>(&task) + sizeof(ExplicitTask) + sizeof(void*);
    task.body = reinterpret_cast<void*>((first + alignment - 1) / alignment * alignment);
  }
  HETMP_CHECK(reinterpret_cast<uintptr_t>(task.body) % alignment == 0);
  static_cast<ExplicitTask**>(task.body)[-1] = &task;
  task.body_bytes = bytes;
  return true;
}

void release_body(ExplicitTask& task) {
  if (task.body_on_heap)
    free(static_cast<char*>(task.body) - std::max(size_t(task.body_alignment), sizeof(void*)));
}

} // namespace

ExplicitTask* take_task(TaskBlocks& blocks, size_t body_bytes, size_t alignment) {
  alignment = std::max(alignment, alignof(max_align_t));
  const bool on_heap = several_processes();
  const bool is_usual = !on_heap || alignment == alignof(max_align_t);
  const size_t inside = body_bytes + (!on_heap && alignment > granule ? alignment : 0);
  const size_t size_class = is_usual ? (inside + granule - 1) / granule : TaskBlocks::classes;
  const uint8_t kept_class = size_class < TaskBlocks::classes ? uint8_t(size_class) : no_class;
  ExplicitTask* block = kept_class != no_class ? take_block(blocks, size_class)
                                               : allocate(record_bytes + (on_heap ? 0 : size_class * granule));
  if (!block)
    return nullptr;
  void* const kept = on_heap && block->body_on_heap ? block->body : nullptr; // a forked child leaves it alone
  block = new (block) ExplicitTask;
  block->size_class = kept_class;
  block->body_alignment = uint32_t(alignment);
  block->body_on_heap = on_heap;
  if (add_body(*block, body_bytes, alignment, kept))
    return block;
  block->body = nullptr;
  give_back_task(&blocks, block);
  return nullptr;
}

void give_back_task(TaskBlocks* blocks, ExplicitTask* task) {
  // Nobody waits for it, and it waits for nobody. relaxed: it is the caller's alone.
  HETMP_CHECK(!task->dependences && !task->dependence && uint32_t(task->children.load(std::memory_order_relaxed)) == 0);
  const uint8_t size_class = task->size_class;
  if (task->body && size_class == no_class)
    release_body(*task);
  HETMP_CHECK(size_class <= no_class);
  if (size_class == no_class) {
    operator delete(task, std::align_val_t(granule));
    return;
  }
  if (blocks) {
    TaskBlocks::List& own = blocks->lists[size_class];
    put(own, task);
    if (own.count <= most_kept)
      return;
    Depot& depot = depots[size_class];
    FutexLockGuard guard(depot.lock);
    move_some(own, depot.blocks);
    return;
  }
  Depot& depot = depots[size_class];
  FutexLockGuard guard(depot.lock);
  put(depot.blocks, task);
}

ExplicitTask& task_of_body(void* body) { return *static_cast<ExplicitTask**>(body)[-1]; }

void forget_task_depots() {
  for (Depot& depot : depots)
    new (&depot.lock) FutexLock; // its holder may not exist any more
}

} // namespace hetmp::runtime
