// A node as home of pages: it serves requests one at a time per page and knows who holds what.
//
// The directory changes when a message is sent, not when it arrives: it names the holders as they will be
// when every message sent so far has been processed. That makes a request from a node that cannot want it
// recognisable at once.
#include "dsm/protocol/node.hpp"

#include "base/check.hpp"

#include <bit>

namespace hetmp::dsm::protocol {

namespace {
constexpr uint64_t bit(uint32_t node) { return uint64_t{1} << node; }
} // namespace

const Transaction* Node::transaction(PageNumber page) const {
  if (!is_home(page))
    return nullptr;
  const uint32_t slot = storage.directory[page].slot();
  return slot == 0 ? nullptr : &transactions[slot];
}

Transaction* Node::transaction_in(Phase phase, PageNumber page) {
  const uint32_t slot = storage.directory[page].slot();
  return slot != 0 && transactions[slot].phase == phase ? &transactions[slot] : nullptr;
}

Status Node::request(PageNumber page, Request request, Actions& actions) {
  if (!is_home(page))
    return Status::NotHome;
  if (!may_ask(page, request))
    return Status::Impossible;
  DirectoryEntry& entry = storage.directory[page];
  const bool idle = entry.slot() == 0;
  if (idle) {
    const uint32_t slot = transactions.acquire();
    if (slot == 0)
      return Status::Overloaded;
    HETMP_CHECK(transactions[slot].queue.empty() && transactions[slot].awaited == 0);
    entry.set_slot(slot);
  }
  transactions[entry.slot()].queue.push(request);
  if (idle)
    serve_queue(page, actions);
  return Status::Ok;
}

bool Node::may_ask(PageNumber page, Request request) const {
  if (const Transaction* busy = transaction(page)) {
    const bool current = busy->phase != Phase::Holding && busy->current.node == request.node;
    if (current || busy->queue.has(request.node))
      return false;
  }
  // A reader may hold a copy: one was pushed to it while it asked. But only a node's own request makes it a
  // writer, so whoever may write has none under way.
  const Sharing sharing = this->sharing(page);
  return !sharing.exclusive || !(sharing.holders & bit(request.node));
}

/// Starts queued requests one after the other until one has to wait or none is left. The queue is not empty.
void Node::serve_queue(PageNumber page, Actions& actions) {
  HETMP_CHECK(is_home(page) && storage.directory[page].slot() != 0);
  Transaction& busy = transactions[storage.directory[page].slot()];
  HETMP_CHECK(!busy.queue.empty());
  do
    busy.current = busy.queue.pop();
  while (begin(page, busy, actions) && go_on(page, actions));
}

/// The current request is over: whether the next one may start now. With none left the page becomes idle.
/// After a request of home's own the edge decides when to go on: else local threads would lose the page
/// before they use it.
bool Node::go_on(PageNumber page, Actions& actions) {
  DirectoryEntry& entry = storage.directory[page];
  HETMP_CHECK(entry.slot() != 0);
  Transaction& busy = transactions[entry.slot()];
  HETMP_CHECK(busy.awaited == 0); // nobody's acknowledgement is missing
  if (busy.queue.empty()) {
    transactions.release(entry.slot());
    entry.set_slot(0);
    const Sharing sharing = entry.sharing(self);
    if (!is_registrar(page) && is_home(page) && sharing.exclusive && sharing.owner != self)
      give_back(page, actions);
    return false;
  }
  if (busy.current.node != self)
    return true;
  busy.phase = Phase::Holding;
  actions.add(ActionKind::Hold, page);
  return false;
}

void Node::finish(PageNumber page, Actions& actions) {
  if (go_on(page, actions))
    serve_queue(page, actions);
}

/// Starts the current request; true if it is over at once.
bool Node::begin(PageNumber page, Transaction& busy, Actions& actions) {
  HETMP_CHECK(busy.awaited == 0 && busy.current.node < nodes);
  return busy.current.write ? begin_write(page, busy, actions) : begin_read(page, busy, actions);
}

bool Node::begin_read(PageNumber page, Transaction& busy, Actions& actions) {
  const uint32_t requester = busy.current.node;
  Sharing sharing = this->sharing(page);
  if (sharing.holders & bit(requester)) {
    actions.send(requester, message_of(MessageType::Keep, page));
    return true;
  }
  const bool at_hand = (sharing.holders & bit(self)) != 0;
  if (at_hand)
    supply(message_of(MessageType::DataShared, page, 0, self), requester, actions);
  else
    fetch_from(sharing.owner, page, MessageType::FetchShared, busy, actions);
  sharing.holders |= bit(requester);
  sharing.exclusive = false;
  storage.directory[page].set(sharing);
  return at_hand;
}

/// Every copy but the requester's and the one that will supply the content goes first; the rest is
/// transfer().
bool Node::begin_write(PageNumber page, Transaction& busy, Actions& actions) {
  const uint64_t requester = bit(busy.current.node);
  const Sharing sharing = this->sharing(page);
  uint64_t keep = requester;
  if (!(sharing.holders & requester))
    keep |= (sharing.holders & bit(self)) ? bit(self) : bit(sharing.owner);
  busy.awaited = sharing.holders & ~keep & ~bit(self);
  const bool same_writer = busy.current.node == sharing.owner && busy.current.node != self;
  storage.directory[page].set_streak(next_streak(storage.directory[page].streak(), same_writer, busy.awaited != 0));
  for (uint64_t left = busy.awaited; left != 0; left &= left - 1)
    actions.send(static_cast<uint32_t>(std::countr_zero(left)), message_of(MessageType::Invalidate, page));
  if (sharing.holders & ~keep & bit(self)) {
    drop(page, actions);
    storage.directory[page].set({sharing.holders & ~bit(self), sharing.owner, false});
  }
  HETMP_CHECK((busy.awaited & (bit(self) | requester)) == 0); // they do not acknowledge
  if (busy.awaited == 0)
    return transfer(page, busy, actions);
  busy.phase = Phase::Invalidating;
  return false;
}

/// Only the requester's own copy or that of one supplier is left: makes the requester the owner. True if
/// nothing more has to be waited for.
bool Node::transfer(PageNumber page, Transaction& busy, Actions& actions) {
  const uint32_t requester = busy.current.node;
  const Sharing sharing = this->sharing(page);
  HETMP_CHECK(busy.awaited == 0);
  HETMP_CHECK(std::popcount(sharing.holders & ~bit(requester)) <= 1); // W: one supplier is left at most
  storage.directory[page].set({bit(requester), requester, true});
  if (sharing.holders & bit(requester)) {
    if (requester != self)
      return hand_over(page, busy, MessageType::Grant, actions);
    upgrade(page, actions);
    return true;
  }
  if (sharing.holders & bit(self))
    return hand_over(page, busy, MessageType::DataExclusive, actions);
  fetch_from(sharing.owner, page, MessageType::FetchExclusive, busy, actions);
  return false;
}

/// Home itself makes another node the exclusive holder, and perhaps home. If it stays home without being the
/// registrar it will have to give the page back, and must know first that it has arrived.
bool Node::hand_over(PageNumber page, Transaction& busy, MessageType type, Actions& actions) {
  const uint32_t requester = busy.current.node;
  const uint32_t next_home = home_goes_with(page, busy) ? requester : self;
  const Message message = message_of(type, page, 0, next_home);
  if (type == MessageType::Grant)
    actions.send(requester, message);
  else
    supply(message, requester, actions);
  if (next_home == self && !is_registrar(page)) {
    busy.phase = Phase::Transferring;
    return false;
  }
  storage.local[page].set_home(next_home, registrar(page));
  return true;
}

void Node::fetch_from(uint32_t holder, PageNumber page, MessageType type, Transaction& busy, Actions& actions) {
  HETMP_CHECK(holder != self && holder != busy.current.node);
  HETMP_CHECK(busy.awaited == 0); // nobody else still has a copy of what will be written
  actions.send(holder, message_of(type, page, busy.current.node));
  busy.phase = Phase::Transferring;
}

Status Node::invalidate_ack(uint32_t from, PageNumber page, Actions& actions) {
  if (!is_home(page))
    return Status::NotHome;
  Transaction* busy = transaction_in(Phase::Invalidating, page);
  if (!busy || !(busy->awaited & bit(from)))
    return Status::Impossible;
  busy->awaited &= ~bit(from);
  Sharing sharing = this->sharing(page);
  sharing.holders &= ~bit(from);
  HETMP_CHECK(!sharing.exclusive && sharing.holders != 0); // the supplier's or the writer's own is left
  storage.directory[page].set(sharing);
  if (busy->awaited == 0 && transfer(page, *busy, actions))
    finish(page, actions);
  return Status::Ok;
}

Status Node::done(uint32_t from, PageNumber page, Actions& actions) {
  if (!is_home(page))
    return Status::NotHome;
  const Transaction* busy = transaction_in(Phase::Transferring, page);
  if (!busy || busy->current.node != from)
    return Status::Impossible;
  finish(page, actions);
  return Status::Ok;
}

Status Node::push(PageNumber page, uint32_t to, Actions& actions) {
  if (ended)
    return Status::NodeLost;
  if (page >= storage.pages)
    return Status::BadPage;
  if (to >= nodes || to == self)
    return Status::BadNode;
  if (!is_home(page) || storage.directory[page].slot() != 0)
    return Status::Ok;
  Sharing sharing = this->sharing(page);
  if (!(sharing.holders & bit(self)) || (sharing.holders & bit(to)))
    return Status::Ok;
  supply(message_of(MessageType::Push, page), to, actions);
  sharing.holders |= bit(to);
  sharing.exclusive = false;
  storage.directory[page].set(sharing);
  return Status::Ok;
}

Status Node::resume(PageNumber page, Actions& actions) {
  if (ended)
    return Status::NodeLost;
  if (page >= storage.pages)
    return Status::BadPage;
  if (!is_home(page))
    return Status::NotHome;
  if (!transaction_in(Phase::Holding, page))
    return Status::Impossible;
  serve_queue(page, actions);
  return Status::Ok;
}

} // namespace hetmp::dsm::protocol
