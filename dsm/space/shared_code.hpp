// Code in memory that nodes have in common: of objects that are loaded late, and what the program writes or maps
// itself.
#pragma once

#include "dsm/space/address_plan.hpp"
#include "dsm/space/handed_over.hpp"

#include <array>
#include <cstdint>

namespace hetmp::dsm {

/// Any thread but the service thread.
class SharedCode {
 public:
  explicit SharedCode(const AddressPlan& plan) : plan_(plan) {}

  /// Whether the address means the same on every node, so that what lies there may be code for all.
  bool may_hold(uintptr_t address) const;

  /// Whether this process may execute what lies at such an address. Where the kernel does not tell (without /proc),
  /// that is left to the processor.
  bool holds(uintptr_t address);

 private:
  const AddressPlan& plan_;
  /// By place, addresses where there was code: asking the kernel takes long. One whose code is taken away again stays
  /// known, and a call of it ends as it would in any process.
  std::array<Hint<uintptr_t>, 256> found_{};
};

} // namespace hetmp::dsm
