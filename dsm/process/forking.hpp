// What becomes of the memory that nodes share when the program calls fork(). The child is one process and no node: it
// goes on with copies of what its parent has, by itself. So the parent first brings what is elsewhere; and where it
// cannot be known whether the child's copy is right, any access of the child ends in a segmentation fault, never in
// zeros.
//
// Outside of parallel regions nothing moves meanwhile, and all is there.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <mutex>
#include <vector>

namespace hetmp::dsm {

class NodeProcess;

/// A fork that is under way, and what of the shared memory its child will have. One at a time: the thread that forks
/// has it from before until after.
class Forking {
 public:
  void prepare(NodeProcess& process);
  void end_in_parent();
  void end_in_child();

 private:
  void want_published(const NodeProcess& process, Segment range);
  void want_memory_of(NodeProcess& process, uint32_t node);
  uint64_t fetch_missing(const NodeProcess& process);
  void fetch_wanted(const NodeProcess& process);

  std::mutex one_at_a_time_;
  bool under_way_ = false;          ///< the following counts
  std::vector<Segment> wanted_;     ///< in use: the child's copies of these pages are right if they are there
  std::vector<Segment> unreliable_; ///< not in use by others when they were asked, of which more may be by now
};

/// Before anything of the program can fork.
void prepare_for_forks();

} // namespace hetmp::dsm
