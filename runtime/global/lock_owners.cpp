#include "runtime/global/lock_owners.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::runtime {

bool LockOwners::Lock::wanted() const {
  return std::ranges::any_of(waiting, [](const Waiting& one) { return !one.tries; });
}

bool LockOwners::Lock::waits(uint32_t node) const {
  return std::ranges::any_of(waiting, [node](const Waiting& one) { return one.who.node == node; });
}

bool LockOwners::lock(Asker from, uint64_t key, std::vector<Answer>& answers) {
  auto found = locks_.find(key);
  if (found == locks_.end()) {
    if (from.node == 0) { // which did not know
      answers.push_back({from, Answer::LockGranted{key, false}});
      return true;
    }
    found = locks_.try_emplace(key).first;
  }
  Lock& lock = found->second;
  if (lock.waits(from.node))
    return false;
  lock.waiting.push_back({from, false});
  recall(key, lock, answers);
  return true;
}

bool LockOwners::try_lock(Asker from, uint64_t key, std::vector<Answer>& answers) {
  auto found = locks_.find(key);
  if (found == locks_.end()) {
    if (from.node == 0) {
      answers.push_back({from, Answer::LockTried{key, true, false}});
      return true;
    }
    found = locks_.try_emplace(key).first;
  }
  Lock& lock = found->second;
  if (lock.waits(from.node))
    return false;
  if (lock.wanted()) { // whoever wants it comes first
    answers.push_back({from, Answer::LockTried{key, false, false}});
    return true;
  }
  lock.waiting.push_back({from, true});
  recall(key, lock, answers);
  return true;
}

/// Unless the owner has been told already, or nobody but the owner wants the lock: then it is about to give it back.
void LockOwners::recall(uint64_t key, Lock& lock, std::vector<Answer>& answers) {
  const bool others = std::ranges::any_of(lock.waiting, [&](const Waiting& one) { return one.who.node != lock.owner; });
  const bool wanted = lock.wanted();
  if (!others || lock.recalled || (!wanted && lock.trial != 0))
    return;
  if (wanted) {
    lock.recalled = true;
  } else {
    last_trial_ += last_trial_ == UINT32_MAX ? 2 : 1;
    lock.trial = last_trial_;
  }
  const bool leaves = lock.leaving && lock.owner == 0;
  lock.leaving = false;
  answers.push_back({{.node = lock.owner}, Answer::LockRecalled{key, wanted ? 0 : lock.trial, leaves}});
}

void LockOwners::refuse_triers(uint64_t key, Lock& lock, std::vector<Answer>& answers) {
  std::erase_if(lock.waiting, [&](const Waiting& one) {
    if (one.tries)
      answers.push_back({one.who, Answer::LockTried{key, false, false}});
    return one.tries;
  });
}

bool LockOwners::give_back(Asker from, uint64_t key, bool again, std::vector<Answer>& answers) {
  const auto found = locks_.find(key);
  if (found == locks_.end() || found->second.owner != from.node || (again && found->second.waits(from.node)))
    return false;
  if (again)
    found->second.waiting.push_back({{.node = from.node}, false});
  pass_on(found, answers);
  return true;
}

/// To who has waited longest; to the origin if nobody has.
void LockOwners::pass_on(Locks::iterator found, std::vector<Answer>& answers) {
  const uint64_t key = found->first;
  Lock& lock = found->second;
  lock.owner = 0;
  lock.trial = 0;
  lock.recalled = false;
  if (!lock.waiting.empty()) {
    const Waiting next = lock.waiting.front();
    lock.waiting.pop_front();
    refuse_triers(key, lock, answers);
    lock.owner = next.who.node;
    lock.recalled = !lock.waiting.empty();
    if (next.tries)
      answers.push_back({next.who, Answer::LockTried{key, true, lock.recalled}});
    else
      answers.push_back({next.who, Answer::LockGranted{key, lock.recalled}});
  }
  forget_if_home(found, answers);
}

void LockOwners::forget_if_home(Locks::iterator found, std::vector<Answer>& answers) {
  if (found->second.owner != 0 || !found->second.waiting.empty())
    return;
  answers.push_back({{.node = 0}, Answer::LockHome{found->first}});
  locks_.erase(found);
}

bool LockOwners::keep(Asker from, uint64_t key, uint32_t trial, std::vector<Answer>& answers) {
  const auto found = locks_.find(key);
  // It may have given the lock back after it said this, and that have come first.
  if (found == locks_.end() || found->second.owner != from.node || trial == 0 || found->second.trial != trial)
    return true;
  found->second.trial = 0;
  refuse_triers(key, found->second, answers);
  forget_if_home(found, answers);
  return true;
}

void LockOwners::release(uint64_t key, std::vector<Answer>& answers) const {
  const Lock* const lock = find(key);
  answers.push_back({{.node = lock ? lock->owner : 0}, Answer::LockReleased{key}});
}

} // namespace hetmp::runtime
