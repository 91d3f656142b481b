// Nodes that are sets of CPUs inside one process: the coordinator is called under a lock.
#include "base/check.hpp"
#include "runtime/nodes/coordinated_level.hpp"
#include "runtime/regions/spread_team.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

namespace hetmp::runtime {
namespace {

class InProcessLevel final : public CoordinatedLevel {
 public:
  explicit InProcessLevel(Coordinator coordinator) : coordinator_(std::move(coordinator)) {}

  void start(const TeamDescription& part) override { launch_node_part(part); }

  void follow(const schedulers::DecisionRules& rules) override { coordinator_.follow(rules); }
  perf::Report report() override {
    std::lock_guard guard(lock_);
    return coordinator_.report();
  }

  /// All nodes hear of it at one place: a thread that reads there what its own node has cancelled is told nothing new.
  const HeardCancellations& cancellations_of(const TeamDescription& part) override {
    std::lock_guard guard(lock_);
    const auto known = std::ranges::find(heard_, part.root, &HeardByRoot::root);
    HeardByRoot& heard = known != heard_.end() ? *known : heard_.emplace_back();
    HETMP_CHECK(heard.team <= part.team); // teams of one root follow each other
    heard.root = part.root;
    heard.team = part.team;
    return heard.cancellations;
  }

 protected:
  void hear(const Answer::Cancelled& cancelled) override {
    HETMP_CHECK(lock_.held());
    const auto heard = std::ranges::find(heard_, cancelled.team, &HeardByRoot::team);
    if (heard != heard_.end()) // else the team is over
      heard->cancellations.hear(cancelled.team, cancelled.construct);
  }

  void post(const Request& request) override {
    std::lock_guard guard(lock_);
    answers_.clear();
    [[maybe_unused]] const bool could_be = coordinator_.handle(request, answers_, now_us());
    HETMP_CHECK(could_be); // it is this process's own
    after(request, coordinator_);
    std::vector<Request> replies;
    for (const Answer& answer : answers_) {
      [[maybe_unused]] const bool was_asked = deliver(answer, replies);
      HETMP_CHECK(was_asked);
    }
    HETMP_CHECK(replies.empty()); // of locks, which all are the process's
  }

 private:
  struct HeardByRoot {
    uint32_t root = 0;
    uint64_t team = 0; ///< the latest
    HeardCancellations cancellations;
  };

  FutexLock lock_; ///< guards what follows
  Coordinator coordinator_;
  std::vector<Answer> answers_;   ///< kept for its memory
  std::deque<HeardByRoot> heard_; ///< addresses stay
};

} // namespace

CoordinatedLevel* make_in_process_level(Coordinator coordinator) { return new InProcessLevel(std::move(coordinator)); }

} // namespace hetmp::runtime
