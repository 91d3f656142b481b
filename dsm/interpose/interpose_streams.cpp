// The C library's fclose and pclose. Each node's C library keeps a list of the streams that it has opened, and
// fflush(nullptr) goes through it, which every node calls at the end of its part of a region: a stream must not be in
// another node's list any more when its block is used for something else.
#include "dsm/process/changes.hpp"
#include "dsm/process/node_process.hpp"

#include <cstdio>

// The C library's own name for both, which is fclose: no search, for which a thread would hold the dynamic linker's
// lock while the process may be copied.
extern "C" int _IO_fclose(FILE* stream);

namespace hetmp::dsm {
namespace {

/// The node whose heap the stream's block is of is the one that has opened it, or has inherited it and is the origin.
void forget_elsewhere(FILE* stream) {
  NodeProcess* process = NodeProcess::instance();
  const auto address = reinterpret_cast<uintptr_t>(stream);
  if (process && process->has_started() && process->plan().in_slices(address) && Heap::owner(stream) != process->node())
    change_at({.kind = Change::Kind::ForgetStream, .begin = address}, Heap::owner(stream), nullptr);
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

int fclose(FILE* stream) {
  forget_elsewhere(stream);
  return _IO_fclose(stream);
}

int pclose(FILE* stream) { return fclose(stream); }

} // extern "C"
#pragma GCC visibility pop
