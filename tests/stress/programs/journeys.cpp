// Threads of regions at home that go on elsewhere again and again, and what a program may do meanwhile: errors and
// signals that it handles, stacks used to their ends, tables of functions, locks, exceptions, rounding and vectors,
// fork.
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7 OMP_STACKSIZE=256K
#include "stress.hpp"

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <functional>
#include <omp.h>
#include <pthread.h>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

long home;
std::atomic<long> stays{0};

bool is_abroad() { return stress::process_now() != home; }

using stress::compute;

/// Goes on until it is abroad, or for a while; many do not leave, some come home at once.
uint64_t compute_abroad(uint64_t x = 1, int most = 30) {
  for (int i = 0; i < most; ++i) {
    if (is_abroad()) {
      stays.fetch_add(1, std::memory_order_relaxed);
      return x;
    }
    x = compute(x);
  }
  return x;
}

template <class Member> void in_each_member(int visits, Member member) {
  for (int visit = 0; visit < visits; ++visit) {
#pragma omp parallel
    {
#pragma omp barrier
      member(omp_get_thread_num(), visit);
    }
  }
}

// ---- signals

thread_local sigjmp_buf escape;
thread_local volatile sig_atomic_t told;

void jump_back(int number) { siglongjmp(escape, number); }
void note(int) { told = 1; }

void handle(int number, void (*handler)(int), int flags = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  CHECK_EQUAL(sigaction(number, &action, nullptr), 0);
}

void errors_are_the_programs() {
  static volatile int zero = 0;
  for (const int number : {SIGSEGV, SIGFPE, SIGILL, SIGTRAP})
    handle(number, jump_back);
  in_each_member(3, [](int, int) {
    for (int kind = 0; kind < 4; ++kind) {
      compute_abroad();
      const int number = sigsetjmp(escape, 1);
      if (number == 0) {
        if (kind == 0)
          *reinterpret_cast<volatile int*>(8) = 1;
        else if (kind == 1)
          zero = 7 / zero;
        else if (kind == 2)
          __builtin_trap();
        else
          asm volatile("int3"); // is behind it when its signal comes
      }
      CHECK_EQUAL(number, kind == 0 ? SIGSEGV : kind == 1 ? SIGFPE : kind == 2 ? SIGILL : SIGTRAP);
    }
  });
  for (const int number : {SIGSEGV, SIGFPE, SIGILL, SIGTRAP})
    handle(number, SIG_DFL);
}

/// A member that spins for what only its own handler sets, as stopped threads of garbage collectors do.
void signals_find_their_thread() {
  handle(SIGUSR1, note);
  std::vector<pthread_t> threads;
  threads.resize(size_t(omp_get_max_threads()));
  static std::atomic<int> ready;
  for (int visit = 0; visit < 3; ++visit) {
    ready = 0;
#pragma omp parallel
    {
      const int member = omp_get_thread_num();
      threads[size_t(member)] = pthread_self();
      told = 0;
#pragma omp barrier
      if (member != 0) {
        compute_abroad();
        ready++;
        while (!told)
          ;
      } else {
        while (ready != omp_get_num_threads() - 1)
          ;
        for (int other = 1; other < omp_get_num_threads(); ++other)
          pthread_kill(threads[size_t(other)], SIGUSR1);
      }
    }
  }
}

// ---- stacks

__attribute__((noinline)) uint64_t descend(uint64_t depth, const char* end) {
  volatile char frame[400];
  frame[0] = 1;
  if (end && reinterpret_cast<const char*>(__builtin_frame_address(0)) - end < 3000)
    return compute(depth, 400);
  return descend(compute(depth, 100), end) + uint64_t(frame[0]);
}

void stacks_to_their_ends() {
  in_each_member(2, [](int member, int) {
    if (member == 0)
      return;
    pthread_attr_t attributes;
    void* begin;
    size_t bytes;
    CHECK_EQUAL(pthread_getattr_np(pthread_self(), &attributes), 0);
    CHECK_EQUAL(pthread_attr_getstack(&attributes, &begin, &bytes), 0);
    pthread_attr_destroy(&attributes);
    for (int round = 0; round < 3; ++round) {
      compute_abroad();
      descend(1, static_cast<char*>(begin));
    }
  });
}

