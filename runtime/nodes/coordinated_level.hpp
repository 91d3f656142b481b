// The global level in terms of requests to the coordinator: what both of its drivers have in common.
#pragma once

#include "base/clock.hpp"
#include "runtime/global/coordinator.hpp"
#include "runtime/global/global_level.hpp"
#include "runtime/global/node_barriers.hpp"
#include "runtime/global/node_cancellations.hpp"
#include "runtime/global/node_gatherings.hpp"
#include "runtime/global/node_locks.hpp"
#include "runtime/global/node_loops.hpp"
#include "runtime/global/node_regions.hpp"
#include "runtime/global/node_tasks.hpp"

#include <atomic>

namespace hetmp::runtime {

class CoordinatedLevel : public NodeRegions,
                         public NodeBarriers,
                         public NodeLoops,
                         public NodeGatherings,
                         public NodeTasks,
                         public NodeLocks,
                         public NodeCancellations {
 public:
  /// As the constructs see it.
  GlobalLevel& interfaces() { return interfaces_; }

  NodesMeeting barrier(const TeamDescription& part, uint64_t sequence, uint64_t word, const void* site) override;
  uint32_t idle_nodes(const TeamDescription& part) override;
  void offer_tasks(const TeamDescription& part, const Handover& tasks) override;
  void return_task(const TeamDescription& part, uint32_t origin, uint32_t slot, uint64_t nanoseconds) override;
  Seen join(const TeamDescription& part, uint64_t sequence, const Seen& seen) override;
  schedulers::Assignment ask_loop(const TeamDescription& part, uint64_t loop, const LoopQuestion& question) override;
  void report_loop(const TeamDescription& part, uint64_t loop, const LoopQuestion& question) override;
  void offer_copies(const TeamDescription& part, uint64_t sequence, void* copies, uint32_t variables,
                    bool waits) override;
  void* take_copies(const TeamDescription& part, uint64_t sequence, uint32_t node) override;
  void release_copies(const TeamDescription& part, uint64_t sequence) override;
  void ordered_wait(const TeamDescription& part, uint64_t loop, uint64_t index) override;
  void ordered_post(const TeamDescription& part, uint64_t loop, uint64_t next) override;
  void ask_lock(uint64_t key) override;
  bool try_lock(uint64_t key) override;
  void give_back_lock(uint64_t key, bool again) override;
  void release_lock(uint64_t key) override;
  uint64_t asked_locks() const override { return asked_locks_.load(std::memory_order_relaxed); } // relaxed: a number
  void cancel_elsewhere(const TeamDescription& part, uint32_t construct, uint64_t loop) override;
  /// Also for any other answer.
  void waits_outside(bool /*begins*/) override {}

  /// What was learned about the program's loops. On the origin, when no team runs.
  virtual perf::Report report() = 0;
  /// Other rules for its loops, before there are any.
  virtual void follow(const schedulers::DecisionRules& rules) = 0;

 protected:
  ~CoordinatedLevel() = default; // lives as long as the process

  /// Tells the origin's next forks what a finished team has shown; by whoever drives the coordinator.
  static void after(const Request& request, const Coordinator& coordinator);
  /// The time of a request that comes now, for the coordinator.
  static double now_us() { return double(monotonic_ns()) / 1000; }
  /// To a thread or to the node itself. Takes no lock. False if it means nothing here. Appends what the node has to say
  /// to it.
  bool deliver(const Answer& answer, std::vector<Request>& replies);
  /// Another node has cancelled it.
  virtual void hear(const Answer::Cancelled& cancelled) = 0;
  /// Brings a request to the coordinator.
  virtual void post(const Request& request) = 0;

 private:
  std::atomic<uint64_t> asked_locks_{0}; ///< relaxed: only the number
  GlobalLevel interfaces_{*this, *this, *this, *this, *this, *this, *this};

  /// By a thread of the node, which waits for the answer.
  const Answer& ask(uint32_t node, const auto& content);
  /// Nobody waits for an answer.
  void tell(uint32_t node, const auto& content);
};

/// The program's; null: it has one node. Set at the start.
inline CoordinatedLevel* program_level = nullptr;

/// The driver for nodes inside one process, and the one for node processes.
CoordinatedLevel* make_in_process_level(Coordinator coordinator);
CoordinatedLevel* make_message_level(Coordinator coordinator);

} // namespace hetmp::runtime
