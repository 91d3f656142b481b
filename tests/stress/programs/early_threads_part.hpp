// A shared object whose constructor starts threads, which use its data from then on: while it is still being loaded,
// while the memory is divided between nodes, while dlopen has not returned.
#pragma once

#include <atomic>
#include <thread>

namespace {

constexpr int threads = 2;
constexpr std::size_t filler = 3 << 20; // copying it takes long

// In the heap: what is said of the data must not be lost with them.
struct Worker {
  std::thread thread;
  long counted = 1;
  bool wrong = false;
};

long add_one(long value) { return value + 1; }

// All of it initialised with other values than zero: it lies in the file.
volatile long before[filler / sizeof(long)] = {4711};
long (*volatile step)(long) = add_one;
volatile long counters[threads] = {1, 1};
volatile long after[filler / sizeof(long)] = {4712};
std::atomic<int> running{1}, stopped{1}; // 1: none, no
Worker* workers;

void work(Worker* worker, volatile long* counter) {
  running.fetch_add(1);
  while (stopped.load() != 2) {
    *counter = step(*counter);
    ++worker->counted;
    if (before[0] != 4711 || after[0] != 4712 || *counter != worker->counted)
      worker->wrong = true;
  }
}

__attribute__((constructor)) void start() {
  workers = new Worker[threads];
  for (int i = 0; i < threads; ++i)
    workers[i].thread = std::thread(work, &workers[i], &counters[i]);
  while (running.load() <= threads)
    std::this_thread::yield();
}

/// How many of the threads have found something wrong.
int stop() {
  stopped.store(2);
  int wrong = 0;
  for (int i = 0; i < threads; ++i) {
    workers[i].thread.join();
    wrong += workers[i].wrong;
  }
  delete[] workers;
  return wrong;
}

} // namespace
