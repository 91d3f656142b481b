/* Says where copies are made, for a probe of the kernel's: the C library's file, and where in it memcpy() begins on
 * this processor. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
  Dl_info of_copy, of_move;
  const char* const copy = dlsym(RTLD_DEFAULT, "memcpy");
  const char* const move = dlsym(RTLD_DEFAULT, "memmove");
  if (!copy || !move || !dladdr(copy, &of_copy) || !dladdr(move, &of_move) || of_copy.dli_fbase != of_move.dli_fbase)
    return 1;
  printf("copies=%s:0x%zx\n", of_copy.dli_fname, (size_t)(copy - (const char*)of_copy.dli_fbase));
  if (copy != move)
    printf("moves=%s:0x%zx\n", of_move.dli_fname, (size_t)(move - (const char*)of_move.dli_fbase));
  return 0;
}
