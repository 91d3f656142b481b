// Locks named by an address, without touching the memory at it: mutual exclusion between all threads of the program, in
// every layout of nodes. Not recursive. For omp_lock_t, for atomics without an instruction, for critical sections
// across node processes.
#pragma once

namespace hetmp::runtime {

void keyed_lock(const void* key);
bool keyed_try_lock(const void* key);
void keyed_unlock(const void* key);

class NodeLockTable;
/// For whoever brings the coordinator's answers.
NodeLockTable& locks_of_this_node();

} // namespace hetmp::runtime
