// A shared object that keeps who executes its constructor.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <sched.h>

namespace {

thread_local int own_number = 7;
thread_local int* own_pointer = nullptr;
thread_local char own_text[100];

pthread_t thread;
int answers = 0; ///< a bit for each that is wrong

__attribute__((constructor)) void keep() {
  thread = pthread_self();
  own_number = 4711;
  own_pointer = &own_number;
  own_text[99] = 'x';
  pthread_attr_t attributes;
  void* stack = nullptr;
  size_t bytes = 0;
  const char here = 0;
  if (pthread_getattr_np(thread, &attributes) != 0 || pthread_attr_getstack(&attributes, &stack, &bytes) != 0 ||
      &here < static_cast<char*>(stack) || &here >= static_cast<char*>(stack) + bytes)
    answers |= 1;
  pthread_attr_destroy(&attributes);
  char name[16] = "";
  answers |= pthread_getname_np(thread, name, sizeof name) == 0 && name[0] != 0 ? 0 : 2;
  cpu_set_t cpus;
  answers |= pthread_getaffinity_np(thread, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 0 ? 0 : 4;
  answers |= pthread_setaffinity_np(thread, sizeof cpus, &cpus) == 0 ? 0 : 8;
  int policy = -1;
  sched_param parameters;
  answers |= pthread_getschedparam(thread, &policy, &parameters) == 0 && policy >= 0 ? 0 : 16;
  answers |= pthread_kill(thread, 0) == 0 ? 0 : 32;
  clockid_t clock;
  timespec time;
  answers |= pthread_getcpuclockid(thread, &clock) == 0 && clock_gettime(clock, &time) == 0 ? 0 : 64;
}

} // namespace

extern "C" bool has_librarys_variables() {
  return own_number == 4711 && own_pointer == &own_number && own_text[99] == 'x';
}
extern "C" pthread_t librarys_thread() { return thread; }
extern "C" int librarys_answers() { return answers; }
