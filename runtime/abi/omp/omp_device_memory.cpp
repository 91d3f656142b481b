// Memory of devices, as gcc's programs ask libgomp for it: there is no device but the host. These entries have
// libgomp's version only, so that a program of clang's finds those of its offloading library behind this one.
#include "runtime/abi/omp/omp_routines.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int most_dimensions = INT_MAX;

bool is_host(int device) { return device == omp_get_initial_device(); }

/// A box within an array of so many dimensions, of which the pointers here are those that are left.
struct Box {
  const size_t* volume;
  const size_t* to_offsets;
  const size_t* from_offsets;
  const size_t* to_sizes;
  const size_t* from_sizes;

  Box inner() const { return {volume + 1, to_offsets + 1, from_offsets + 1, to_sizes + 1, from_sizes + 1}; }
};

/// Bytes of one step along the outermost dimension; false when that is more than an address space holds.
bool step_of(const size_t* sizes, int dimensions, size_t element, size_t& step) {
  step = element;
  for (int i = 1; i < dimensions; i++)
    if (__builtin_mul_overflow(step, sizes[i], &step))
      return false;
  return true;
}

bool copy_box(char* to, const char* from, size_t element, int dimensions, const Box& box) {
  size_t to_step, from_step, to_begin, from_begin;
  if (!step_of(box.to_sizes, dimensions, element, to_step) ||
      !step_of(box.from_sizes, dimensions, element, from_step) ||
      __builtin_mul_overflow(to_step, box.to_offsets[0], &to_begin) ||
      __builtin_mul_overflow(from_step, box.from_offsets[0], &from_begin))
    return false;
  to += to_begin;
  from += from_begin;
  if (dimensions == 1) {
    size_t bytes;
    if (__builtin_mul_overflow(element, box.volume[0], &bytes))
      return false;
    memcpy(to, from, bytes);
    return true;
  }
  for (size_t i = 0; i < box.volume[0]; i++)
    if (!copy_box(to + i * to_step, from + i * from_step, element, dimensions - 1, box.inner()))
      return false;
  return true;
}

} // namespace

HETMP_ENTRY void* omp_target_alloc(size_t size, int device) { return is_host(device) ? malloc(size) : nullptr; }
HETMP_ENTRY void omp_target_free(void* pointer, int device) {
  if (is_host(device))
    free(pointer);
}

HETMP_ENTRY int omp_target_is_present(const void* pointer, int device) { return !pointer || is_host(device); }

HETMP_ENTRY int omp_target_memcpy(void* to, const void* from, size_t size, size_t to_offset, size_t from_offset,
                                  int to_device, int from_device) {
  if (!is_host(to_device) || !is_host(from_device))
    return EINVAL;
  memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, size);
  return 0;
}

/// Without arrays: how many dimensions there may be.
HETMP_ENTRY int omp_target_memcpy_rect(void* to, const void* from, size_t element, int dimensions, const size_t* volume,
                                       const size_t* to_offsets, const size_t* from_offsets, const size_t* to_sizes,
                                       const size_t* from_sizes, int to_device, int from_device) {
  if (!to && !from)
    return most_dimensions;
  if (!is_host(to_device) || !is_host(from_device) || dimensions < 1)
    return EINVAL;
  const Box box{volume, to_offsets, from_offsets, to_sizes, from_sizes};
  return copy_box(static_cast<char*>(to), static_cast<const char*>(from), element, dimensions, box) ? 0 : EINVAL;
}

// The host's memory is nobody else's.
HETMP_ENTRY int omp_target_associate_ptr(const void*, const void*, size_t, size_t, int) { return EINVAL; }
HETMP_ENTRY int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }
