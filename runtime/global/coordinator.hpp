// The origin's side of the global level: a pure state machine that takes the requests of node leaders and says who gets
// which answer. No threads, no clocks, no memory but its own; its two drivers are coordinated_level.cpp's (nodes in one
// process, node processes). Not synchronised: one caller at a time.
#pragma once

#include "perf/report/region_record.hpp"
#include "runtime/global/gatherings.hpp"
#include "runtime/global/lock_owners.hpp"
#include "runtime/global/meetings.hpp"
#include "runtime/global/requests.hpp"
#include "runtime/process/withdrawal.hpp"
#include "schedulers/learning/loop_history.hpp"
#include "schedulers/policies/policy.hpp"
#include "schedulers/together/loop_group.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hetmp::runtime {

class Coordinator {
 public:
  /// `cpus_per_node`: how teams' threads are dealt to the program's nodes (schedulers/arithmetic/deal.hpp).
  Coordinator(const schedulers::DecisionRules& rules, std::vector<uint32_t> cpus_per_node);

  /// Other rules, before any loop was met.
  void follow(const schedulers::DecisionRules& rules);

  /// Appends the answers that become possible by this request, in the order they are to be given. A request that no
  /// correct node sends is ignored, and false returned. `now_us`: on any clock; 0: there is none, and what loops have
  /// decided together is believed without looking at how long it takes.
  bool handle(const Request& request, std::vector<Answer>& answers, double now_us = 0);

  /// The nodes that teams executing `microtask` need. All of them until every loop of the region has
  /// been decided alike for a while. The origin always is.
  NodeSet nodes_needed(uint64_t microtask) const;
  /// What teams on all nodes that execute `microtask` have met so far, of which at least one has ended.
  PlacedLoops placed_loops(uint64_t microtask) const;

  /// What was learned about loops, in the order they were first met. Of visits it has only those that nodes asked
  /// about.
  perf::Report report() const;

 private:
  struct Learners {                ///< whose loops teach each other nothing of another shape, or under other rules
    std::vector<uint32_t> threads; ///< of each node
    bool unsaid = false;           ///< nobody has chosen the loops' schedule
    auto operator<=>(const Learners&) const = default;
  };

  struct Ordered {
    uint64_t next = 0;
    std::vector<std::pair<uint64_t, Asker>> waiting; ///< by index
  };
  struct Region {                                          ///< a loop
    std::map<Learners, schedulers::LoopHistory> histories; ///< addresses stay
    perf::RegionRecord record;
  };
  struct PlacedLoop { ///< one visit of a loop
    std::unique_ptr<schedulers::LoopPolicy> policy;
    Region* region = nullptr; ///< null: nothing is learned from it
    schedulers::LoopHistory* history = nullptr;
    const schedulers::DecisionRules* rules = nullptr;
    schedulers::LoopGroup* group = nullptr; ///< null: the loop decides for itself
    uint32_t probed_before = 0;             ///< visits of the history
    std::vector<uint32_t> tickets;          ///< of each node's open question
    NodeSet asking;                         ///< nodes that have one
    std::vector<bool> measured;             ///< nodes that have measured something on this visit
  };
  struct ParallelRegion { ///< what teams with one microtask have met
    std::set<const schedulers::LoopHistory*> loops;
    bool unplaced = false;        ///< loops that are divided without asking, too
    bool needs_all_nodes = false; ///< of loops that are not placed, a policy does
  };

  using Loops = std::map<ConstructName, PlacedLoop>;
  using Answers = std::vector<Answer>;

  bool is_sound(const Request& request) const;

  // One for each kind of request; each as handle().
  bool take(Asker from, const Request::Barrier& asked, Answers& answers);
  bool take(Asker from, const Request::Join& asked, Answers& answers);
  bool take(Asker from, const Request::AskLoop& asked, Answers& answers);
  bool take(Asker from, const Request::ReportLoop& asked, Answers& answers);
  bool take(Asker from, const Request::OrderedWait& asked, Answers& answers);
  bool take(Asker from, const Request::OrderedPost& asked, Answers& answers);
  bool take(Asker from, const Request::Lock& asked, Answers& answers);
  bool take(Asker from, const Request::TryLock& asked, Answers& answers);
  bool take(Asker from, const Request::GiveBackLock& asked, Answers& answers);
  bool take(Asker from, const Request::KeepLock& asked, Answers& answers);
  bool take(Asker from, const Request::ReleaseLock& asked, Answers& answers);
  bool take(Asker from, const Request::OfferCopies& asked, Answers& answers);
  bool take(Asker from, const Request::TakeCopies& asked, Answers& answers);
  bool take(Asker from, const Request::ReleaseCopies& asked, Answers& answers);
  bool take(Asker from, const Request::AskIdle& asked, Answers& answers);
  bool take(Asker from, const Request::OfferTasks& asked, Answers& answers);
  bool take(Asker from, const Request::ReturnTask& asked, Answers& answers);
  bool take(Asker from, const Request::Cancel& asked, Answers& answers);

  static void let_next_pass(Ordered& loop, Answers& answers);
  void forget_team(uint64_t team);
  bool is_cancelled(const ConstructName& loop) const;
  void end_loops(const ConstructName& first, const ConstructName& last, Answers& answers);
  PlacedLoop begin_loop(const Request::AskLoop& asked);
  Region& region_of(const Request::AskLoop& asked);
  void record_exchange(PlacedLoop& loop, uint32_t from, const schedulers::NodeMeasurement& done);
  NodeSet nodes_needed(const ParallelRegion& region) const;
  void forget_if_finished(Loops::iterator loop);
  void record_decision(const PlacedLoop& loop);

  schedulers::DecisionRules rules_;
  schedulers::DecisionRules unsaid_rules_; ///< of loops whose schedule nobody has chosen
  std::vector<uint32_t> cpus_per_node_;
  schedulers::LoopHistory no_history_; ///< for policies that learn nothing
  Meetings meetings_;
  std::map<ConstructName, Ordered> ordered_;
  Loops loops_;
  std::set<ConstructName> cancelled_; ///< loops; with number 0: all of the team
  LockOwners lock_owners_;
  Gatherings gatherings_;
  std::deque<Region> regions_; ///< addresses stay
  std::map<Learners, schedulers::LoopGroup> groups_;
  double now_us_ = 0; ///< of the request in hand
  std::map<std::pair<std::string, uint64_t>, Region*> region_by_name_;
  std::unordered_map<uint64_t, ParallelRegion> parallel_regions_; ///< by microtask
};

} // namespace hetmp::runtime
