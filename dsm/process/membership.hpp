// Who belongs to the run: the nodes' processes and names, that all have joined with the same objects, and who has ended
// and how. A run does not go on without one of its nodes, whose memory is gone.
#pragma once

#include "dsm/launch_plan.hpp"
#include "dsm/transport/transport.hpp"

#include <atomic>
#include <string>
#include <sys/types.h>
#include <vector>

namespace hetmp::dsm {

class Membership {
 public:
  /// Of the nodes of a plan, which outlives this.
  explicit Membership(const LaunchPlan& launch) : launch_(launch) {}
  /// In each process, before it sends or receives anything.
  void become(uint32_t node, Transport& transport) {
    node_ = node;
    transport_ = &transport;
  }
  /// What tells which parallel region is under way, null between regions; may be null itself.
  void set_current_region(const void* (*current_region)()) { current_region_ = current_region; }

  /// As messages name it.
  std::string name_of(uint32_t node) const;

  // Where the origin has made the other nodes' processes. In the order of the nodes.
  void add_process(uint32_t node, pid_t process, int pidfd);
  /// By a signal or a debugger.
  bool is_stopped(uint32_t node) const;

  // Where a launcher has started them: they make sure that all have loaded the same (joining.cpp).

  /// Notes what this process has loaded. In each, before its memory is divided and anything comes from others.
  void take_identity();
  /// Origin; ends the program if not all come in time.
  void wait_until_all_have_joined();
  /// Each other node, to the origin.
  void tell_identity();
  /// Service thread of the origin. An empty fact: there are no more.
  void node_joins(uint32_t from, const std::string& fact);

  /// Origin: the program has ended. Ends the other nodes, whose ends are no accidents any more.
  void end_others();

  // Service thread: these end the process, or the run, unless it is ending anyway.

  void node_ended(uint32_t node, pid_t pid, int pidfd);
  void node_lost(const Transport::Loss& loss);
  /// Origin: another node says that it has lost a third one, or the origin.
  void lost_elsewhere(uint32_t from, uint32_t node, const std::string& reason);

 private:
  struct Process {
    pid_t process = 0; ///< 0: not made by this one
    int pidfd = -1;
  };

  uint32_t nodes() const { return uint32_t(launch_.cpus.size()); }
  void say_loss(const Transport::Loss& loss);
  std::string place_of_loss() const;

  const LaunchPlan& launch_;
  uint32_t node_ = 0;
  Transport* transport_ = nullptr;
  const void* (*current_region_)() = nullptr;
  std::vector<Process> processes_; ///< origin: by node
  /// Origin: set before the others are ended, so that their ends are no accidents. Released by end_others(), acquired
  /// by node_ended() and node_lost().
  std::atomic<bool> ending_{false};
  std::atomic<uint32_t> joined_{0};                  ///< origin: nodes that have
  std::vector<std::vector<std::string>> identities_; ///< origin: of the nodes that join, as far as they have come
  std::vector<std::string> own_identity_;
};

} // namespace hetmp::dsm
