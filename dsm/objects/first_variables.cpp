#include "dsm/objects/first_variables.hpp"

#include "base/check.hpp"
#include "base/elf/elf_image.hpp"
#include "dsm/objects/private_objects.hpp"

#include <algorithm>
#include <cstring>

namespace hetmp::dsm {
namespace {

size_t bytes_of_variables(const LoadedObject& object) {
  size_t bytes = 0;
  for_each_segment(object.headers(), [&](const LoadedSegment& segment) {
    if (segment.type == PT_TLS)
      bytes = segment.bytes;
  });
  return bytes;
}

/// 0: the calling thread has not got them yet.
uintptr_t variables_of_caller(const LoadedObject& object) {
  return reinterpret_cast<uintptr_t>(object.headers().dlpi_tls_data);
}

} // namespace

void FirstVariables::note_destructor(const void* address) {
  if (destructors_ < most_destructors)
    with_destructors_[destructors_] = reinterpret_cast<uintptr_t>(address);
  ++destructors_;
}

void FirstVariables::take() {
  if (destructors_ > most_destructors)
    return;
  const std::vector<LoadedObject> objects = loaded_objects();
  const auto has_destructors = [this](const LoadedObject& object) {
    return std::any_of(with_destructors_, with_destructors_ + destructors_,
                       [&](uintptr_t address) { return object.contains(address); });
  };
  for (const LoadedObject& object : those_that_are(false, objects, which_are_private(facts_of(objects)))) {
    const uintptr_t begin = variables_of_caller(object);
    if (begin != 0 && bytes_of_variables(object) != 0 && !has_destructors(object))
      blocks_.push_back({object.headers().dlpi_tls_modid, begin, bytes_of_variables(object)});
  }
}

void FirstVariables::give() const {
  struct Copy {
    Block from;
    uintptr_t to;
  };
  std::vector<Copy> copies;
  for (const LoadedObject& object : loaded_objects()) {
    const auto from = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) {
      return block.module == object.headers().dlpi_tls_modid; // 0 where an object has no variables, and no block
    });
    const uintptr_t to = variables_of_caller(object);
    if (from == blocks_.end() || to == 0 || to == from->begin)
      continue;
    HETMP_CHECK(from->bytes == bytes_of_variables(object));
    copies.push_back({*from, to});
  }
  for (const Copy& copy : copies)
    memcpy(reinterpret_cast<void*>(copy.to), reinterpret_cast<const void*>(copy.from.begin), copy.from.bytes);
  // What was aligned there is here: blocks begin as their alignment wants.
  const auto follow = [&](uintptr_t word) {
    for (const Copy& copy : copies)
      if (word - copy.from.begin < copy.from.bytes)
        return word - copy.from.begin + copy.to;
    return word;
  };
  for (const Copy& copy : copies) {
    const uintptr_t end = copy.to + copy.from.bytes;
    for (uintptr_t at = (copy.to + sizeof(uintptr_t) - 1) & ~(sizeof(uintptr_t) - 1); at + sizeof(uintptr_t) <= end;
         at += sizeof(uintptr_t)) {
      uintptr_t word;
      memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
      if (const uintptr_t followed = follow(word); followed != word)
        memcpy(reinterpret_cast<void*>(at), &followed, sizeof followed);
    }
  }
}

} // namespace hetmp::dsm
