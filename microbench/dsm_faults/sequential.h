/* One node walks through memory that another has written: see sequential.c. */
#pragma once

#include <stddef.h>

/* The passes there are; null behind the last. */
const char* pass_name(size_t index);

/* Measures and prints the pass of that name over so much memory. Whether all content was right. */
int measure_pass(const char* name, size_t mebibytes);
