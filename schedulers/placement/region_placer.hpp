// Which of a program's parallel regions run on several nodes, and when that is tried. One object for a program; it sees
// the outermost regions of one thread in their order, and what lies between them. Pure: times are brought to it.
//
// What nobody knows yet runs on the origin alone ("at home"). There each region's usual time is learned, and the usual
// time of what lies between two regions. When regions that could gain make up enough of the run, a *trial* runs all of
// them on all nodes. It is judged by everything that happens until it ends, serial parts and other regions included:
// what it took, against what the same would usually take at home. A trial that pays is kept, and watched further on;
// one that does not is reversed, and what it lost, also by pages that come back afterwards, is charged to a budget: a
// share of the run so far and a constant. A trial begins only if what it may lose at worst fits the budget, and is
// given up as soon as it has lost half of that: coming home costs about as much again.
//
// All that holds for regions whose visits have the same to do. Visits with other trip counts are visits of other kinds;
// those with nearly as many, as a decomposition of a matrix makes, are of one kind, and others are compared with them
// by their trips. A region of which each visit is nothing like the others, or has ever less to do without that trips
// tell of it, is not tried; one that has come to have less to do while it was kept, or whose visits have become too
// different from those at home, goes home, to be measured anew. So does what gains little, now and then: its first
// visits at home may have taken longer than those to come would.
//
// Where a node is faster than the origin, which is denied its CPUs or has fewer, regions can be *lent*: all of their
// threads are on that node, and data moves once. A trial, and what is kept of it, is of one kind: on all nodes, or
// lent.
//
// What an earlier run has taught can be recalled. A region that gained is on several nodes from its first visit then,
// in a trial that is judged by the times at home that the earlier run has measured. A visit that these do not speak of
// (other trip counts; far less to do than then) shows that they are of another problem: the region goes home at once.
#pragma once

#include "base/experiment_budget.hpp"
#include "schedulers/placement/lessons.hpp"
#include "schedulers/placement/longest_visits.hpp"
#include "schedulers/placement/trend.hpp"
#include "schedulers/placement/usual_time.hpp"
#include "schedulers/placement/visit_kind.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace hetmp::schedulers {

/// Where regions run that are not at home.
enum class Site : uint8_t {
  AllNodes,  ///< their threads are dealt to all nodes
  OtherNode, ///< lent: all their threads are on one other node
};

