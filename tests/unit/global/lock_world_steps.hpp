// The steps of lock_world.hpp.
#pragma once

#include "lock_world.hpp"

namespace hetmp::runtime::lock_test {

/// A try may fail if another thread has, awaits or tries the lock at some time meanwhile.
inline void World::excuse() {
  int interested = left_ != Left::Nothing;
  for (const Node& node : nodes_)
    for (const Thread& thread : node.threads)
      interested += thread.state != Thread::Idle;
  for (Node& node : nodes_)
    for (Thread& thread : node.threads)
      thread.excused = thread.state == Thread::Asking && (thread.excused || interested > 1);
}

inline void World::move(uint32_t n, uint32_t t) {
  Node& node = nodes_[n];
  Thread& thread = node.threads[t];
  const bool tries = thread.program[0] == 'T';
  switch (thread.state) {
  case Thread::Idle:
    return thread.program[0] == 'R' ? thread.done(), release_left(n) : enter(n, thread, tries);
  case Thread::Placed: // the origin: what it has placed counts if nothing is away
    if (node.away == 0 || is(Fault::OriginBelievesItself) || (node.word & Recalled)) {
      thread.state = Thread::Holding;
      return;
    }
    node.word = (node.word & ~(Here | Held)) | (tries ? Tried : Asked | Awaited);
    thread.state = tries ? Thread::Asking : Thread::Asleep;
    if (tries)
      node.from_threads.push_back({{n, t + 1}, Request::TryLock{key}});
    else
      tell(n, &Node::from_threads, Tell::Ask);
    return;
  case Thread::Awake:
    if (can_be_taken(node.word)) {
      const auto waits = [](const Thread& one) { return one.state == Thread::Asleep || one.state == Thread::Awake; };
      node.word = taken_by_sleeper(node.word, std::ranges::count_if(node.threads, waits) == 1);
      thread.state = Thread::Holding;
    } else {
      if (!is(Fault::WokenKept))
        node.word &= ~Woken;
      thread.state = Thread::Asleep;
    }
    return;
  case Thread::Holding:
    if (thread.program[0] == 'A')
      left_ = Left::Held;
    else
      release(n, &Node::from_threads);
    return thread.done();
  default:
    return;
  }
}

inline void World::enter(uint32_t n, Thread& thread, bool tries) {
  Node& node = nodes_[n];
  const uint32_t ticket = uint32_t(&thread - node.threads.data()) + 1;
  const auto placed = [](const Thread& one) { return one.state == Thread::Placed; };
  if (std::ranges::any_of(node.threads, placed))
    return; // that thread has the set's guard
  if (node.word == 0 && n == 0 && (node.away == 0 || is(Fault::OriginBelievesItself))) {
    node.word = named(key) | Here | Held;
    thread.state = Thread::Placed;
  } else if (node.word == 0) {
    node.word = named(key) | (tries ? Tried : Asked | Awaited);
    thread.state = tries ? Thread::Asking : Thread::Asleep;
    if (tries)
      node.from_threads.push_back({{n, ticket}, Request::TryLock{key}});
    else
      tell(n, &Node::from_threads, Tell::Ask);
  } else if (can_be_taken(node.word)) {
    node.word = taken(node.word);
    thread.state = Thread::Holding;
  } else if (!tries) {
    node.word |= Awaited;
    thread.state = Thread::Awake; // it looks once more before it sleeps
  } else if (!(node.word & Tried)) {
    thread.done();
  }
}

inline void World::release(uint32_t n, std::deque<Request> Node::*lane) {
  Node& node = nodes_[n];
  if (!(node.word & Held)) {
    problem_ = "the lock of a thread has gone while it held it";
    return;
  }
  const Step step = released(node.word, 1); // so that it matters how many there may be
  node.word = step.to;
  if (step.wake && !is(Fault::NobodyWoken))
    wake(node);
  tell(n, lane, step.tell);
}

/// By a thread of this node, whichever has taken the lock.
inline void World::release_left(uint32_t n) {
  if (nodes_[n].word & Held) {
    left_ = Left::Nothing;
    release(n, &Node::from_threads);
  } else {
    left_ = Left::Released;
    nodes_[n].from_threads.push_back({{.node = n}, Request::ReleaseLock{key}});
  }
}

/// One of those that sleep; any: all threads of a node that sleep for the lock are alike but for what they do next.
inline void World::wake(Node& node) {
  for (Thread& thread : node.threads)
    if (thread.state == Thread::Asleep) {
      thread.state = Thread::Awake;
      return;
    }
}

inline void World::evict(uint32_t n) {
  nodes_[n].evictions--;
  nodes_[n].word = 0;
  if (n != 0)
    tell(n, &Node::from_threads, Tell::GiveBack);
}

inline void World::tell(uint32_t n, std::deque<Request> Node::*lane, Tell what, uint32_t trial) {
  if (!lane)
    return;
  auto& to = nodes_[n].*lane;
  const Asker from{.node = n};
  if (what == Tell::Ask)
    to.push_back({from, Request::Lock{key}});
  else if (what == Tell::Keep)
    to.push_back({from, Request::KeepLock{key, trial}});
  else if (what != Tell::Nothing)
    to.push_back({from, Request::GiveBackLock{key, what == Tell::GiveBackAndAsk && !is(Fault::AgainForgotten)}});
}

/// The coordinator takes a request, and what the origin says to the answers.
inline void World::bring(std::deque<Request>& lane) {
  const Request request = lane.front();
  lane.pop_front();
  std::vector<Answer> answers;
  const Asker from = request.from;
  bool right = true;
  if (std::holds_alternative<Request::Lock>(request.content))
    right = coordinator_.lock(from, key, answers);
  else if (std::holds_alternative<Request::TryLock>(request.content))
    right = coordinator_.try_lock(from, key, answers);
  else if (const auto* back = std::get_if<Request::GiveBackLock>(&request.content))
    right = coordinator_.give_back(from, key, back->again, answers);
  else if (const auto* kept = std::get_if<Request::KeepLock>(&request.content))
    right = coordinator_.keep(from, key, is(Fault::TrialsAlike) ? current_trial() : kept->trial, answers);
  else if (std::holds_alternative<Request::ReleaseLock>(request.content))
    coordinator_.release(key, answers);
  if (!right)
    problem_ = "the coordinator refuses a node's request";
  for (Answer& answer : answers) {
    if (is(Fault::ReleaseMissent) && std::holds_alternative<Answer::LockReleased>(answer.content))
      answer.to = from;
    nodes_[answer.to.node].answers.push_back(answer);
  }
  if (is(Fault::OriginHearsLate))
    return;
  while (!nodes_[0].answers.empty())
    hear(0);
  while (!nodes_[0].from_service.empty() && problem_.empty())
    bring(nodes_[0].from_service);
}

inline void World::hear(uint32_t n) {
  const Answer answer = nodes_[n].answers.front();
  nodes_[n].answers.pop_front();
  deliver(n, answer);
}

/// As the service thread does.
inline void World::deliver(uint32_t n, const Answer& answer) {
  Node& node = nodes_[n];
  if (const auto* asked = std::get_if<Answer::LockRecalled>(&answer.content)) {
    node.away += n == 0 && asked->leaves;
    Step step = recalled(node.word, asked->trial != 0, n == 0);
    if (is(Fault::RecallForgotten) && (step.to & Recalled))
      step.to &= ~Recalled;
    if (is(Fault::GivenBackAwaited) && can_be_taken(node.word))
      step = {0, Tell::GiveBack};
    if (is(Fault::TrialTakesTime) && step.tell == Tell::Keep)
      step.tell = Tell::Nothing;
    node.word = step.to;
    tell(n, &Node::from_service, step.tell, asked->trial);
  } else if (const auto* given = std::get_if<Answer::LockGranted>(&answer.content)) {
    if (!(node.word & Asked))
      problem_ = "L5: granted and not asked for";
    const Step step = granted(node.word, given->recalled && !is(Fault::GrantForgetsRecall));
    node.word = step.to;
    if (step.wake)
      wake(node);
  } else if (std::holds_alternative<Answer::LockReleased>(answer.content)) {
    left_ = Left::Nothing;
    release(n, is(Fault::ReleaseUntold) ? nullptr : &Node::from_service);
  } else if (std::holds_alternative<Answer::LockHome>(answer.content)) {
    node.away -= !is(Fault::HomeUntold);
  } else if (const auto* tried = std::get_if<Answer::LockTried>(&answer.content)) {
    Thread& thread = node.threads[answer.to.ticket - 1];
    if (tried->taken) {
      node.word = granted_to_trier(node.word, tried->recalled);
      thread.state = Thread::Holding;
      return;
    }
    if (!thread.excused)
      problem_ = "a try fails, and nobody else had the lock or wanted it";
    thread.done();
    const Step step = refused(node.word);
    node.word = step.to;
    tell(n, &Node::from_threads, step.tell);
  }
}

inline std::string World::text_of(const Request& request) const {
  std::string text = std::to_string(request.content.index());
  if (const auto* back = std::get_if<Request::GiveBackLock>(&request.content))
    text += back->again ? "a" : "";
  else if (const auto* kept = std::get_if<Request::KeepLock>(&request.content))
    text += kept->trial == current_trial() ? "c" : "o"; // which number it is makes no difference
  return text + "." + std::to_string(request.from.ticket) + " ";
}

inline std::string World::text_of(const Answer& answer) const {
  std::string text = std::to_string(answer.content.index()) + "." + std::to_string(answer.to.ticket);
  const auto add = [&](bool flag) { text += flag ? '1' : '0'; };
  if (const auto* asked = std::get_if<Answer::LockRecalled>(&answer.content))
    add(asked->trial != 0), add(asked->trial == current_trial()), add(asked->leaves);
  else if (const auto* given = std::get_if<Answer::LockGranted>(&answer.content))
    add(given->recalled);
  else if (const auto* tried = std::get_if<Answer::LockTried>(&answer.content))
    add(tried->taken), add(tried->recalled);
  return text + " ";
}

} // namespace hetmp::runtime::lock_test
