// Visits every reachable state of a model world, breadth first, so that the trace to a violation is a
// shortest one.
#pragma once

#include "invariants.hpp"

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace hetmp::dsm::protocol::model {

/// All that decides the future of a world, as bytes. Content is reduced to "latest or not": every copy and
/// every message in flight is compared with the latest write only, so worlds that agree in this agree in all
/// that follows.
inline std::string key_of(const World& world) {
  std::string key;
  const auto byte = [&](auto value) { key.push_back(static_cast<char>(value)); };
  const auto mask = [&](uint64_t value) { byte(value), byte(value >> 8); }; // up to 16 nodes
  for (PageNumber p = 0; p < world.dimensions().pages; ++p) {
    for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
      const View& view = world.view(n, p);
      const bool latest = view.mapping == Mapping::None || view.content == world.expected(p);
      byte(static_cast<int>(view.mapping) | (latest << 2) | (view.reader_blocked << 3) |
           (static_cast<int>(view.writer) << 4));
      byte(static_cast<int>(world.node(n).state(p)) | (static_cast<int>(world.node(n).outstanding(p)) << 2));
    }
    const Sharing sharing = world.home(p).sharing(p);
    mask(sharing.holders), byte(sharing.owner | (sharing.exclusive << 6) | (world.is_holding(p) << 7));
    if (const Transaction* busy = world.home(p).transaction(p)) {
      byte(1 + static_cast<int>(busy->phase)), byte(busy->current.node | (busy->current.write << 6));
      mask(busy->awaited), byte(busy->queue.size());
      for (uint32_t i = 0; i < busy->queue.size(); ++i)
        byte(busy->queue.at(i).node | (busy->queue.at(i).write << 6));
    } else
      byte(0);
  }
  // Channels race, so only the order within a page and channel belongs to the state.
  std::vector<const InFlight*> flying;
  for (const InFlight& message : world.flying)
    flying.push_back(&message);
  const auto channel = [](const InFlight* m) { return (m->message.page << 16) | (m->from << 8) | m->to; };
  std::stable_sort(flying.begin(), flying.end(), [&](auto* a, auto* b) { return channel(a) < channel(b); });
  for (const InFlight* m : flying) {
    byte(m->message.page), byte(m->from), byte(m->to), byte(m->message.type), byte(m->message.requester);
    byte(carries_content(m->message.type) && m->content != world.expected(m->message.page));
  }
  return key;
}

struct Exploration {
  size_t states = 0, transitions = 0, at_rest = 0;
  bool complete = false;          ///< every reachable state was visited
  std::string problem;            ///< empty, or the violation
  std::vector<std::string> trace; ///< the events that lead to it
};

class Explorer {
 public:
  /// `most_faults` bounds the faults of a run that change something; larger worlds need it.
  explicit Explorer(size_t most_states, uint32_t most_faults = unlimited)
      : most_states(most_states), most_faults(most_faults) {}
  static constexpr uint32_t unlimited = UINT32_MAX;

  Exploration run(const World& initial) {
    discover(initial, 0, {}, most_faults);
    while (!frontier.empty() && result.problem.empty() && result.states < most_states) {
      const Open open = frontier.front();
      frontier.pop_front();
      expand(open);
    }
    result.complete = frontier.empty() && result.problem.empty();
    if (result.complete)
      check_termination();
    return std::move(result);
  }

 private:
  struct Open {
    World world;
    uint32_t id;
    uint32_t faults_left;
  };
  struct Visited {
    uint32_t parent;
    std::string event;
  };

  void expand(const Open& open) {
    const auto& [world, id, faults_left] = open;
    events.clear();
    world.progress(events);
    const size_t progress = events.size();
    if (progress == 0) {
      ++result.at_rest;
      World rest = world;
      check_rest(rest);
      if (!rest.problem.empty())
        return fail(rest.problem, id);
    }
    add_free_events(world, faults_left != 0);
    const std::string here = key_of(world);
    for (size_t i = 0; i < events.size() && result.problem.empty(); ++i) {
      World next = world;
      next.apply(events[i]);
      check(next);
      ++result.transitions;
      const bool fault =
          events[i].kind == Event::Kind::ReadFault || events[i].kind == Event::Kind::WriteFault;
      const bool counts = fault && most_faults != unlimited && key_of(next) != here;
      const uint32_t successor =
          discover(next, id, world.describe(events[i]), faults_left - (counts ? 1 : 0));
      if (i < progress)
        progress_edges.push_back({id, successor});
    }
  }

  void add_free_events(const World& world, bool faults) {
    for (PageNumber p = 0; p < world.dimensions().pages; ++p)
      for (uint32_t n = 0; n < world.dimensions().nodes; ++n) {
        if (faults) {
          events.push_back({Event::Kind::ReadFault, n, p});
          events.push_back({Event::Kind::WriteFault, n, p});
        }
        if (world.view(n, p).mapping == Mapping::Writable)
          events.push_back({Event::Kind::Store, n, p});
      }
  }

  /// The id of the state, new or known.
  uint32_t discover(const World& world, uint32_t parent, std::string event, uint32_t faults_left) {
    std::string key = key_of(world);
    if (most_faults != unlimited)
      key.push_back(static_cast<char>(faults_left));
    const auto [position, fresh] = ids.try_emplace(std::move(key), static_cast<uint32_t>(visited.size()));
    if (fresh) {
      visited.push_back({parent, std::move(event)});
      result.states = visited.size();
      frontier.push_back({world, position->second, faults_left});
    }
    if (!world.problem.empty()) {
      if (!fresh) { // the violation is in the step, not in the state it leads to
        visited.push_back({parent, std::move(event)});
        fail(world.problem, static_cast<uint32_t>(visited.size() - 1));
      } else
        fail(world.problem, position->second);
    }
    return position->second;
  }

  void fail(const std::string& problem, uint32_t id) {
    result.problem = problem;
    for (; id != 0; id = visited[id].parent)
      result.trace.insert(result.trace.begin(), visited[id].event);
  }

  /// P: without new faults no world goes on for ever, that is, the steps of progress form no cycle
  /// (topological order by counting predecessors). As every world that cannot go on is at rest, every run
  /// without new faults ends there.
  void check_termination() {
    std::vector<uint32_t> predecessors(visited.size()), first(visited.size() + 1), order;
    for (const auto& [from, to] : progress_edges)
      ++predecessors[to], ++first[from + 1];
    for (size_t i = 1; i < first.size(); ++i)
      first[i] += first[i - 1];
    // Edges were appended in the order their sources were expanded, which is the order of the ids.
    for (uint32_t id = 0; id < visited.size(); ++id)
      if (predecessors[id] == 0)
        order.push_back(id);
    for (size_t done = 0; done < order.size(); ++done)
      for (uint32_t e = first[order[done]]; e < first[order[done] + 1]; ++e)
        if (--predecessors[progress_edges[e].second] == 0)
          order.push_back(progress_edges[e].second);
    if (order.size() != visited.size())
      result.problem = "P: a run without new faults that never ends";
  }

  size_t most_states;
  uint32_t most_faults;
  Exploration result;
  std::unordered_map<std::string, uint32_t> ids;
  std::vector<Visited> visited;
  std::deque<Open> frontier;
  std::vector<std::pair<uint32_t, uint32_t>> progress_edges;
  std::vector<Event> events;
};

inline std::string text_of(const std::vector<std::string>& trace) {
  std::string text;
  for (const std::string& line : trace)
    text += "  " + line + "\n";
  return text;
}

} // namespace hetmp::dsm::protocol::model
