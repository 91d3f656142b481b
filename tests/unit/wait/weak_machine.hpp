// Memory and a futex for the protocols of runtime/wait, as a model: threads take steps one at a time, and a load may
// return any value that its order and what the thread knows allow.
//
// The memory is that of C++ without out-of-thin-air reads and without loads that overtake earlier stores, as views (J.
// Kang et al., "A promising semantics for relaxed-memory concurrency", POPL 2017, without the promises): each atomic
// has the list of values written to it; each thread knows a shortest prefix of each list that it must not look behind.
// A release operation attaches to its value what the writer knows, an acquire operation that reads it learns that. A
// sequentially consistent one reads nothing older than the last such operation on the same atomic. Two things are left
// out: a store comes last in its list, and fences are only those of the kernel's futex
// and of its barrier in all threads, which these pass one after the other, in the order of their numbers.
//
// A thread is not suspended: it is run from its beginning each time, the answers it got before are given to it again,
// and at the first operation that has no answer yet it takes its step. So a thread's state is its list of answers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hetmp::runtime::model {

constexpr size_t most_atoms = 12;
/// For each atomic how many of its values are known; the newest of them is the oldest that may be read.
using View = std::array<uint8_t, most_atoms>;

inline void learn(View& known, const View& other) {
  for (size_t i = 0; i < most_atoms; i++)
    known[i] = std::max(known[i], other[i]);
}

struct Write {
  uint32_t value = 0;
  View view{}; ///< what is learnt by acquiring it
};

constexpr int awake = -1;

struct ThreadState {
  std::vector<uint32_t> answers;
  View view{};
  int sleeps_on = awake; ///< an atomic
  bool over = false;
};

struct State {
  std::vector<std::vector<Write>> memory; ///< by atomic, in modification order
  std::vector<ThreadState> threads;
  View consistent{};           ///< what sequentially consistent operations have written or read
  View kernel{};               ///< what threads knew that called the kernel: its lock orders them
  uint32_t spurious_wakes = 0; ///< that may still happen
  std::string problem;

  /// Equal for states from which the same follows: without values that nobody can read any more, and without what is
  /// known to threads that are over.
  std::string key() const {
    const View floor = oldest_readable();
    std::string key;
    const auto add_view = [&](const View& view) {
      for (size_t i = 0; i < memory.size(); i++)
        key.push_back(char(std::max(view[i], floor[i]) - floor[i]));
    };
    for (size_t atom = 0; atom < memory.size(); atom++) {
      key.push_back(char(memory[atom].size() - floor[atom]));
      for (size_t i = floor[atom]; i < memory[atom].size(); i++) {
        key.append(reinterpret_cast<const char*>(&memory[atom][i].value), sizeof(uint32_t));
        add_view(memory[atom][i].view);
      }
    }
    for (const ThreadState& thread : threads) {
      key.push_back(char(thread.over ? -2 : thread.sleeps_on));
      if (thread.over)
        continue;
      key.push_back(char(thread.answers.size()));
      key.append(reinterpret_cast<const char*>(thread.answers.data()), thread.answers.size() * sizeof(uint32_t));
      add_view(thread.view);
    }
    add_view(consistent);
    add_view(kernel);
    key.push_back(char(spurious_wakes));
    return key;
  }

 private:
  View oldest_readable() const {
    View oldest;
    for (size_t i = 0; i < memory.size(); i++)
      oldest[i] = uint8_t(memory[i].size() - 1);
    for (const ThreadState& thread : threads)
      for (size_t i = 0; i < memory.size() && !thread.over; i++)
        oldest[i] = std::min(oldest[i], thread.view[i]);
    return oldest;
  }
};

enum class Operation { None, Load, Store, Change, Wait, Wake, Barrier };

/// What is wrong with a machine on purpose, at one kind of operation on one atomic.
struct Fault {
  enum class Kind { None, Relaxed, AcquireRelease, Lost, WakesOne, WaitsBlindly };
  Kind kind = Kind::None;
  Operation operation = Operation::None;
  int atom = -1; ///< in the order in which the world's are made

  bool hits(Operation other, int at) const { return kind != Kind::None && operation == other && atom == at; }
};

/// A thread has taken its step.
struct StepTaken {};

/// One run of one thread up to its next step, or the making of the world.
class Run {
 public:
  Run(State& state, int thread, unsigned choice, const Fault& fault)
      : state_(state), fault_(fault), thread_(thread), choice_(choice) {
    current() = this;
  }
  ~Run() { current() = nullptr; }
  Run(const Run&) = delete;

  static Run*& current() {
    static Run* run = nullptr;
    return run;
  }

  /// How many ways there were to take the step; 1 unless a value or a sleeper could be chosen.
  unsigned choices() const { return choices_; }
  const std::string& step() const { return step_; }

  /// The world is made again for each run; its atomics are the same ones in the same order.
  int make_atom(uint32_t value) {
    if (atoms_ == int(state_.memory.size()))
      state_.memory.push_back({{value, {}}});
    return atoms_++;
  }
  void world_is_made() { made_ = true; }

