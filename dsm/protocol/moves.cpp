// Where a page's home is: how requests find it, how it moves and comes back.
//
// The registrar of a page is its home first and knows for ever where the home is: here, or at the node it has
// moved it to. A home moves only from the registrar to a node or back, only while nobody else waits, and only
// where one node is the exclusive holder afterwards, so that the whole directory is that node's number:
//   - with the right to write, to the node that gets it (Grant or Data Exclusive that names its receiver as
//   home);
//   - by Return to the registrar, when another node has become the exclusive holder and has said so (Done).
// Whoever gets a request and is not home sends it on: the registrar to where the home is, others to the
// registrar. Channels keep their order, so what the old home sends on arrives behind what makes the new one.
#include "dsm/protocol/node.hpp"

#include "base/check.hpp"

namespace hetmp::dsm::protocol {

namespace {
constexpr uint64_t bit(uint32_t node) { return uint64_t{1} << node; }
constexpr bool is_exclusive(MessageType type) {
  return type == MessageType::DataExclusive || type == MessageType::Grant;
}
} // namespace

Status Node::asked(uint32_t from, const Message& message, Actions& actions) {
  const PageNumber page = message.page;
  const uint32_t requester = message.requester;
  const bool write = message.type == MessageType::WriteRequest;
  if (requester != from && from != registrar(page) && !is_registrar(page))
    return Status::NotHome; // only the registrar sends on, or others to the registrar
  // The registrar's own request comes back to it from a former home.
  if (requester == self &&
      (!is_registrar(page) || storage.local[page].outstanding() != (write ? Outstanding::Write : Outstanding::Read)))
    return Status::Impossible;
  if (is_home(page))
    return request(page, {message.requester, write}, actions);
  const uint32_t next = is_registrar(page) ? home(page) : registrar(page);
  if (next == requester && is_registrar(page))
    return Status::Impossible; // what made the requester home was the answer to its request
  actions.send(next, message);
  return Status::Ok;
}

/// Whether a message that only home sends may come from there. A copy's home is the one that was named with
/// it, or, after a Return, the registrar.
bool Node::speaks_for_home(uint32_t from, PageNumber page) const {
  return from == home(page) || (from == registrar(page) && !is_home(page));
}

/// Whether the home that Data or a Grant names is one the receiver can believe in.
bool Node::may_name_home(uint32_t from, const Message& message) const {
  const PageNumber page = message.page;
  if (is_home(page))
    return message.home == self;
  if (message.home == self) // it moves here
    return is_exclusive(message.type) && from == (is_registrar(page) ? home(page) : registrar(page));
  return !is_registrar(page) || message.home == home(page);
}

/// At home, about to make the current requester the exclusive holder: whether it becomes home, too. The
/// registrar does always, other nodes where the policy says so; but those who wait must not have to ask
/// again.
bool Node::home_goes_with(PageNumber page, const Transaction& busy) const {
  const uint32_t requester = busy.current.node;
  if (requester == self || !busy.queue.empty())
    return false;
  if (!is_registrar(page))
    return requester == registrar(page);
  return storage.moves(storage.plan, storage.directory[page].streak(), nodes);
}

/// The registrar knows better than any message but Return and what makes it home.
void Node::learn_home(PageNumber page, uint32_t home) {
  if (!is_registrar(page))
    storage.local[page].set_home(home, registrar(page));
}

void Node::become_home(PageNumber page, uint32_t owner) {
  HETMP_CHECK(is_home(page) || storage.directory[page].slot() == 0); // H: transactions are where the home is
  storage.local[page].set_home(self, registrar(page));
  storage.directory[page].set({bit(owner), owner, true});
  storage.directory[page].set_streak(0);
}

/// A request to another node was answered. Home waits for Done where it cannot know: when another node sent
/// the content; and before it gives the page back to the registrar, whose messages would race with its own.
void Node::served(uint32_t from, const Message& message, Actions& actions) {
  const PageNumber page = message.page;
  if (message.home == self)
    return become_home(page, self);
  learn_home(page, message.home);
  const bool returns = is_exclusive(message.type) && message.home != registrar(page);
  if (from != message.home || returns)
    actions.send(message.home, message_of(MessageType::Done, page));
}

/// The page is idle and another node, which has it, is the exclusive holder.
void Node::give_back(PageNumber page, Actions& actions) {
  const uint32_t owner = sharing(page).owner;
  HETMP_CHECK(owner != self && !transaction(page));
  HETMP_CHECK(is_home(page) && !is_registrar(page)); // which gives nothing back to itself
  actions.send(registrar(page), message_of(MessageType::Return, page, owner));
  storage.local[page].set_home(registrar(page), registrar(page));
}

Status Node::returned(uint32_t from, const Message& message, Actions&) {
  const PageNumber page = message.page;
  if (!is_registrar(page) || is_home(page) || from != home(page))
    return Status::NotHome;
  const LocalState expected = message.requester == self ? LocalState::Exclusive : LocalState::Invalid;
  if (message.requester == from || state(page) != expected)
    return Status::Impossible;
  become_home(page, message.requester);
  return Status::Ok;
}

} // namespace hetmp::dsm::protocol
