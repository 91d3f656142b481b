#include "runtime/task_graph/task_memory.hpp"

#include "base/check.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace hetmp::runtime {
namespace {

constexpr size_t granule = body_granule;
constexpr size_t block_bytes =
    (sizeof(TaskBlock) + sizeof(ExplicitTask) + sizeof(void*) + granule - 1) / granule * granule;
constexpr uint8_t no_class = TaskBlocks::classes;

constexpr size_t small_classes = small_body_classes;
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

/// Blocks of each size that a thread keeps.
constexpr std::array<uint32_t, TaskBlocks::classes> most_kept = [] {
  constexpr size_t most = most_small_blocks, most_bytes = size_t(1) << 19;
  std::array<uint32_t, TaskBlocks::classes> kept{};
  for (size_t size_class = 0; size_class < kept.size(); ++size_class)
    kept[size_class] = uint32_t(std::min(most, most_bytes / std::max(bytes_of(size_class), granule)));
  return kept;
}();
static_assert(most_kept[small_classes - 1] == most_small_blocks);
/// Blocks of one size that are kept for all; small ones all, since nobody has had more at a time.
constexpr uint32_t most_in_depot(size_t size_class) {
  constexpr size_t most_bytes = size_t(1) << 24;
  return size_class < small_classes ? UINT32_MAX : uint32_t(most_bytes / bytes_of(size_class));
}
constexpr uint32_t moved_at_once(size_t size_class) { return most_kept[size_class] / 2; }

/// What threads have too many of and others lack: tasks are often made by one thread and completed by another.
struct Depot {
  FutexLock lock;
  TaskBlocks::List blocks; ///< guarded by the lock
};
Depot depots[TaskBlocks::classes];

void move_some(TaskBlocks::List& from, TaskBlocks::List& to, uint32_t most) {
  for (uint32_t i = 0; i < most && from.first; i++)
    to.push(*from.pop());
}

TaskBlock* allocate(size_t body_bytes, uint8_t size_class) {
  void* memory = operator new(block_bytes + body_bytes, std::align_val_t(granule), std::nothrow);
  if (!memory)
    return nullptr;
  TaskBlock* block = new (memory) TaskBlock;
  block->size_class = size_class;
  return block;
}

TaskBlock* take_block(TaskBlocks& blocks, uint8_t size_class) {
  TaskBlocks::List& own = blocks.lists[size_class];
  if (!own.first) {
    Depot& depot = depots[size_class];
    FutexLockGuard guard(depot.lock);
    move_some(depot.blocks, own, moved_at_once(size_class));
  }
  TaskBlock* const block = own.pop();
  HETMP_CHECK(!block || block->size_class == size_class);
  return block ? block : allocate(bytes_of(size_class), size_class);
}

void* body_of_heap(size_t bytes, size_t alignment) {
  const size_t room = std::max(alignment, sizeof(void*)); // before the body, which stays aligned
  char* block = static_cast<char*>(aligned_alloc(alignment, (bytes + room + alignment - 1) / alignment * alignment));
  return block ? block + room : nullptr;
}

/// Another one than before, if it had any: one on the heap that the process cannot use any more, a forked child, is
/// left alone. False: no memory.
bool add_body(TaskBlock& block, size_t bytes, size_t alignment, bool on_heap) {
  if (on_heap) {
    block.body = body_of_heap(block.size_class == no_class ? bytes : bytes_of(block.size_class), alignment);
    if (!block.body)
      return false;
  } else {
    const uintptr_t first = reinterpret_cast<uintptr_t>(block.record()) + sizeof(ExplicitTask) + sizeof(void*);
    block.body = reinterpret_cast<void*>((first + alignment - 1) & ~(alignment - 1));
  }
  block.body_on_heap = on_heap;
  block.body_alignment = uint32_t(alignment);
  HETMP_CHECK(reinterpret_cast<uintptr_t>(block.body) % alignment == 0);
  static_cast<void**>(block.body)[-1] = block.record();
  return true;
}

void release_block(TaskBlock& block) {
  if (block.body && block.body_on_heap)
    free(static_cast<char*>(block.body) - std::max(size_t(block.body_alignment), sizeof(void*)));
  operator delete(&block, std::align_val_t(granule));
}

} // namespace

TaskBlock* take_task_anyhow(TaskBlocks& blocks, size_t body_bytes, size_t alignment) {
  alignment = std::max(alignment, alignof(max_align_t));
  const bool on_heap = several_processes();
  const bool is_usual = !on_heap || alignment == alignof(max_align_t);
  const size_t inside = body_bytes + (!on_heap && alignment > granule ? alignment : 0);
  const uint8_t size_class = is_usual ? uint8_t(std::min(class_of(inside), TaskBlocks::classes)) : no_class;
  TaskBlock* const block =
      size_class != no_class ? take_block(blocks, size_class) : allocate(on_heap ? 0 : inside, no_class);
  if (!block)
    return nullptr;
  const bool has_body = block->body && block->body_on_heap == on_heap && block->body_alignment == alignment;
  if (has_body || add_body(*block, body_bytes, alignment, on_heap))
    return block;
  release_block(*block);
  return nullptr;
}

void give_back_anyhow(TaskBlocks* blocks, ExplicitTask* task) {
  // Nobody waits for it, and it waits for nobody. relaxed: it is the caller's alone.
  HETMP_CHECK(!task->dependences && !task->dependence && uint32_t(task->children.load(std::memory_order_relaxed)) == 0);
  TaskBlock& block = block_of(*task);
  const uint8_t size_class = block.size_class;
  HETMP_CHECK(size_class <= no_class);
  if (task->observed) [[unlikely]]
    ompt::forget_task(std::exchange(task->observed, nullptr));
  if (size_class == no_class) {
    release_block(block);
    return;
  }
  TaskBlocks::List one;
  TaskBlocks::List& own = blocks ? blocks->lists[size_class] : one;
  own.push(block);
  if (blocks && own.count <= most_kept[size_class])
    return;
  Depot& depot = depots[size_class];
  {
    FutexLockGuard guard(depot.lock);
    if (depot.blocks.count < most_in_depot(size_class)) {
      move_some(own, depot.blocks, moved_at_once(size_class));
      return;
    }
  }
  release_block(*own.pop());
}

void forget_task_depots() {
  for (Depot& depot : depots)
    new (&depot.lock) FutexLock; // its holder may not exist any more
}

} // namespace hetmp::runtime
