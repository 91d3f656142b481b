// OpenACC, which gcc's programs ask libgomp for. A libgomp behind this library does it all, since it may know devices;
// where this library stands in its place, the host is the only one.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/gomp/openacc_host.hpp"

#include <dlfcn.h>

namespace {

using hetmp::openacc::Arguments;

template <typename Function> Function* behind(const char* name, const char* version) {
  return reinterpret_cast<Function*>(dlvsym(RTLD_NEXT, name, version));
}

} // namespace

// A function may receive more arguments than it is given, and pass them on: where the caller removes them they are just
// words. The names with which the library exports these are in old_versions.ld: under their own the compiler knows
// better what some of them do.
#define FIRST void *a, void *b, void *c, void *d, void *e, void *f
#define FURTHER                                                                                                        \
  void *g, void *h, void *i, void *j, void *k, void *l, void *m, void *n, void *o, void *p, void *q, void *r, void *s, \
      void *t, void *u, void *v, void *w, void *x, void *y, void *z

#define HETMP_OPENACC(name, version, on_host)                                                                          \
  HETMP_ENTRY void* hetmp_##name(FIRST) {                                                                              \
    if (const auto next = behind<void*(FIRST)>(#name, version))                                                        \
      return next(a, b, c, d, e, f);                                                                                   \
    void* const given[] = {a, b, c, d, e, f};                                                                          \
    return hetmp::openacc::on_host(given);                                                                             \
  }
#define HETMP_OPENACC_MANY(name, version, on_host)                                                                     \
  HETMP_ENTRY void* hetmp_##name(FIRST, FURTHER) {                                                                     \
    if (const auto next = behind<void*(FIRST, FURTHER)>(#name, version))                                               \
      return next(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z);                       \
    void* const given[] = {a, b, c, d, e, f};                                                                          \
    return hetmp::openacc::on_host(given);                                                                             \
  }
#include "runtime/abi/gomp/openacc_entries.def"
