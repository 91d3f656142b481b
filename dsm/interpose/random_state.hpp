// The state of the C library's generators of random numbers, rand(), drand48() and their like: one for the program, as
// in one process. What a thread has seeded at home, another draws from elsewhere.
#pragma once

#include "dsm/process/node_process.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sched.h>

namespace hetmp::dsm {

class RandomState {
 public:
  /// What the C library's own functions of that kind keep, and begin with.
  struct Generators {
    std::atomic<uint32_t> taken{0};
    bool begun = false;
    random_data additive{};
    char table[128] = {};
    drand48_data congruential{};
  };

  /// To be used with the lock, by the reentrant forms of the functions: `draw(generators)`.
  template <class Draw> auto with(Draw&& draw) {
    Generators& all = generators();
    const Taken taken(all);
    if (!all.begun) {
      initstate_r(1, all.table, sizeof all.table, &all.additive); // as if srand(1) had been called
      all.begun = true;
    }
    return draw(all);
  }

 private:
  /// Held for some nanoseconds, but for the way of the page from another node.
  class Taken {
   public:
    /// Whose process was forked while another thread drew finds the lock taken by nobody.
    explicit Taken(Generators& all) : all_(all) {
      constexpr int most_turns = 100'000;
      // acquire: pairs with the release, for what the lock protects
      for (int turn = 0; all_.taken.exchange(1, std::memory_order_acquire) != 0 && turn < most_turns; ++turn)
        sched_yield();
    }
    ~Taken() { all_.taken.store(0, std::memory_order_release); } // pairs with the acquire in the next one's beginning
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;

   private:
    Generators& all_;
  };

  /// Once it has been found it stays: a child that the program forks goes on with its copy. What constructors of
  /// libraries have drawn before there were nodes is carried over.
  Generators& generators() {
    if (Generators* const found = shared_.load(std::memory_order_relaxed)) // relaxed: zeros before there were nodes
      return *found;
    NodeProcess* const process = NodeProcess::instance();
    if (!process || !process->is_this_process())
      return own_;
    const uintptr_t page = process->pointer_locks().page_behind(process->node() == origin);
    if (page == 0)
      return own_;
    auto* const found = reinterpret_cast<Generators*>(page);
    if (own_.begun && process->node() == origin)
      carry_over(own_, *found);
    shared_.store(found, std::memory_order_relaxed);
    return *found;
  }

  static void carry_over(const Generators& from, Generators& to) {
    const Taken taken(to);
    if (to.begun)
      return;
    memcpy(to.table, from.table, sizeof to.table);
    to.additive = from.additive;
    to.congruential = from.congruential;
    for (int32_t** const place : {&to.additive.fptr, &to.additive.rptr, &to.additive.state, &to.additive.end_ptr}) {
      const auto offset = uintptr_t(*place) - uintptr_t(from.table);
      if (offset <= sizeof from.table) // it is no table of the program's
        *place = reinterpret_cast<int32_t*>(to.table + offset);
    }
    to.begun = true;
  }

  std::atomic<Generators*> shared_{nullptr}; ///< relaxed: it gets the same value by whichever thread
  Generators own_;                           ///< where there are no nodes
};

static_assert(sizeof(RandomState::Generators) <= page_bytes);

} // namespace hetmp::dsm
