// Carrying out what the protocol asks for: neighbouring pages together where the order allows it.
#include "dsm/engine/service.hpp"

#include "base/clock.hpp"
#include "dsm/space/zero_page.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace hetmp::dsm {

/// Takes over the actions of one event; `content` came with it, null for zeros. They have been carried out after
/// carry_out_batch() at the latest, which comes before the next event of the same page.
void Service::add_actions(const uint8_t* content) {
  if (batch_.add(actions_, content))
    return;
  carry_out_batch();
  carry_out_one_by_one(content);
}

void Service::carry_out_batch() {
  if (batch_.empty())
    return;
  for (const PageRange& pages : batch_.protections)
    protect(pages);
  for (const ActionBatch::Installation& installation : batch_.installations)
    install(installation);
  for (const ActionBatch::Sending& sending : batch_.sendings)
    send(sending);
  for (const PageRange& pages : batch_.drops)
    drop(pages);
  batch_.clear();
}

void Service::carry_out_one_by_one(const uint8_t* content) {
  for (size_t i = 0; i < actions_.size(); ++i) {
    const protocol::Action& action = actions_[i];
    const PageNumber page = action.page();
    // The kernel wakes when it installs, and can when it unprotects.
    const bool then_wake = i + 1 < actions_.size() && actions_[i + 1].kind == protocol::ActionKind::Wake;
    const auto waiters = then_wake ? UserFaults::Waiters::Wake : UserFaults::Waiters::Keep;
    const uintptr_t address = plan_.address_of(page);
    switch (action.kind) {
    case protocol::ActionKind::Send:
    case protocol::ActionKind::SendData: {
      PageMessage message;
      message.first = action.message;
      send({action.to, message});
      break;
    }
    case protocol::ActionKind::Protect:
      protect({page, 1});
      break;
    case protocol::ActionKind::Drop:
      drop({page, 1});
      break;
    case protocol::ActionKind::InstallShared:
    case protocol::ActionKind::InstallExclusive:
      install({{page, 1}, content, action.kind == protocol::ActionKind::InstallExclusive}, then_wake);
      i += then_wake;
      break;
    case protocol::ActionKind::Unprotect:
      faults_.unprotect(address, waiters);
      if (statistics_)
        note_arrival(address, true);
      i += then_wake;
      holds_.came(page, monotonic_ns());
      break;
    case protocol::ActionKind::Wake:
      faults_.wake(address);
      break;
    case protocol::ActionKind::Hold:
      holds_.resume_later(action.message, monotonic_ns());
      break;
    }
  }
}

void Service::send(const ActionBatch::Sending& sending) {
  if (sending.message.has_content())
    send_content(sending.to, sending.message);
  else
    transport_->send(sending.to, Lane::Service, Channel::Page, &sending.message, sizeof sending.message, nullptr, 0);
}

/// In as few messages as possible: pages of zeros and others apart.
void Service::send_content(uint32_t to, PageMessage message) {
  const bool directly = all_readable_.load(std::memory_order_relaxed);
  const uint32_t at_once = directly ? most_data_pages : 1;
  for_each_piece({message.first.page, message.count}, [&](uintptr_t address, PageRange pages) {
    for (uint32_t begin = 0, end = 0; begin < pages.count; begin = end) {
      const uintptr_t first = address + begin * page_bytes;
      const uint8_t* content = directly ? reinterpret_cast<const uint8_t*>(first) : read_past_protection(first);
      const bool zeros = is_zero_page(content);
      for (end = begin + 1; end < pages.count && end - begin < at_once; ++end)
        if (is_zero_page(content + (end - begin) * page_bytes) != zeros)
          break;
      message.first.page = pages.first + begin;
      message.count = end - begin;
      message.zeros = zeros;
      transport_->send(to, Lane::Service, Channel::Page, &message, sizeof message, zeros ? nullptr : content,
                       message.data_bytes());
    }
  });
}

/// A copy of a page that the program may have made unreadable: another node may have asked before that was so.
const uint8_t* Service::read_past_protection(uintptr_t page) {
  if (own_memory_ < 0)
    own_memory_ = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (own_memory_ < 0 || pread(own_memory_, page_copy_, page_bytes, off_t(page)) != ssize_t(page_bytes))
    return reinterpret_cast<const uint8_t*>(page);
  return page_copy_;
}

} // namespace hetmp::dsm
