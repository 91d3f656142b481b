// Locks while regions run now on one node, now on several: what locks are made of changes between such regions, and
// nothing else may. They are held meanwhile by main, taken by threads that the program makes itself, known to OpenMP or
// not, and released by others than those that took them.
// run with hetmp: HETMP_PLACEMENT=random:1
// run with hetmp: HETMP_PLACEMENT=random:2
// run with hetmp: HETMP_PLACEMENT=random:3 HETMP_MIGRATION=false
// run with hetmp: HETMP_PLACEMENT=origin
// run with hetmp: HETMP_PLACEMENT=all
#include "stress.hpp"

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <omp.h>
#include <thread>

namespace {

constexpr int team = 4, regions = 40, own = 3;

/// Kept in two parts that only fit together outside of the lock's sections.
struct Account {
  volatile int64_t deposits = 0, balance = 0;
  void deposit() {
    const int64_t before = deposits;
    CHECK_EQUAL(balance, 3 * before);
    deposits = before + 1;
    balance = balance + 3;
  }
};

struct Guarded {
  omp_lock_t lock;
  Account account;
};

Guarded* guarded; ///< each with its lock beside it
constexpr int count = 5;
omp_nest_lock_t nest;
Account in_nest, in_critical, in_named;
std::atomic<bool> over{false};

void use_some_lock(stress::Random& random) {
  const uint64_t way = random.below(count + 3);
  if (way < count) {
    Guarded& one = guarded[way];
    if (random.below(3) != 0)
      omp_set_lock(&one.lock);
    else if (!omp_test_lock(&one.lock))
      return;
    one.account.deposit();
    omp_unset_lock(&one.lock);
  } else if (way == count) {
#pragma omp critical
    in_critical.deposit();
  } else if (way == count + 1) {
#pragma omp critical(named)
    in_named.deposit();
  } else {
    omp_set_nest_lock(&nest);
    CHECK_EQUAL(omp_test_nest_lock(&nest), 2);
    in_nest.deposit();
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
}

/// A thread of the program's own, as long as main has regions. OpenMP knows every other one.
void use_locks_beside(int number) {
  if (number % 2)
    CHECK_EQUAL(omp_get_thread_num(), 0);
  stress::Random random(stress::seed(), 1000 + uint64_t(number));
  while (!over.load()) {
    use_some_lock(random);
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
  }
}

/// main takes a lock, the region's threads find it held; a thread that ends has taken another one.
void hold_across(int region, stress::Random& random) {
  omp_lock_t mine, left;
  omp_init_lock(&mine);
  omp_init_lock(&left);
  const bool holds = random.below(2) == 0, leaves = random.below(2) == 0;
  if (holds)
    omp_set_lock(&mine);
  if (leaves)
    std::thread([&] {
      if (region % 2)
        omp_get_max_threads();
      omp_set_lock(&left);
    }).join();
  int found = 0;
#pragma omp parallel num_threads(team) reduction(+ : found)
  {
    stress::Random own_random(stress::seed(), uint64_t(region * team + omp_get_thread_num()));
    for (int i = 0; i < 10; ++i)
      use_some_lock(own_random);
    for (omp_lock_t* one : {&mine, &left})
      if (omp_test_lock(one)) {
        omp_unset_lock(one);
        CHECK(one == &mine ? !holds : !leaves);
      } else {
        ++found;
      }
  }
  CHECK(found >= team * (int(holds) + int(leaves)));
  if (leaves)
    omp_unset_lock(&left);
  if (holds)
    omp_unset_lock(&mine);
  for (omp_lock_t* one : {&mine, &left}) { // nobody else knows them any more
    CHECK(omp_test_lock(one));
    omp_unset_lock(one);
    omp_destroy_lock(one);
  }
}

void run_regions(int threads_beside) {
  over = false;
  std::thread beside[own];
  for (int i = 0; i < threads_beside; ++i)
    beside[i] = std::thread(use_locks_beside, i);
  stress::Random random(stress::seed(), 7);
  for (int region = 0; region < regions; ++region)
    hold_across(region, random);
  over = true;
  for (int i = 0; i < threads_beside; ++i)
    beside[i].join();
}

} // namespace

int main() {
  guarded = new Guarded[count];
  for (int i = 0; i < count; ++i)
    omp_init_lock(&guarded[i].lock);
  omp_init_nest_lock(&nest);
  for (int threads_beside : {0, 1, own})
    run_regions(threads_beside);
  int64_t deposits = in_nest.deposits + in_critical.deposits + in_named.deposits;
  for (int i = 0; i < count; ++i) {
    deposits += guarded[i].account.deposits;
    CHECK(omp_test_lock(&guarded[i].lock));
  }
  CHECK(deposits > 0);
}
