// What gcc's entry points of several kinds say of dependences.
#pragma once

#include "runtime/task_graph/dependences.hpp"

#include <vector>

namespace hetmp::runtime {

/// A list in one of two layouts. All, those that write, addresses; or 0, all, those that write, mutexinoutset, in,
/// addresses in this order, then omp_depend_t objects.
std::vector<Dependence> gomp_dependences(void** list);

} // namespace hetmp::runtime
