// What libomp tells compilers and programs of task dependences: items of depend clauses, and tasks as nodes of the
// order they make.
#pragma once

#include <cstddef>
#include <cstdint>

/// libomp's kmp_depend_info_t.
struct KmpDependence {
  intptr_t address;
  size_t bytes;
  uint8_t kind;
};

struct KmpNodeList;

/// The beginning of libomp's kmp_depnode_t.
struct KmpNode {
  KmpNodeList* successors;
};

/// libomp's kmp_depnode_list_t.
struct KmpNodeList {
  KmpNode* node;
  KmpNodeList* next;
};

namespace hetmp::runtime {

// Values of KmpDependence::kind.
inline constexpr uint8_t kmp_in = 1;
inline constexpr uint8_t kmp_inout = 3;
inline constexpr uint8_t kmp_mutexinoutset = 4;
inline constexpr uint8_t kmp_inoutset = 8;
inline constexpr uint8_t kmp_all_memory = 0x80; ///< omp_all_memory; with kmp_inout it may come as the address instead
inline constexpr intptr_t kmp_address_of_all_memory = -1;

} // namespace hetmp::runtime
