// The entry points a compiler would call, and regions written as lambdas on top of them.
#pragma once

#include "runtime/abi/ident.hpp"
#include "runtime/abi/omp/omp_routines.hpp"
#include "runtime/sync/critical.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <sched.h>
#include <type_traits>

using CriticalName = hetmp::runtime::CriticalName;

extern "C" {
int32_t __kmpc_global_thread_num(const SourceLocation*);
void __kmpc_fork_call(const SourceLocation*, int32_t count, void* microtask, ...);
void __kmpc_fork_call_if(const SourceLocation*, int32_t count, void* microtask, int32_t condition, void* argument);
void __kmpc_push_num_threads(const SourceLocation*, int32_t gtid, int32_t threads);
void __kmpc_push_num_threads_list(const SourceLocation*, int32_t gtid, uint32_t length, const int32_t* threads);
void __kmpc_push_num_threads_strict(const SourceLocation*, int32_t gtid, int32_t threads, int severity,
                                    const char* message);
void __kmpc_push_num_threads_list_strict(const SourceLocation*, int32_t gtid, uint32_t length, const int32_t* threads,
                                         int severity, const char* message);
void __kmpc_serialized_parallel(const SourceLocation*, int32_t gtid);
void __kmpc_end_serialized_parallel(const SourceLocation*, int32_t gtid);

void __kmpc_barrier(const SourceLocation*, int32_t gtid);
int32_t __kmpc_barrier_master(const SourceLocation*, int32_t gtid);
void __kmpc_end_barrier_master(const SourceLocation*, int32_t gtid);
int32_t __kmpc_master(const SourceLocation*, int32_t gtid);
int32_t __kmpc_single(const SourceLocation*, int32_t gtid);
void __kmpc_end_single(const SourceLocation*, int32_t gtid);
void __kmpc_copyprivate(const SourceLocation*, int32_t gtid, size_t bytes, void* variables, void (*copy)(void*, void*),
                        int32_t did_it);
void* __kmpc_copyprivate_light(const SourceLocation*, int32_t gtid, void* variables);
void __kmpc_critical(const SourceLocation*, int32_t gtid, CriticalName* name);
void __kmpc_end_critical(const SourceLocation*, int32_t gtid, CriticalName* name);

int32_t __kmpc_reduce(const SourceLocation*, int32_t gtid, int32_t variables, size_t bytes, void* data,
                      void (*combine)(void*, void*), CriticalName* lock);
void __kmpc_end_reduce(const SourceLocation*, int32_t gtid, CriticalName* lock);
int32_t __kmpc_reduce_nowait(const SourceLocation*, int32_t gtid, int32_t variables, size_t bytes, void* data,
                             void (*combine)(void*, void*), CriticalName* lock);
void __kmpc_end_reduce_nowait(const SourceLocation*, int32_t gtid, CriticalName* lock);

void __kmpc_ordered(const SourceLocation*, int32_t gtid);
void __kmpc_end_ordered(const SourceLocation*, int32_t gtid);
void __kmpc_for_static_fini(const SourceLocation*, int32_t gtid);
void __kmpc_sections_init(const SourceLocation*, int32_t gtid);
int32_t __kmpc_next_section(const SourceLocation*, int32_t gtid, int32_t sections);
void __kmpc_end_sections(const SourceLocation*, int32_t gtid);
void* __kmpc_threadprivate_cached(const SourceLocation*, int32_t gtid, void* original, size_t bytes, void*** cache);

#define LOOP_ENTRIES(suffix, type, signed_type)                                                                        \
  void __kmpc_for_static_init_##suffix(const SourceLocation*, int32_t gtid, int32_t schedule, int32_t* last,           \
                                       type* lower, type* upper, signed_type* stride, signed_type increment,           \
                                       signed_type chunk);                                                             \
  void __kmpc_dispatch_init_##suffix(const SourceLocation*, int32_t gtid, int32_t schedule, type lower, type upper,    \
                                     signed_type increment, signed_type chunk);                                        \
  int __kmpc_dispatch_next_##suffix(const SourceLocation*, int32_t gtid, int32_t* last, type* lower, type* upper,      \
                                    signed_type* stride);                                                              \
  void __kmpc_dispatch_fini_##suffix(const SourceLocation*, int32_t gtid);
LOOP_ENTRIES(4, int32_t, int32_t)
LOOP_ENTRIES(4u, uint32_t, int32_t)
LOOP_ENTRIES(8, int64_t, int64_t)
LOOP_ENTRIES(8u, uint64_t, int64_t)
#undef LOOP_ENTRIES
}

namespace hetmp::test {

/// Schedule numbers of the ABI.
enum Kind : int32_t {
  static_chunked = 33,
  static_contiguous = 34,
  dynamic_chunked = 35,
  guided_chunked = 36,
  runtime_kind = 37,
  static_balanced_chunked = 45,
  ordered_static_chunked = 65,
  ordered_static = 66,
  ordered_dynamic = 67,
  ordered_guided = 68,
  ordered_runtime = 69,
  nonmonotonic_dynamic = dynamic_chunked | 1 << 30,
};

/// The entries of one loop type by one name.
template <class T> struct LoopEntries;
#define LOOP_ENTRIES(suffix, type)                                                                                     \
  template <> struct LoopEntries<type> {                                                                               \
    static constexpr auto static_init = __kmpc_for_static_init_##suffix;                                               \
    static constexpr auto init = __kmpc_dispatch_init_##suffix;                                                        \
    static constexpr auto next = __kmpc_dispatch_next_##suffix;                                                        \
    static constexpr auto finish_iteration = __kmpc_dispatch_fini_##suffix;                                            \
  };
LOOP_ENTRIES(4, int32_t)
LOOP_ENTRIES(4u, uint32_t)
LOOP_ENTRIES(8, int64_t)
LOOP_ENTRIES(8u, uint64_t)
#undef LOOP_ENTRIES

using LoopTypes = ::testing::Types<int32_t, uint32_t, int64_t, uint64_t>;

inline constexpr SourceLocation somewhere = {0, 0, 0, 0, ";unit.cpp;region;1;1;;"};
inline constexpr int most_members = 8; ///< of the teams these tests form

#if defined(__SANITIZE_THREAD__)
inline constexpr int slower = 10;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr int slower = 3;
#elif defined(__has_feature)
inline constexpr int slower = __has_feature(thread_sanitizer) ? 10 : __has_feature(address_sanitizer) ? 3 : 1;
#else
inline constexpr int slower = 1;
#endif

/// Repetitions for a test that takes `plain` of them in an ordinary build.
constexpr int rounds(int plain) { return plain / slower; }

/// count++ with a pause in the middle now and then: whoever is not kept out makes one of the two increments
/// vanish.
inline void increment_slowly(int& count, int turn) {
  const int seen = count;
  if (turn % 8 == 0)
    sched_yield();
  count = seen + 1;
}

struct Member {
  int gtid;
  int number;
};

template <class Body> void microtask(int* gtid, int* number, Body* body) { (*body)(Member{*gtid, *number}); }

template <class Body> void* microtask_of(const Body&) { return reinterpret_cast<void*>(&microtask<const Body>); }

/// #pragma omp parallel num_threads(threads)
template <class Body> void parallel(int threads, const Body& body) {
  __kmpc_push_num_threads(&somewhere, __kmpc_global_thread_num(&somewhere), threads);
  __kmpc_fork_call(&somewhere, 1, microtask_of(body), &body);
}

} // namespace hetmp::test
