#include "base/machine/address_layout.hpp"

#include <sys/personality.h>
#include <sys/resource.h>

namespace hetmp {

static_assert(AddressLayout::unlimited == RLIM_INFINITY);

AddressLayout address_layout() {
  AddressLayout layout;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) == 0)
    layout.stack_bytes = limit.rlim_cur;
  layout.personality = unsigned(personality(AddressLayout::unknown)); // which changes nothing
  return layout;
}

AddressLayout downwards(AddressLayout layout) {
  // The kernel leaves as much room below the stack as it may grow to; with much more, libraries would land among the
  // nodes' memory.
  constexpr uint64_t most = uint64_t(1) << 40;
  if (layout.stack_bytes > most)
    layout.stack_bytes = usual_stack_bytes;
  if (layout.personality != AddressLayout::unknown)
    layout.personality &= ~unsigned(ADDR_COMPAT_LAYOUT);
  return layout;
}

bool set_address_layout(const AddressLayout& layout) {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0)
    return false;
  limit.rlim_cur = layout.stack_bytes;
  const bool limited = setrlimit(RLIMIT_STACK, &limit) == 0;
  return personality(layout.personality) != -1 && limited;
}

} // namespace hetmp
