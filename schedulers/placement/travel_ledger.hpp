// Of which regions at home threads go on elsewhere, and when (dsm/migration): what their stays there brought, and what
// they cost. One object for a program. Pure: times are brought to it.
//
// A thread that is away can be called back at any time, so nothing has to be known of a region beforehand: it is tried
// when a visit has lasted a while. What a stay brings is what was computed there, since the CPUs at home had that much
// less to do. It costs the way, what was waited for pages there, or at home meanwhile if that was more, and what
// threads at home wait for, which want their pages back, until the region is visited again. Where visits at home take
// about the same time each, no visit gains more than it is shorter than those: what was computed elsewhere may have
// taken longer there. Its first visits move its data, so a region is tried for a few of them, as long as each loses
// clearly less than the one before, or most of what it has fetched stays there; then it stays at home for a while, ever
// longer.
//
// A region that lasts too short to gain, but uses the data of one that does, would fetch it back each time. So a region
// at home that waits for pages much of its time *follows* the one whose threads were away last: its threads depart at
// once, as long as its visits are shorter so and those of its leader gain in sum. What an earlier run has taught can be
// recalled: threads of a region that gained depart soon from its first visit on, and one that lost rests first as long
// as it did then.
#pragma once

#include "base/growing_allowance.hpp"
#include "schedulers/placement/lessons.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace hetmp::schedulers {

struct TravelRules {
  double unknown_us = 2000; ///< a visit of a region that nobody knows lasts so long before its threads depart
  double known_us = 50;     ///< of one that is known to gain
  double way_us = 500;      ///< of a stay
  double page_us = 7; ///< what a page that was fetched costs those at home later, before that is known: as much as
  double pages_known = 1000;   ///< so many pages would have told
  double first_us = 25'000;    ///< the first visit of a region lasts so long before its threads depart
  double clear = 0.7;          ///< share of the visit that is computed elsewhere; less, and some
  uint32_t visits_at_home = 2; ///< visits show first how long it takes at home,
  uint32_t most_at_home = 4;   ///< of so many
  double doubtful = 0.75;      ///< share of the time at home: a region that pays and takes more shows anew how long it
                               ///< takes at home,
  double doubted_us = 3e6;     ///< after so long, and again after twice as long,
  uint32_t visits_to_doubt = 16; ///< and after so many visits
  double regular = 1.5;          ///< visits at home take about the same time if none takes so many times another
  double quiet = 0.05;           ///< share of a visit at home that may be spent with waiting for such a comparison
  double most_besides = 3;       ///< times the wait that a visit at home may have taken longer because of it, besides
  double follows = 0.25;         ///< of one that is spent with waiting: more, and the region follows,
  double least_wait_us = 200;    ///< if that is at least so much
  uint32_t few_exchanges = 8;    ///< barriers, locks and loops of a visit: with more,
  double exchange_us = 300;      ///< each so soon after the one before, nothing that lies between is worth a way
  uint32_t visits_to_try = 5;    ///< then the last one has to gain,
  uint32_t visits_to_fetch = 10; ///< unless what is fetched stays there; then so many,
  double improves = 0.7;         ///< and before, each has to lose less than this share of what the last one lost
  double first_rest_us = 20'000; ///< at home, when it did not
  double rest_growth = 3;
  double loss_again = 0.1;   ///< it rests until what was lost is no more than this share of the time since
  double longest_rest = 0.1; ///< share of the run so far
  double taken_back = 0.3;   ///< of what the pages that were fetched would cost if all were wanted back: if it was
                             ///< less, most of them stay there
  ExperimentBudget budget{}; ///< that stays may lose
  double heavy = 0.2;        ///< a region with this share of the run
  double least_heavy_us = 100'000; ///< that has lasted at least so long
  double heavy_allowance = 0.6;    ///< may lose this share of what is left of the budget in one stay,
  double alone = 0.8;              ///< one with this share of the run
  double least_alone_us = 500'000; ///< that has lasted at least so long may lose all of it;
  double allowance = 0.05;         ///< others may lose this share
  double least_allowance_us = 2000;
  double more = 1.5;   ///< a trial that has lost what it might is made again when it may lose so many times as much
  double enough = 0.1; ///< share of what a trial's last visit has lost that the next one must be allowed to lose
};

