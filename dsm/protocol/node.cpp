// A node as requester and as holder of pages; and the gate through which every message comes.
#include "dsm/protocol/node.hpp"

#include "base/check.hpp"

#include <utility>

namespace hetmp::dsm::protocol {

Node::Node(uint32_t self, uint32_t nodes, const Storage& storage) : storage(storage), self(self), nodes(nodes) {
  HETMP_CHECK(self < nodes && nodes <= most_nodes);
}

Node::Node(uint32_t self, uint32_t nodes, const Storage& storage, TransactionTable transactions)
    : storage(storage), self(self), nodes(nodes), transactions(std::move(transactions)) {}

void Node::restore(const Node& other) {
  transactions = other.transactions;
  ended = other.ended;
}

LocalState Node::state(PageNumber page) const { return storage.local[page].state(is_registrar(page)); }

void Node::lose(uint32_t node) { ended = ended || (node < nodes && node != self); }

Status Node::read_fault(PageNumber page, Actions& actions) { return fault(page, false, actions); }
Status Node::write_fault(PageNumber page, Actions& actions) { return fault(page, true, actions); }

Status Node::fault(PageNumber page, bool write, Actions& actions) {
  if (ended)
    return Status::NodeLost;
  if (page >= storage.pages)
    return Status::BadPage;
  LocalPage& local = storage.local[page];
  const LocalState now = state(page);
  if (now == LocalState::Exclusive || (now == LocalState::Shared && !write)) {
    actions.add(ActionKind::Wake, page);
    return Status::Ok;
  }
  if (local.outstanding() != Outstanding::None)
    return Status::Ok;
  const LocalPage before = local;
  local.set(now, write ? Outstanding::Write : Outstanding::Read);
  if (is_home(page)) {
    const Status status = request(page, {static_cast<uint8_t>(self), write}, actions);
    if (status != Status::Ok)
      local = before;
    return status;
  }
  const MessageType type = write ? MessageType::WriteRequest : MessageType::ReadRequest;
  actions.send(home(page), message_of(type, page, self));
  return Status::Ok;
}

Status Node::receive(uint32_t from, const Message& message, Actions& actions) {
  const PageNumber page = message.page;
  const uint8_t type = static_cast<uint8_t>(message.type);
  if (ended)
    return Status::NodeLost;
  if (type == 0 || type > last_message_type)
    return Status::BadType;
  if (page >= storage.pages)
    return Status::BadPage;
  if (from >= nodes || from == self || message.requester >= nodes || message.home >= nodes)
    return Status::BadNode;
  switch (message.type) {
  case MessageType::ReadRequest:
  case MessageType::WriteRequest:
    return asked(from, message, actions);
  case MessageType::InvalidateAck:
    return invalidate_ack(from, page, actions);
  case MessageType::Done:
    return done(from, page, actions);
  case MessageType::DataShared:
  case MessageType::DataExclusive:
    return data(from, message, actions);
  case MessageType::Push:
    return pushed(from, page, actions);
  case MessageType::Return:
    return returned(from, message, actions);
  default:
    return speaks_for_home(from, page) ? from_home(from, message, actions) : Status::NotHome;
  }
}

/// What only home sends. It tells where home is.
Status Node::from_home(uint32_t from, const Message& message, Actions& actions) {
  switch (message.type) {
  case MessageType::FetchShared:
  case MessageType::FetchExclusive:
    return fetch(from, message, actions);
  case MessageType::Invalidate:
    return invalidate(from, message.page, actions);
  case MessageType::Grant:
    return grant(from, message, actions);
  case MessageType::Keep:
    return keep(message.page, actions);
  default:
    return Status::BadType;
  }
}

Status Node::fetch(uint32_t from, const Message& message, Actions& actions) {
  const PageNumber page = message.page;
  if (message.requester == self)
    return Status::BadNode;
  if (state(page) == LocalState::Invalid)
    return Status::Impossible;
  const bool keep = message.type == MessageType::FetchShared;
  learn_home(page, from);
  supply(message_of(keep ? MessageType::DataShared : MessageType::DataExclusive, page, 0, from), message.requester,
         actions);
  return Status::Ok;
}

Status Node::invalidate(uint32_t from, PageNumber page, Actions& actions) {
  // An Exclusive copy is the only one and is fetched, never invalidated: its content would be lost.
  if (state(page) != LocalState::Shared)
    return Status::Impossible;
  learn_home(page, from);
  drop(page, actions);
  actions.send(from, message_of(MessageType::InvalidateAck, page));
  return Status::Ok;
}

Status Node::data(uint32_t from, const Message& message, Actions& actions) {
  const PageNumber page = message.page;
  LocalPage& local = storage.local[page];
  const bool write = message.type == MessageType::DataExclusive;
  if (!may_name_home(from, message))
    return Status::NotHome;
  // A Shared copy this node held when it asked to write was invalidated, and that acknowledged, before home
  // had content sent: so content always finds an Invalid page.
  if (local.outstanding() != (write ? Outstanding::Write : Outstanding::Read) || state(page) != LocalState::Invalid)
    return Status::Impossible;
  const bool mine = is_home(page);
  if (mine) {
    const Transaction* busy = transaction_in(Phase::Transferring, page);
    if (!busy || busy->current.node != self)
      return Status::Impossible;
  }
  local.set(write ? LocalState::Exclusive : LocalState::Shared, Outstanding::None);
  actions.add(write ? ActionKind::InstallExclusive : ActionKind::InstallShared, page);
  actions.add(ActionKind::Wake, page);
  if (mine)
    finish(page, actions);
  else
    served(from, message, actions);
  return Status::Ok;
}

Status Node::grant(uint32_t from, const Message& message, Actions& actions) {
  const PageNumber page = message.page;
  if (!may_name_home(from, message) || (message.home != self && message.home != from))
    return Status::NotHome;
  if (storage.local[page].outstanding() != Outstanding::Write || state(page) != LocalState::Shared)
    return Status::Impossible;
  upgrade(page, actions);
  served(from, message, actions);
  return Status::Ok;
}

/// Content that nobody asked for. It finds no copy: home pushes to no node that has one or to which one is on
/// its way. A request of this node's own stays under way. Home answers it when its turn comes, by what the
/// directory says then.
Status Node::pushed(uint32_t from, PageNumber page, Actions& actions) {
  if (is_home(page) || (is_registrar(page) && from != home(page)))
    return Status::NotHome;
  if (state(page) != LocalState::Invalid)
    return Status::Impossible;
  LocalPage& local = storage.local[page];
  local.set(LocalState::Shared, local.outstanding());
  learn_home(page, from);
  actions.add(ActionKind::InstallShared, page);
  actions.add(ActionKind::Wake, page); // readers go on, whatever was asked for
  return Status::Ok;
}

Status Node::keep(PageNumber page, Actions& actions) {
  LocalPage& local = storage.local[page];
  if (local.outstanding() != Outstanding::Read || state(page) != LocalState::Shared)
    return Status::Impossible;
  local.set(LocalState::Shared, Outstanding::None);
  actions.add(ActionKind::Wake, page); // threads that want to write have waited for the request to end
  return Status::Ok;
}

/// Sends this node's content. It cannot change once on its way: a writable page is protected first. For an
/// exclusive grant the copy goes before any other event of the page is processed, so before the new owner's
/// first message.
void Node::supply(const Message& content, uint32_t to, Actions& actions) {
  const PageNumber page = content.page;
  HETMP_CHECK(state(page) != LocalState::Invalid); // whoever sends content has it
  HETMP_CHECK(to != self && to < nodes);
  LocalPage& local = storage.local[page];
  if (state(page) == LocalState::Exclusive) {
    actions.add(ActionKind::Protect, page);
    local.set(LocalState::Shared, local.outstanding());
  }
  actions.send(to, content);
  if (content.type == MessageType::DataExclusive)
    drop(page, actions);
}

void Node::drop(PageNumber page, Actions& actions) {
  HETMP_CHECK(state(page) != LocalState::Invalid);
  LocalPage& local = storage.local[page];
  local.set(LocalState::Invalid, local.outstanding());
  actions.add(ActionKind::Drop, page);
}

void Node::upgrade(PageNumber page, Actions& actions) {
  HETMP_CHECK(state(page) == LocalState::Shared);       // Unprotect: there is a copy
  HETMP_CHECK(outstanding(page) == Outstanding::Write); // somebody here asked
  storage.local[page].set(LocalState::Exclusive, Outstanding::None);
  actions.add(ActionKind::Unprotect, page);
  actions.add(ActionKind::Wake, page);
}

} // namespace hetmp::dsm::protocol
