// Locks of every kind, each protecting several words on several pages that must always fit together.
#include "stress.hpp"

#include <initializer_list>
#include <omp.h>

namespace {

constexpr int rounds = 200;

/// A value kept in parts on different pages; nobody may ever see them differ.
struct Account {
  alignas(4096) volatile uint64_t deposits;
  alignas(4096) volatile uint64_t balance;
  alignas(4096) volatile int holder;

  void clear() {
    deposits = balance = 0;
    holder = -1;
  }
  void deposit(int by) {
    CHECK_EQUAL(holder, -1);
    holder = by;
    const uint64_t before = deposits;
    CHECK_EQUAL(balance, before * 3);
    deposits = before + 1;
    balance = balance + 3;
    CHECK_EQUAL(holder, by);
    holder = -1;
  }
  void check(uint64_t times) const {
    CHECK_EQUAL(deposits, times);
    CHECK_EQUAL(balance, times * 3);
  }
};

Account account, accounts[3];

void simple_lock(int team) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  account.clear();
#pragma omp parallel num_threads(team)
  for (int i = 0; i < rounds; ++i) {
    omp_set_lock(&lock);
    account.deposit(omp_get_thread_num());
    omp_unset_lock(&lock);
  }
  account.check(uint64_t(team) * rounds);
  omp_destroy_lock(&lock);
}

void tried_lock(int team) {
  static omp_lock_t lock;
  omp_init_lock(&lock);
  account.clear();
  uint64_t taken = 0;
#pragma omp parallel num_threads(team) reduction(+ : taken)
  for (int i = 0; i < rounds; ++i)
    if (omp_test_lock(&lock)) {
      account.deposit(omp_get_thread_num());
      omp_unset_lock(&lock);
      ++taken;
    }
  CHECK(taken > 0);
  account.check(taken);
  omp_destroy_lock(&lock);
}

void nest_lock(int team) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  account.clear();
#pragma omp parallel num_threads(team)
  {
    stress::Random random(stress::seed(), uint64_t(omp_get_thread_num()));
    for (int i = 0; i < rounds / 2; ++i) {
      const int depth = 1 + int(random.below(4));
      for (int level = 1; level <= depth; ++level) {
        if (level % 2)
          omp_set_nest_lock(&lock);
        else
          CHECK_EQUAL(omp_test_nest_lock(&lock), level);
      }
      account.deposit(omp_get_thread_num());
      for (int level = 0; level < depth; ++level)
        omp_unset_nest_lock(&lock);
    }
  }
  account.check(uint64_t(team) * (rounds / 2));
  omp_destroy_nest_lock(&lock);
}

void critical_sections(int team) {
  for (Account& each : accounts)
    each.clear();
#pragma omp parallel num_threads(team)
  for (int i = 0; i < rounds; ++i) {
    const int me = omp_get_thread_num();
    switch ((i + me) % 3) {
    case 0:
#pragma omp critical
      accounts[0].deposit(me);
      break;
    case 1:
#pragma omp critical(one)
      accounts[1].deposit(me);
      break;
    default:
#pragma omp critical(two)
    {
#pragma omp critical(inner)
      accounts[2].deposit(me);
    }
    }
  }
  CHECK_EQUAL(accounts[0].deposits + accounts[1].deposits + accounts[2].deposits, team * rounds);
  for (const Account& each : accounts)
    each.check(each.deposits);
}

