// Where the program allocated the larger blocks of this node's heap, for those who ask what lies at an address. Kept
// only when somebody wants a report. A block is remembered after it was freed, until another one takes its place: a
// report is written when the program has freed everything.
#pragma once

#include "dsm/fabric.hpp"
#include "dsm/space/address_plan.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace hetmp::dsm {

class AllocationSites {
 public:
  /// `program_text`: see collect_callers().
  explicit AllocationSites(Segment program_text = {}) : program_text_(program_text) {}
  const Segment& program_text() const { return program_text_; }

  static constexpr size_t smallest = 256; ///< bytes; below, a block says nothing that is worth the time
  static constexpr size_t sets = 512, ways = 8;

  /// Walking up a stack takes some microseconds: so many walks at the beginning, and from then on so many each
  /// millisecond.
  static constexpr uint64_t walks_at_first = 20'000, walks_per_ms = 2;

  /// Any thread: whether there is time for another walk. `now`: any clock in nanoseconds, the same one for all calls.
  bool may_walk(int64_t now);

  /// Any thread of the program; never waits. Of two threads that want the same place one goes unrecorded.
  void record(uintptr_t block, size_t bytes, const uint64_t (&callers)[6]);

  /// Any thread. The block that was last allocated over the address.
  std::optional<AllocationRecord> find(uintptr_t address) const;

 private:
  struct Site {
    std::atomic<uint64_t> turn{0}; ///< when it was written, counted from 1; 0: never; `busy`: right now
    std::atomic<uint64_t> begin{0}, bytes{0}, callers[6]{};
  };
  static constexpr uint64_t busy = UINT64_MAX;

  const Segment program_text_;
  std::atomic<uint64_t> turns_{0};     ///< relaxed: only the number
  std::atomic<uint64_t> walks_{0};     ///< relaxed: for a limit, which need not be exact
  std::atomic<int64_t> first_walk_{0}; ///< when; 0: not yet
  Site sites_[sets * ways];
};

/// The return addresses of the calling thread's stack, innermost first, from the caller of the function that calls this
/// up to the first one in [text_begin, text_end).
void collect_callers(uint64_t (&callers)[6], uintptr_t text_begin, uintptr_t text_end);

} // namespace hetmp::dsm
