// How many explicit tasks a thread takes at a time where going for more is dear, and where it executes them: a thread
// that is executed on another node comes home for each (dsm/migration). Pure.
//
// Programs divide their work by recursion, and tasks as deep inside of others take about as long as each other. So what
// they take, with all that they generate, is learned by depth, at home and elsewhere. Of small ones several are
// executed as one; of large ones that generate others, not the whole is executed elsewhere, where nobody can take a
// part of it, but those. What has taken much longer elsewhere, since its data are at home, stays.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace hetmp::schedulers {

class TaskSizes {
 public:
  static constexpr uint32_t most_tasks = 32;
  static constexpr double wanted_us = 12'000; ///< some twenty times what it takes to go and to come home
  static constexpr double least_us = 2500;    ///< less is not worth the way
  static constexpr double most_us = 60'000;   ///< one thread may have to wait so long for another
  static constexpr double slower = 1.6;       ///< times as long elsewhere: it had better stay; see takes_longer()
  static constexpr uint32_t tries = 4;        ///< elsewhere, until that is said, and one shows what it takes at home
  static constexpr uint32_t one_of = 16;      ///< tasks that are small is timed
  static constexpr uint32_t rest = 64;        ///< parts that stay then, until one is tried again

  enum class Way : uint8_t {
    Unknown,
    Stay,   ///< it is known not to be worth the way
    Wait,   ///< stay: nor is it with those that are there now, but would be with more
    Leave,  ///< so many together
    Divide, ///< stay: what it generates may leave
  };
  struct Plan {
    Way way;
    uint32_t tasks;
    bool operator==(const Plan&) const = default;
  };

  /// Where a task is to be executed.
  struct Circumstances {
    bool within = false; ///< another one that stays, since it is known not to be worth the way
    bool again = false;  ///< what was slower elsewhere has stayed for long enough
  };

  /// What to do with a task so deep, of which perhaps `ready` more are there to be taken.
  Plan plan(uint32_t depth, uint32_t ready, Circumstances circumstances) {
    Size& size = sizes_[place(depth)];
    const Mean& mean = size.mean();
    if (mean.count == 0)
      return {circumstances.within ? Way::Stay : Way::Unknown, 1};
    if (size.generates && mean.us > most_us)
      return {circumstances.within ? Way::Stay : Way::Divide, 1};
    const double wanted = std::clamp(wanted_us / std::max(mean.us, 1e-3), 1.0, double(most_tasks));
    const uint32_t tasks = 1 + std::min(uint32_t(wanted) - 1, ready);
    const bool shows_home = size.home.count == 0 && size.away.count >= tries; // nothing to compare with yet
    if (mean.us * tasks < least_us)
      return {mean.us * most_tasks < least_us ? Way::Stay : Way::Wait, 1};
    if (shows_home)
      return {Way::Stay, 1};
    if ((circumstances.within || is_slower(size)) && !is_tried_again(size, circumstances.again))
      return {Way::Stay, 1};
    return {Way::Leave, tasks};
  }
  Plan plan(uint32_t depth, uint32_t ready) { return plan(depth, ready, {}); }

  /// Whether so many tasks so deep, all that were found, are worth the way.
  bool are_worth_the_way(uint32_t depth, uint32_t tasks) const {
    return sizes_[place(depth)].mean().us * tasks >= least_us;
  }

  /// Whether what a task so deep takes is to be told. Of those that are known to be small, now and then: to ask for the
  /// time takes as long as some of them do.
  bool wants_time(uint32_t depth) {
    Size& size = sizes_[place(depth)];
    const bool is_small = size.home.count == Mean::memory && size.home.us * most_tasks < least_us;
    return !is_small || ++size.untimed % one_of == 0;
  }

  /// So many so deep were executed, with all that they have generated, in this time, some of it `away_us` elsewhere.
  /// `left`: they left with the first one's first instruction; of what left later and took little the time is that of
  /// the way. `generated`: whether any was seen to generate others. `cost_us`: what moving pages cost those at home
  /// meanwhile.
  void took(uint32_t depth, uint32_t tasks, double us, double away_us, bool left, bool generated, double cost_us = 0) {
    Size& size = sizes_[place(depth)];
    size.generates |= generated;
    if (away_us == 0) {
      size.home.add(us / tasks);
    } else if (away_us > us / 2 && (left || us >= wanted_us / 2)) {
      size.away.add(us / tasks);
      size.cost.add(cost_us / tasks);
    } else if (left) { // it came home for something, and others like it will
      for (uint32_t i = 0; i < tries; ++i)
        size.away.add(2 * slower * us / tasks);
    }
  }

  /// They were executed while some that they have generated were elsewhere: what they take by themselves is not known.
  void took_in_pieces(uint32_t depth, bool generated) { sizes_[place(depth)].generates |= generated; }

  void forget() { sizes_ = {}; }

 private:
  static constexpr uint32_t depths = 24; ///< deeper ones are small

  /// Of the last few, roughly.
  struct Mean {
    static constexpr uint32_t memory = 4;
    double us = 0;
    uint32_t count = 0; ///< at most `memory`

    void add(double value_us) {
      count = std::min(count + 1, memory);
      us += (value_us - us) / count;
    }
  };
  struct Size {
    Mean home, away; ///< of one task
    Mean cost;       ///< of one that was executed elsewhere, to those at home
    uint32_t stayed = 0, untimed = 0;
    bool generates = false;

    const Mean& mean() const { return home.count != 0 ? home : away; }
    bool is_compared() const { return home.count != 0 && away.count >= tries; }
    /// The CPU elsewhere has nothing better to do: what it waits for is no loss by itself. But the data that it waits
    /// for those at home may want back, and will wait as long; unless they have done so meanwhile already, as where
    /// tasks on both nodes write to one page. So what is lost is the larger of the two.
    bool takes_longer() const { return away.us >= slower * home.us || cost.us >= (slower - 1) * home.us; }
  };
  static uint32_t place(uint32_t depth) { return std::min(depth, depths - 1); }

  /// Like those of other depths, as long as too little is known of tasks so deep.
  bool is_slower(const Size& size) const { return size.is_compared() ? size.takes_longer() : others_take_longer(); }
  /// Now and then, though it had better stay.
  static bool is_tried_again(Size& size, bool again) {
    if (!again && ++size.stayed < rest)
      return false;
    size.stayed = 0;
    return true;
  }
  bool others_take_longer() const {
    constexpr uint32_t enough = 2; // depths, and none that says something else
    uint32_t longer = 0;
    for (const Size& size : sizes_)
      if (size.is_compared()) {
        if (!size.takes_longer())
          return false;
        longer++;
      }
    return longer >= enough;
  }

  std::array<Size, depths> sizes_{};
};

} // namespace hetmp::schedulers
