// What happens in the model world, step by step. Part of world.hpp.
#pragma once

#include <algorithm>

namespace hetmp::dsm::protocol::model {

inline World::World(const Size& size, Bug bug)
    : plan{size}, bug(bug), local(size.nodes * size.pages), directory(size.nodes * size.pages),
      views(size.nodes * size.pages), holds(size.pages), latest(size.pages) {
  for (uint32_t n = 0; n < size.nodes; ++n)
    nodes.emplace_back(n, size.nodes, storage_of(n));
  for (PageNumber p = 0; p < size.pages; ++p)
    view(registrar_of(&plan, p), p).mapping = Mapping::Writable;
}

inline World::World(const World& other) : World(other.plan.size, other.bug) { *this = other; }

inline World& World::operator=(const World& other) {
  flying = other.flying, problem = other.problem, plan = other.plan, bug = other.bug;
  local = other.local, directory = other.directory, views = other.views;
  holds = other.holds, latest = other.latest;
  stopped_nodes = other.stopped_nodes, lost_node = other.lost_node;
  for (uint32_t n = 0; n < size().nodes; ++n)
    nodes[n].restore(other.nodes[n]);
  return *this;
}

inline const Node* World::home(PageNumber page) const {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.is_home(page); });
  return found == nodes.end() ? nullptr : &*found;
}

inline size_t World::first_like(size_t index) const {
  const InFlight& wanted = flying[index];
  for (size_t i = 0;; ++i)
    if (flying[i].from == wanted.from && flying[i].to == wanted.to && flying[i].message.page == wanted.message.page)
      return i;
}

inline void World::progress(std::vector<Event>& events) const {
  for (size_t i = 0; i < flying.size(); ++i)
    if (deliverable(i))
      events.push_back({Event::Kind::Deliver, flying[i].to, flying[i].message.page, i});
  for (PageNumber p = 0; p < size().pages; ++p) {
    if (holds[p] && bug != Bug::IgnoreHold)
      events.push_back({Event::Kind::Resume, holds[p] - 1u, p});
    for (uint32_t n = 0; n < size().nodes; ++n)
      if (view(n, p).writer == WriteThread::Retry && !has_stopped(n))
        events.push_back({Event::Kind::Retry, n, p});
  }
  for (uint32_t n = 0; stopped_nodes && n < size().nodes; ++n)
    if (!has_stopped(n))
      events.push_back({Event::Kind::Learn, n});
}

inline void World::free_events(bool wishes, std::vector<Event>& events) const {
  const Powers& powers = size().powers;
  for (PageNumber p = 0; p < size().pages; ++p)
    for (uint32_t n = 0; n < size().nodes; ++n) {
      if (view(n, p).mapping == Mapping::Writable)
        events.push_back({Event::Kind::Store, n, p});
      if (powers.watch && wishes && view(n, p).mapping == Mapping::Writable)
        events.push_back({Event::Kind::Watch, n, p});
      if (!wishes || has_stopped(n))
        continue;
      events.push_back({Event::Kind::ReadFault, n, p});
      events.push_back({Event::Kind::WriteFault, n, p});
      if (powers.fetch_ahead) {
        events.push_back({Event::Kind::ReadAhead, n, p});
        events.push_back({Event::Kind::WriteAhead, n, p});
      }
      if (powers.push && home(p) && home(p) != &nodes[n])
        events.push_back({Event::Kind::Push, n, p});
    }
  for (uint32_t n = 0; wishes && powers.lose && !stopped_nodes && n < size().nodes; ++n)
    events.push_back({Event::Kind::Lose, n});
}

inline void World::apply(const Event& event) {
  plan.move = event.move;
  plan.asked = false;
  switch (event.kind) {
  case Event::Kind::ReadFault:
    return fault(event.node, event.page, false);
  case Event::Kind::WriteFault:
  case Event::Kind::Retry:
    return fault(event.node, event.page, true);
  case Event::Kind::ReadAhead:
    return fetch_ahead(event.node, event.page, false);
  case Event::Kind::WriteAhead:
    return fetch_ahead(event.node, event.page, true);
  case Event::Kind::Push:
    return push(event.node, event.page);
  case Event::Kind::Watch:
    view(event.node, event.page).mapping = Mapping::Watched;
    return;
  case Event::Kind::Lose:
    lost_node = event.node;
    return stop(event.node);
  case Event::Kind::Learn:
    return learn(event.node);
  case Event::Kind::Store:
    ++view(event.node, event.page).content;
    ++latest[event.page];
    return;
  case Event::Kind::Deliver:
    return deliver(event.index);
  case Event::Kind::Resume:
    holds[event.page] = 0;
    actions.clear();
    expect(nodes[event.node].resume(event.page, actions) == Status::Ok, "P: resume was refused");
    return perform(event.node, nullptr);
  }
}

