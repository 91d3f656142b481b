// Files of the program that it maps while it runs on several nodes, and segments of System V that it attaches.
#pragma once

#include "dsm/space/address_plan.hpp"
#include "dsm/space/file_area.hpp"

#include <map>
#include <mutex>
#include <sys/types.h>
#include <vector>

namespace hetmp::dsm {

class NodeProcess;

/// Whether FileMappings::map() knows what it is: a regular file. Devices are not: the system maps them, on this node
/// only.
bool can_map_file(int descriptor);

/// Of a node process.
class FileMappings {
 public:
  explicit FileMappings(NodeProcess& process) : process_(process) {}

  /// As mmap without an address. A mapping that is never written, or that is shared (between processes of one machine),
  /// lies at the same address on every node; of one that is private and writable the nodes share a copy, made now. A
  /// shared, writable mapping where nodes are on several machines is refused: ENOTSUP, said in a line.
  void* map(size_t bytes, int protection, int flags, int descriptor, off_t offset);

  /// mprotect of a mapping of a file. 0 or an errno value. A private one that is made writable is from then on of the
  /// node that has mapped it alone, since no protocol keeps it in step: accesses of the others end in segmentation
  /// faults.
  int protect(Segment range, int protection);

  /// As munmap, of whole pages that map() has given an address of its own.
  int unmap(Segment range);

  /// As shmat() without an address, and shmdt() of what that has returned on any node. Between processes of one
  /// machine.
  void* attach(int segment, int flags);
  int detach(const void* where);

 private:
  void* map_on_all_nodes(size_t bytes, int protection, int flags, int descriptor, off_t offset);

  /// Of this node's private mappings: what is no longer the same on other nodes.
  class Withdrawn {
   public:
    void add(Segment range);
    bool meets(Segment range);
    bool covers(Segment range);
    /// What of a range stays mapped when a part is not counts as a part of the same.
    void remove(Segment range);

   private:
    std::mutex lock_;
    std::vector<Segment> ranges_;
  };

  NodeProcess& process_;
  FileArea area_;
  std::mutex segments_lock_;
  std::map<uintptr_t, size_t> segments_; ///< attached by this node, guarded by the lock: begin -> bytes
  Withdrawn withdrawn_;
  bool said_ = false; ///< that a mapping has become this node's alone
};

/// Copies the file's content from `offset` on to `target`, at most `bytes`; tells how much there was. 0 or an errno
/// value.
int read_file(void* target, size_t bytes, int descriptor, off_t offset, size_t* filled);

} // namespace hetmp::dsm
