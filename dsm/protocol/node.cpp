// A node as requester and as holder of pages; and the gate through which every message comes.
#include "dsm/protocol/node.hpp"

namespace hetmp::dsm::protocol {

Node::Node(uint32_t self, uint32_t nodes, const Storage& storage)
    : storage(storage), self(self), nodes(nodes) {}

Node::Node(const Node& other, const Storage& storage) : Node(other) {
  this->storage = storage;
}

LocalState Node::state(PageNumber page) const {
  return storage.local[page].state(is_home(page));
}

Status Node::read_fault(PageNumber page, Actions& actions) {
  return fault(page, false, actions);
}
Status Node::write_fault(PageNumber page, Actions& actions) {
  return fault(page, true, actions);
}

Status Node::fault(PageNumber page, bool write, Actions& actions) {
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
  actions.send(home(page), {write ? MessageType::WriteRequest : MessageType::ReadRequest, 0, {}, page});
  return Status::Ok;
}

Status Node::receive(uint32_t from, const Message& message, Actions& actions) {
  const PageNumber page = message.page;
  const uint8_t type = static_cast<uint8_t>(message.type);
  if (type == 0 || type > last_message_type)
    return Status::BadType;
  if (page >= storage.pages)
    return Status::BadPage;
  if (from >= nodes || from == self)
    return Status::BadNode;
  switch (message.type) {
  case MessageType::ReadRequest:
  case MessageType::WriteRequest:
    return request(page, {static_cast<uint8_t>(from), message.type == MessageType::WriteRequest}, actions);
  case MessageType::InvalidateAck:
    return invalidate_ack(from, page, actions);
  case MessageType::Done:
    return done(from, page, actions);
  case MessageType::DataShared:
  case MessageType::DataExclusive:
    return data(from, message, actions);
  case MessageType::FetchShared:
  case MessageType::FetchExclusive:
    return from == home(page) ? fetch(message, actions) : Status::NotHome;
  case MessageType::Invalidate:
    return from == home(page) ? invalidate(page, actions) : Status::NotHome;
  case MessageType::Grant:
    return from == home(page) ? grant(page, actions) : Status::NotHome;
  case MessageType::Push:
    return from == home(page) ? pushed(page, actions) : Status::NotHome;
  case MessageType::Keep:
    return from == home(page) ? keep(page, actions) : Status::NotHome;
  }
  return Status::BadType;
}

Status Node::fetch(const Message& message, Actions& actions) {
  if (message.requester >= nodes || message.requester == self)
    return Status::BadNode;
  if (state(message.page) == LocalState::Invalid)
    return Status::Impossible;
  const bool keep = message.type == MessageType::FetchShared;
  supply(message.page, message.requester, keep ? MessageType::DataShared : MessageType::DataExclusive,
         actions);
  return Status::Ok;
}

Status Node::invalidate(PageNumber page, Actions& actions) {
  // An Exclusive copy is the only one and is fetched, never invalidated: its content would be lost.
  if (state(page) != LocalState::Shared)
    return Status::Impossible;
  drop(page, actions);
  actions.send(home(page), {MessageType::InvalidateAck, 0, {}, page});
  return Status::Ok;
}

Status Node::data(uint32_t from, const Message& message, Actions& actions) {
  const PageNumber page = message.page;
  LocalPage& local = storage.local[page];
  const bool write = message.type == MessageType::DataExclusive;
  // A Shared copy this node held when it asked to write was invalidated, and that acknowledged, before home
  // had content sent: so content always finds an Invalid page.
  if (local.outstanding() != (write ? Outstanding::Write : Outstanding::Read) ||
      state(page) != LocalState::Invalid)
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
  else if (from !=
           home(page)) // home's own messages stay behind its content; for another's content it must wait
    actions.send(home(page), {MessageType::Done, 0, {}, page});
  return Status::Ok;
}

Status Node::grant(PageNumber page, Actions& actions) {
  if (storage.local[page].outstanding() != Outstanding::Write || state(page) != LocalState::Shared)
    return Status::Impossible;
  upgrade(page, actions);
  return Status::Ok;
}

/// Content that nobody asked for. It finds no copy: home pushes to no node that has one or to which one is on its way.
/// A request of this node's own stays under way. Home answers it when its turn comes, by what the directory says then.
Status Node::pushed(PageNumber page, Actions& actions) {
  if (state(page) != LocalState::Invalid)
    return Status::Impossible;
  LocalPage& local = storage.local[page];
  local.set(LocalState::Shared, local.outstanding());
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
void Node::supply(PageNumber page, uint32_t requester, MessageType type, Actions& actions) {
  LocalPage& local = storage.local[page];
  if (state(page) == LocalState::Exclusive) {
    actions.add(ActionKind::Protect, page);
    local.set(LocalState::Shared, local.outstanding());
  }
  actions.send(requester, {type, 0, {}, page});
  if (type == MessageType::DataExclusive)
    drop(page, actions);
}

void Node::drop(PageNumber page, Actions& actions) {
  LocalPage& local = storage.local[page];
  local.set(LocalState::Invalid, local.outstanding());
  actions.add(ActionKind::Drop, page);
}

void Node::upgrade(PageNumber page, Actions& actions) {
  storage.local[page].set(LocalState::Exclusive, Outstanding::None);
  actions.add(ActionKind::Unprotect, page);
  actions.add(ActionKind::Wake, page);
}

} // namespace hetmp::dsm::protocol