struct PlacementRules {
  ExperimentBudget budget{}; ///< that trials may lose
  /// The same with one that lends: it is known how much less time a region needs where it goes, so much more is to be
  /// gained than to be lost.
  ExperimentBudget lent_budget{.share = 0.05, .base_us = 300'000, .soon = 0.2};
  double worst_slowdown = 6;      ///< of one visit on several nodes against the same at home
  uint32_t nodes = 2;             ///< among which regions are dealt
  uint32_t cpus_at_home = 1;      ///< of the origin,
  uint32_t cpus_there = 1;        ///< of the node that regions are lent to,
  uint32_t all_cpus = 2;          ///< and of all nodes together
  double lends = 0.75;            ///< share of its time at home that a region has to need there to be lent, at most;
  double lent_slowdown = 1.25;    ///< worst, of one visit: its CPU is faster, and nobody takes its pages back
  double lent_margin_us = 10'000; ///< further visits than each region's first one move data, too
  double compares = 0.75;       ///< what is lent is tried on all nodes where these need at most this share of its time,
  double compared_gain = 2;     ///< once it has gained so many times what that may lose,
  double compared_us = 150'000; ///< for so much usual time, if they seem to gain,
  double compared_pays = 0.85;  ///< and kept there if they take less than this share of it
  double shortest_lent_us = 100;  ///< visit that is worth the way there
  double bring_us_per_mib = 1000; ///< memory that nodes fetch and that comes back,
  double lent_us_per_mib = 1500;  ///< and that all goes to one of them, and comes back; or, if that is more,
  double fetched_together = 0.5;  ///< of what stays there have waited for each page, which fetch fewer at a time
  double exchange_us = 60;        ///< of nodes that meet or ask each other
  double most_exchanges = 0.25;   ///< share of a visit that such exchanges may take for it to be tried
  double shortest_visit_us = 300; ///< that is worth a meeting of nodes
  uint32_t visits_to_know = 3;    ///< at home, before a region is tried
  uint32_t visits_to_lend = 2;    ///< likewise, before one is lent whose visits are long,
  double long_visit_us = 100'000; ///< which they are from then on
  uint32_t visits_to_follow = 2;  ///< at home, of one that goes along where others are lent,
  double share_to_follow = 0.02;  ///< and its share of the run, where they are already
  double least_share = 0.2;       ///< of the run since they were met, in regions that may gain, for a trial
  double pays = 0.9;              ///< a trial that takes less than this share of the usual time is kept
  double loses = 0.97;            ///< one that takes more is reversed, after `visits_to_judge`
  uint32_t visits_to_judge = 3;   ///< of the heaviest region, after each region's first one, which moves data
  uint32_t most_visits_to_judge = 12;
  double judged_us = 20'000;        ///< a trial is judged by at least so much usual time,
  double loses_beyond_doubt = 2;    ///< unless it takes more than so many times that
  double doubted_loss = 0.1;        ///< one that has lost less than this share of what it might
  double doubted_us = 300'000;      ///< is not reversed before it has lasted so long
  double watched_us = 300'000;      ///< what is kept is judged anew over so much usual time
  double watched_share = 0.05;      ///< and over at least this share of the run;
  uint32_t most_losing_windows = 3; ///< if it loses so many times in a row, or
  double most_given_back = 0.5;     ///< more than this share of what it had gained, it goes home
  double doubtful = 0.75;           ///< what takes more than this share of the usual time shows anew what is usual,
  double doubted_gain_us = 150'000; ///< if it does so twice in a row, for so much of that, and again after
  double doubt_growth = 3;          ///< so many times as much;
  double doubted_slowdown = 2;      ///< of one visit in the trial that follows
  double travelled_slowdown = 2;    ///< of one of a region whose threads gain elsewhere already
  double doubted_recalled_us = 2e6; ///< what an earlier run had kept is first asked so late
  double second_chance = 3;         ///< what was slower is tried again when the run is so many times as long;
  double soon_again = 1.5;          ///< and the first time already then,
  double loss_again = 0.1;          ///< but not before what it has lost is no more than this share of the time since
  double remembered_gain = 0.4;  ///< share of its time away that what went home has to have gained to begin there again
  double least_recalled = 0.5;   ///< a visit that takes less than this share of the recalled time is another problem's
  double most_recalled = 1.5;    ///< the first visit may take so many times as long as in the earlier run
  double alike = 2;              ///< visits at home are of the same problem if none takes so many times the other
  double nearly_as_many = 1.125; ///< trips: none has more than so many times those of the other
  double comparable = 2;         ///< likewise, where nothing nearer is known
};

/// What a visit of a region was seen to do.
struct VisitSeen {
  uint64_t trips = 0;
  uint32_t exchanges = 0;       ///< constructs that nodes would have met or asked each other at
  double evenly_us = 0;         ///< at home: see HomeSpeed::evenly_us(); 0: nobody knows
  bool disturbed = false;       ///< by experiments: threads of it were elsewhere, or pages were
  bool gains_elsewhere = false; ///< threads of it were, and what they did there has gained so far
  double gained_us = 0;         ///< so much, in this visit
  double fetching_us = 0;       ///< what they have waited for each page that came, so far; 0: nobody knows
  double away_us = 0;           ///< for which at most the origin had nothing to execute because of them
  bool bound = false;           ///< it has called what belongs to its process, so it is not to be lent
  bool short_turns = false;     ///< its threads take short turns on the origin's CPUs, which nobody does elsewhere
};

/// Why a visit runs where it does.
enum class PlacedBecause : uint8_t {
  Unknown,      ///< at home: not visited often enough
  Changes,      ///< at home: has another amount of work on each visit, or ever less
  TooShort,     ///< at home: shorter than a meeting of nodes is worth
  Synchronises, ///< at home: nodes would wait for each other's messages most of the time
  NoBudget,     ///< at home: what a trial may cost does not fit the budget yet
  TooLittle,    ///< at home: regions that could gain are too small a share of the run
  Lost,         ///< at home: several nodes were slower
  Trial,        ///< on several nodes, to see
  Recalled,     ///< on several nodes, where an earlier run has gained; to see whether this one does
  Gains,        ///< on several nodes: they were faster
};

class RegionPlacer {
 public:
  explicit RegionPlacer(const PlacementRules& rules = {}) : rules_(rules) {}