thread_local bool has_stack = false;

/// Of those that have not been away: a thread with an alternate stack of the program's own stays at home. So the last
/// of those that need journeys.
void overflows_meet_a_guard() {
  handle(SIGSEGV, jump_back, SA_ONSTACK);
  in_each_member(3, [](int member, int) {
    if (member == 0)
      return;
    compute_abroad();
    if (!has_stack) {
      const stack_t stack = {new char[65536], 0, 65536};
      CHECK_EQUAL(sigaltstack(&stack, nullptr), 0);
      has_stack = true;
    }
    if (sigsetjmp(escape, 1) == 0)
      descend(1, nullptr);
    compute(1);
  });
  handle(SIGSEGV, SIG_DFL);
}

// ---- functions that are each process's own

pid_t (*volatile process_ids[])() = {getpid};
int (*volatile numbers[])() = {omp_get_thread_num};

struct Characters : std::streambuf { // what it does not define itself is in a table of its own
  std::string text;
  int overflow(int character) override {
    compute(1, 500);
    text += char(character);
    return character;
  }
};

void tables_of_functions() {
  in_each_member(4, [](int member, int) {
    compute_abroad();
    CHECK_EQUAL(process_ids[0](), home);
    compute_abroad();
    CHECK_EQUAL(numbers[0](), member);
    Characters characters;
    std::streambuf& buffer = characters;
    for (int i = 0; i < 5; ++i) {
      compute_abroad();
      buffer.sputn("abcdef", 6);
    }
    CHECK_EQUAL(characters.text.size(), 30);
  });
}

void exceptions_and_callbacks() {
  in_each_member(4, [](int member, int) {
    for (int i = 0; i < 4; ++i) {
      try {
        compute_abroad();
        if (i % 2)
          throw std::runtime_error(std::to_string(i));
        std::vector<int>().at(size_t(member));
      } catch (const std::out_of_range&) {
        CHECK_EQUAL(i % 2, 0);
      } catch (const std::runtime_error& error) {
        CHECK_EQUAL(std::stoi(error.what()), i);
      }
    }
    std::vector<uint64_t> sorted(500);
    for (size_t i = 0; i < sorted.size(); ++i)
      sorted[i] = stress::mix(i, uint64_t(member));
    std::vector<uint64_t> other = sorted;
    std::sort(sorted.begin(), sorted.end(), [](uint64_t a, uint64_t b) {
      compute(a, 300);
      return a < b;
    });
    qsort(other.data(), other.size(), sizeof other[0], [](const void* a, const void* b) {
      const uint64_t x = *static_cast<const uint64_t*>(a), y = *static_cast<const uint64_t*>(b);
      compute(x, 300);
      return x < y ? -1 : int(x > y);
    });
    CHECK(sorted == other);
  });
}

// ---- what is a thread's own

thread_local std::vector<int> visits_seen;

void a_threads_own_state() {
  in_each_member(4, [](int member, int) {
    visits_seen.push_back(member);
    const size_t seen = visits_seen.size();
    errno = 1000 + member;
    const int mode = (member & 1) != 0 ? FE_UPWARD : FE_DOWNWARD;
    fesetround(mode);
    volatile long double one = 1, three = 3;
    const long double third = one / three;
    typedef uint64_t Four __attribute__((vector_size(32)));
    Four vector = {1, 2, 3, 4};
    for (int i = 0; i < 20; ++i) {
      compute_abroad(1, 3);
      vector = vector * 3 + 1;
      CHECK(one / three == third);
    }
    CHECK_EQUAL(fegetround(), mode);
    CHECK_EQUAL(errno, 1000 + member);
    fesetround(FE_TONEAREST);
    for (size_t i = 0; i < 4; ++i) {
      uint64_t want = i + 1;
      for (int j = 0; j < 20; ++j)
        want = want * 3 + 1;
      CHECK(vector[i] == want);
    }
    CHECK_EQUAL(visits_seen.size(), seen);
  });
}

// ---- processes

