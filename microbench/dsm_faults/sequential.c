/* A sequential pass: one node reads, or reads and rewrites, memory from its beginning to its end, page by page or word
 * by word, that the other has just written for the first time. None of it was at the reader before. Or the home writes
 * memory that is new, of which the other node has a page here and there. One pass a run of the program: the next one's
 * memory would be further memory of the machine's, which may be slower to come by than what was given back.
 */
#include "sequential.h"
#include "samples.h"

#include <omp.h>
#include <string.h>

enum { PAGE_WORDS = PAGE_BYTES / sizeof(uint64_t), APART = 512 * PAGE_WORDS };

typedef struct {
  const char* name;
  const char* text;
  int writer;     /* the node that writes; the other reads. Node 0 allocates */
  size_t stride;  /* of the words that are read */
  int with_zeros; /* nobody writes: the pages stay as they are allocated */
  int rewrites;   /* each word that is read is written at once */
  int looks;      /* the node that would write has read a word in every 2 MiB before */
} Pass;

static const Pass PASSES[] = {
    {"pages", "sequential, a word of each page", 0, PAGE_WORDS, 0, 0, 0},
    {"words", "sequential, every word", 0, 1, 0, 0, 0},
    {"home", "sequential, every word, by the home", 1, 1, 0, 0, 0},
    {"zeros", "sequential, a word of each page, zeros", 0, PAGE_WORDS, 1, 0, 0},
    {"rewrite", "sequential, every word read and rewritten", 0, 1, 0, 1, 0},
    {"rewrite-home", "sequential, every word read and rewritten, by the home", 1, 1, 0, 1, 0},
    {"fresh", "sequential, a word of each page, new memory of the home's", 1, PAGE_WORDS, 1, 1, 0},
    {"fresh-known", "sequential, a word of each page, new memory of the home's that the other has looked at", 1,
     PAGE_WORDS, 1, 1, 1},
};
enum { PASS_COUNT = sizeof PASSES / sizeof *PASSES };

const char* pass_name(size_t index) { return index < PASS_COUNT ? PASSES[index].name : NULL; }

static uint64_t value_at(size_t word) { return word * 0x9e3779b97f4a7c15u | 1; }

static void write_words(uint64_t* words, size_t count) {
  for (size_t i = 0; i < count; ++i)
    words[i] = value_at(i);
}

static uint64_t expected_sum(const Pass* pass, size_t count) {
  uint64_t sum = 0;
  if (!pass->with_zeros)
    for (size_t i = 0; i < count; i += pass->stride)
      sum += value_at(i);
  return sum;
}

typedef struct {
  uint64_t sum, ns;
} Reading;

static Reading read_words(uint64_t* words, size_t count, const Pass* pass) {
  Reading reading = {0, now_ns()};
  volatile uint64_t* const looked_at = words;
  for (size_t i = 0; i < count; i += pass->stride) {
    const uint64_t word = looked_at[i];
    reading.sum += word;
    if (pass->rewrites)
      looked_at[i] = word + 1;
  }
  reading.ns = now_ns() - reading.ns;
  return reading;
}

static int walk(const Pass* pass, size_t bytes) {
  uint64_t* words = aligned_alloc(PAGE_BYTES, bytes);
  Reading* reading = calloc(1, sizeof *reading);
  if (!words || !reading)
    exit(2);
  const size_t count = bytes / sizeof *words;
#pragma omp parallel num_threads(2) firstprivate(words, reading, count, pass)
  {
    const int node = omp_get_thread_num();
    if (node == pass->writer && !pass->with_zeros)
      write_words(words, count);
    volatile uint64_t* const looked_at = words;
    for (size_t i = 0; node == pass->writer && pass->looks && i < count; i += APART)
      (void)looked_at[i];
#pragma omp barrier
    if (node != pass->writer)
      *reading = read_words(words, count, pass);
  }
  const int right = reading->sum == expected_sum(pass, count);
  printf("%s: %.3f GiB/s (%zu MiB in %.1f ms)%s\n", pass->text,
         (double)bytes / (double)(1 << 30) * 1e9 / (double)reading->ns, bytes >> 20, (double)reading->ns / 1e6,
         right ? "" : ", WRONG CONTENT");
  return right;
}

int measure_pass(const char* name, size_t mebibytes) {
  for (size_t i = 0; i < PASS_COUNT; ++i)
    if (strcmp(PASSES[i].name, name) == 0)
      return walk(&PASSES[i], mebibytes << 20);
  return 0;
}
