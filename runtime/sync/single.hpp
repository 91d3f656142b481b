// `single` and its copyprivate.
#pragma once

#include <cstddef>

namespace hetmp::runtime {

struct ImplicitTask;

/// Whether the calling thread is the one that executes the construct.
bool begin_single(ImplicitTask& task);

/// Every thread brings its list of variables; the one with `did_it` has the values. copy(to, from) copies a list.
void copyprivate(ImplicitTask& task, void* variables, void (*copy)(void*, void*), bool did_it);

/// The pointer of the one thread that brings one; every thread gets it.
void* broadcast_pointer(ImplicitTask& task, void* pointer_or_null);

/// Zeroed memory that the whole team shares until its threads have come to the second next call, or the region ends.
/// Every thread calls it. Ends the program when there is no memory.
void* construct_memory(ImplicitTask& task, size_t bytes);

} // namespace hetmp::runtime