  uint32_t load(int atom, std::memory_order order) {
    if (!made_)
      return newest(atom).value;
    if (answered())
      return answer();
    order = weakened(Operation::Load, atom, order);
    return finish("reads", atom, read(atom, order));
  }

  void store(int atom, uint32_t value, std::memory_order order) {
    if (!made_) {
      if (!replayed_world())
        newest(atom).value = value;
      return;
    }
    if (answered()) {
      answer();
      return;
    }
    if (!fault_lost(Operation::Store, atom))
      write(atom, value, weakened(Operation::Store, atom, order), {});
    finish("writes", atom, value);
  }

  /// Reads the newest value and writes `change(value)` behind it.
  template <class Change> uint32_t change(int atom, std::memory_order order, Change&& change) {
    if (!made_)
      return newest(atom).value; // no world needs it
    if (answered())
      return answer();
    order = weakened(Operation::Change, atom, order);
    const Write before = newest(atom);
    know(atom, before, state_.memory[size_t(atom)].size() - 1, order);
    if (!fault_lost(Operation::Change, atom))
      write(atom, change(before.value), order, before.view); // goes on with the release sequence
    return finish("changes", atom, before.value);
  }

  /// Fails only if it reads another value, which may be an old one.
  bool compare_exchange(int atom, uint32_t& expected, uint32_t desired, std::memory_order order,
                        std::memory_order failure) {
    if (answered()) {
      const uint32_t found = answer();
      return std::exchange(expected, found) == found;
    }
    order = weakened(Operation::Change, atom, order);
    std::vector<size_t> readable;
    const auto& values = state_.memory[size_t(atom)];
    for (size_t i = oldest(atom, order); i < values.size(); i++)
      if (values[i].value != expected || i + 1 == values.size())
        readable.push_back(i);
    const size_t chosen = readable[choose(readable.size())];
    const Write found = values[chosen];
    const bool changes = found.value == expected;
    know(atom, found, chosen, changes ? order : failure);
    if (changes)
      write(atom, desired, order, found.view);
    finish(changes ? "exchanges" : "does not exchange", atom, found.value);
    expected = found.value;
    return changes;
  }

  void wait(int atom, uint32_t expected) {
    if (answered()) {
      answer();
      return;
    }
    call_kernel();
    const uint32_t found = read(atom, std::memory_order_relaxed);
    if (found == expected || fault_.hits(Operation::Wait, atom)) {
      self().sleeps_on = atom;
      step_ = "sleeps on " + std::to_string(atom);
      throw StepTaken{};
    }
    finish("does not sleep on", atom, 0);
  }

  void wake(int atom, int count) {
    if (answered()) {
      answer();
      return;
    }
    call_kernel();
    std::vector<ThreadState*> sleepers;
    for (ThreadState& thread : state_.threads)
      if (thread.sleeps_on == atom)
        sleepers.push_back(&thread);
    if (fault_lost(Operation::Wake, atom))
      sleepers.clear();
    if (fault_.kind == Fault::Kind::WakesOne && fault_.hits(Operation::Wake, atom))
      count = 1;
    if (count == 1 && sleepers.size() > 1)
      sleepers = {sleepers[choose(sleepers.size())]};
    for (ThreadState* sleeper : sleepers)
      rouse(state_, *sleeper);
    finish("wakes sleepers of", atom, uint32_t(sleepers.size()));
  }

  /// Another thread passes a full barrier, wherever it is. `atom` of a fault: that thread.
  void pass_barrier(int other) {
    if (answered()) {
      answer();
      return;
    }
    if (!fault_lost(Operation::Barrier, other)) {
      learn(self().view, state_.threads[size_t(other)].view);
      learn(state_.threads[size_t(other)].view, self().view);
    }
    finish("has a barrier passed by thread", other, 0);
  }
  int threads() const { return int(state_.threads.size()); }

  static void rouse(State& state, ThreadState& sleeper) {
    sleeper.sleeps_on = awake;
    sleeper.answers.push_back(1);
    learn(sleeper.view, state.kernel);
  }

  void require(bool condition, const char* text) {
    if (!condition && state_.problem.empty())
      state_.problem = text;
  }

 private:
  ThreadState& self() { return state_.threads[size_t(thread_)]; }
  Write& newest(int atom) { return state_.memory[size_t(atom)].back(); }
  bool replayed_world() const { return thread_ >= 0; }

  /// The operation has an answer from an earlier step.
  bool answered() {
    if (replayed_ < self().answers.size())
      return true;
    if (taken_)
      throw StepTaken{};
    taken_ = true;
    return false;
  }
  uint32_t answer() { return self().answers[replayed_++]; }

  uint32_t finish(const char* what, int atom, uint32_t answer) {
    step_ = std::string(what) + " " + std::to_string(atom) + " (" + std::to_string(answer) + ")";
    self().answers.push_back(answer);
    replayed_++;
    return answer;
  }

  size_t choose(size_t choices) {
    choices_ = unsigned(choices);
    return choice_;
  }