void children_see_all_memory() {
  static uint64_t numbers_of[1 << 14];
  for (uint64_t round = 1; round <= 3; ++round) {
#pragma omp parallel
    {
#pragma omp for
      for (uint64_t i = 0; i < 1 << 14; ++i) {
        if (i % 1024 == 0)
          compute_abroad(i, 3);
        numbers_of[i] = i * round;
      }
      if (omp_get_thread_num() == 1 % omp_get_num_threads()) {
        const pid_t child = fork();
        if (child == 0) {
          for (uint64_t i = 0; i < 1 << 14; ++i)
            if (numbers_of[i] != i * round)
              _exit(1);
          _exit(0);
        }
        int status = -1;
        CHECK_EQUAL(waitpid(child, &status, 0), child);
        CHECK_EQUAL(status, 0);
      } else {
        compute_abroad();
      }
    }
  }
}

/// The last: threads stay at home from then on.
void the_signal_is_the_programs_to_take() {
  const int number = SIGRTMAX - 2; // travel_signal()
  static std::atomic<int> received;
  in_each_member(2, [&](int member, int) {
    compute_abroad();
    if (member == 0) {
      struct sigaction action = {}, before = {};
      action.sa_handler = [](int) { received++; };
      CHECK_EQUAL(sigaction(number, &action, &before), 0);
      CHECK(received == 0 ? before.sa_handler == SIG_DFL || before.sa_handler == action.sa_handler : true);
    }
    compute(1);
  });
  CHECK_EQUAL(received, 0);
  raise(number);
  CHECK_EQUAL(received, 1);
}

/// Before them stands no gate. Who asks for a lock abroad is at home when it has it, and so is who releases one; but it
/// may depart again between that and the look.
void locks_are_taken_at_home() {
  static omp_lock_t lock;
  omp_init_lock(&lock);
  static long counts[4];
  long wanted = 0, set_at_home = 0, unset_at_home = 0, tests = 0, tested_at_home = 0;
#pragma omp parallel reduction(+ : wanted, set_at_home, unset_at_home, tests, tested_at_home)
  for (int i = 0; i < 20; ++i) {
    compute_abroad();
    omp_set_lock(&lock);
    set_at_home += !is_abroad();
    ++counts[0];
    omp_unset_lock(&lock);
    compute_abroad();
    while (!omp_test_lock(&lock)) {
      tested_at_home += !is_abroad();
      ++tests;
    }
    ++counts[1];
    compute_abroad(); // with a lock it may depart again
    omp_unset_lock(&lock);
    unset_at_home += !is_abroad();
    compute_abroad();
#pragma omp critical
    ++counts[2];
    compute_abroad();
#pragma omp critical(named)
    {
      compute_abroad();
      ++counts[3];
    }
    ++wanted;
  }
  for (const long count : counts)
    CHECK(count == wanted);
  // Each apart: a lock that is waited for is tested at home thousands of times.
  CHECK(set_at_home * 10 >= wanted * 9);
  CHECK(unset_at_home * 10 >= wanted * 9);
  CHECK(tested_at_home * 10 >= tests * 9);
  omp_destroy_lock(&lock);
}

/// Arguments of its function that do not fit into registers are on the stack of the one that has called it.
void one_that_shares_much_travels() {
  long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, sum = 0;
  std::atomic<long> abroad{0};
  for (int more = 0; abroad == 0; ++more) {
    CHECK(more < 1000);
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp barrier
      compute_abroad();
      abroad += is_abroad();
      sum += a + b + c + d + e + f + g;
    }
  }
  CHECK_EQUAL(sum % 28, 0);
}

} // namespace

int main() {
  home = stress::process_now();
  errors_are_the_programs();
  signals_find_their_thread();
  stacks_to_their_ends();
  tables_of_functions();
  locks_are_taken_at_home();
  exceptions_and_callbacks();
  a_threads_own_state();
  children_see_all_memory();
  // Otherwise all that would have shown nothing.
  if (stress::threads_must_travel()) {
    for (int more = 0; stays == 0; ++more) {
      CHECK(more < 1000);
      in_each_member(1, [](int, int) { compute_abroad(); });
    }
    one_that_shares_much_travels();
  }
  overflows_meet_a_guard();
  the_signal_is_the_programs_to_take();
}
