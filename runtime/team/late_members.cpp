#include "runtime/team/late_members.hpp"

#include "base/futex.hpp"
#include "runtime/process/thread_factory.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/team/team_facts.hpp"

#include <ctime>
#include <new>

namespace hetmp::runtime {
namespace {

/// Looks every two milliseconds, while regions begin, whether one has members that have not begun since the last look.
class LateWatch {
 public:
  bool exists() {
    if (state_ == State::NotYet)
      state_ = make_posix_thread(body, this, 0) == 0 ? State::Exists : State::Refused;
    return state_ == State::Exists;
  }
  void region_begins(NodeTeam& team) {
    team_.store(&team, std::memory_order_release); // pairs with the acquire in look()
    begun_.fetch_add(1, std::memory_order_seq_cst);
    // seq_cst, both: either this sees the sleeper, or the sleeper sees the new count (Dekker)
    if (asleep_.load(std::memory_order_seq_cst))
      futex_wake(begun_, 1);
  }
  /// Of a region that begins: whether its members may begin late. A region that was helped begins with all its members
  /// for some visits, more each time, since what was waited for may have been the machine's doing.
  bool may_begin_late(const void* microtask) {
    Helped& helped = slot_of(microtask);
    if (helped.microtask.load(std::memory_order_relaxed) != microtask) // relaxed, all: hints
      return true;
    const uint32_t left = helped.left.load(std::memory_order_relaxed);
    if (left == 0)
      return true;
    helped.left.store(left - 1, std::memory_order_relaxed);
    return false;
  }

 private:
  static constexpr timespec between_looks = {0, 2'000'000};
  static constexpr uint32_t looks_before_sleep = 50; // without a region that begins
  static constexpr size_t slots = 256;
  enum class State : uint8_t { NotYet, Exists, Refused };

  static void* body(void* watch) {
    static_cast<LateWatch*>(watch)->run();
    return nullptr;
  }

  void run() {
    uint32_t seen = 0, idle_looks = 0;
    while (true) {
      nanosleep(&between_looks, nullptr);
      look();
      const uint32_t now = begun_.load(std::memory_order_relaxed); // relaxed: only whether it moves
      idle_looks = now == seen ? idle_looks + 1 : 0;
      seen = now;
      if (idle_looks >= looks_before_sleep)
        sleep_while(seen);
    }
  }

  void sleep_while(uint32_t seen) {
    asleep_.store(true, std::memory_order_seq_cst);
    if (begun_.load(std::memory_order_seq_cst) == seen)
      futex_wait(begun_, seen);
    asleep_.store(false, std::memory_order_relaxed); // a wake-up too many does no harm
  }

  void look() {
    NodeTeam* const team = team_.load(std::memory_order_acquire); // never freed; pairs with region_begins()
    if (!team)
      return;
    const uint64_t word = late_members_of(*team).look();
    if (LateMembers::has_some(word) && team == last_team_ && word == last_word_)
      start(*team, word);
    last_team_ = team;
    last_word_ = word;
  }

  /// As long as a claimed member has not begun, the region does not end, and the team is what it was.
  void start(NodeTeam& team, uint64_t looked) {
    while (const auto local = late_members_of(team).claim(looked)) {
      note_help(microtask_of(team));
      wake_member(team, *local);
    }
  }

  struct Helped {
    std::atomic<const void*> microtask{nullptr}; ///< relaxed, all: hints
    std::atomic<uint32_t> left{0};               ///< visits that begin with all members; relaxed
    std::atomic<uint32_t> next{first_visits};    ///< so many the next time; relaxed
  };
  static constexpr uint32_t first_visits = 16, most_visits = 1 << 16;

  /// relaxed, all: hints.
  void note_help(const void* microtask) {
    Helped& helped = slot_of(microtask);
    if (helped.microtask.exchange(microtask, std::memory_order_relaxed) != microtask)
      helped.next.store(first_visits, std::memory_order_relaxed);
    const uint32_t visits = helped.next.load(std::memory_order_relaxed);
    helped.left.store(visits, std::memory_order_relaxed);
    helped.next.store(visits < most_visits ? visits * 2 : visits, std::memory_order_relaxed);
  }

  Helped& slot_of(const void* microtask) {
    return helped_[(reinterpret_cast<uintptr_t>(microtask) * 0x9e3779b97f4a7c15u >> 32) % slots];
  }

  State state_ = State::NotYet;          ///< the primary's
  std::atomic<NodeTeam*> team_{nullptr}; ///< whose region began last; released and acquired
  FutexWord begun_{0};                   ///< regions with late members, counted; seq_cst: pairs with asleep_
  std::atomic<bool> asleep_{false};      ///< seq_cst: pairs with begun_
  NodeTeam* last_team_ = nullptr;        ///< at the last look; the watching thread's
  uint64_t last_word_ = 0;               ///< likewise
  Helped helped_[slots];                 ///< regions whose members had to be started
};

LateWatch late_watch;

} // namespace

void start_late_members(NodeTeam& team) {
  while (const auto local = late_members_of(team).claim())
    wake_member(team, *local);
}

void watch_late_members(NodeTeam& team) { late_watch.region_begins(team); }

uint32_t members_to_begin_late(uint32_t members, uint32_t cpus, const void* microtask) {
  const bool are_some = members > cpus && members <= LateMembers::most_members;
  const bool may = are_some && !threads_are_bound() && late_watch.exists() && late_watch.may_begin_late(microtask);
  return may ? members - cpus : 0;
}

void forget_late_members() { new (&late_watch) LateWatch; }

} // namespace hetmp::runtime
