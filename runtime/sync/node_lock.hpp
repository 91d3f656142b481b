// Locks by key: threads of a node queue in order of arrival; the one in front takes part in the competition of nodes.
// A node that holds the global lock passes it on among its own threads for a while before it gives it back.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

class NodeLockTable {
 public:
  void lock(uint64_t key);
  bool try_lock(uint64_t key);
  /// By the thread that holds the lock, or any other the program considers its holder.
  void unlock(uint64_t key);

 private:
  struct Entry;
  struct Bucket;
  static Bucket& bucket_of(uint64_t key);
};

} // namespace hetmp::runtime
