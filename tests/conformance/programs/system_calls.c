// The kernel reads and writes memory other threads touched last: write(2), read(2), pipes, stdio.
#include "check.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { bytes = 40000 };

int main(void) {
  unsigned char* sent = malloc(bytes);
  unsigned char* received = malloc(bytes);
  FILE* file = tmpfile();
  CHECK(sent && received && file);
  for (int round = 0; round < 5; round++) {
#pragma omp parallel for schedule(static, 1000)
    for (int i = 0; i < bytes; i++) {
      sent[i] = (unsigned char)(i * 7 + round);
      received[i] = 0xee;
    }
    rewind(file);
    CHECK_EQUAL(write(fileno(file), sent, bytes), bytes);
    CHECK_EQUAL(pread(fileno(file), received, bytes, 0), bytes);
    int wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int i = 0; i < bytes; i++)
      wrong += received[i] != sent[i];
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(ftruncate(fileno(file), 0), 0);
    CHECK_EQUAL(lseek(fileno(file), 0, SEEK_SET), 0);
  }
#pragma omp parallel num_threads(4)
  { // each thread's own pipe, with buffers that the initial thread allocated
    int ends[2];
    const int me = omp_get_thread_num();
    CHECK_EQUAL(pipe(ends), 0);
    CHECK_EQUAL(write(ends[1], sent + me * 4000, 4000), 4000);
    CHECK_EQUAL(read(ends[0], received + me * 4000, 4000), 4000);
    close(ends[0]);
    close(ends[1]);
  }
  CHECK_EQUAL(memcmp(sent, received, 16000), 0);
  fclose(file);
  free(sent);
  free(received);
  return finish();
}
