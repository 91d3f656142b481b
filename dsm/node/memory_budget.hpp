// How much memory the nodes of one machine may allocate together. Address space is there for everybody, and the kernel
// promises more memory than it has; a program that used it all would be killed without a word.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

class MemoryBudget {
public:
  /// Before the nodes' processes are copies of one another: they count together. `sharers`: node processes of this machine
  /// that count for themselves; each gets an equal part. HETMP_MEMORY says otherwise ("8G", "none").
  void set_up(uint32_t sharers);

  /// False, and said once, if there is not so much left. Any thread.
  bool take(size_t bytes);
  void give_back(size_t bytes);

  /// The bytes that HETMP_MEMORY's value means (K, M, G, T are powers of 1024), 0 = no limit; negative if it is malformed.
  static int64_t parse(const char* text);

private:
  struct Counters { ///< in memory that the processes of a machine have in common
    std::atomic<uint64_t> used{0};
    std::atomic<bool> said{false};
  };
  Counters* counters_ = nullptr; ///< null: everything is allowed
  uint64_t limit_ = 0;
};

} // namespace hetmp::dsm
