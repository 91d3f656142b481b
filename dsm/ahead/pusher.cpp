#include "dsm/ahead/pusher.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

void Pusher::push(uintptr_t address, uint32_t to, PageSource& source) {
  if (plan_.is_shared(address) && source.all_readable())
    source.push(plan_.page_of(page_down(address)), to);
}

bool Pusher::offer(uint64_t purpose, NodeSet nodes, const void* const* addresses, size_t count) {
  PageNumber pages[Offer::most_pages];
  size_t found = 0;
  bool worth = false;
  for (size_t i = 0; i < count && found < Offer::most_pages; ++i) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(addresses[i]);
    if (!AddressPlan::stack_part(origin).contains(address))
      continue;
    const PageNumber page = plan_.page_of(page_down(address));
    if (std::find(pages, pages + found, page) != pages + found)
      continue;
    pages[found++] = page;
    worth = worth || memory_.worth(purpose, page);
  }
  HETMP_CHECK(found <= Offer::most_pages);
  offer_.make(purpose, nodes, pages, found);
  return worth;
}

void Pusher::push_offer(PageSource& source) {
  for (size_t i = 0; i < Offer::most_pages && offer_.page(i) != Offer::none; ++i)
    for (const uint32_t node : memory_.choose(offer_.purpose(), offer_.page(i), offer_.nodes()))
      if (source.all_readable())
        source.push(offer_.page(i), node);
}

void Pusher::offer_is_over(bool everywhere, PageSource& source) {
  if (!source.all_readable())
    return;
  for (size_t i = 0; i < Offer::most_pages && offer_.page(i) != Offer::none; ++i) {
    const PageNumber page = offer_.page(i);
    const bool wanted = everywhere ? written_after_.take(page) : written_after_.take_early(page);
    const bool is_copy = source.is_missing(page, true) && !source.is_missing(page, false);
    if (wanted && is_copy && !source.is_asked_for(page))
      source.ask(page, true);
  }
  source.send_asked();
}

} // namespace hetmp::dsm
