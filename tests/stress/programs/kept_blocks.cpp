// Small blocks that threads keep when they are freed, for what they allocate next: what a thread has kept when it ends
// is others', destructors of a thread's values may allocate and free, a forked child has what was its parent's, and
// blocks are freed by threads of other nodes than those that allocated them.
// run: HETMP_PLACEMENT=all
// run: HETMP_PLACEMENT=auto
// run: HETMP_PLACEMENT=journeys:1
#include "stress.hpp"

#include <omp.h>
#include <pthread.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <vector>

namespace {

constexpr size_t bytes = 208; // a size that hardly anybody else asks for

/// One after the other. If what each of them has kept were lost, each would have blocks of its own.
void threads_that_end() {
  constexpr int threads = 300, blocks = 12;
  std::set<void*> all;
  for (int i = 0; i < threads; ++i)
    std::thread([&all] {
      void* mine[blocks];
      for (void*& block : mine) {
        block = malloc(bytes);
        memset(block, 0x33, bytes);
        all.insert(block);
      }
      for (void* block : mine)
        free(block);
    }).join();
  CHECK(all.size() < threads * blocks / 4);
}

/// Destroyed behind what this process's allocator has of the thread, or before.
struct Value {
  explicit Value(pthread_key_t used) : key(used), block(malloc(bytes)) {}
  ~Value() {
    free(block);
    void* blocks[40];
    for (void*& each : blocks)
      memset(each = malloc(bytes), 0x44, bytes);
    for (void* each : blocks)
      free(each);
  }
  pthread_key_t key;
  void* block;
  int times = 0;
};

void values_of_threads() {
  pthread_key_t keys[3];
  for (pthread_key_t& key : keys)
    CHECK_EQUAL(pthread_key_create(&key,
                                   [](void* value) {
                                     auto* const mine = static_cast<Value*>(value);
                                     if (++mine->times < 3)
                                       pthread_setspecific(mine->key, mine); // once more
                                     else
                                       delete mine;
                                   }),
                0);
  for (int i = 0; i < 50; ++i) {
    std::vector<std::thread> threads;
    for (int j = 0; j < 3; ++j)
      threads.emplace_back([&keys] {
        for (pthread_key_t key : keys)
          CHECK_EQUAL(pthread_setspecific(key, new Value(key)), 0);
      });
    for (std::thread& thread : threads)
      thread.join();
  }
  for (pthread_key_t key : keys)
    CHECK_EQUAL(pthread_key_delete(key), 0);
}

void forked_child() {
  std::vector<char*> blocks;
  for (int i = 0; i < 100; ++i)
    blocks.push_back(static_cast<char*>(memset(malloc(bytes), i, bytes)));
  for (int i = 0; i < 50; ++i)
    free(blocks[i]);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    std::vector<char*> own;
    for (int i = 0; i < 100; ++i)
      own.push_back(static_cast<char*>(memset(malloc(bytes), 0x77, bytes)));
    for (int i = 50; i < 100; ++i) {
      for (size_t at = 0; at < bytes; ++at)
        CHECK_EQUAL(blocks[i][at], i);
      free(blocks[i]);
    }
    for (char* block : own)
      free(block);
    _exit(23);
  }
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status));
  CHECK_EQUAL(WEXITSTATUS(status), 23);
  for (int i = 50; i < 100; ++i) {
    CHECK_EQUAL(blocks[i][bytes - 1], i);
    free(blocks[i]);
  }
}

/// Each thread frees what the next one has allocated, while all allocate.
void freed_by_others(int round) {
  const int team = omp_get_max_threads();
  constexpr int many = 400;
  std::vector<std::vector<uint64_t*>> made(team, std::vector<uint64_t*>(many));
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num(), other = (me + 1) % omp_get_num_threads();
    stress::Random random(round, me);
    for (int times = 0; times < 5; ++times) {
      for (int i = 0; i < many; ++i) {
        const size_t size = 8 + random.below(1100);
        made[me][i] = static_cast<uint64_t*>(i % 3 == 0 ? calloc(1, size) : malloc(size));
        if (i % 3 == 0)
          CHECK_EQUAL(*made[me][i], 0);
        *made[me][i] = stress::mix(round, me, times * many + i);
      }
#pragma omp barrier
      for (int i = 0; i < many; ++i) {
        CHECK_EQUAL(*made[other][i], stress::mix(round, other, times * many + i));
        *made[other][i] = ~uint64_t(0);
        free(made[other][i]);
        if (i % 7 == 0)
          free(malloc(8 + random.below(1100)));
      }
#pragma omp barrier
      stress::computes_abroad();
    }
  }
}

} // namespace

int main() {
  threads_that_end();
  for (int round = 0; round < 3; ++round) {
    freed_by_others(round);
    values_of_threads();
    forked_child();
    threads_that_end();
  }
}
