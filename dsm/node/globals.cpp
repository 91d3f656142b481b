#include "dsm/node/globals.hpp"

#include "dsm/node/late_window.hpp"

#include <algorithm>
#include <link.h>
#include <string_view>
#include <type_traits>

namespace hetmp::dsm {
namespace {

/// Of one writable part of an object's file: what is not RELRO, and how much of that has content in the file.
struct WritablePart {
  Segment pages;
  uintptr_t file_end;
};

template <class Take>
void for_each_writable_part(const dl_phdr_info& info, Take&& take) {
  uintptr_t relro_begin = 0, relro_end = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_GNU_RELRO) {
      relro_begin = info.dlpi_addr + info.dlpi_phdr[i].p_vaddr;
      relro_end = relro_begin + info.dlpi_phdr[i].p_memsz;
    }
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_W))
      continue;
    const uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    Segment pages{page_down(begin), page_up(begin + header.p_memsz)};
    // The linker lays RELRO at the beginning of a writable segment; the loader protects its whole pages.
    if (relro_end > pages.begin && relro_begin < pages.end)
      pages.begin = page_down(relro_end);
    if (pages.begin < pages.end)
      take(WritablePart{pages, page_up(begin + header.p_filesz)});
  }
}

/// Of all objects that are the program's.
template <class Take>
void for_each_writable_part(Take&& take) {
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    if (info->dlpi_name[0] == '\0' || !stays_private(info->dlpi_name))
      for_each_writable_part(*info, *static_cast<std::remove_reference_t<Take>*>(data));
    return 0;
  };
  dl_iterate_phdr(visit, &take);
}

std::string_view also_private; // beginning of a file name; empty for none

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
  for_each_writable_part([&](const WritablePart& part) { segments.push_back(part.pages); });
  LateWindow::instance().reserve();
  segments.push_back(LateWindow::instance().range());
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
  return segments;
}

std::vector<Segment> find_file_data() {
  std::vector<Segment> segments;
  for_each_writable_part([&](const WritablePart& part) {
    if (part.file_end > part.pages.begin)
      segments.push_back({part.pages.begin, std::min(part.file_end, part.pages.end)});
  });
  return segments;
}

} // namespace hetmp::dsm