  bool fault_lost(Operation operation, int atom) const {
    return fault_.kind == Fault::Kind::Lost && fault_.hits(operation, atom);
  }
  std::memory_order weakened(Operation operation, int atom, std::memory_order order) const {
    if (!fault_.hits(operation, atom))
      return order;
    if (fault_.kind == Fault::Kind::Relaxed)
      return std::memory_order_relaxed;
    return fault_.kind == Fault::Kind::AcquireRelease ? std::memory_order_acq_rel : order;
  }

  static bool acquires(std::memory_order order) {
    return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
  }
  static bool releases(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
  }

  /// Index of the oldest value that may be read.
  size_t oldest(int atom, std::memory_order order) {
    const auto at = size_t(atom);
    return order == std::memory_order_seq_cst ? std::max(self().view[at], state_.consistent[at]) : self().view[at];
  }

  uint32_t read(int atom, std::memory_order order) {
    const auto& values = state_.memory[size_t(atom)];
    const size_t first = oldest(atom, order);
    const size_t chosen = first + choose(values.size() - first);
    const Write found = values[chosen];
    know(atom, found, chosen, order);
    return found.value;
  }

  void know(int atom, const Write& found, size_t index, std::memory_order order) {
    const auto at = size_t(atom);
    self().view[at] = std::max(self().view[at], uint8_t(index));
    if (acquires(order))
      learn(self().view, found.view);
    if (order == std::memory_order_seq_cst)
      state_.consistent[at] = std::max(state_.consistent[at], uint8_t(index));
  }

  void write(int atom, uint32_t value, std::memory_order order, const View& inherited) {
    const auto at = size_t(atom);
    auto& values = state_.memory[at];
    self().view[at] = uint8_t(values.size());
    Write written{value, inherited};
    if (releases(order))
      learn(written.view, self().view);
    written.view[at] = uint8_t(values.size());
    if (order == std::memory_order_seq_cst)
      state_.consistent[at] = uint8_t(values.size());
    values.push_back(written);
  }

  void call_kernel() {
    learn(self().view, state_.kernel);
    learn(state_.kernel, self().view);
  }

  State& state_;
  const Fault& fault_;
  int thread_; ///< negative: only the world is made, for the first time
  unsigned choice_;
  unsigned choices_ = 1;
  int atoms_ = 0;
  size_t replayed_ = 0;
  bool made_ = false;
  bool taken_ = false;
  std::string step_ = "comes to its end";
};

inline void require(bool condition, const char* text) { Run::current()->require(condition, text); }

/// What the protocols take for std::atomic.
template <class Value> class Atomic {
 public:
  Atomic() : Atomic(Value{}) {}
  Atomic(Value value) : atom_(Run::current()->make_atom(uint32_t(value))) {}

  Value load(std::memory_order order) const { return Value(Run::current()->load(atom_, order)); }
  void store(Value value, std::memory_order order) { Run::current()->store(atom_, uint32_t(value), order); }
  Value fetch_add(Value value, std::memory_order order) {
    return change(order, [&](uint32_t old) { return old + uint32_t(value); });
  }
  Value fetch_sub(Value value, std::memory_order order) {
    return change(order, [&](uint32_t old) { return old - uint32_t(value); });
  }
  Value fetch_or(Value value, std::memory_order order) {
    return change(order, [&](uint32_t old) { return old | uint32_t(value); });
  }
  Value exchange(Value value, std::memory_order order) {
    return change(order, [&](uint32_t) { return uint32_t(value); });
  }
  bool compare_exchange_strong(Value& expected, Value desired, std::memory_order order, std::memory_order failure) {
    uint32_t found = uint32_t(expected);
    const bool changed = Run::current()->compare_exchange(atom_, found, uint32_t(desired), order, failure);
    expected = Value(found);
    return changed;
  }
  bool compare_exchange_weak(Value& expected, Value desired, std::memory_order order, std::memory_order failure) {
    return compare_exchange_strong(expected, desired, order, failure);
  }
  int atom() const { return atom_; }

 private:
  template <class Change> Value change(std::memory_order order, Change&& change) {
    return Value(Run::current()->change(atom_, order, change));
  }
  int atom_;
};

/// What the protocols take for runtime::Host. A thread looks once before it sleeps: to look later is to come later.
struct Machine {
  template <class Value> using Atomic = model::Atomic<Value>;
  static void futex_wait(const Atomic<uint32_t>& word, uint32_t expected) {
    Run::current()->wait(word.atom(), expected);
  }
  static void futex_wake(Atomic<uint32_t>& word, int count) { Run::current()->wake(word.atom(), count); }
  template <class Ready> static bool spin_until(Ready&& ready) { return ready(); }
  static bool spinning_pays() { return false; }
  static void keep_order() {}
  static bool barrier_in_all_threads() {
    for (int thread = 0; thread < Run::current()->threads(); thread++)
      Run::current()->pass_barrier(thread);
    return true;
  }
};

} // namespace hetmp::runtime::model