  /// What earlier runs have taught. Before the first region.
  void recall(PlacementLessons lessons);
  /// What this run teaches of the regions that it has met often enough.
  PlacementLessons lessons() const;

  /// Before begin(): whether regions may be lent, and the share of its CPUs' time that the origin gets, of late; 1:
  /// all.
  void see_home(bool may_lend, double speed, double now_us) {
    speed_at_home_ = may_lend ? speed : 1;
    if (!may_lend && (away_ == Site::OtherNode || back_to_ == Site::OtherNode))
      end_lending(now_us);
  }

  /// A region is met, `now_us` after the program's start. True: it runs where away() says. `resident_mib`: how much
  /// memory the program has in use; called when a trial could begin.
  template <class ResidentMib> bool begin(uint64_t region, double now_us, ResidentMib&& resident_mib) {
    arrive(region, now_us);
    if (may_consider(region, now_us))
      consider_trial(now_us, resident_mib());
    return depart(region, now_us);
  }
  /// The region that began last is over.
  void end(double now_us, const VisitSeen& seen);

  /// Visits of the region at home take another time from now on, for a reason of its own: what is usual there has to be
  /// learned anew. Not for one that runs on several nodes.
  void home_has_changed(uint64_t region);

  // ---- for a report

  struct Region {
    UsualTime home;   ///< of its visits there, when its data was there
    UsualTime spread; ///< of those on several nodes, when its data was there
    uint32_t home_visits = 0;
    uint32_t spread_visits = 0;
    uint32_t lent_visits = 0;     ///< of these, on one other node
    uint32_t exchanges = 0;       ///< of its last visit at home
    double met_us = 0;            ///< when it was visited first
    LongestVisits longest_home;   ///< of those there,
    LongestVisits longest_quiet;  ///< and of those that experiments did not disturb
    double home_us = 0;           ///< of all visits there
    double spread_us = 0;         ///< likewise
    bool kept = false;            ///< it runs on several nodes
    bool tried = false;           ///< for as long as the trial lasts
    bool recalled = false;        ///< its usual time at home is an earlier run's
    bool gains_elsewhere = false; ///< in its last visit there, threads were on other nodes for a while, and gained
    double gained_us = 0;         ///< by that
    double fetching_us = 0;       ///< see VisitSeen
    bool bound = false;           ///< it has called what belongs to its process, and is not to be lent
    bool short_turns = false;     ///< after its last visit at home its threads' turns are short there; likewise
    bool settled = true;          ///< it has been visited where it runs now, so its data is there
    double first_spread_us = 0;   ///< of the last visit that moved its data to several nodes
    UsualTime slowdown; ///< a ratio: of visits on several nodes, when its data was there, to what they would have taken
                        ///< at home; where that is known
    double worst_slowdown = 0;    ///< likewise, of all visits there
    double excluded_until_us = 0; ///< was slower on several nodes
    uint32_t trials_lost = 0;

   private:
    friend class RegionPlacer;
    double gained_away_us = 0; ///< by all visits that were not at home, as far as is known
    double trial_taken_us = 0; ///< of its visits in the trial
    double trial_usual_us = 0;
    double recalled_longest_us = 0; ///< visit at home, in an earlier run
    bool recalls_loss = false;      ///< excluded by an earlier run, of the same problem as far as is known yet
    uint32_t familiar_visits = 0;   ///< at home, in a row, of kinds that had been there before
    double doubted_moving_us = 0;   ///< what its data took to come, of one whose gain was doubted; 0: it was not
    Trend home_trend;
    Trend kept_trend;        ///< likewise on several nodes, against what it would take at home, since it is kept there
    uint64_t kept_trips = 0; ///< of its last visit before
    double untold_us = 0;    ///< of its visits since, in those of which nobody knows what they would take at home
    uint32_t shrunk = 0;     ///< how often it went home because of that
  };
  const std::map<uint64_t, Region>& regions() const { return regions_; }
  /// Why the region, one of them, would run where it would now.
  PlacedBecause why(const Region& region, double now_us) const;
  /// Of a region that is kept, or tried: on all nodes, or lent.
  Site away() const { return away_; }
  /// No region is away, or on its way home: what is seen at home is nobody's doing.
  bool all_at_home() const { return stage_ == Stage::Steady && kept_regions_ == 0; }
  const PlacementRules& rules() const { return rules_; }

