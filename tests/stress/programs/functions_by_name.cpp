// Functions whose addresses dlsym() has given, called in regions whose threads could go on elsewhere: no gate stands
// before them. Until the program has such an address its threads do go on elsewhere, whatever it could ask for; a
// function of its own, or none, is no reason to stay.
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7
// run: HETMP_PLACEMENT=all
// flags: -ldl -rdynamic
#include "stress.hpp"

#include <dlfcn.h>
#include <omp.h>
#include <sys/time.h>
#include <unistd.h>

extern "C" long by_name(long value) { return value + 1; }

namespace {

std::atomic<long> abroad{0};

template <class Function> Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Threads go elsewhere, where that is wanted, and call it there.
void travel(long (*function)(long)) {
  const long before = abroad;
  for (int round = 0; round == 0 || (stress::threads_must_travel() && abroad == before); ++round) {
    CHECK(round < 100);
#pragma omp parallel
    for (int i = 0; i < 10; ++i) {
      abroad += stress::computes_abroad();
      CHECK_EQUAL(function(i), i + 1);
    }
  }
}

/// Asked for where it is called; by all threads, also of other nodes.
void own_function() {
  const auto function = find<long(long)>("by_name");
  CHECK(function == by_name);
  CHECK(!find<void()>("no_function_of_this_name"));
  itimerval none{};
  CHECK_EQUAL(setitimer(ITIMER_REAL, &none, nullptr), 0);
#pragma omp parallel
  CHECK(find<long(long)>("by_name") == by_name);
  travel(function);
}

void private_functions() {
  pid_t (*process)() = nullptr;
  int (*member)() = nullptr;
  const pid_t home = getpid();
#pragma omp parallel num_threads(4)
  {
    stress::computes_abroad();
    if (omp_get_thread_num() == 3) {
      process = find<pid_t()>("getpid");
      member = find<int()>("omp_get_thread_num");
    }
#pragma omp barrier
    for (int i = 0; i < 20; ++i) {
      stress::compute(1, 300'000);
      if (stress::threads_must_travel())
        CHECK_EQUAL(process(), home);
      stress::compute(1, 300'000);
      CHECK_EQUAL(member(), omp_get_thread_num());
    }
  }
}

} // namespace

int main() {
  travel(by_name);
  own_function();
  private_functions();
}
