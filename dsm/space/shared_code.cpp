#include "dsm/space/shared_code.hpp"

#include "dsm/space/file_area.hpp"
#include "dsm/space/memory_map.hpp"

#include <optional>
#include <sys/mman.h>

namespace hetmp::dsm {
namespace {

bool may_be_executed(uintptr_t address) {
  const auto protection_at = [](uintptr_t place) -> std::optional<int> {
    const std::vector<Mapping> found = mappings_within({place, place + 1});
    return found.empty() ? std::nullopt : std::optional(found.front().protection);
  };
  if (const auto protection = protection_at(address))
    return *protection & PROT_EXEC;
  return !protection_at(reinterpret_cast<uintptr_t>(&may_be_executed)); // without /proc nobody knows
}

} // namespace

bool SharedCode::may_hold(uintptr_t address) const { return plan_.is_shared(address) || FileArea::contains(address); }

bool SharedCode::holds(uintptr_t address) {
  if (!may_hold(address))
    return false;
  Hint<uintptr_t>& known = found_[(address * 0x9e3779b97f4a7c15u) >> 56];
  if (known.get() == address)
    return true;
  if (!may_be_executed(address))
    return false;
  known.set(address);
  return true;
}

} // namespace hetmp::dsm
