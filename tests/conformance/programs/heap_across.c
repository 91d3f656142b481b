// Memory that one thread allocates and another fills, grows and frees.
#include "check.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  enum { threads = 4, blocks = 60 };
  static char* block[threads][blocks];
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num(), next = (me + 1) % threads;
    for (int i = 0; i < blocks; i++) {
      block[me][i] = malloc(1 + i * 97);
      memset(block[me][i], me + 1, 1 + i * 97);
    }
#pragma omp barrier
    for (int i = 0; i < blocks; i++) {
      CHECK_EQUAL(block[next][i][i * 97], next + 1);
      block[next][i] = realloc(block[next][i], 1000 + i * 200);
      CHECK_EQUAL(block[next][i][0], next + 1);
      block[next][i][999] = 9;
    }
#pragma omp barrier
    for (int i = 0; i < blocks; i++) {
      CHECK_EQUAL(block[me][i][999], 9);
      if (i % 2)
        free(block[me][i]);
    }
#pragma omp barrier
    for (int i = 0; i < blocks; i += 2)
      free(block[next][i]);
    int* zeros = calloc(3000, sizeof *zeros);
    for (int i = 0; i < 3000; i++)
      CHECK_EQUAL(zeros[i], 0);
    free(zeros);
  }
  return finish();
}
