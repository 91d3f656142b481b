// Of a program that gcc has built, with this library preloaded, libgomp is loaded as well, though nobody calls it. If
// OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY is set, its constructor binds the initial thread to the first place
// before this library can look: all that it saw were the CPUs of one place.
#pragma once

#include <vector>

namespace hetmp::runtime {

/// The CPUs that a thread had before it was bound to the first of `places`, as far as is known: all of them together,
/// ascending. Empty if it is not bound like that: its CPUs `now` are others. Pure.
std::vector<int> cpus_before_binding(const std::vector<std::vector<int>>& places, const std::vector<int>& now);

/// Gives the calling thread, the initial one, the CPUs back that a loaded libgomp has taken from it.
void undo_binding_by_libgomp();

} // namespace hetmp::runtime
