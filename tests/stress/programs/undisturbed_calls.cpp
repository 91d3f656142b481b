// Calls that a signal's handler ends with EINTR, whatever it is: no signal but the program's own does, though the
// threads of a region at home are asked by signals whether they travel. In the region's own code, in tasks, and after
// regions.
// run: HETMP_PLACEMENT=auto
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7
#include "stress.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <threads.h>

namespace {

constexpr long limit_ns = 40'000'000; // many times as long as until the next signal
constexpr timespec limit = {0, limit_ns};

timespec in_a_moment(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += limit_ns;
  if (time.tv_nsec >= 1'000'000'000) {
    time.tv_nsec -= 1'000'000'000;
    time.tv_sec++;
  }
  return time;
}

/// It was its time limit that ended it.
void expect_timeout(long result, int error) {
  CHECK_EQUAL(result, -1);
  CHECK_EQUAL(errno, error);
}

void sleeps() {
  timespec left = {1, 1};
  CHECK_EQUAL(nanosleep(&limit, &left), 0);
  CHECK_EQUAL(clock_nanosleep(CLOCK_MONOTONIC, 0, &limit, nullptr), 0);
  CHECK_EQUAL(usleep(limit_ns / 1000), 0);
  CHECK_EQUAL(thrd_sleep(&limit, nullptr), 0);
}

void waits_for_files() {
  int ends[2];
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  pollfd file = {ends[0], POLLIN, 0};
  CHECK_EQUAL(poll(&file, 1, limit_ns / 1'000'000), 0);
  CHECK_EQUAL(ppoll(&file, 1, &limit, nullptr), 0);
  fd_set files;
  FD_ZERO(&files);
  FD_SET(ends[0], &files);
  CHECK_EQUAL(pselect(ends[0] + 1, &files, nullptr, nullptr, &limit, nullptr), 0);
  timeval time = {0, limit_ns / 1000};
  CHECK_EQUAL(select(0, nullptr, nullptr, nullptr, &time), 0);
  const int set = epoll_create1(0);
  epoll_event event = {};
  CHECK_EQUAL(epoll_wait(set, &event, 1, limit_ns / 1'000'000), 0);
  CHECK_EQUAL(epoll_pwait(set, &event, 1, limit_ns / 1'000'000, nullptr), 0);
  close(set);

  const timeval patience = {0, limit_ns / 1000};
  CHECK_EQUAL(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
  char byte = 0;
  expect_timeout(recv(ends[0], &byte, 1, 0), EAGAIN);
  expect_timeout(recvfrom(ends[0], &byte, 1, 0, nullptr, nullptr), EAGAIN);
  CHECK_EQUAL(send(ends[1], "x", 1, 0), 1);
  CHECK_EQUAL(recv(ends[0], &byte, 1, 0), 1);
  CHECK_EQUAL(byte, 'x');
  close(ends[0]);
  close(ends[1]);
}

void waits_for_others() {
  sem_t semaphore;
  CHECK_EQUAL(sem_init(&semaphore, 0, 0), 0);
  timespec time = in_a_moment(CLOCK_REALTIME);
  expect_timeout(sem_timedwait(&semaphore, &time), ETIMEDOUT);
  sem_destroy(&semaphore);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 3);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  expect_timeout(sigtimedwait(&set, nullptr, &limit), EAGAIN);
  const int semaphores = semget(IPC_PRIVATE, 1, 0600);
  CHECK(semaphores >= 0);
  sembuf down = {0, -1, 0};
  expect_timeout(semtimedop(semaphores, &down, 1, &limit), EAGAIN);
  semctl(semaphores, 0, IPC_RMID);
}

/// Small regions leave the timer of their signal set, for the next one.
void after_small_regions() {
  for (int call = 0; call < 6; ++call) {
    int threads = 0;
    for (int region = 0; region < 20; ++region)
#pragma omp parallel reduction(+ : threads)
      threads++;
    CHECK(threads >= 20);
    const timespec time = {0, limit_ns / 2};
    pollfd none = {-1, 0, 0};
    if (call % 2 == 0)
      CHECK_EQUAL(nanosleep(&time, nullptr), 0);
    else
      CHECK_EQUAL(poll(&none, 1, limit_ns / 2'000'000), 0);
  }
  waits_for_files();
}

std::atomic<int> handled{0};

/// A signal of the program's own ends such a call as ever.
void is_ended_by_programs_signals(pthread_t other) {
  const int before = handled;
  while (true) {
    const timespec long_time = {2, 0};
    const bool ended = nanosleep(&long_time, nullptr) == -1;
    CHECK(!ended || errno == EINTR);
    if (ended && handled != before)
      break;
  }
  pthread_kill(other, SIGUSR2);
}

} // namespace

int main() {
  struct sigaction action = {};
  action.sa_handler = [](int) { handled++; };
  action.sa_flags = SA_RESTART;
  CHECK_EQUAL(sigaction(SIGUSR1, &action, nullptr), 0);
  CHECK_EQUAL(sigaction(SIGUSR2, &action, nullptr), 0);
  for (int visit = 0; visit < 2; ++visit) {
#pragma omp parallel
    {
      sleeps();
      stress::compute(1);
      waits_for_files();
      stress::compute(2, 400'000);
      waits_for_others();
    }
  }
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2 * omp_get_num_threads(); ++i) {
#pragma omp task
    {
      stress::compute(uint64_t(i), 400'000);
      sleeps();
    }
  }

  after_small_regions();

  std::atomic<bool> sleeps_on{true};
#pragma omp parallel num_threads(2)
  {
    static pthread_t threads[2];
    threads[omp_get_thread_num()] = pthread_self();
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      is_ended_by_programs_signals(threads[0]);
      sleeps_on = false;
    } else {
      while (sleeps_on) {
        pthread_kill(threads[1], SIGUSR1);
        usleep(20'000);
      }
    }
  }
  CHECK(handled >= 1);
}
