// What fetching ahead knows of pages, and what it asks for: the page engine seen from below.
#pragma once

#include "dsm/space/address_plan.hpp"
#include "dsm/space/late_window.hpp"

namespace hetmp::dsm {

/// Of the service thread.
class PageSource {
 public:
  /// Whether a thread that read the page here, or wrote it, would fault.
  virtual bool is_missing(PageNumber page, bool write) const = 0;
  /// Whether a request of this node's for the page is under way.
  virtual bool is_asked_for(PageNumber page) const = 0;
  /// As if a thread had faulted on the page; goes out at send_asked() at the latest. No page twice between two of
  /// those.
  virtual void ask(PageNumber page, bool write) = 0;
  virtual void send_asked() = 0;
  /// The page, which was asked for to be written, becomes a witness (witnesses.hpp).
  virtual void watch(PageNumber page) = 0;
  /// Sends a copy of the page to a node that has not asked, if the page is at home here and the copy is worth it.
  virtual void push(PageNumber page, uint32_t to) = 0;
  /// False once the program may have made some shared memory unreadable. Nothing is fetched for no thread any more
  /// then: it may be among the pages that nobody may read.
  virtual bool all_readable() const = 0;

 protected:
  ~PageSource() = default;
};

/// Pages that no thread has asked for may be brought, but not stacks', between which guard pages lie, and which are
/// written without an end; nor those of the window for late objects, which is not all there.
inline bool may_come_unasked(const AddressPlan& plan, PageNumber page) {
  const uintptr_t address = plan.address_of(page);
  if (plan.in_slices(address))
    return !AddressPlan::stack_part(plan.home_of(page)).contains(address);
  return !LateWindow::instance().range().contains(address);
}

} // namespace hetmp::dsm