class TravelLedger {
 public:
  explicit TravelLedger(const TravelRules& rules = {}) : rules_(rules) {}

  /// What earlier runs have taught. Before the first visit.
  void recall(JourneyLessons lessons) { recalled_ = std::move(lessons); }
  /// What this run teaches of the regions that it has met.
  JourneyLessons lessons() const;

  struct Permit {
    bool travels = false;
    double delay_us = 0;          ///< after the visit's beginning
    GrowingAllowance allowance{}; ///< that its stays may lose: a region that lasts comes to be a large part of the run
    double page_us = 0;           ///< loss by each page that a stay fetches, besides the wait
    bool at_once = false;         ///< it is known that they should
    double usual_us = 0;          ///< what its visits have taken so far, each; 0: there was none
    double thread_us = 0;         ///< the CPU time of a thread in a visit, likewise
    double change_us = 0;         ///< what a stay for which two threads changed places has waited for pages; 0: unknown
  };
  /// A visit of the region begins. `waited_us`: so long so far threads at home have waited, because pages are
  /// elsewhere.
  Permit begin(uint64_t region, double now_us, double waited_us);

  /// What all journeys of one visit were.
  struct Visit {
    uint32_t stays = 0;
    double abroad_us = 0;
    double computed_us = 0;       ///< of those
    double longer_us = 0;         ///< that it would have taken at home, or less; where CPUs there are denied
    uint64_t pages = 0;           ///< fetched meanwhile
    uint64_t fetched = 0;         ///< pages that have come to where they were
    double thread_us = 0;         ///< the CPU time of that one of its threads that has had most
    uint32_t exchanges = 0;       ///< barriers, locks and loops that its first thread has come to
    uint32_t changes = 0;         ///< stays for which two threads have changed places,
    double changes_waited_us = 0; ///< and what these have waited for pages
  };
  /// What journeys have done to a visit.
  struct Effect {
    bool disturbed = false; ///< by its own stays, or by pages it waited for
    bool gains = false;     ///< the region has gained by journeys so far, and goes on with them
    double gained_us = 0;   ///< in this visit
    double fetching_us = 0; ///< what its stays have waited for, each page that came; 0: too few came
    double away_us = 0;     ///< for which at most the origin had nothing to execute because of them
  };
  /// The visit that began last is over.
  Effect end(uint64_t region, double now_us, double waited_us, const Visit& visit);

  /// A region begins whose threads are dealt to all nodes (RegionPlacer): what is waited for from now on is not the
  /// doing of any that is known here, until the next one's threads go elsewhere.
  void others_begin(double waited_us);

  struct Region {
    uint64_t all_visits = 0;
    double spent_us = 0; ///< in all of them
    uint32_t visits = 0; ///< with stays
    uint64_t stays = 0;
    double abroad_us = 0;
    double computed_us = 0;
    uint64_t pages = 0;
    double gained_us = 0; ///< less than 0: lost
    uint32_t tried = 0;   ///< visits of the trial in hand
    bool pays = false;
    double rests_until_us = 0;
    uint64_t fetched = 0; ///< see Visit, in all visits
    double fetching_us() const {
      return fetched < least_fetched ? 0 : std::max(0.0, abroad_us - computed_us) / double(fetched);
    }
    static constexpr uint64_t least_fetched = 64; ///< tell what one takes
    double thread_us = 0;                         ///< see Visit; of the last one with stays
    double change_us = 0;                         ///< see Permit; of its last visit with such

