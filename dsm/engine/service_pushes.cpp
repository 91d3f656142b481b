// Pages that the service sends to nodes that have not asked.
#include "dsm/engine/service.hpp"

#include <algorithm>

namespace hetmp::dsm {

void Service::push(uintptr_t address, uint32_t to) {
  if (plan_.is_shared(address))
    push_page(plan_.page_of(page_down(address)), to);
}

void Service::push_page(PageNumber page, uint32_t to) {
  if (!protocol_->is_home(page) || !all_readable_.load(std::memory_order_relaxed))
    return;
  publish(page);
  actions_.clear();
  protocol_->push(page, to, actions_); // a hint: whatever it comes to
  add_actions(nullptr);
  carry_out_batch();
}

bool Service::offer(uint64_t purpose, uint64_t nodes, const void* const* addresses, size_t count) {
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
    worth = worth || pushes_.worth(purpose, page);
  }
  offer_.make(purpose, nodes, pages, found);
  return worth;
}

void Service::push_offer() {
  for (size_t i = 0; i < Offer::most_pages && offer_.page(i) != Offer::none; ++i)
    for (uint64_t nodes = pushes_.choose(offer_.purpose(), offer_.page(i), offer_.nodes()); nodes != 0;
         nodes &= nodes - 1)
      push_page(offer_.page(i), uint32_t(__builtin_ctzll(nodes)));
}

void Service::note_request(const protocol::Message& message) {
  if (message.type == protocol::MessageType::ReadRequest && offer_.has(message.page))
    pushes_.asked(offer_.purpose(), message.page, message.requester);
}

} // namespace hetmp::dsm
