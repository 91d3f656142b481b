// A model of everything around the protocol: nodes with their page tables, blocked threads, channels, page
// content. The edge's actions act on the model's own page table, so the invariants are checked on what
// threads could really do, not on what the protocol believes. Content is a counter; the sequential model is
// one counter a page.
#pragma once

#include "dsm/protocol/node.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::dsm::protocol::model {

/// Faults of an edge (or a network) that the invariants must bring to light.
enum class Bug : uint8_t {
  None,
  ForgetProtect, ///< the page stays writable after Protect
  ForgetDrop,    ///< the copy stays mapped after Drop
  EarlyAck,      ///< a sharer acknowledges an Invalidate before it has processed it
  LoseDone,      ///< Done messages get lost
  Overtaking,    ///< messages of one page overtake each other on a channel
  IgnoreHold     ///< the edge never answers a Hold action
};

enum class Mapping : uint8_t { None, ReadOnly, Writable };
enum class WriteThread : uint8_t { None, Blocked, Retry }; ///< Retry: woken, but the page is still read-only

/// One page on one node: the page table's entry and the threads that fault on it.
struct View {
  uint64_t content = 0;
  Mapping mapping = Mapping::None;
  bool reader_blocked = false;
  WriteThread writer = WriteThread::None;
};

struct InFlight {
  uint8_t from, to;
  Message message;
  uint64_t content;
};

struct Size {
  uint32_t nodes = 2, pages = 1, first_home = 0; ///< the home of page p is (p + first_home) mod nodes
};

struct Event {
  enum class Kind : uint8_t {
    ReadFault,  ///< free: a thread faults, or its fault is reported late
    WriteFault, ///< free
    Store,      ///< free: a thread of a node where the page is writable increments its content
    Deliver,    ///< progress: `index` in World::flying
    Retry,      ///< progress: a woken writer finds the page read-only and faults again
    Resume      ///< progress: the hold time at the home ends
  };
  Kind kind;
  uint32_t node = 0;
  PageNumber page = 0;
  size_t index = 0;
};

class World {
 public:
  explicit World(const Size& size, Bug bug = Bug::None)
      : size(size), bug(bug), local(size.nodes * size.pages), directory(size.nodes * size.pages),
        views(size.nodes * size.pages), holding(size.pages), latest(size.pages) {
    for (uint32_t n = 0; n < size.nodes; ++n)
      nodes.emplace_back(n, size.nodes, storage_of(n));
    for (PageNumber p = 0; p < size.pages; ++p)
      view(home_of(&this->size, p), p).mapping = Mapping::Writable;
  }
  World(const World& other)
      : flying(other.flying), problem(other.problem), size(other.size), bug(other.bug), local(other.local),
        directory(other.directory), views(other.views), holding(other.holding), latest(other.latest) {
    nodes.reserve(other.nodes.size());
    for (uint32_t n = 0; n < size.nodes; ++n)
      nodes.emplace_back(other.nodes[n], storage_of(n));
  }
  World& operator=(const World&) = delete;

  View& view(uint32_t node, PageNumber page) { return views[node * size.pages + page]; }
  const View& view(uint32_t node, PageNumber page) const { return views[node * size.pages + page]; }
  const Node& node(uint32_t n) const { return nodes[n]; }
  const Node& home(PageNumber page) const { return nodes[home_of(&size, page)]; }
  const Size& dimensions() const { return size; }
  Bug seeded_bug() const { return bug; }
  bool is_holding(PageNumber page) const { return holding[page]; }
  /// The sequential model: how often the page has been incremented.
  uint64_t expected(PageNumber page) const { return latest[page]; }

  /// Whether no earlier message of the same page and channel is in flight. Messages of different pages pass
  /// each other freely: that covers every choice of hold times.
  bool deliverable(size_t index) const { return bug == Bug::Overtaking || first_like(index) == index; }
  /// The earliest message of the page and channel of `index`.
  size_t first_like(size_t index) const {
    const InFlight& wanted = flying[index];
    for (size_t i = 0;; ++i)
      if (flying[i].from == wanted.from && flying[i].to == wanted.to &&
          flying[i].message.page == wanted.message.page)
        return i;
  }

  /// Appends the events by which the world can go on without new faults.
  void progress(std::vector<Event>& events) const {
    for (size_t i = 0; i < flying.size(); ++i)
      if (deliverable(i))
        events.push_back({Event::Kind::Deliver, flying[i].to, flying[i].message.page, i});
    for (PageNumber p = 0; p < size.pages; ++p) {
      if (holding[p] && bug != Bug::IgnoreHold)
        events.push_back({Event::Kind::Resume, home_of(&size, p), p});
      for (uint32_t n = 0; n < size.nodes; ++n)
        if (view(n, p).writer == WriteThread::Retry)
          events.push_back({Event::Kind::Retry, n, p});
    }
  }

