/* Sends a text through shared pages and to standard output: what somebody who listens on the network looks for.
 *
 * Usage: secret_program TEXT [LINES]. The text is made of the argument with every byte one larger, so that it is
 * nowhere but where this program puts it: not in its arguments, which travel too. Node 0 fills pages with it; the last
 * thread, which is on another node, counts it there and writes as many pages of its own, which node 0 counts. It is
 * printed LINES times (1). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { pages = 64, page_bytes = 4096 };

static void fill(char* memory, const char* text, size_t length) {
  for (size_t at = 0; at + length <= (size_t)pages * page_bytes; at += length)
    memcpy(memory + at, text, length);
}

static size_t count(const char* memory, const char* text, size_t length) {
  size_t found = 0;
  for (size_t at = 0; at + length <= (size_t)pages * page_bytes; at += length)
    found += memcmp(memory + at, text, length) == 0;
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2)
    return 2;
  char* text = strdup(argv[1]);
  const size_t length = strlen(text);
  const int lines = argc > 2 ? atoi(argv[2]) : 1;
  for (size_t i = 0; i < length; i++)
    text[i]++;
  char* there = calloc(pages, page_bytes);
  char* back = calloc(pages, page_bytes);
  size_t* found = calloc(1, sizeof *found);
  if (!there || !back || !found)
    return 2;
  fill(there, text, length);
#pragma omp parallel firstprivate(there, back, found, text, length)
  if (omp_get_thread_num() == omp_get_num_threads() - 1) {
    *found = count(there, text, length);
    fill(back, text, length);
  }
  const size_t wanted = (size_t)pages * page_bytes / length;
  if (*found != wanted || count(back, text, length) != wanted)
    return 1;
  for (int i = 0; i < lines; i++)
    printf("%s\n", text);
  return 0;
}
