// A shared object whose constructor opens streams.
#include <cstdio>

namespace {

FILE* streams[4];

__attribute__((constructor)) void start() {
  for (FILE*& stream : streams)
    stream = tmpfile();
  for (FILE* stream : streams)
    if (stream && stream != streams[3])
      fputs("some text", stream);
}

} // namespace

extern "C" FILE* early_stream(int which) { return streams[which]; }