  /// Carries out an event; a violated contract goes to `problem`.
  void apply(const Event& event) {
    switch (event.kind) {
    case Event::Kind::ReadFault:
      return fault(event.node, event.page, false);
    case Event::Kind::WriteFault:
    case Event::Kind::Retry:
      return fault(event.node, event.page, true);
    case Event::Kind::Store:
      ++view(event.node, event.page).content;
      ++latest[event.page];
      return;
    case Event::Kind::Deliver:
      return deliver(event.index);
    case Event::Kind::Resume:
      holding[event.page] = false;
      actions.clear();
      expect(nodes[event.node].resume(event.page, actions) == Status::Ok, "P: resume was refused");
      return perform(event.node, nullptr);
    }
  }

  std::string describe(const Event& event) const {
    static const char* const names[] = {"read fault", "write fault", "store", "deliver", "retry", "resume"};
    std::string text = names[static_cast<int>(event.kind)];
    if (event.kind == Event::Kind::Deliver) {
      const InFlight& message = flying[event.index];
      text += std::string(" ") + name_of(message.message.type) + " from " + std::to_string(message.from);
    }
    return text + " at node " + std::to_string(event.node) + ", page " + std::to_string(event.page);
  }

  void expect(bool condition, const char* complaint) {
    if (!condition && problem.empty())
      problem = complaint;
  }

  /// For forged messages.
  Node& mutable_node(uint32_t n) { return nodes[n]; }

  std::vector<InFlight> flying; ///< in the order sent
  std::string problem;          ///< the first violation, by invariant letter

 private:
  static uint32_t home_of(const void* plan, PageNumber page) {
    const Size& size = *static_cast<const Size*>(plan);
    return static_cast<uint32_t>((page + size.first_home) % size.nodes);
  }
  Storage storage_of(uint32_t n) {
    return {&local[n * size.pages], &directory[n * size.pages], size.pages, home_of, &size};
  }

  void fault(uint32_t n, PageNumber page, bool write) {
    View& at = view(n, page);
    const bool suffices = at.mapping == Mapping::Writable || (at.mapping == Mapping::ReadOnly && !write);
    if (!suffices && write)
      at.writer = WriteThread::Blocked;
    else if (!suffices)
      at.reader_blocked = true;
    actions.clear();
    const Status status = write ? nodes[n].write_fault(page, actions) : nodes[n].read_fault(page, actions);
    expect(status == Status::Ok, "P: a fault was refused");
    if (suffices && bug == Bug::None)
      expect(actions.size() == 1 && actions[0].kind == ActionKind::Wake,
             "P: a late fault does more than wake");
    perform(n, nullptr);
  }

  void deliver(size_t index) {
    const InFlight message = flying[index];
    flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(index));
    actions.clear();
    const Status status = nodes[message.to].receive(message.from, message.message, actions);
    expect(status == Status::Ok, "P: a message was refused");
    perform(message.to, &message);
  }

  void perform(uint32_t n, const InFlight* incoming) {
    for (const Action& action : actions)
      perform(n, action, incoming);
  }

  void perform(uint32_t n, const Action& action, const InFlight* incoming) {
    View& at = view(n, action.page());
    const bool strict =
        bug == Bug::None; // a broken edge breaks the contract of later actions: look at what matters
    switch (action.kind) {
    case ActionKind::Send:
    case ActionKind::SendData:
      return send(n, action);
    case ActionKind::Protect:
      expect(!strict || at.mapping == Mapping::Writable, "contract: Protect of a page that is not writable");
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
      expect(!strict || at.mapping == Mapping::ReadOnly,
             "contract: Unprotect of a page that is not read-only");
      at.mapping = Mapping::Writable;
      return;
    case ActionKind::Wake:
      return wake(at);
    case ActionKind::Hold:
      expect(!holding[action.page()], "contract: Hold of a page on hold");
      holding[action.page()] = true;
      return;
    }
  }

  void send(uint32_t n, const Action& action) {
    expect(action.to != n && action.to < size.nodes, "contract: a message to nobody");
    const MessageType type = action.message.type;
    const uint8_t from = static_cast<uint8_t>(n);
    if ((bug == Bug::LoseDone && type == MessageType::Done) ||
        (bug == Bug::EarlyAck && type == MessageType::InvalidateAck))
      return;
    const View& at = view(n, action.page());
    if (action.kind == ActionKind::SendData)
      expect(at.mapping != Mapping::None, "contract: content sent from a page without a copy");
    flying.push_back({from, action.to, action.message, at.content});
    if (bug == Bug::EarlyAck && type == MessageType::Invalidate)
      flying.push_back({action.to, from, {MessageType::InvalidateAck, 0, {}, action.page()}, 0});
  }

  void wake(View& at) {
    expect(at.mapping != Mapping::None, "P: threads were woken without a copy");
    at.reader_blocked = false;
    if (at.writer == WriteThread::None)
      return;
    at.writer = at.mapping == Mapping::Writable ? WriteThread::None : WriteThread::Retry;
  }

  Size size;
  Bug bug;
  std::vector<LocalPage> local;
  std::vector<DirectoryEntry> directory;
  std::vector<Node> nodes;
  std::vector<View> views;
  std::vector<char> holding;
  std::vector<uint64_t> latest;
  Actions actions;
};

} // namespace hetmp::dsm::protocol::model