inline std::string World::describe(const Event& event) const {
  static const char* const names[] = {"read fault", "write fault", "read ahead", "write ahead",
                                      "push to",    "loss of",     "watch of",   "store at",
                                      "deliver",    "retry at",    "resume at",  "loss known at"};
  std::string text = names[static_cast<int>(event.kind)];
  if (event.kind == Event::Kind::Deliver) {
    const InFlight& message = flying[event.index];
    text += std::string(" ") + name_of(message.message.type) + " from " + std::to_string(message.from) + " at";
  }
  text += " node " + std::to_string(event.node) + ", page " + std::to_string(event.page);
  return event.move ? text + ", the home goes along" : text;
}

inline void World::fault(uint32_t n, PageNumber page, bool write) {
  View& at = view(n, page);
  if (write && at.mapping == Mapping::Watched) { // the edge's own business
    at.mapping = bug == Bug::ForgetWatch ? Mapping::Watched : Mapping::Writable;
    at.writer = at.mapping == Mapping::Writable ? WriteThread::None : WriteThread::Blocked;
    return;
  }
  const bool suffices =
      at.mapping == Mapping::Watched || at.mapping == Mapping::Writable || (at.mapping == Mapping::ReadOnly && !write);
  if (!suffices && write)
    at.writer = WriteThread::Blocked;
  else if (!suffices)
    at.reader_blocked = true;
  actions.clear();
  const Status status = write ? nodes[n].write_fault(page, actions) : nodes[n].read_fault(page, actions);
  expect(status == Status::Ok, "P: a fault was refused");
  if (suffices && bug == Bug::None)
    expect(actions.size() == 1 && actions[0].kind == ActionKind::Wake, "P: a late fault does more than wake");
  perform(n, nullptr);
}

/// As the edge does it: only where something is missing and nothing is under way.
inline void World::fetch_ahead(uint32_t n, PageNumber page, bool write) {
  const LocalState state = nodes[n].state(page);
  const bool missing = state == LocalState::Invalid || (write && state == LocalState::Shared);
  if (!missing || nodes[n].outstanding(page) != Outstanding::None)
    return;
  actions.clear();
  const Status status = write ? nodes[n].write_fault(page, actions) : nodes[n].read_fault(page, actions);
  expect(status == Status::Ok, "P: a fault was refused");
  perform(n, nullptr);
}

inline void World::push(uint32_t to, PageNumber page) {
  const Node& home = *this->home(page);
  const uint32_t from = static_cast<uint32_t>(&home - nodes.data());
  if (has_stopped(from))
    return;
  actions.clear();
  if (bug == Bug::PushWhileBusy && home.transaction(page)) {
    const bool both = view(from, page).mapping == Mapping::ReadOnly && view(to, page).mapping == Mapping::None;
    if (both)
      actions.send(to, message_of(MessageType::Push, page));
  } else
    expect(nodes[from].push(page, to, actions) == Status::Ok, "P: a push was refused");
  perform(from, nullptr);
}

/// Messages to a node that takes none any more are gone. Those from it may still arrive or not: one that does
/// not is one that is still under way when its receiver stops.
inline void World::stop(uint32_t n) {
  stopped_nodes |= uint64_t{1} << n;
  std::erase_if(flying, [&](const InFlight& message) { return message.to == n; });
  for (char& hold : holds)
    hold = hold == static_cast<char>(n + 1) ? 0 : hold;
}

inline void World::learn(uint32_t n) {
  actions.clear();
  if (bug == Bug::GoOnWithout) {
    for (PageNumber p = 0; p < size().pages; ++p)
      nodes[n].receive(lost_node, message_of(MessageType::InvalidateAck, p), actions);
    perform(n, nullptr);
    return stop(n);
  }
  nodes[n].lose(lost_node);
  const auto refused = [&](Status status) {
    expect(status == Status::NodeLost && actions.empty(), "P: a survivor goes on after a loss");
  };
  for (const InFlight& message : flying)
    if (message.to == n)
      refused(nodes[n].receive(message.from, message.message, actions));
  for (PageNumber p = 0; p < size().pages; ++p) {
    refused(nodes[n].read_fault(p, actions)), refused(nodes[n].write_fault(p, actions));
    refused(nodes[n].push(p, lost_node, actions)), refused(nodes[n].resume(p, actions));
  }
  stop(n);
}

