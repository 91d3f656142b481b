// The runner believes that these programs run on hetmp: do they? And does nothing else answer for part of the
// ABI?
#include "check.h"

#include <dlfcn.h>
#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static void check_owner(const char* symbol, const char* expected) {
  Dl_info info;
  void* address = dlsym(RTLD_DEFAULT, symbol);
  char owner[PATH_MAX] = "";
  CHECK(address && dladdr(address, &info) && realpath(info.dli_fname, owner));
  CHECK(strcmp(owner, expected) == 0);
}

int main(void) {
  const char* name = getenv("CONFORMANCE_RUNTIME");
  char expected[PATH_MAX];
  if (name && realpath(name, expected)) {
    check_owner("omp_get_max_threads", expected);
    check_owner("__kmpc_fork_call", expected);
    check_owner("__kmpc_for_static_init_4", expected);
  }
  int threads = 0;
#pragma omp parallel
#pragma omp atomic
  threads++;
  CHECK_EQUAL(threads, 4);
  return finish();
}
