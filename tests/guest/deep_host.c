/* A program that uses OpenMP itself and loads a library that does: deep_host LIBRARY [deep]. With `deep` the library's
   own dependences come before everybody else's. Then the runtime shows its environment, and whom it has found beside
   it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

static int own_sum(int n) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
  for (int i = 1; i <= n; ++i)
    sum += i;
  return sum;
}

int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | (argc > 2 ? RTLD_DEEPBIND : 0));
  int (*sum)(int) = library ? (int (*)(int))dlsym(library, "plugin_sum") : NULL;
  if (!sum) {
    fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  int inside = 0; /* also from within a region of the other runtime */
#pragma omp parallel num_threads(2) reduction(+ : inside)
  inside += sum(100);
  printf("%d %d %d %d\n", own_sum(100), sum(100), inside, own_sum(10));
  omp_display_env(1);
  return 0;
}
