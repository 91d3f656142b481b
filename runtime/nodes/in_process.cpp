// Nodes that are sets of CPUs inside one process: the coordinator is called under a lock.
#include "base/check.hpp"
#include "runtime/nodes/coordinated_level.hpp"
#include "runtime/regions/spread_team.hpp"
#include "runtime/wait/futex_lock.hpp"

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

 protected:
  void post(const Request& request) override {
    std::lock_guard guard(lock_);
    answers_.clear();
    [[maybe_unused]] const bool could_be = coordinator_.handle(request, answers_);
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
  FutexLock lock_; ///< guards what follows
  Coordinator coordinator_;
  std::vector<Answer> answers_; ///< kept for its memory
};

} // namespace

CoordinatedLevel* make_in_process_level(Coordinator coordinator) { return new InProcessLevel(std::move(coordinator)); }

} // namespace hetmp::runtime
