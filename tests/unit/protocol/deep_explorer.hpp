// Visits every reachable state of a large model world: fingerprints instead of states, one of each set of
// states that differ only in the names of equal nodes and pages, and if need be a bound on how much is asked
// for at once.
//
// From each state the steps of progress are followed depth first, until there are none; what else may happen
// there leads to states that are queued. So a run without new faults that never ends (P) is met as a step
// back to a state that is just being followed: the first of its states that was expanded still is when the
// others have been.
#pragma once

#include "explorer.hpp"
#include "fingerprints.hpp"

namespace hetmp::dsm::protocol::model {

/// How much of a large world is looked at.
struct Bounds {
  /// Requests and pushes under way at any moment, over all nodes and pages. Their number in a run has no
  /// bound.
  uint32_t most_at_once = UINT32_MAX;
  bool asks_after_loss = true; ///< whether faults go on when a node is lost, until all know
  size_t table_log2 = 24;      ///< entries of the table of fingerprints
  bool rename = true;          ///< of states that differ only in names, look at one
};

/// The renamings under which a world looks the same.
inline std::vector<Renaming> symmetries_of(const Size& size) {
  std::vector<Renaming> found;
  World world(size);
  std::vector<uint8_t> nodes(size.nodes), pages(size.pages);
  for (uint8_t n = 0; n < size.nodes; ++n)
    nodes[n] = n;
  do {
    for (uint8_t p = 0; p < size.pages; ++p)
      pages[p] = p;
    do {
      bool same = true;
      for (uint8_t p = 0; p < size.pages; ++p)
        same &= nodes[world.node(0).registrar(pages[p])] == world.node(0).registrar(p);
      if (same)
        found.push_back(Renaming::of(nodes, pages));
    } while (std::next_permutation(pages.begin(), pages.end()));
  } while (std::next_permutation(nodes.begin(), nodes.end()));
  return found;
}

class DeepExplorer {
 public:
  explicit DeepExplorer(const Size& size, const Bounds& bounds, Bug bug = Bug::None)
      : bounds(bounds), renamings(bounds.rename ? symmetries_of(size) : std::vector{Renaming::none()}),
        table(bounds.table_log2), start(size, bug), scratch(size, bug) {}

  Exploration run() {
    queue_state(start);
    while (!queue.empty() && result.problem.empty() && !table.full()) {
      const std::string key = queue.pop();
      const uint64_t print = fingerprint(key);
      if (table.visit(print, false) == FingerprintTable::Known::Expanded)
        continue;
      KeyReader reader(key);
      start.load(reader);
      if (print_of(start) != print)
        fail("a state and its key differ");
      follow(start, print);
    }
    result.states = table.size();
    result.complete = queue.empty() && result.problem.empty();
    return std::move(result);
  }

 private:
  struct Frame {
    World world;
    std::vector<Event> events;
    size_t next = 0;
  };

  /// The smallest fingerprint of the state's names; its key is in keys[smallest] then.
  uint64_t print_of(const World& world) {
    uint64_t least = UINT64_MAX;
    for (const Renaming& names : renamings) {
      Key& key = keys[1 - smallest];
      KeyWriter(world, names, key);
      const uint64_t print = fingerprint(key.view());
      if (print < least)
        least = print, smallest = 1 - smallest;
    }
    return least;
  }

  void queue_state(const World& world) {
    const uint64_t print = print_of(world);
    if (table.visit(print, false) == FingerprintTable::Known::No)
      queue.push(keys[smallest].view());
  }

  /// Steps of progress from `root`, which is not expanded yet, depth first.
  void follow(const World& root, uint64_t root_print) {
    depth = 0, path.clear();
    descend(root, root_print);
    while (depth > 0 && result.problem.empty()) {
      Frame& frame = stack[depth - 1];
      if (frame.next == frame.events.size()) {
        --depth, path.pop_back();
        continue;
      }
      const Event event = frame.events[frame.next++];
      scratch = frame.world;
      scratch.apply(event);
      if (scratch.may_have_moved() && !event.move && scratch.dimensions().powers.move) {
        frame.events.push_back(event);
        frame.events.back().move = true;
      }
      ++result.transitions;
      if (!is_right(scratch))
        break;
      const uint64_t print = print_of(scratch);
      if (table.visit(print, true) != FingerprintTable::Known::Expanded)
        descend(scratch, print);
      else if (std::find(path.begin(), path.end(), print) != path.end())
        fail("P: a run without new faults that never ends");
    }
  }

