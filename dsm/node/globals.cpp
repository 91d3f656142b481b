#include "dsm/node/globals.hpp"

#include "base/message.hpp"
#include "dsm/node/late_window.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <link.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

int collect(dl_phdr_info* info, size_t, void* result) {
  if (info->dlpi_name[0] != '\0' && stays_private(info->dlpi_name))
    return 0;
  uintptr_t relro_begin = 0, relro_end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
      relro_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      relro_end = relro_begin + info->dlpi_phdr[i].p_memsz;
    }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_W))
      continue;
    Segment segment{page_down(info->dlpi_addr + header.p_vaddr),
                    page_up(info->dlpi_addr + header.p_vaddr + header.p_memsz)};
    // The linker lays RELRO at the beginning of a writable segment; the loader protects its whole pages.
    if (relro_end > segment.begin && relro_begin < segment.end)
      segment.begin = page_down(relro_end);
    if (segment.begin < segment.end)
      static_cast<std::vector<Segment>*>(result)->push_back(segment);
  }
  return 0;
}

std::string_view also_private; // beginning of a file name; empty for none

void* map_anonymous(void* where, size_t bytes, int flags) {
  // The system call itself: `mmap` is interposed by this library.
  void* memory = reinterpret_cast<void*>(
      syscall(SYS_mmap, where, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0));
  if (memory == MAP_FAILED)
    die(70, "cannot map %zu bytes for the program's global data: %s", bytes, strerrordesc_np(errno));
  return memory;
}

} // namespace

bool stays_private(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (!also_private.empty() && file.starts_with(also_private))
    return true;
  for (std::string_view name :
       {"libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "libutil.so", "libresolv.so", "ld-linux",
        "libstdc++.so", "libc++.so", "libc++abi.so", "libgcc_s.so", "libgfortran.so", "libquadmath.so", "libhetmp",
        "libomp.so", "libiomp5.so", "libgomp.so", "libnuma.so", "libhwloc.so", "libpapi.so", "libpfm.so",
        "linux-vdso", "linux-gate"})
    if (file.starts_with(name))
      return true;
  return false;
}

void keep_private(std::string_view name) { also_private = name; }

std::vector<Segment> find_globals() {
  std::vector<Segment> segments;
  dl_iterate_phdr(collect, &segments);
  LateWindow::instance().reserve();
  segments.push_back(LateWindow::instance().range());
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
  return segments;
}

void make_anonymous(const std::vector<Segment>& segments) {
  for (const Segment& segment : segments) {
    if (segment.begin == LateWindow::instance().range().begin) // nothing in it yet
      continue;
    void* data = reinterpret_cast<void*>(segment.begin);
    void* copy = map_anonymous(nullptr, segment.bytes(), 0);
    memcpy(copy, data, segment.bytes());
    map_anonymous(data, segment.bytes(), MAP_FIXED);
    memcpy(data, copy, segment.bytes());
    syscall(SYS_munmap, copy, segment.bytes());
  }
}

void make_anonymous(Segment range, int protection) {
  void* copy = map_anonymous(nullptr, range.bytes(), 0);
  if (protection & PROT_READ)
    memcpy(copy, reinterpret_cast<const void*>(range.begin), range.bytes());
  if (syscall(SYS_mprotect, copy, range.bytes(), protection) != 0 ||
      syscall(SYS_mremap, copy, range.bytes(), range.bytes(), MREMAP_MAYMOVE | MREMAP_FIXED, range.begin) == -1)
    die(70, "cannot replace %zu bytes of an object that was just loaded: %s", range.bytes(), strerrordesc_np(errno));
}

} // namespace hetmp::dsm
