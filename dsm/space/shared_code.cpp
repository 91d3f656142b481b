#include "dsm/space/shared_code.hpp"

#include "dsm/space/file_area.hpp"
#include "dsm/space/memory_map.hpp"

#include <algorithm>
#include <sys/mman.h>

namespace hetmp::dsm {
namespace {

bool may_be_executed(uintptr_t address) {
  const std::vector<Mapping> all = mappings_within({0, UINTPTR_MAX});
  return all.empty() || std::any_of(all.begin(), all.end(), [address](const Mapping& mapping) {
           return mapping.range.contains(address) && (mapping.protection & PROT_EXEC);
         });
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
