#include "runtime/sync/keyed_lock.hpp"

#include "runtime/sync/node_lock.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"

namespace hetmp::runtime {
namespace {

constinit NodeLockTable table;

uint64_t as_key(const void* address) { return reinterpret_cast<uint64_t>(address); }

/// For the placement of regions: nodes would ask each other for the lock.
void note_exclusion() {
  if (known_thread())
    current_task().exclusions++;
}

} // namespace

void keyed_lock(const void* key) {
  note_exclusion();
  table.lock(as_key(key));
}

bool keyed_try_lock(const void* key) { return table.try_lock(as_key(key)); }

void keyed_unlock(const void* key) { table.unlock(as_key(key)); }

NodeLockTable& locks_of_this_node() { return table; }

} // namespace hetmp::runtime
