/* A program without OpenMP that loads libraries with it and lets them go: host ROUNDS LIBRARY ... Prints the sums it
 * was given. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int use(void* library) {
  int (*sum)(int) = (int (*)(int))dlsym(library, "plugin_sum");
  return sum ? sum(100) : -1;
}

static void* load(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(3);
  }
  return library;
}

int main(int argc, char** argv) {
  const int rounds = atoi(argv[1]);
  int right = 0;
  for (int round = 0; round < rounds; ++round) {
    void* open[16] = {0};
    const int count = argc - 2 < 16 ? argc - 2 : 16;
    for (int i = 0; i < count; ++i)
      right += use(open[i] = load(argv[2 + i])) == 5050;
    for (int i = 0; i < count; ++i) /* in the order of loading, or the other way round */
      dlclose(open[round % 2 ? i : count - 1 - i]);
  }
  printf("%d right\n", right);
  return 0;
}