  void descend(const World& world, uint64_t print) {
    table.visit(print, true);
    if (depth == stack.size())
      stack.push_back({world, {}, 0});
    Frame& frame = stack[depth++];
    frame.world = world;
    frame.next = 0;
    path.push_back(print);
    frame.events.clear();
    frame.world.progress(frame.events);
    if (frame.events.empty()) {
      ++result.at_rest;
      check_rest(frame.world);
      if (!frame.world.problem.empty())
        return fail(frame.world.problem);
    }
    wish(frame.world, print);
  }

  /// What else may happen in the state.
  void wish(const World& world, uint64_t print) {
    const bool may_ask = at_once(world) < bounds.most_at_once && (bounds.asks_after_loss || !world.stopped());
    wishes.clear();
    world.free_events(true, wishes);
    for (const Event& event : wishes) {
      if (changes_nothing(world, event) || (!may_ask && asks(world, event)))
        continue;
      scratch = world;
      scratch.apply(event);
      ++result.transitions;
      if (!is_right(scratch))
        return;
      if (print_of(scratch) != print)
        queue_state(scratch);
    }
  }

  /// Events that need not be tried: most are of this kind. (What a store would do: is_right().)
  static bool changes_nothing(const World& world, const Event& event) {
    const View& view = world.view(event.node, event.page);
    const Node& node = world.node(event.node);
    switch (event.kind) {
    case Event::Kind::Store:
      return true;
    case Event::Kind::Lose:
    case Event::Kind::Watch:
      return false;
    case Event::Kind::ReadFault: // one that comes late wakes whoever waits to write
      return view.mapping != Mapping::None ? view.writer != WriteThread::Blocked : view.reader_blocked;
    case Event::Kind::WriteFault: // that of a woken writer is a step of progress
      return view.mapping == Mapping::Writable || view.writer != WriteThread::None;
    case Event::Kind::ReadAhead:
      return node.state(event.page) != LocalState::Invalid || node.outstanding(event.page) != Outstanding::None;
    case Event::Kind::WriteAhead:
      return node.state(event.page) == LocalState::Exclusive || node.outstanding(event.page) != Outstanding::None;
    default:
      return world.home(event.page)->transaction(event.page) != nullptr;
    }
  }

  /// Whether one more thing is asked for then.
  static bool asks(const World& world, const Event& event) {
    return event.kind == Event::Kind::Push ||
           (event.kind < Event::Kind::Push && world.node(event.node).outstanding(event.page) == Outstanding::None);
  }

  static uint32_t at_once(const World& world) {
    uint32_t count = 0;
    for (PageNumber p = 0; p < world.dimensions().pages; ++p)
      for (uint32_t n = 0; n < world.dimensions().nodes; ++n)
        count += !world.has_stopped(n) && (world.node(n).outstanding(p) != Outstanding::None ||
                                           world.view(n, p).writer == WriteThread::Retry); // will ask
    for (const InFlight& message : world.flying)
      count += message.message.type == MessageType::Push;
    return count;
  }

  /// A store would make every other copy and all content under way stale: there must be none while one may
  /// happen.
  bool is_right(World& world) {
    check(world);
    for (PageNumber p = 0; p < world.dimensions().pages; ++p)
      for (uint32_t n = 0; n < world.dimensions().nodes; ++n)
        if (world.view(n, p).mapping == Mapping::Writable)
          for (const InFlight& message : world.flying)
            world.expect(message.message.page != p || !carries_content(message.message.type),
                         "L: content under way while a node may write");
    if (!world.problem.empty())
      fail(world.problem);
    return result.problem.empty();
  }

  /// The trace is the part that was followed depth first.
  void fail(const std::string& problem) {
    result.problem = problem;
    for (size_t i = 0; i < depth; ++i)
      if (stack[i].next > 0)
        result.trace.push_back(stack[i].world.describe(stack[i].events[stack[i].next - 1]));
  }

  Bounds bounds;
  std::vector<Renaming> renamings;
  FingerprintTable table;
  KeyQueue queue;
  Exploration result;
  World start, scratch;
  std::deque<Frame> stack; ///< the first `depth` are in use; references stay valid
  size_t depth = 0;
  std::vector<uint64_t> path; ///< their fingerprints
  std::vector<Event> wishes;
  Key keys[2];
  size_t smallest = 0;
};

} // namespace hetmp::dsm::protocol::model