inline void World::deliver(size_t index) {
  const InFlight message = flying[index];
  flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(index));
  actions.clear();
  const Status status = nodes[message.to].receive(message.from, message.message, actions);
  expect(status == Status::Ok, "P: a message was refused");
  perform(message.to, &message);
}

inline void World::perform(uint32_t n, const Action& action, const InFlight* incoming) {
  View& at = view(n, action.page());
  const bool strict = bug == Bug::None; // a broken edge breaks the contract of later actions: look at what matters
  switch (action.kind) {
  case ActionKind::Send:
  case ActionKind::SendData:
    return send(n, action);
  case ActionKind::Protect:
    expect(!strict || at.mapping == Mapping::Writable || at.mapping == Mapping::Watched,
           "contract: Protect of a page that is not writable");
    if (bug != Bug::ForgetProtect)
      at.mapping = Mapping::ReadOnly;
    return;
  case ActionKind::Drop:
    expect(!strict || at.mapping == Mapping::ReadOnly, "contract: Drop of a page that is not read-only");
    if (bug != Bug::ForgetDrop)
      at.mapping = Mapping::None;
    return;
  case ActionKind::InstallShared:
  case ActionKind::InstallExclusive:
    expect(!strict || at.mapping == Mapping::None, "contract: Install over a copy");
    expect(incoming && carries_content(incoming->message.type), "contract: Install without content");
    at.content = incoming ? incoming->content : 0;
    at.mapping = action.kind == ActionKind::InstallShared ? Mapping::ReadOnly : Mapping::Writable;
    return;
  case ActionKind::Unprotect:
    expect(!strict || at.mapping == Mapping::ReadOnly, "contract: Unprotect of a page that is not read-only");
    at.mapping = Mapping::Writable;
    return;
  case ActionKind::Wake:
    return wake(at);
  case ActionKind::Hold:
    expect(!holds[action.page()], "contract: Hold of a page on hold");
    holds[action.page()] = static_cast<char>(n + 1);
    return;
  }
}

inline void World::send(uint32_t n, const Action& action) {
  expect(action.to != n && action.to < size().nodes, "contract: a message to nobody");
  if (action.kind == ActionKind::SendData)
    expect(view(n, action.page()).mapping != Mapping::None, "contract: content sent from a page without a copy");
  if (has_stopped(action.to))
    return;
  flying.push_back({static_cast<uint8_t>(n), action.to, action.message, view(n, action.page()).content});
  if (bug != Bug::None)
    spoil(n, action);
}

/// What a faulty world makes of the message that was sent last.
inline void World::spoil(uint32_t n, const Action& action) {
  const MessageType type = action.message.type;
  Message& message = flying.back().message;
  const Transaction* busy = nodes[n].transaction(action.page());
  if ((bug == Bug::LoseDone && type == MessageType::Done) ||
      (bug == Bug::EarlyAck && type == MessageType::InvalidateAck))
    flying.pop_back();
  else if (bug == Bug::EarlyAck && type == MessageType::Invalidate)
    flying.push_back({action.to, static_cast<uint8_t>(n), message_of(MessageType::InvalidateAck, action.page()), 0});
  else if (bug == Bug::ForgetAsker && is_request(type))
    message.requester = static_cast<uint8_t>(n);
  else if ((bug == Bug::MoveUnheard || (bug == Bug::MoveWhileBusy && busy && !busy->queue.empty())) &&
           (type == MessageType::Grant || (type == MessageType::DataExclusive && message.home == n)))
    message.home = action.to;
  else if (bug == Bug::ReturnEarly && message.home == n && nodes[n].registrar(action.page()) != n &&
           (type == MessageType::Grant || type == MessageType::DataExclusive) &&
           action.to != nodes[n].registrar(action.page()))
    flying.push_back({static_cast<uint8_t>(n), static_cast<uint8_t>(nodes[n].registrar(action.page())),
                      message_of(MessageType::Return, action.page(), action.to), 0});
}

inline void World::wake(View& at) {
  expect(at.mapping != Mapping::None, "P: threads were woken without a copy");
  at.reader_blocked = false;
  if (at.writer == WriteThread::None)
    return;
  at.writer = at.mapping == Mapping::Writable ? WriteThread::None : WriteThread::Retry;
}

} // namespace hetmp::dsm::protocol::model
