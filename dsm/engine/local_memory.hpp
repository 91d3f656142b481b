// This node's part of the shared memory: what is kept of each page, which pages userfaultfd watches, and what is done
// to them. It knows nothing of the protocol, whose state decides what may be done when.
#pragma once

#include "dsm/engine/futex_waiters.hpp"
#include "dsm/engine/page_range.hpp"
#include "dsm/engine/user_faults.hpp"
#include "dsm/protocol/page_state.hpp"
#include "dsm/space/address_plan.hpp"
#include "dsm/space/handed_over.hpp"
#include "dsm/space/memory_budget.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

/// Of the service thread, once that runs, except where another is named.
class LocalMemory {
 public:
  LocalMemory(const AddressPlan& plan, MemoryBudget& budget) : plan_(plan), budget_(budget), futexes_(plan) {}

  /// Before there is a service thread. Ends the program where userfaultfd is refused.
  void set_up(uint32_t node);
  /// From now on accesses to other nodes' memory fault.
  void watch_others();
  /// Where the protocol keeps what it knows of the pages.
  protocol::Storage storage() const;

  /// Any thread: no page of the range (of this node's slice) has been asked for by another node yet.
  bool is_unpublished(Segment range) const;

  /// Any thread: some shared memory may not be readable from now on (mprotect). The thread goes on only when all nodes
  /// have heard of it.
  void may_be_unreadable() { all_readable_.set(false); }
  /// Any thread.
  bool all_readable() const { return all_readable_.get(); }

  int fault_descriptor() const { return faults_.descriptor(); }
  /// Reads up to `most` faults without waiting; returns how many.
  size_t read_faults(PageFault* faults, size_t most) { return faults_.read(faults, most); }

  /// Home only: makes the page's piece known to userfaultfd.
  void publish(PageNumber page);
  /// A page of this node's that was never touched, or given back by the program: it becomes zeros. Wakes nobody.
  void give_zeros(PageNumber page, bool writable);
  /// Likewise the pages of the range that are absent, as far as that goes without effort; they are writable. Within the
  /// piece of one publish().
  void give_zeros_ahead(PageRange pages);
  /// Later writes to the pages fault, and this thread may read them. At most most_data_pages, one behind the other.
  void protect(uintptr_t address, PageRange pages);
  /// The pages become writable. Likewise.
  void unprotect(uintptr_t address, PageRange pages, UserFaults::Waiters waiters) {
    faults_.unprotect(address, waiters, pages.count);
  }
  /// Pages that are not here come: `content`, null for zeros. Wakes whoever waits for them. Likewise.
  void install(uintptr_t address, PageRange pages, const uint8_t* content, bool writable);
  /// The copies go: later accesses fault. Likewise.
  void drop(uintptr_t address, PageRange pages);
  void wake(uintptr_t address) { faults_.wake(address); }

  /// A copy of a page that the program may have made unreadable, valid until the next call.
  const uint8_t* read_past_protection(uintptr_t page);

  /// The program's threads that sleep on words of shared memory.
  SharedFutexes& futexes() { return futexes_; }
  const SharedFutexes& futexes() const { return futexes_; }

 private:
  void fill_absent(uintptr_t address, PageRange pages);

  const AddressPlan& plan_;
  MemoryBudget& budget_;
  uint32_t node_ = origin;
  UserFaults faults_;
  protocol::LocalPage* local_ = nullptr;
  protocol::DirectoryEntry* directory_ = nullptr;
  uint8_t* page_flags_ = nullptr; ///< for each page: see local_memory.cpp
  Hint<bool> all_readable_{true};
  int own_memory_ = -1; ///< /proc/self/mem, for memory that may not be readable
  uint8_t page_copy_[page_bytes];
  SharedFutexes futexes_;
};

} // namespace hetmp::dsm