  /// A trial that has been thought of last, and was not made.
  struct Refusal {
    bool known = false;  ///< there was one
    double share = 0;    ///< of the run since they were met, in regions that could gain
    double spent_us = 0; ///< in these
    double worst_us = 0; ///< that it could have lost
    Site there = Site::AllNodes;
  };
  const Refusal& last_refusal() const { return refusal_; }
  uint32_t trials() const { return trials_; }
  /// What trials that were reversed have lost so far.
  double lost_us() const { return lost_us_; }
  /// That, and what the trial in hand may lose.
  double committed_us() const { return lost_us_ + (stage_ == Stage::Steady ? 0 : allowance_us_); }
  /// What other experiments have taken of the same budget so far (TravelLedger).
  void share_budget(double with_others_us) { others_us_ = with_others_us; }
  /// What trials may still lose; what one there may.
  double budget_left_us(double now_us) const { return budget_left_us(now_us, Site::AllNodes); }
  double budget_left_us(double now_us, Site there) const;
  /// Whether trials tell of the region, one of them, what can be told: it has been tried, or will be if nobody else
  /// takes what that needs of the budget. As far as its first visits are concerned, it may.
  bool is_for_trials(const Region& region, double now_us) const;

 private:
  enum class Stage : uint8_t {
    Steady,   ///< each region runs where it is known to run best so far
    Trial,    ///< some run on several nodes to see
    Settling, ///< they are home again, and their pages come back, which is charged to the trial
  };

  /// What the same thing usually takes, by where regions run.
  struct Usual {
    UsualTime home;         ///< while no region ran on several nodes, or since it is known
    UsualTime now;          ///< since the last change of where regions run
    uint32_t epoch = 0;     ///< of `now`
    bool recalled = false;  ///< `home` is an earlier run's, of the same problem or of another one
    double recalled_us = 0; ///< on several nodes, in that run; 0: not known
  };

  /// A visit among those of its kind.
  struct Work {
    Usual& usual;
    VisitKind kind; ///< whose that is
    double amount;  ///< that it has to do, against what `usual` speaks of
    double home_us; ///< that it would take at home; 0: nobody knows
  };

  /// What something took, against what it usually takes.
  struct Balance {
    double taken_us = 0;
    double usual_us = 0;
    double lost_us() const { return taken_us - usual_us; }
    void add(double taken, double usual) { taken_us += taken, usual_us += usual; }
  };

  /// Of what is kept, against the times at home.
  struct Watch {
    Balance window;              ///< the one in hand
    Balance latest;              ///< since it was last asked whether it gains beyond doubt,
    bool gained_little = false;  ///< and what came of that
    uint32_t losing_windows = 0; ///< that have lost before it, in a row
    uint32_t worse_windows = 0;  ///< likewise, that have taken longer than what was lent before
    double taken_us = 0;         ///< in all,
    double gained_us = 0;        ///< likewise
    double most_gained_us = 0;   ///< what that has been at most
    double slowdown() const { return taken_us / std::max(taken_us + gained_us, 1.0); }
    void add(double taken, double usual) {
      window.add(taken, usual);
      latest.add(taken, usual);
      taken_us += taken;
      gained_us += usual - taken;
      most_gained_us = std::max(most_gained_us, gained_us);
    }
  };

