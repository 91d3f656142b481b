/* Options of the form "--name N" on a kernel's command line. Each call takes its own out of argv; what is
 * left is for the kernel to judge. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool benchmark_parse_number(const char* text, long* number) {
  char* end = NULL;
  errno = 0;
  *number = strtol(text, &end, 10);
  return errno == 0 && end != text && *end == '\0';
}

/* The word after `name`, both taken out of argv, or `usual` if `name` is not there. Without a word behind it
 * the program ends. */
static inline const char* benchmark_word_option(int* argc, char** argv, const char* name, const char* usual) {
  for (int i = 1; i < *argc; ++i) {
    if (strcmp(argv[i], name) != 0)
      continue;
    if (i + 1 == *argc) {
      fprintf(stderr, "%s: %s needs a value\n", argv[0], name);
      exit(2);
    }
    const char* word = argv[i + 1];
    for (int k = i + 2; k < *argc; ++k)
      argv[k - 2] = argv[k];
    *argc -= 2;
    return word;
  }
  return usual;
}

/* The same for a whole number from `least` to `most`; another ends the program. */
static inline long benchmark_number_option(int* argc, char** argv, const char* name, long usual, long least,
                                           long most) {
  const char* word = benchmark_word_option(argc, argv, name, NULL);
  long number = usual;
  if (word != NULL && (!benchmark_parse_number(word, &number) || number < least || number > most)) {
    fprintf(stderr, "%s: %s %s: not a whole number from %ld to %ld\n", argv[0], name, word, least, most);
    exit(2);
  }
  return number;
}
