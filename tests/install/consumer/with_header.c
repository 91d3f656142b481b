// What program.c prints, by a program that includes hetmp.h and calls what it declares.
#include <hetmp.h>

#define main other_main
#include "program.c"
#undef main

int main(void) {
  if (hetmp_get_num_nodes() != 1 || hetmp_get_node_num() != 0)
    return 2;
  return other_main();
}
