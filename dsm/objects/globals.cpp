#include "dsm/objects/globals.hpp"

#include "base/elf/elf_image.hpp"
#include "base/loaded_object.hpp"
#include "dsm/objects/private_objects.hpp"
#include "dsm/space/late_window.hpp"

#include <algorithm>
#include <link.h>

namespace hetmp::dsm {
namespace {

/// Of one writable part of an object's file: what is not RELRO, and how much of that has content in the file.
struct WritablePart {
  Segment pages;
  uintptr_t file_end;
};

template <class Take> void for_each_writable_part(const dl_phdr_info& info, Take&& take) {
  uintptr_t relro_begin = 0, relro_end = 0;
  for_each_segment(info, [&](const LoadedSegment& segment) {
    if (segment.type == PT_GNU_RELRO) {
      relro_begin = segment.begin;
      relro_end = segment.end();
    }
  });
  for_each_segment(info, [&](const LoadedSegment& segment) {
    if (segment.type != PT_LOAD || !(segment.flags & PF_W))
      return;
    Segment pages{page_down(segment.begin), page_up(segment.end())};
    // The linker lays RELRO at the beginning of a writable segment; the loader protects its whole pages.
    if (relro_end > pages.begin && relro_begin < pages.end)
      pages.begin = page_down(relro_end);
    if (pages.begin < pages.end)
      take(WritablePart{pages, page_up(segment.begin + segment.file_bytes)});
  });
}

/// Of all objects that are the program's.
template <class Take> void for_each_writable_part(Take&& take) {
  const std::vector<uintptr_t> private_objects = find_private_objects();
  auto visit = [&](const dl_phdr_info& info) {
    if (!std::binary_search(private_objects.begin(), private_objects.end(), LoadedObject(info).begin()))
      for_each_writable_part(info, take);
  };
  using Visit = decltype(visit);
  const auto step = [](dl_phdr_info* info, size_t, void* data) {
    (*static_cast<Visit*>(data))(*info);
    return 0;
  };
  dl_iterate_phdr(step, &visit);
}

} // namespace

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
