// One node's part in the page protocol: a pure state machine. Events go in, actions come out; no system
// calls, threads or clocks. docs/page-protocol.md has the transition table and the argument for each
// invariant:
//
//   W  single writer: while one node may write a page, no other node may read or write it
//   L  latest content: every copy that may be read, and every content under way, equals the latest write
//   D  exact directory: on an idle page, the holders at home are the nodes that have a copy or to whom home
//      itself has sent one, and `exclusive` tells whether the only one may write
//   O  one at a time: a page has at most one transaction; a node has at most one request under way for a page
//   P  progress: without new faults every run ends with idle pages, no messages and no thread waiting
//
// Multiple readers, single writer; the directory of a page is at its home; a write invalidates. Content goes
// from a holder straight to the requester; a write by a node that holds a Shared copy moves no content.
//
// The edge's duties: carry out actions in order; process the messages of one page on one channel in order;
// finish carrying out the actions of one event before the next event of the same page.
#pragma once

#include "dsm/protocol/action.hpp"
#include "dsm/protocol/page_state.hpp"
#include "dsm/protocol/transaction.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::dsm::protocol {

/// Outcome of an event. Whatever is not Ok was refused: nothing changed and no action was added.
enum class Status : uint8_t {
  Ok,
  BadType,    ///< no such message type
  BadPage,    ///< page number out of range
  BadNode,    ///< sender or `requester` out of range, or the node itself where it cannot be
  NotHome,    ///< a message for the page's home reached another node, or claims falsely to come from the home
  Impossible, ///< no correct run delivers this message in this state
  Overloaded  ///< too many busy pages (16 million at one home)
};

/// The status in words.
const char* text_of(Status status);

/// Not thread-safe: one caller at a time.
class Node {
 public:
  /// `self` < `nodes` <= most_nodes.
  Node(uint32_t self, uint32_t nodes, const Storage& storage);
  /// The state of `other`, over storage that holds a copy of its storage (to explore or to replay).
  Node(const Node& other, const Storage& storage);

  /// A local thread faulted. Faults may repeat, come late, or come while one is being served: if the page's
  /// state suffices the thread is woken; if a request is under way nothing happens, its end wakes every
  /// thread (a thread that wants more than was requested then faults again).
  Status read_fault(PageNumber page, Actions& actions);
  Status write_fault(PageNumber page, Actions& actions);

  /// A message from another node. `from` is the channel it came by, not something the message claims.
  Status receive(uint32_t from, const Message& message, Actions& actions);

  /// At the page's home: sends node `to` a read-only copy it did not ask for. Only if the page is idle, this node has
  /// the content and `to` does not (nor is it on its way there); otherwise, or elsewhere, nothing happens (Ok, no
  /// action). Like a read by `to` it costs this node its right to write, until it asks for it again.
  Status push(PageNumber page, uint32_t to, Actions& actions);

  /// The edge's answer to a Hold action: the page may go to the next in the queue.
  Status resume(PageNumber page, Actions& actions);

  /// The functions below are for the edge's decisions, for reports and for tests; `page` must be in range.
  LocalState state(PageNumber page) const;
  Outstanding outstanding(PageNumber page) const { return storage.local[page].outstanding(); }
  uint32_t home(PageNumber page) const { return storage.home_of(storage.plan, page); }
  bool is_home(PageNumber page) const { return home(page) == self; }
  /// Requires is_home(page). Between events, exact in the sense of invariant D if transaction(page) is null.
  Sharing sharing(PageNumber page) const { return storage.directory[page].sharing(self); }
  /// The page's transaction if it is busy and its home is this node, else null.
  const Transaction* transaction(PageNumber page) const;
  /// Pages busy at this home.
  size_t busy_pages() const { return transactions.in_use(); }

 private:
  Status fault(PageNumber page, bool write, Actions& actions);

  // As home (home.cpp).
  Status request(PageNumber page, Request request, Actions& actions);
  bool may_ask(PageNumber page, Request request) const;
  Status invalidate_ack(uint32_t from, PageNumber page, Actions& actions);
  Status done(uint32_t from, PageNumber page, Actions& actions);
  void serve_queue(PageNumber page, Actions& actions);
  bool go_on(PageNumber page, Actions& actions);
  void finish(PageNumber page, Actions& actions);
  bool begin(PageNumber page, Transaction& busy, Actions& actions);
  bool begin_read(PageNumber page, Transaction& busy, Actions& actions);
  bool begin_write(PageNumber page, Transaction& busy, Actions& actions);
  bool transfer(PageNumber page, Transaction& busy, Actions& actions);
  void fetch_from(uint32_t holder, PageNumber page, MessageType type, Transaction& busy, Actions& actions);
  Transaction* transaction_in(Phase phase, PageNumber page);

  // As holder or requester (node.cpp).
  Status fetch(const Message& message, Actions& actions);
  Status invalidate(PageNumber page, Actions& actions);
  Status data(uint32_t from, const Message& message, Actions& actions);
  Status grant(PageNumber page, Actions& actions);
  Status pushed(PageNumber page, Actions& actions);
  Status keep(PageNumber page, Actions& actions);
  void supply(PageNumber page, uint32_t requester, MessageType type, Actions& actions);
  void drop(PageNumber page, Actions& actions);
  void upgrade(PageNumber page, Actions& actions);

  Storage storage;
  uint32_t self;
  uint32_t nodes;
  TransactionTable transactions; ///< of the busy pages whose home this is
};

} // namespace hetmp::dsm::protocol
