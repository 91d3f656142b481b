#include "runtime/nodes/pushes.hpp"

#include "base/page.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

constexpr size_t most_pages = 4; // of one reduction: the rest comes when it is read

} // namespace

void push_copies(const dsm::Fabric& fabric, void* copies, uint32_t variables) {
  if (!fabric.push)
    return;
  uintptr_t pages[most_pages];
  size_t count = 0;
  const auto push = [&](const void* address) {
    const uintptr_t page = page_down(reinterpret_cast<uintptr_t>(address));
    if (count == most_pages || std::find(pages, pages + count, page) != pages + count)
      return;
    pages[count++] = page;
    fabric.push(address, 0);
  };
  push(copies);
  for (uint32_t i = 0; i < variables; ++i)
    push(static_cast<void* const*>(copies)[i]);
}

void offer_arguments(const dsm::Fabric& fabric, const TeamDescription& part) {
  if (fabric.offer && part.node == part.participants.last() && part.argument_count != 0)
    fabric.offer(reinterpret_cast<uint64_t>(part.microtask), part.participants.without(0), part.arguments,
                 part.argument_count);
}

} // namespace hetmp::runtime
