// How the C library writes what a program gives to a stream.
#pragma once

#include <cstddef>
#include <cstdio>
#include <stdio_ext.h>

namespace hetmp {

/// It keeps that until the buffer is full: it writes neither each line nor each character at once.
inline bool is_fully_buffered(FILE* stream) {
  constexpr size_t unbuffered = 1; // byte; 0: there is no buffer yet
  return __flbf(stream) == 0 && __fbufsize(stream) != unbuffered;
}

} // namespace hetmp
