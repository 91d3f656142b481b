// main that leaves by pthread_exit(): the program goes on with its other threads, ends with the last one of them, by
// success, and runs its exit handlers.
#include "stress.hpp"

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <omp.h>
#include <pthread.h>

namespace {

std::atomic<int> finished{0};

void rest(long ms) {
  const timespec pause{0, ms * 1'000'000};
  nanosleep(&pause, nullptr);
}

int sum_of_region() {
  int sum = 0;
#pragma omp parallel num_threads(8) reduction(+ : sum)
  sum += omp_get_thread_num();
  return sum;
}

void* go_on(void*) {
  rest(100);
  CHECK_EQUAL(sum_of_region(), 28);
  rest(100);
  finished.fetch_add(1);
  return nullptr;
}

void all_have_finished() {
  if (finished.load() != 3)
    _Exit(3);
}

} // namespace

int main() {
  CHECK_EQUAL(atexit(all_have_finished), 0);
  CHECK_EQUAL(sum_of_region(), 28);
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, nullptr, go_on, nullptr), 0);
    CHECK_EQUAL(pthread_detach(thread), 0);
  }
  pthread_exit(nullptr);
}
