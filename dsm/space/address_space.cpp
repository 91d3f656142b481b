#include "dsm/space/address_space.hpp"

#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "dsm/space/core_dump.hpp"
#include "dsm/space/file_area.hpp"
#include "dsm/space/memory_map.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// The C library took the default size of stacks from the limit that was in force when the program began.
void set_default_stack(uint64_t limit) {
  constexpr size_t without_limit = size_t(2) << 20; // the C library's choice
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0)
    return;
  if (pthread_attr_setstacksize(&attributes, limit == AddressLayout::unlimited ? without_limit : limit) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

/// Whether the kernel begins at the bottom, in the middle of the nodes' range: then it is not this one mapping only.
bool laid_out_upwards() {
  char value = '0';
  const int file = open("/proc/sys/vm/legacy_va_layout", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (read(file, &value, 1) != 1)
      value = '0';
    close(file);
  }
  const unsigned now = address_layout().personality;
  return value != '0' || (now != AddressLayout::unknown && (now & ADDR_COMPAT_LAYOUT));
}

void map(const Segment& segment, int how) {
  const long place = syscall(SYS_mmap, segment.begin, segment.bytes(), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
  if (place == -1)
    die(exit_code::software, "cannot map the shared address range at %#zx: %s", size_t(segment.begin),
        strerrordesc_np(errno));
  if (segment.bytes() == slice_bytes)
    leave_out_of_dumps(segment);
}

} // namespace

void give_back_layout(const AddressLayout& layout) {
  const uint64_t stack_bytes = address_layout().stack_bytes;
  if (address_layout() != layout &&
      !set_address_layout(layout)) // where limits cannot be set nothing was changed before either
    say("the program's own limit of the stack, or its personality, cannot be set again: %s", strerrordesc_np(errno));
  if (layout.stack_bytes != stack_bytes)
    set_default_stack(layout.stack_bytes);
}

std::string what_lies_among_nodes() {
  const std::vector<Mapping> found = mappings_within({slices_begin, FileArea::end});
  if (found.empty())
    return {};
  const Mapping& first = found.front();
  char place[32];
  snprintf(place, sizeof place, "%#zx", size_t(first.range.begin));
  std::string text = (first.name.empty() ? "a mapping without a name" : first.name) + " lies at " + place +
                     ", among the addresses that nodes share (16 to 84 TiB); ";
  return text += laid_out_upwards()
                     ? "the kernel lays out programs upwards here, as vm.legacy_va_layout=1 and setarch -L make it"
                     : "link or load it elsewhere, or use one node";
}

void map_fresh(const Segment& segment) { map(segment, MAP_FIXED_NOREPLACE); }
void map_over(const Segment& segment) { map(segment, MAP_FIXED); }

} // namespace hetmp::dsm
