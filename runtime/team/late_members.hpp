// Members of a team that begin late. A node with fewer CPUs than its part of a team has threads gains nothing from
// beginning them all at once: they would take turns on a CPU, and each turn costs. So members without a CPU are left
// asleep, and a member that has finished executes their parts as well, one after the other (regions/region.cpp). They
// are woken as soon as somebody waits for them: at a barrier, for a loop's buffer; and if nothing of the kind was seen
// for some milliseconds, since a program's own code may wait for them as well.
//
// Only for regions whose threads have nothing of their own but a number: threads' variables would be another's.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace hetmp::runtime {

struct NodeTeam;

/// Which members of the region in hand have not begun. Whoever claims one sees to it that it does; each is claimed
/// once.
class LateMembers {
 public:
  static constexpr uint32_t most_members = (1 << 20) - 1;

  /// By the primary, before others know of the region: local threads from `first` to before `end` begin late.
  void begin(uint32_t first, uint32_t end) {
    const uint64_t turn = word_.load(std::memory_order_relaxed) >> turn_shift; // relaxed: written by this thread last
    // release: pairs with the acquire in claim() by who watches, and knows of the region by nothing else
    word_.store((turn + 1) << turn_shift | uint64_t(end) << end_shift | first, std::memory_order_release);
  }

  /// relaxed: a hint; claim() decides.
  bool any() const { return has_some(word_.load(std::memory_order_relaxed)); }

  /// The number of one that now is the caller's to begin; by a thread in the region.
  std::optional<uint32_t> claim() {
    return claim_if([](uint64_t) { return true; });
  }

  /// The same by a thread that is not, if nothing has changed since it looked().
  std::optional<uint32_t> claim(uint64_t looked) {
    return claim_if([&](uint64_t word) { return word >> turn_shift == looked >> turn_shift; });
  }
  /// Which region this is, and who has not begun; relaxed: for claim(looked), which acquires.
  uint64_t look() const { return word_.load(std::memory_order_relaxed); }
  static bool has_some(uint64_t word) { return (word & number_mask) < (word >> end_shift & number_mask); }

 private:
  static constexpr int end_shift = 20, turn_shift = 40;
  static constexpr uint64_t number_mask = most_members;

  template <class Wanted> std::optional<uint32_t> claim_if(Wanted&& wanted) {
    uint64_t word = word_.load(std::memory_order_relaxed); // relaxed: the exchange decides
    while (has_some(word) && wanted(word))
      // acquire: pairs with the release in begin(), for who is not in the region
      if (word_.compare_exchange_weak(word, word + 1, std::memory_order_acquire, std::memory_order_relaxed))
        return uint32_t(word & number_mask);
    return {};
  }

  std::atomic<uint64_t> word_{0}; ///< the region's turn, the end, the next one
};

/// Members of the team that have not begun do now, each as a thread of its own. By a thread in the region.
void start_late_members(NodeTeam& team);

/// The region in hand has members that begin late; somebody sees to it that they do not wait too long. By the one
/// thread whose regions have such members.
void watch_late_members(NodeTeam& team);

/// Of so many members of this region on a node, those that it has no CPU for and that may begin late: none where that
/// was seen to be waited for, where nobody can watch, or where threads are bound.
uint32_t members_to_begin_late(uint32_t members, uint32_t cpus, const void* microtask);

/// In a forked child: nobody watches.
void forget_late_members();

} // namespace hetmp::runtime
