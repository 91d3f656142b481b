#include "dsm/objects/written_parts.hpp"

#include "base/elf/elf_image.hpp"
#include "base/page.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

/// The dynamic linker closes pages at the beginning of a segment, from the one on in which that begins.
WrittenPart without_closed(const LoadedSegment& segment, const LoadedObject& object) {
  const uintptr_t begin = page_down(segment.begin), end = page_up(segment.end());
  const bool closes = object.relro_begin() < object.relro_end() && object.relro_begin() - begin < end - begin;
  return {closes ? page_down(object.relro_end()) : begin, end};
}

} // namespace

std::vector<WrittenPart> find_written_parts(const std::vector<LoadedObject>& objects,
                                            const std::vector<bool>& are_marked) {
  std::vector<WrittenPart> parts;
  for (size_t i = 0; i < objects.size(); ++i)
    if (are_marked[i])
      for_each_segment(objects[i].headers(), [&](const LoadedSegment& segment) {
        if (segment.type != PT_LOAD || !(segment.flags & PF_W))
          return;
        if (const WrittenPart part = without_closed(segment, objects[i]); part.begin < part.end)
          parts.push_back(part);
      });
  return parts;
}

bool contain(const std::vector<WrittenPart>& parts, uintptr_t address) {
  return std::any_of(parts.begin(), parts.end(), [&](const WrittenPart& part) { return part.contains(address); });
}

} // namespace hetmp::dsm
