// Nested functions, as gcc compiles them where their address is taken: code on the stack. Those of main are called by
// the threads of all nodes, those of threads by the threads. With an argument: the same in an object that is loaded
// while the program runs.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

typedef int function(int);

__attribute__((noinline)) static int call(function* which, int number) { return which(number); }

/* By a function of its own: what nested functions refer to in a region, gcc 12 keeps in one place for all threads. */
__attribute__((noinline)) static int sum_of_thread(function* of_main, int own) {
  int of_thread(int number) { return number * own; }
  return call(of_main, own) + call(of_thread, 2);
}

int nested_sum(int threads) {
  int added = 3, total = 0;
  int of_main(int number) { return number + added; }
  const int serial = call(of_main, 1);
#pragma omp parallel num_threads(threads) reduction(+ : total)
  total += sum_of_thread(of_main, omp_get_thread_num());
  return total * 10 + serial;
}

#ifndef PLUGIN
#ifdef LOADER
static int plain_sum(void) {
  int total = 0;
#pragma omp parallel num_threads(4) reduction(+ : total)
  total += omp_get_thread_num();
  return total;
}
#define OWN_SUM plain_sum() // threads are there before the object asks for their stacks to be executable
#else
#define OWN_SUM nested_sum(4)
#endif

int main(int count, char** words) {
  printf("%d\n", OWN_SUM);
  for (int i = 1; i < count; ++i) {
    void* object = dlopen(words[i], RTLD_NOW);
    int (*sum)(int) = object ? (int (*)(int))dlsym(object, "nested_sum") : NULL;
    printf("%d\n", sum ? sum(4) : -1);
    if (!sum)
      printf("%s\n", dlerror());
  }
  return 0;
}
#endif
