#include "runtime/task_graph/task_memory.hpp"

#include "base/check.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace hetmp::runtime {
namespace {

// A block: the record, then the body with the record's address right before it. With node processes the body lies in
// the program's heap instead: other nodes may be given pointers into it. A small one stays with its record when that is
// given back: the heap would take longer than a small task does.
constexpr size_t granule = 64;
constexpr size_t record_bytes = (sizeof(ExplicitTask) + sizeof(void*) + granule - 1) / granule * granule;
constexpr uint8_t no_class = TaskBlocks::classes;

// Sizes of bodies go up by granules, and from 1 KiB on they double: the heap gives blocks of some pages back to the
// kernel each time.
constexpr size_t small_classes = 16;
constexpr size_t doubling_bytes = small_classes * granule;

constexpr size_t class_of(size_t bytes) {
  const size_t granules = (bytes + granule - 1) / granule;
  return granules < small_classes ? granules : small_classes + size_t(std::bit_width((bytes - 1) / doubling_bytes));
}
constexpr size_t bytes_of(size_t size_class) {
  return size_class < small_classes ? size_class * granule : doubling_bytes << (size_class - small_classes);
}
static_assert(class_of(0) == 0 && class_of(1) == 1 && class_of(960) == 15 && bytes_of(15) == 960);
static_assert(class_of(961) == 16 && class_of(1024) == 16 && bytes_of(16) == 1024 && class_of(1025) == 17);
static_assert(bytes_of(TaskBlocks::classes - 1) == 65536 && class_of(65537) == TaskBlocks::classes);

/// Blocks of one size that a thread keeps.
constexpr uint32_t most_kept(size_t size_class) {
  constexpr size_t most = 64, most_bytes = size_t(1) << 19;
  return uint32_t(std::min(most, most_bytes / std::max(bytes_of(size_class), granule)));
}
/// Blocks of one size that are kept for all; small ones all, since nobody has had more at a time.
constexpr uint32_t most_in_depot(size_t size_class) {
  constexpr size_t most_bytes = size_t(1) << 24;
  return size_class < small_classes ? UINT32_MAX : uint32_t(most_bytes / bytes_of(size_class));
}
constexpr uint32_t moved_at_once(size_t size_class) { return most_kept(size_class) / 2; }

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

void move_some(TaskBlocks::List& from, TaskBlocks::List& to, uint32_t most) {
  for (uint32_t i = 0; i < most && from.first; i++)
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
    move_some(depot.blocks, own, moved_at_once(size_class));
  }
  if (ExplicitTask* block = take(own))
    return block;
  ExplicitTask* block = allocate(record_bytes + bytes_of(size_class));
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
    const size_t all_of_class = task.size_class == no_class ? bytes : bytes_of(task.size_class);
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

void release_block(ExplicitTask& block) {
  if (block.body && block.body_on_heap)
    free(static_cast<char*>(block.body) - std::max(size_t(block.body_alignment), sizeof(void*)));
  operator delete(&block, std::align_val_t(granule));
}

} // namespace

ExplicitTask* take_task(TaskBlocks& blocks, size_t body_bytes, size_t alignment) {
  alignment = std::max(alignment, alignof(max_align_t));
  const bool on_heap = several_processes();
  const bool is_usual = !on_heap || alignment == alignof(max_align_t);
  const size_t inside = body_bytes + (!on_heap && alignment > granule ? alignment : 0);
  const uint8_t kept_class = is_usual ? uint8_t(std::min(class_of(inside), TaskBlocks::classes)) : no_class;
  ExplicitTask* block =
      kept_class != no_class ? take_block(blocks, kept_class) : allocate(record_bytes + (on_heap ? 0 : inside));
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
  HETMP_CHECK(size_class <= no_class);
  if (task->observed) [[unlikely]]
    ompt::forget_task(std::exchange(task->observed, nullptr));
  if (size_class == no_class) {
    release_block(*task);
    return;
  }
  TaskBlocks::List one;
  TaskBlocks::List& own = blocks ? blocks->lists[size_class] : one;
  put(own, task);
  if (blocks && own.count <= most_kept(size_class))
    return;
  Depot& depot = depots[size_class];
  {
    FutexLockGuard guard(depot.lock);
    if (depot.blocks.count < most_in_depot(size_class)) {
      move_some(own, depot.blocks, moved_at_once(size_class));
      return;
    }
  }
  release_block(*take(own));
}

ExplicitTask& task_of_body(void* body) { return *static_cast<ExplicitTask**>(body)[-1]; }

void forget_task_depots() {
  for (Depot& depot : depots)
    new (&depot.lock) FutexLock; // its holder may not exist any more
}

} // namespace hetmp::runtime
