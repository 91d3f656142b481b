// Visits every reachable state of a model world, breadth first, so that the trace to a violation is a
// shortest one. For small worlds: states are kept in full. deep_explorer.hpp is for large ones.
#pragma once

#include "invariants.hpp"

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace hetmp::dsm::protocol::model {

struct Exploration {
  size_t states = 0, transitions = 0, at_rest = 0;
  bool complete = false;          ///< every reachable state was visited
  std::string problem;            ///< empty, or the violation
  std::vector<std::string> trace; ///< the events that lead to it
};

class Explorer {
 public:
  /// `most_wishes` bounds the faults and pushes of a run that change something; larger worlds need it.
  explicit Explorer(size_t most_states, uint32_t most_wishes = unlimited)
      : most_states(most_states), most_wishes(most_wishes) {}
  static constexpr uint32_t unlimited = UINT32_MAX;

  Exploration run(const World& initial) {
    discover(initial, 0, {}, most_wishes);
    while (!frontier.empty() && result.problem.empty() && result.states < most_states) {
      expand(frontier.front());
      frontier.pop_front();
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
    uint32_t wishes_left;
  };
  struct Visited {
    uint32_t parent;
    std::string event;
  };

  void expand(const Open& open) {
    const World& world = open.world;
    events.clear();
    world.progress(events);
    if (events.empty()) {
      ++result.at_rest;
      World rest = world;
      check_rest(rest);
      if (!rest.problem.empty())
        return fail(rest.problem, open.id);
    }
    world.free_events(open.wishes_left != 0, events);
    const std::string here = key_of(world);
    for (size_t i = 0; i < events.size() && result.problem.empty(); ++i)
      if (take(open, events[i], here) && world.dimensions().powers.move) {
        events[i].move = true;
        take(open, events[i], here);
      }
  }

  /// Whether the home may have moved with the event.
  bool take(const Open& open, const Event& event, const std::string& here) {
    World next = open.world;
    next.apply(event);
    check(next);
    ++result.transitions;
    const bool counts = event.kind < Event::Kind::Lose && most_wishes != unlimited && key_of(next) != here;
    const uint32_t successor = discover(next, open.id, open.world.describe(event), open.wishes_left - (counts ? 1 : 0));
    if (is_progress(event))
      progress_edges.push_back({open.id, successor});
    return next.may_have_moved();
  }

  /// The id of the state, new or known.
  uint32_t discover(const World& world, uint32_t parent, std::string event, uint32_t wishes_left) {
    std::string key = key_of(world);
    if (most_wishes != unlimited)
      key.push_back(static_cast<char>(wishes_left));
    const auto [position, fresh] = ids.try_emplace(std::move(key), static_cast<uint32_t>(visited.size()));
    if (fresh) {
      visited.push_back({parent, std::move(event)});
      result.states = visited.size();
      frontier.push_back({world, position->second, wishes_left});
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
  uint32_t most_wishes;
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
