// How much memory the nodes of one machine may allocate together. Address space is there for everybody, and the kernel
// promises more memory than it has; a program that used it all would be killed without a word. What counts is what was
// allocated, used or not, and each copy of a page beyond the first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

class MemoryBudget {
 public:
  /// Before the nodes' processes are copies of one another: they count together. `sharers`: node processes of this
  /// machine that count for themselves; each gets an equal part. HETMP_MEMORY says otherwise ("8G", "none").
  void set_up(uint32_t sharers);

  /// False, and said once, if there is not so much left. Any thread.
  bool take(size_t bytes);
  /// Whether there is so much left, most likely. Any thread.
  bool has(size_t bytes) const;
  void give_back(size_t bytes);
  /// Pages of other nodes that are here now, or, if negative, own ones that have gone to other nodes. Ends the program
  /// with a line if that is too much. Service thread only: it counts by itself and tells the others now and then.
  void pages_moved(uint32_t node, int64_t pages);

  /// The bytes that HETMP_MEMORY's value means (K, M, G, T are powers of 1024), 0 = no limit; negative if it is
  /// malformed.
  static int64_t parse(const char* text);

 private:
  struct Counters {               ///< in memory that the processes of a machine have in common
    std::atomic<int64_t> used{0}; ///< negative for a moment at most; relaxed: a number that nothing else depends on
    std::atomic<bool> said{false};
    std::atomic<bool> ended{false};
  };
  Counters* counters_ = nullptr; ///< null: everything is allowed
  uint64_t limit_ = 0;
  int64_t moved_bytes_ = 0; ///< of the service thread: not counted yet
};

} // namespace hetmp::dsm