  bool may_consider(uint64_t region, double now_us);
  double allowance_us(double now_us, Site there) const;
  PlacedBecause why_at_home(const Region& region, double now_us, Site there) const;
  PlacedBecause why_at_home(const Region& region, double now_us) const {
    return why_at_home(region, now_us, next_site());
  }
  double lent_share() const;
  Site next_site() const;
  std::optional<Site> second_site() const;
  bool gains_more_at_home(const Region& region) const;
  bool is_short(const Region& region, Site there) const;
  uint32_t visits_to_know(const Region& region, Site there) const;
  bool is_judged_by_few(const Region& region) const;
  bool is_candidate(const Region& region, double now_us, Site there) const;
  double longest_at_home_us(const Region& region) const;
  Refusal weigh_candidates(double now_us, double resident_mib, Site there);
  void consider_trial(double now_us, double resident_mib);
  bool begin_if_worth_it(double now_us, double resident_mib, Site there);
  void begin_trial(double now_us, Site there);
  void arrive(uint64_t region, double now_us);
  bool depart(uint64_t region, double now_us);
  void count_away(Region& region, const Work& work, double taken_us);
  void count_at_home(Region& region, const Work& work, double taken_us, double evenly_us, const VisitSeen& seen);
  bool has_changed(Region& region, const Work& work, double taken_us, double now_us);
  Work work_of(const VisitKind& visit);
  double home_us(const VisitKind& visit) const;
  void account(const Work& work, double taken_us, bool at_home, bool settled);
  void recall(uint64_t name, Region& region, double now_us);
  bool is_foreseen(const Usual& usual, double taken_us) const;
  void doubt_loss(uint64_t name, Region& region, const VisitKind& kind, const Usual& usual) const;
  void forget_lesson(uint64_t name, Region& region);
  void remember_kept();
  void disown(Region& region);
  void bring_home(Region& region);
  void end_lending(double now_us);
  double foreseen_us(uint64_t name, double taken_us, double at_home_us) const;
  PlacementLesson lesson_of(uint64_t name, const Region& region) const;
  bool could_compare() const;
  void begin_comparison(double now_us);
  void end_comparison();
  bool is_clearly_better() const;
  bool was_better_lent(const Balance& balance) const;
  void lend_again();
  double pays() const;
  void judge(double now_us);
  void judge_trial(double now_us);
  bool is_to_gain() const;
  void keep();
  void reverse(double now_us);
  void begin_settling();
  void end_settling();
  double watched_for_us(double now_us) const;
  void watch(double now_us);
  bool is_little_of_what_is_kept(const Region& region) const;
  bool is_in_doubt(double now_us);
  void doubt();
  double moving_us() const;
  void leave_nodes(double excluded_until_us);
  void measure_anew();
  void forget_home(uint64_t name, Region& region);

  const PlacementRules rules_;
  std::map<uint64_t, Region> regions_;
  std::map<VisitKind, Usual> visits_;
  std::map<std::pair<uint64_t, uint64_t>, Usual> between_; ///< from one region's end to another's begin
  Stage stage_ = Stage::Steady;
  uint32_t epoch_ = 0; ///< changes of where regions run
  uint32_t kept_regions_ = 0;
  uint64_t last_ = 0; ///< region that ended last; 0: none
  double last_end_us_ = 0;
  uint64_t current_ = 0;
  double current_begin_us_ = 0;
  bool current_spread_ = false;

  double speed_at_home_ = 1;      ///< see see_home()
  Site away_ = Site::AllNodes;    ///< where what is kept or tried is, or was last
  std::optional<Site> back_to_;   ///< where those tried are kept, of a trial that compares all nodes with one
  bool compared_ = false;         ///< what is kept has been
  double compared_slowdown_ = 1;  ///< then: of all that is lent, against the times at home
  std::optional<Site> lost_last_; ///< where the last trial was that was reversed,
  bool lost_little_ = false;      ///< and whether it took hardly longer there;
  uint32_t lent_trials_lost_ = 0; ///< how many were of what was lent
  uint32_t trials_ = 0;
  double lost_us_ = 0;
  double others_us_ = 0;         ///< see share_budget()
  double next_look_us_ = 0;      ///< before then no trial is considered
  Refusal refusal_;              ///< for a report
  double allowance_us_ = 0;      ///< what this trial may lose
  Balance whole_;                ///< since the trial began, coming back included
  Balance steady_;               ///< since its data has come to where it is used
  Watch watched_;                ///< since what is kept has changed
  double doubt_after_us_ = 0;    ///< usual time of what is kept; 0: rules_.doubted_gain_us
  uint64_t heaviest_ = 0;        ///< of those tried
  uint32_t heaviest_visits_ = 0; ///< while its data was there
  uint32_t settling_visits_ = 0;

  std::map<uint64_t, PlacementLesson> kept_lessons_; ///< of regions that were kept at first, and went home later
  PlacementLessons recalled_;
  bool recalls_ = false; ///< the trial in hand is of regions that gained in an earlier run
};

} // namespace hetmp::schedulers
