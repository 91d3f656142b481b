// The coordinator's part in locks: which node owns a lock, and which nodes want it. sync/lock_word.hpp has the nodes'
// part and the invariants.
//
// Locks that are not listed here are the origin's. A node's messages about a lock may overtake each other (its service
// thread and its other threads send by different lanes): a question may come before the node has given the lock back.
// Answers do not overtake each other, and the origin hears its own before the next request is looked at.
#pragma once

#include "runtime/global/requests.hpp"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace hetmp::runtime {

class LockOwners {
 public:
  // Each appends the answers that become possible; false if no correct node sends this.
  bool lock(Asker from, uint64_t key, std::vector<Answer>& answers);
  bool try_lock(Asker from, uint64_t key, std::vector<Answer>& answers);
  bool give_back(Asker from, uint64_t key, bool again, std::vector<Answer>& answers);
  bool keep(Asker from, uint64_t key, uint32_t trial, std::vector<Answer>& answers);
  /// By a thread of any node. Who holds the lock stays its owner until it hears of this.
  void release(uint64_t key, std::vector<Answer>& answers) const;

  struct Waiting {
    Asker who;
    bool tries; ///< is answered at once if the lock is not free
  };
  struct Lock {
    uint32_t owner = 0;
    uint32_t trial = 0;    ///< of the recall that asks only for a free lock, or 0: there is none
    bool recalled = false; ///< the owner knows that it has to give the lock back
    bool leaving = true;   ///< the origin has not been told that it is listed
    std::deque<Waiting> waiting;
    bool wanted() const; ///< by a node that waits until it gets it
    bool waits(uint32_t node) const;
  };

  /// Null: the lock is the origin's, and no other node wants it.
  const Lock* find(uint64_t key) const {
    const auto found = locks_.find(key);
    return found == locks_.end() ? nullptr : &found->second;
  }

 private:
  using Locks = std::unordered_map<uint64_t, Lock>;

  void recall(uint64_t key, Lock& lock, std::vector<Answer>& answers);
  static void refuse_triers(uint64_t key, Lock& lock, std::vector<Answer>& answers);
  void pass_on(Locks::iterator found, std::vector<Answer>& answers);
  void forget_if_home(Locks::iterator found, std::vector<Answer>& answers);

  Locks locks_;
  uint32_t last_trial_ = 0;
};

} // namespace hetmp::runtime
