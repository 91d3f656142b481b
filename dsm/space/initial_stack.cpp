#include "dsm/space/initial_stack.hpp"

#include "base/elf/elf_image.hpp"
#include "dsm/space/memory_map.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <linux/prctl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The C library's. Whoever refers to it without position-independent code has a copy, and then it is that copy.
extern "C" void* __libc_stack_end;

namespace hetmp::dsm {
namespace {

struct Protected {
  uintptr_t address;
  bool found;
};

/// Whether the loader has made it read-only.
bool is_read_only(const void* variable) {
  const auto look = [](dl_phdr_info* info, size_t, void* data) {
    auto& wanted = *static_cast<Protected*>(data);
    for_each_segment(*info, [&](const LoadedSegment& segment) {
      wanted.found |=
          segment.type == PT_GNU_RELRO && wanted.address >= segment.begin && wanted.address < page_down(segment.end());
    });
    return int(wanted.found);
  };
  Protected wanted{reinterpret_cast<uintptr_t>(variable), false};
  dl_iterate_phdr(look, &wanted);
  return wanted.found;
}

void set_end(void* end) {
  const uintptr_t page = page_down(reinterpret_cast<uintptr_t>(&__libc_stack_end));
  const bool read_only = is_read_only(&__libc_stack_end);
  if (read_only && syscall(SYS_mprotect, page, page_bytes, PROT_READ | PROT_WRITE) != 0)
    return;
  __atomic_store_n(&__libc_stack_end, end, __ATOMIC_RELAXED); // a word that says where, and guards nothing
  if (read_only)
    syscall(SYS_mprotect, page, page_bytes, PROT_READ);
}

/// The numbers behind the name in /proc/self/stat, the first of which is field 3 of proc(5). False without /proc.
bool read_fields(uint64_t (&fields)[52]) {
  char text[2048];
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
  if (file >= 0)
    close(file);
  if (length <= 0)
    return false;
  text[length] = '\0';
  const char* at = strrchr(text, ')');
  if (!at || strlen(at) < 4)
    return false;
  at += 4; // ") S", the state being field 3
  for (int field = 4, used; field < 52; ++field, at += used)
    if (sscanf(at, " %ld%n", reinterpret_cast<int64_t*>(&fields[field]), &used) != 1)
      return false;
  return true;
}

/// All that the kernel knows of this kind has to be given at once. Where it refuses, it goes on telling of its own
/// stack.
void tell_kernel(uintptr_t stack_end) {
  uint64_t fields[52];
  if (!read_fields(fields))
    return;
  prctl_mm_map map{};
  map.start_code = fields[26];
  map.end_code = fields[27];
  map.start_data = fields[45];
  map.end_data = fields[46];
  map.start_brk = fields[47];
  map.brk = reinterpret_cast<uintptr_t>(sbrk(0));
  map.start_stack = stack_end;
  map.arg_start = fields[48];
  map.arg_end = fields[49];
  map.env_start = fields[50];
  map.env_end = fields[51];
  map.exe_fd = UINT32_MAX;
  prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0);
}

} // namespace

void InitialStack::announce(const Segment& stack) {
  original_end_ = __libc_stack_end;
  announced_end_ = reinterpret_cast<void*>(stack.end - 2 * sizeof(void*)); // within the stack, as the kernel has it
  set_end(announced_end_);
  tell_kernel(reinterpret_cast<uintptr_t>(announced_end_));
}

OriginalStackMeanwhile::OriginalStackMeanwhile(const InitialStack& stack) : stack_(stack) {
  if (stack_.original_end_)
    set_end(stack_.original_end_);
}

OriginalStackMeanwhile::~OriginalStackMeanwhile() {
  if (stack_.original_end_)
    set_end(stack_.announced_end_);
}

bool executable_stacks_wanted() {
  const auto look = [](dl_phdr_info* info, size_t, void*) {
    if (std::string_view(info->dlpi_name).starts_with("linux-vdso")) // the kernel's own: no linker has looked at it
      return 0;
    bool wanted = true; // what says nothing is old, and may do anything
    for_each_segment(*info, [&](const LoadedSegment& segment) {
      if (segment.type == PT_GNU_STACK)
        wanted = (segment.flags & PF_X) != 0;
    });
    return int(wanted);
  };
  return dl_iterate_phdr(look, nullptr) != 0;
}

} // namespace hetmp::dsm
