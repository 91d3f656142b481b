// A table of fixed size of which only the parts that are used take memory. Every node has such tables, and most
// programs end before they have touched much of them: to fill them at start would cost a page fault for each 4 KiB.
#pragma once

#include "base/check.hpp"

#include <array>
#include <cstddef>
#include <memory>

namespace hetmp::dsm {

/// `size` entries, each as `Entry`'s constructor leaves it until it is written to.
template <class Entry, size_t size> class SparseTable {
 public:
  static constexpr size_t part_size = 64;
  static_assert(size % part_size == 0);

  /// The entry, to be written to; the first of a part allocates it.
  Entry& operator[](size_t place) {
    HETMP_CHECK(place < size);
    std::unique_ptr<Part>& part = parts_[place / part_size];
    if (!part)
      part = std::make_unique<Part>();
    return (*part)[place % part_size];
  }
  /// The entry; null if nothing of its part was ever written to.
  Entry* find(size_t place) {
    HETMP_CHECK(place < size);
    Part* const part = parts_[place / part_size].get();
    return part ? &(*part)[place % part_size] : nullptr;
  }
  const Entry* find(size_t place) const { return const_cast<SparseTable*>(this)->find(place); }
  /// Calls look(entry) for all entries of parts to which something was written.
  template <class Look> void for_each(Look&& look) {
    for (const std::unique_ptr<Part>& part : parts_)
      if (part)
        for (Entry& entry : *part)
          look(entry);
  }

 private:
  using Part = std::array<Entry, part_size>;
  std::array<std::unique_ptr<Part>, size / part_size> parts_;
};

} // namespace hetmp::dsm
