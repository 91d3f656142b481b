#include "runtime/regions/residents.hpp"

#include "base/check.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/team/worker_pool.hpp"

#include <atomic>

namespace hetmp::runtime {
namespace {

struct Resident {
  /// From being given a part until all but the join of that part is done: its next part may be posted from then on, and
  /// is found when it comes back.
  std::atomic<bool> taken{false};
  Thread* thread = nullptr; ///< belongs to whoever set `taken`
};
Resident resident_of[most_nodes];

} // namespace

Thread* take_resident(uint32_t node) {
  HETMP_CHECK(node < most_nodes);
  Resident& resident = resident_of[node];
  if (resident.taken.exchange(true, std::memory_order_acquire)) // pairs with the release in release_resident()
    return nullptr;
  if (!resident.thread) {
    Thread* const thread = pool_of_node(node).take();
    if (!thread) {
      resident.taken.store(false, std::memory_order_release); // pairs with the acquire in take_resident()
      return nullptr;                                         // from now on the field is another's
    }
    thread->resident = true;
    resident.thread = thread;
  }
  return resident.thread;
}

void release_resident(Thread& resident) {
  HETMP_CHECK(resident.resident && resident_of[resident.node].thread == &resident);
  resident_of[resident.node].taken.store(false, std::memory_order_release); // pairs with take_resident()
}

void forget_residents() {
  for (Resident& resident : resident_of) {
    resident.thread = nullptr;
    resident.taken.store(false, std::memory_order_relaxed); // relaxed: a forked child has one thread
  }
}

} // namespace hetmp::runtime
