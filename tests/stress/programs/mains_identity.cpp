// What constructors see of the thread that executes them is what main sees: who it is, and what can be asked about it.

// library: mains_identity_part.cpp
#include "stress.hpp"

#include <csignal>
#include <cstring>
#include <omp.h>
#include <pthread.h>
#include <thread>

extern "C" pthread_t librarys_thread();
extern "C" int librarys_answers();
extern "C" bool has_librarys_variables();

namespace {

const pthread_t constructors_thread = pthread_self();
const std::thread::id constructors_id = std::this_thread::get_id();

/// The program has variables with destructors, of which each thread has its own: they are made and destroyed once.
struct Counted {
  Counted() { ++made; }
  ~Counted() { ++destroyed; }
  int value = 1;
  static inline std::atomic<int> made{0}, destroyed{0};
};
thread_local Counted counted;
thread_local int plain = 3;

__attribute__((constructor)) void set_own() {
  plain += 4;
  counted.value = 5;
}

volatile sig_atomic_t told = 0;
void note(int) { told = told + 1; }

} // namespace

int main() {
  CHECK(pthread_equal(librarys_thread(), pthread_self()));
  CHECK(pthread_equal(constructors_thread, pthread_self()));
  CHECK(constructors_id == std::this_thread::get_id());
  CHECK_EQUAL(librarys_answers(), 0);

  CHECK(has_librarys_variables());
  CHECK(counted.value == 5 || counted.value == 1); // 1: another thread's, which was made when it was used
  CHECK(plain == 7 || counted.value == 1);         // they are of one object
  CHECK(Counted::made == 1 || Counted::made == 2);

  // It is main's, too, for all that takes it.
  struct sigaction action = {};
  action.sa_handler = note;
  CHECK_EQUAL(sigaction(SIGUSR1, &action, nullptr), 0);
  CHECK_EQUAL(pthread_kill(librarys_thread(), SIGUSR1), 0);
  CHECK_EQUAL(int(told), 1);
  pthread_attr_t attributes;
  void* stack;
  size_t bytes;
  CHECK_EQUAL(pthread_getattr_np(librarys_thread(), &attributes), 0);
  CHECK_EQUAL(pthread_attr_getstack(&attributes, &stack, &bytes), 0);
  pthread_attr_destroy(&attributes);
  const char* const here = reinterpret_cast<const char*>(&attributes);
  CHECK(here >= static_cast<char*>(stack) && here < static_cast<char*>(stack) + bytes);

  // Others are others.
  int strangers = 0;
#pragma omp parallel num_threads(4) reduction(+ : strangers)
  strangers += !pthread_equal(pthread_self(), librarys_thread()) && std::this_thread::get_id() != constructors_id;
  CHECK_EQUAL(strangers, 3);
  std::thread other([] { CHECK(!has_librarys_variables()); });
  other.join();
  std::thread another([] { CHECK(!pthread_equal(pthread_self(), librarys_thread())); });
  another.join();
}