/// Many locks in heap memory, taken two at a time in ascending order: transfers keep the sum.
void transfers(int team) {
  constexpr int count = 16;
  auto* locks = new omp_lock_t[count];
  auto* balance = new int64_t[count];
  for (int i = 0; i < count; ++i) {
    omp_init_lock_with_hint(&locks[i], i % 2 ? omp_sync_hint_contended : omp_sync_hint_uncontended);
    balance[i] = 100;
  }
#pragma omp parallel num_threads(team)
  {
    stress::Random random(stress::seed(), 100 + uint64_t(omp_get_thread_num()));
    for (int i = 0; i < rounds; ++i) {
      const int a = int(random.below(count)), b = int(random.below(count));
      if (a == b)
        continue;
      const int64_t amount = int64_t(random.below(50));
      omp_set_lock(&locks[a < b ? a : b]);
      omp_set_lock(&locks[a < b ? b : a]);
      balance[a] -= amount;
      balance[b] += amount;
      omp_unset_lock(&locks[a]);
      omp_unset_lock(&locks[b]);
    }
  }
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += balance[i];
    omp_destroy_lock(&locks[i]);
  }
  CHECK_EQUAL(sum, 100 * count);
  delete[] balance;
  delete[] locks;
}

/// Held by one thread, waited for by all others, across a barrier-free hand-over in turns.
void take_turns(int team) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  volatile int turn = 0;
#pragma omp parallel num_threads(team)
  for (int i = 0; i < 20; ++i)
    for (bool had = false; !had;) {
      omp_set_lock(&lock);
      if (turn % team == omp_get_thread_num()) {
        turn = turn + 1;
        had = true;
      }
      omp_unset_lock(&lock);
    }
  CHECK_EQUAL(turn, 20 * team);
  omp_destroy_lock(&lock);
}

/// A lock an element. Threads take mostly those of their own part, which moves from region to region, and sometimes any
/// other; some only if it is free. The initial thread keeps a few from region to region.
void elements(int team) {
  constexpr int count = 3000, kept = 5, regions = 6;
  struct Element {
    omp_lock_t lock;
    int64_t visits;
  };
  auto* all = new Element[count];
  for (int i = 0; i < count; ++i) {
    omp_init_lock(&all[i].lock);
    all[i].visits = 0;
  }
  for (int i = 0; i < kept; ++i)
    omp_set_lock(&all[i * 7].lock);
  int64_t visits = 0;
  for (int region = 0; region < regions; ++region) {
#pragma omp parallel num_threads(team) reduction(+ : visits)
    {
      const int me = omp_get_thread_num();
      stress::Random random(stress::seed(), uint64_t(region * 100 + me));
      const int part = count / team, begin = (me + region) % team * part;
      for (int i = 0; i < rounds * 3; ++i) {
        const bool any = random.below(20) == 0;
        const int which = any ? int(random.below(count)) : begin + int(random.below(uint64_t(part)));
        const bool is_kept = which % 7 == 0 && which / 7 < kept;
        if (is_kept || random.below(4) == 0) {
          const bool taken = omp_test_lock(&all[which].lock);
          CHECK(!taken || !is_kept);
          if (!taken)
            continue;
        } else {
          omp_set_lock(&all[which].lock);
        }
        all[which].visits++;
        visits++;
        omp_unset_lock(&all[which].lock);
      }
    }
    for (int i = 0; i < count; ++i) { // nobody else is there: each that is not kept is free, wherever it was last
      const bool is_kept = i % 7 == 0 && i / 7 < kept;
      CHECK_EQUAL(omp_test_lock(&all[i].lock), !is_kept);
      if (!is_kept && i % 3 != 0)
        omp_unset_lock(&all[i].lock);
    }
    for (int i = 0; i < count; i += 3)
      if (i % 7 != 0 || i / 7 >= kept)
        omp_unset_lock(&all[i].lock);
  }
  for (int i = 0; i < kept; ++i)
    omp_unset_lock(&all[i * 7].lock);
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += all[i].visits;
    omp_destroy_lock(&all[i].lock);
  }
  CHECK_EQUAL(sum, visits);
  delete[] all;
}

} // namespace

int main() {
  for (int team : {2, 4, 7}) {
    simple_lock(team);
    tried_lock(team);
    nest_lock(team);
    critical_sections(team);
  }
  transfers(4);
  take_turns(4);
  elements(2);
  elements(5);
}
