// Address space for files that all nodes map alike. It lies behind the slices; each node gives out its own part, so no
// two mappings meet. What is in there is not kept in step by the DSM: it is either never written, or the kernel's own
// page cache does that for processes of one machine.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <map>
#include <mutex>

namespace hetmp::dsm {

class FileArea {
 public:
  static constexpr uintptr_t begin = slices_begin + most_nodes * slice_bytes;
  static constexpr size_t node_bytes = size_t(64) << 30;
  static constexpr uintptr_t end = begin + most_nodes * node_bytes;
  static_assert(end <= uintptr_t(0x550000000000), "programs lie from here on");

  /// Private mappings and shared ones have halves of their own, so that an address tells which it is.
  enum class Sharing : uint32_t { Private, Shared };

  static bool contains(uintptr_t address) { return address >= begin && address < end; }
  static Sharing sharing_at(uintptr_t address) { return Sharing((address - begin) % node_bytes / (node_bytes / 2)); }
  static uint32_t owner(uintptr_t address) { return uint32_t((address - begin) / node_bytes); }

  /// Free addresses in the node's part (whole pages); 0 when there are none.
  uintptr_t take(uint32_t node, Sharing sharing, size_t bytes);
  /// Taken by this node, unmapped since.
  void give_back(uintptr_t first, size_t bytes);

 private:
  /// With the lock held: what is taken lies apart.
  bool valid() const {
    uintptr_t before = begin;
    for (const auto& [from, bytes] : taken_) {
      if (from < before)
        return false;
      before = from + bytes;
    }
    return before <= end;
  }

  std::mutex lock_;
  std::map<uintptr_t, size_t> taken_; ///< begin -> bytes; neighbours may be apart
};

} // namespace hetmp::dsm
