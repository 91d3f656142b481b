#include "base/elf/code_map.hpp"

#include "base/elf/elf_image.hpp"

#include <algorithm>

namespace hetmp {
namespace {

constexpr uintptr_t most_offset = UINT32_MAX;

/// FNV-1a, cut to what CodeId has for it; never 0.
uint32_t number_of(std::string_view identity) {
  uint32_t hash = 2166136261;
  for (const char byte : identity)
    hash = (hash ^ uint8_t(byte)) * 16777619;
  return std::max(hash & ~CodeId::shared_memory, 1u);
}

int collect(dl_phdr_info* info, size_t, void* result) {
  const std::string name = object_name(*info);
  ObjectCode object{name + ' ' + object_content(*info), UINTPTR_MAX, {}};
  for_each_segment(*info, [&](const LoadedSegment& segment) {
    if (segment.type != PT_LOAD)
      return;
    object.begin = std::min(object.begin, segment.begin);
    if (segment.flags & PF_X)
      object.spans.push_back({segment.begin, segment.end()});
  });
  if (!name.empty())
    static_cast<std::vector<ObjectCode>*>(result)->push_back(std::move(object));
  return 0;
}

} // namespace

std::vector<ObjectCode> loaded_code() {
  std::vector<ObjectCode> objects;
  dl_iterate_phdr(collect, &objects);
  return objects;
}

CodeMap::CodeMap(const std::vector<ObjectCode>& objects) : objects_(objects.size()) {
  std::vector<uint32_t> taken; // few objects, and seldom two that want one number
  for (const ObjectCode& object : objects) {
    uint32_t number = number_of(object.identity);
    while (std::find(taken.begin(), taken.end(), number) != taken.end())
      number = std::max((number + 1) & ~CodeId::shared_memory, 1u);
    taken.push_back(number);
    for (const ObjectCode::Span& span : object.spans)
      by_address_.push_back({span.begin, span.end, object.begin, number});
  }
  by_object_ = by_address_;
  std::sort(by_address_.begin(), by_address_.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::stable_sort(by_object_.begin(), by_object_.end(),
                   [](const Span& a, const Span& b) { return a.object < b.object; });
}

CodeId CodeMap::id_of(uintptr_t address) const {
  const auto behind = std::upper_bound(by_address_.begin(), by_address_.end(), address,
                                       [](uintptr_t wanted, const Span& span) { return wanted < span.begin; });
  if (behind == by_address_.begin())
    return {};
  const Span& span = *(behind - 1);
  const uintptr_t offset = address - span.object_begin;
  if (address >= span.end || offset > most_offset)
    return {};
  return {span.object, uint32_t(offset)};
}

uintptr_t CodeMap::address_of(CodeId id) const {
  auto span = std::lower_bound(by_object_.begin(), by_object_.end(), id.object,
                               [](const Span& its, uint32_t wanted) { return its.object < wanted; });
  for (; span != by_object_.end() && span->object == id.object; ++span)
    if (const uintptr_t address = span->object_begin + id.offset; address >= span->begin && address < span->end)
      return address;
  return 0;
}

} // namespace hetmp
