// Visits every state that the threads of a small world can come to on the machine of weak_machine.hpp, breadth first:
// the way to a violation is a shortest one. A world is a class with its atomics as members, `static constexpr int
// threads` and `void run(int thread)`.
#pragma once

#include "weak_machine.hpp"

#include <deque>
#include <unordered_map>

namespace hetmp::runtime::model {

struct Exploration {
  size_t states = 0, steps = 0, ends = 0;
  bool complete = false;          ///< every reachable state was visited
  std::string problem;            ///< empty, or the violation
  std::vector<std::string> trace; ///< the steps that lead to it
};

template <class World> class Interleavings {
 public:
  explicit Interleavings(Fault fault = {}, uint32_t spurious_wakes = 1, size_t most_states = 2'000'000)
      : fault_(fault), spurious_wakes_(spurious_wakes), most_states_(most_states) {}

  Exploration explore() {
    State initial;
    initial.threads.resize(World::threads);
    initial.spurious_wakes = spurious_wakes_;
    {
      Run run(initial, -1, 0, fault_);
      World world;
    }
    discover(std::move(initial), 0, "");
    while (!open_.empty() && result_.problem.empty() && visited_.size() < most_states_) {
      expand(open_.front().first, open_.front().second);
      open_.pop_front();
    }
    result_.states = visited_.size();
    result_.complete = open_.empty() && result_.problem.empty();
    return std::move(result_);
  }

 private:
  struct Visited {
    uint32_t parent;
    std::string step;
  };

  void expand(const State& state, uint32_t id) {
    bool moves = false, over = true;
    for (int i = 0; i < World::threads && result_.problem.empty(); i++) {
      const ThreadState& thread = state.threads[size_t(i)];
      over = over && thread.over;
      if (thread.over)
        continue;
      if (thread.sleeps_on != awake) {
        wake_for_nothing(state, id, i);
        continue;
      }
      moves = true;
      for (unsigned choice = 0, choices = 1; choice < choices && result_.problem.empty(); choice++)
        choices = take_step(state, id, i, choice);
    }
    result_.ends += over;
    if (!moves && !over && result_.problem.empty())
      fail("stuck: threads sleep, and nobody is left to wake them", id);
  }

  /// How many ways there are to take it.
  unsigned take_step(const State& before, uint32_t id, int thread, unsigned choice) {
    State state = before;
    Run run(state, thread, choice, fault_);
    try {
      World world;
      run.world_is_made();
      world.run(thread);
      state.threads[size_t(thread)].over = true;
    } catch (const StepTaken&) {
    }
    result_.steps++;
    if (state.threads[size_t(thread)].answers.size() > longest_run)
      state.problem = "a thread goes on for ever";
    discover(std::move(state), id, "thread " + std::to_string(thread) + " " + run.step());
    return run.choices();
  }

  void wake_for_nothing(const State& before, uint32_t id, int thread) {
    if (before.spurious_wakes == 0)
      return;
    State state = before;
    state.spurious_wakes--;
    Run::rouse(state, state.threads[size_t(thread)]);
    discover(std::move(state), id, "thread " + std::to_string(thread) + " wakes for nothing");
  }

  void discover(State state, uint32_t parent, const std::string& step) {
    const auto [position, fresh] = ids_.try_emplace(state.key(), uint32_t(visited_.size()));
    if (fresh || !state.problem.empty())
      visited_.push_back({parent, step});
    if (!state.problem.empty())
      return fail(state.problem, uint32_t(visited_.size() - 1));
    if (fresh)
      open_.emplace_back(std::move(state), position->second);
  }

  void fail(const std::string& problem, uint32_t id) {
    result_.problem = problem;
    for (; id != 0; id = visited_[id].parent)
      result_.trace.insert(result_.trace.begin(), visited_[id].step);
  }

  static constexpr size_t longest_run = 100;

  Fault fault_;
  uint32_t spurious_wakes_;
  size_t most_states_;
  Exploration result_;
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<Visited> visited_;
  std::deque<std::pair<State, uint32_t>> open_;
};

inline std::string text_of(const std::vector<std::string>& trace) {
  std::string text;
  for (const std::string& line : trace)
    text += "  " + line + "\n";
  return text;
}

} // namespace hetmp::runtime::model