   private:
    friend class TravelLedger;
    bool is_in_hand() const { return pays || tried != 0; }
    bool leads() const { return is_in_hand() && travelled_last_; }
    double begun_us_ = 0;
    double afterwards_us_ = 0; ///< what its last visits have cost since
    double rest_us_ = 0;
    double last_gain_us_ = 0;      ///< of a visit of the trial in hand
    double trial_lost_us_ = 0;     ///< in all of its visits since it rested last, less what others gained
    bool departs_at_once_ = false; ///< in the visit in hand; and the same of the visit of the trial before
    bool departed_at_once_ = false;
    uint32_t losses_ = 0;           ///< visits one after the other that have lost, of a region that pays
    uint32_t gains_ = 0;            ///< that have gained, likewise
    bool promises_ = false;         ///< it paid in an earlier run
    double at_home_us_[2] = {0, 0}; ///< what its last visits at home have taken, those that waited for no pages
    uint32_t visits_at_home_ = 0;   ///< how many have been such
    bool travelled_last_ = false;   ///< in its last visit
    bool meets_often_ = false;      ///< its threads do, as its last visit has shown
    bool is_clear_ = false;         ///< it gains whatever it may take at home
    double paid_us_ = 0;            ///< what visits have taken since it was seen to pay or to take so long at home,
    uint32_t paid_visits_ = 0;      ///< and how many
    double doubt_after_us_ = 0;     ///< of those
    uint32_t shows_anew_ = 0;       ///< how often it has been at home because of a doubt,
    uint32_t shown_anew_ = 0;       ///< and of these, without waiting for pages
    double reserved_us_ = 0;        ///< what pages may cost yet that were fetched in the trial in hand
    GrowingAllowance allowance_;    ///< of the visit in hand
    double was_too_little_us_ = 0;  ///< the largest allowance that was lost in a visit
    Region* leader_ = nullptr;      ///< whom it follows
    double waiting_us_ = 0;         ///< what its last visit at home has taken, with waits, before it followed
    uint32_t followers_ = 0;        ///< that are new to it since its last visit
  };
  const std::map<uint64_t, Region>& regions() const { return regions_; }
  /// Whether, since this was asked last, the only region was given up whose threads went elsewhere: what they have
  /// fetched is of no use there. Once for each time.
  bool take_given_up() { return std::exchange(given_up_, false); }
  /// What visits have lost that lost, less what the others gained; at least 0.
  double lost_us() const { return lost_us_; }
  /// That, and what pages may cost yet that trials have fetched.
  double committed_us() const { return lost_us_ + reserved_us_; }
  /// What other experiments have taken of the same budget so far (RegionPlacer).
  void share_budget(double with_others_us) { others_us_ = with_others_us; }
  /// Whether the region that begins next is for other experiments (RegionPlacer). Then it begins no journeys if its
  /// visits are short: dealt to all nodes at once it does the same for less.
  void leave_to_trials(bool leaves) { left_to_trials_ = leaves; }

 private:
  double budget_left_us(double now_us) const;
  double page_us() const;
  bool shows_time_at_home(const Region& region) const;
  bool is_in_doubt(const Region& region) const;
  void end_in_doubt(Region& region, bool was_quiet);
  bool may_only_follow(const Region& region) const;
  void reserve(Region& region, double cost_us);
  double at_home_us(const Region& region) const;
  Region* to_blame() const { return are_others_ ? nullptr : last_; }
  void charge(double waited_us);
  void charge(Region& region, double cost_us);
  void end_at_home(Region& region, double taken_us, double waited_here_us, double now_us);
  void end_following(Region& region, double taken_us, double there_us, double now_us);
  void judge(Region& region, double gain_us, bool lasts, double now_us);
  void rest(Region& region, double now_us);
  Region& meet(uint64_t region);

  const TravelRules rules_;
  std::map<uint64_t, Region> regions_;
  JourneyLessons recalled_;
  Region* last_ = nullptr;     ///< of those with stays, visited last; of one that follows, its leader
  bool are_others_ = false;    ///< it is not to blame, see others_begin()
  double waited_us_ = 0;       ///< that has been charged
  double begun_waited_us_ = 0; ///< of the visit in hand
  double returned_us_ = 0;     ///< what all pages have cost those at home
  uint64_t pages_ = 0;         ///< that all stays have fetched
  double lost_us_ = 0;
  double others_us_ = 0;        ///< see share_budget()
  bool left_to_trials_ = false; ///< see leave_to_trials()
  double reserved_us_ = 0;      ///< of all regions
  bool given_up_ = false;       ///< see take_given_up()
};

} // namespace hetmp::schedulers
