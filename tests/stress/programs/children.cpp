// Children that threads of any node make, and memory that a program shares with them: anonymous mappings, with a
// semaphore in one; segments of System V; and mappings for stacks, which all threads use.
// run: HETMP_PLACEMENT=all
// run: HETMP_PLACEMENT=random:1
// run: HETMP_PLACEMENT=auto
#include "stress.hpp"

#include <cerrno>
#include <omp.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int items = 1000;
int of_all[items];

int ending_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    CHECK_EQUAL(errno, EINTR);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void make_one(int name, int round) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    bool right = true;
    for (int i = 0; i < items; ++i)
      right = right && of_all[i] == i + round;
    _exit(right ? name : 1);
  }
  CHECK_EQUAL(ending_of(child), name);
}

void made_by_any_thread(int round) {
#pragma omp parallel for
  for (int i = 0; i < items; ++i)
    of_all[i] = i + round;
#pragma omp parallel
  for (int turn = 0; turn < omp_get_num_threads(); ++turn) { // the others write nothing meanwhile
#pragma omp barrier
    if (turn == omp_get_thread_num())
      make_one(10 + turn, round);
  }
}

struct Shared {
  sem_t asked, answered;
  long sum;
  int values[items];
};

void shares_a_mapping() {
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  auto* const shared = static_cast<Shared*>(memory);
  CHECK_EQUAL(sem_init(&shared->asked, 1, 0), 0);
  CHECK_EQUAL(sem_init(&shared->answered, 1, 0), 0);
  constexpr int rounds = 10;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    for (int round = 0; round < rounds; ++round) {
      while (sem_wait(&shared->asked) != 0) {
      }
      shared->sum = 0;
      for (const int value : shared->values)
        shared->sum += value;
      sem_post(&shared->answered);
    }
    _exit(0);
  }
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel for
    for (int i = 0; i < items; ++i)
      shared->values[i] = i * round;
    sem_post(&shared->asked);
    while (sem_wait(&shared->answered) != 0) {
    }
    CHECK_EQUAL(shared->sum, long(items) * (items - 1) / 2 * round);
  }
  CHECK_EQUAL(ending_of(child), 0);
  CHECK_EQUAL(munmap(memory, sizeof(Shared)), 0);
}

void count_in(void* memory) {
  auto* const count = static_cast<std::atomic<long>*>(memory);
  const long before = *count;
#pragma omp parallel for
  for (int i = 0; i < items; ++i)
    ++*count;
  CHECK_EQUAL(*count, before + items);
}

void attaches_a_segment() {
  constexpr size_t bytes = 100'000;
  const int segment = shmget(IPC_PRIVATE, bytes, 0600);
  CHECK(segment >= 0);
  void* const first = shmat(segment, nullptr, 0);
  void* const again = shmat(segment, nullptr, SHM_RDONLY);
  CHECK_EQUAL(shmctl(segment, IPC_RMID, nullptr), 0);
  CHECK(first != reinterpret_cast<void*>(-1) && again != reinterpret_cast<void*>(-1) && first != again);
  count_in(first);
  CHECK_EQUAL(*static_cast<std::atomic<long>*>(again), items);
  CHECK_EQUAL(shmdt(again), 0);
  const pid_t child = fork();
  if (child == 0) {
    *static_cast<std::atomic<long>*>(first) = 7;
    _exit(0);
  }
  CHECK_EQUAL(ending_of(child), 0);
  count_in(first);
  CHECK_EQUAL(*static_cast<std::atomic<long>*>(first), items + 7);
  CHECK_EQUAL(shmdt(first), 0);
  CHECK_EQUAL(shmdt(first), -1);
  CHECK_EQUAL(errno, EINVAL);
  CHECK(shmat(-1, nullptr, 0) == reinterpret_cast<void*>(-1));
}

void maps_for_a_stack() {
  constexpr size_t bytes = 256 << 10;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  CHECK(memory != MAP_FAILED);
  count_in(memory);
  CHECK_EQUAL(munmap(memory, bytes), 0);
}

} // namespace

int main() {
  for (int round = 0; round < 5; ++round) {
    made_by_any_thread(round);
    shares_a_mapping();
    attaches_a_segment();
    maps_for_a_stack();
  }
}
