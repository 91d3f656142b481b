// Where shared memory lies. The same plan holds on every node, so that an address means the same everywhere:
//
//   slices_begin + k * slice_bytes   slice of node k, homed at node k:
//       small blocks of the heap     one part for each size class (heap.hpp)
//       large blocks and mappings
//       thread stacks (with their thread-local variables)
//   globals                          writable data of the program and of its own shared objects, homed at the origin
//
// Pages are numbered: those of the slices first, in address order, then those of the globals.
#pragma once

#include "base/node_set.hpp"
#include "base/page.hpp"
#include "dsm/protocol/message.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hetmp::dsm {

using hetmp::page_bytes;
using hetmp::page_down;
using hetmp::page_shift;
using hetmp::page_up;
using protocol::PageNumber;

inline constexpr uint32_t origin = 0;

inline constexpr uintptr_t slices_begin = uintptr_t(16)
                                          << 40; // 16 TiB: far from programs (0x5555...), libraries (0x7f...)
inline constexpr size_t slice_bytes = size_t(1) << 40;
inline constexpr size_t small_part_bytes = size_t(512) << 30;
inline constexpr size_t stack_part_bytes = size_t(64) << 30;
inline constexpr size_t large_part_bytes = slice_bytes - small_part_bytes - stack_part_bytes;
inline constexpr uint64_t slice_pages = slice_bytes >> page_shift;

/// Pages are made known to userfaultfd at their home in pieces of this size, when another node first asks for one.
inline constexpr size_t publish_bytes = size_t(2) << 20;

struct Segment {
  uintptr_t begin = 0; ///< page aligned
  uintptr_t end = 0;
  size_t bytes() const { return end - begin; }
  bool contains(uintptr_t address) const { return address >= begin && address < end; }
};

class AddressPlan {
 public:
  /// `globals`: disjoint, in ascending order.
  void set(uint32_t nodes, std::vector<Segment> globals);

  uint32_t nodes() const { return nodes_; }
  const std::vector<Segment>& globals() const { return globals_; }
  uint64_t pages() const { return nodes_ * slice_pages + global_pages_; }
  uint64_t global_pages() const { return global_pages_; }

  static Segment slice(uint32_t node) {
    const uintptr_t begin = slices_begin + node * slice_bytes;
    return {begin, begin + slice_bytes};
  }
  static Segment small_part(uint32_t node) { return {slice(node).begin, slice(node).begin + small_part_bytes}; }
  static Segment large_part(uint32_t node) { return {small_part(node).end, small_part(node).end + large_part_bytes}; }
  static Segment stack_part(uint32_t node) { return {large_part(node).end, slice(node).end}; }

  bool in_slices(uintptr_t address) const {
    return address >= slices_begin && address < slices_begin + nodes_ * slice_bytes;
  }
  /// Whether the address means the same memory on every node.
  bool is_shared(uintptr_t address) const { return in_slices(address) || global_of(address) != nullptr; }

  /// The number of the page that holds a shared address.
  PageNumber page_of(uintptr_t address) const;
  uintptr_t address_of(PageNumber page) const;
  /// How many of `count` pages from `first` on lie one behind the other, at least 1.
  uint32_t consecutive(PageNumber first, uint32_t count) const;
  uint32_t home_of(PageNumber page) const {
    return page < nodes_ * slice_pages ? uint32_t(page / slice_pages) : origin;
  }
  /// The piece around the page that its home makes known to userfaultfd as a whole.
  Segment publish_piece(PageNumber page) const;

 private:
  const Segment* global_of(uintptr_t address) const;

  uint32_t nodes_ = 1;
  std::vector<Segment> globals_;
  std::vector<uint64_t> first_page_; ///< of each global segment, counted from the first global page
  uint64_t global_pages_ = 0;
};

} // namespace hetmp::dsm
