// Keys of thread-specific data that the program makes: main before regions and between them, threads of any node in
// regions, constructors and the C++ library, in C and in C11's form. Each thread has its own values; they are destroyed
// where it ends; a key that was deleted is another one afterwards.
// run: HETMP_PLACEMENT=all
// run: HETMP_PLACEMENT=auto
// run: HETMP_PLACEMENT=journeys:1
#include "stress.hpp"

#include <memory_resource>
#include <omp.h>
#include <pthread.h>
#include <threads.h>
#include <vector>

namespace {

std::atomic<long> destroyed{0};
void destroy(void*) { ++destroyed; }

pthread_key_t make() {
  pthread_key_t key;
  CHECK_EQUAL(pthread_key_create(&key, destroy), 0);
  return key;
}

void* value_of(int thread, int round) {
  return reinterpret_cast<void*>(uintptr_t(1) + uintptr_t(thread) * 1000 + uintptr_t(round));
}

/// By all threads of the team.
void use(pthread_key_t key, int round) {
  const int me = omp_get_thread_num();
  CHECK(!pthread_getspecific(key));
  CHECK_EQUAL(pthread_setspecific(key, value_of(me, round)), 0);
#pragma omp barrier
  stress::computes_abroad();
  CHECK(pthread_getspecific(key) == value_of(me, round));
  CHECK_EQUAL(pthread_setspecific(key, nullptr), 0);
}

void made_by_main(int round) {
  const pthread_key_t first = make(), second = make();
#pragma omp parallel
  {
    use(first, round);
    use(second, round + 1);
  }
  CHECK_EQUAL(pthread_key_delete(first), 0);
  const pthread_key_t third = make();
#pragma omp parallel
  {
    use(second, round);
    use(third, round + 2);
  }
  CHECK_EQUAL(pthread_key_delete(second), 0);
  CHECK_EQUAL(pthread_key_delete(third), 0);
}

/// Several at once.
void made_by_threads(int round) {
  pthread_key_t keys[64];
  const int team = omp_get_max_threads();
  CHECK(team <= 64);
#pragma omp parallel
  {
    keys[omp_get_thread_num()] = make();
#pragma omp barrier
    for (int i = 0; i < omp_get_num_threads(); ++i)
      use(keys[i], round + i);
  }
  for (int i = 0; i < team; ++i) {
    for (int j = 0; j < i; ++j)
      CHECK(keys[i] != keys[j]);
    CHECK_EQUAL(pthread_key_delete(keys[i]), 0);
  }
}

/// Of no other thread's concern; their number in all is above what a process can have at a time.
void made_and_deleted_by_threads(int round) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < 20; ++i) {
      const pthread_key_t key = make();
      CHECK(!pthread_getspecific(key));
      CHECK_EQUAL(pthread_setspecific(key, value_of(me, round + i)), 0);
      CHECK(pthread_getspecific(key) == value_of(me, round + i));
      CHECK_EQUAL(pthread_setspecific(key, nullptr), 0);
      CHECK_EQUAL(pthread_key_delete(key), 0);
    }
  }
}

void in_c11() {
  tss_t key;
  CHECK_EQUAL(tss_create(&key, destroy), thrd_success);
  const long before = destroyed;
#pragma omp parallel
  {
    int own = omp_get_thread_num();
    CHECK(!tss_get(key));
    CHECK_EQUAL(tss_set(key, &own), thrd_success);
#pragma omp barrier
    CHECK(tss_get(key) == &own);
    CHECK_EQUAL(tss_set(key, nullptr), thrd_success);
  }
  pthread_t thread;
  CHECK_EQUAL(
      pthread_create(
          &thread, nullptr, [](void* its) -> void* { return tss_set(*static_cast<tss_t*>(its), its), nullptr; }, &key),
      0);
  CHECK_EQUAL(pthread_join(thread, nullptr), 0);
  CHECK_EQUAL(destroyed, before + 1);
  tss_delete(key);
}

/// Made before main, by a call that returns to whoever calls constructors.
struct Early {
  Early() { pthread_key_create(&key, destroy); }
  pthread_key_t key;
} early;

/// Has a key of its own, which the C++ library makes.
std::pmr::synchronized_pool_resource early_pool;

void by_the_library(std::pmr::memory_resource& pool) {
#pragma omp parallel for
  for (int i = 0; i < 200; ++i) {
    std::pmr::vector<int> numbers(&pool);
    for (int number = 0; number < 20; ++number)
      numbers.push_back(number * i);
    CHECK_EQUAL(numbers.back(), 19 * i);
  }
}

} // namespace

int main() {
  std::pmr::synchronized_pool_resource pool;
  for (int round = 0; round < 20; ++round) {
    made_by_main(round);
    made_by_threads(round);
    made_and_deleted_by_threads(round);
    in_c11();
#pragma omp parallel
    use(early.key, round);
    by_the_library(pool);
    by_the_library(early_pool);
  }
}
