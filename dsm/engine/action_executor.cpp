#include "dsm/engine/action_executor.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"
#include "dsm/space/zero_page.hpp"

namespace hetmp::dsm {

void ActionExecutor::add(const protocol::Actions& actions, const uint8_t* content) {
  if (batch_.add(actions, content))
    return;
  finish();
  carry_out_one_by_one(actions, content);
}

void ActionExecutor::finish() {
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

void ActionExecutor::carry_out_one_by_one(const protocol::Actions& actions, const uint8_t* content) {
  HETMP_CHECK(batch_.empty()); // what came before goes first
  for (size_t i = 0; i < actions.size(); ++i) {
    const protocol::Action& action = actions[i];
    const PageNumber page = action.page();
    // The kernel wakes when it installs, and can when it unprotects.
    const bool then_wake = i + 1 < actions.size() && actions[i + 1].kind == protocol::ActionKind::Wake;
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
      unprotect(page, then_wake ? UserFaults::Waiters::Wake : UserFaults::Waiters::Keep);
      i += then_wake;
      break;
    case protocol::ActionKind::Wake:
      memory_.wake(plan_.address_of(page));
      break;
    case protocol::ActionKind::Hold:
      holds_.resume_later(action.message, monotonic_ns());
      break;
    }
  }
}

void ActionExecutor::protect(PageRange pages) {
  meter_.taken(pages.first, pages.count, StormMeter::What::RightToWrite, monotonic_ns());
  for_each_piece(plan_, pages, [this](uintptr_t address, PageRange piece) { memory_.protect(address, piece); });
}

void ActionExecutor::unprotect(PageNumber page, UserFaults::Waiters waiters) {
  const uintptr_t address = plan_.address_of(page);
  memory_.unprotect(address, waiters);
  observer_.arrived(address, 1, true);
  const int64_t now = monotonic_ns();
  meter_.came(page, 1, now);
  holds_.came(page, now);
}

void ActionExecutor::install(const ActionBatch::Installation& installation, bool held) {
  HETMP_CHECK(installation.pages.count != 0);
  const uint8_t* content = installation.content;
  for_each_piece(plan_, installation.pages, [&](uintptr_t address, PageRange pages) {
    memory_.install(address, pages, content, installation.writable);
    observer_.arrived(address, pages.count, installation.writable);
    if (content) {
      observer_.received(pages.count * page_bytes);
      content += pages.count * page_bytes;
    }
    const int64_t now = monotonic_ns();
    meter_.came(pages.first, pages.count, now);
    if (held)
      holds_.came(pages.first, now, pages.count);
  });
}

void ActionExecutor::drop(PageRange pages) {
  meter_.taken(pages.first, pages.count, StormMeter::What::Copy, monotonic_ns());
  for_each_piece(plan_, pages, [this](uintptr_t address, PageRange piece) {
    memory_.drop(address, piece);
    observer_.lost(address, piece.count);
    listener_.copies_lost(piece);
  });
}

void ActionExecutor::send(const ActionBatch::Sending& sending) {
  HETMP_CHECK(sending.to < plan_.nodes() && sending.message.count != 0);
  if (sending.message.has_content())
    send_content(sending.to, sending.message);
  else
    transport_->send(sending.to, Lane::Service, Channel::Page, &sending.message, sizeof sending.message, nullptr, 0);
}

/// In as few messages as possible: pages of zeros and others apart.
void ActionExecutor::send_content(uint32_t to, PageMessage message) {
  const bool directly = memory_.all_readable();
  const uint32_t at_once = directly ? most_data_pages : 1;
  for_each_piece(plan_, {message.first.page, message.count}, [&](uintptr_t address, PageRange pages) {
    for (uint32_t begin = 0, end = 0; begin < pages.count; begin = end) {
      const uintptr_t first = address + begin * page_bytes;
      const uint8_t* content = directly ? reinterpret_cast<const uint8_t*>(first) : memory_.read_past_protection(first);
      const bool zeros = is_zero_page(content);
      for (end = begin + 1; end < pages.count && end - begin < at_once; ++end)
        if (is_zero_page(content + (end - begin) * page_bytes) != zeros)
          break;
      message.first.page = pages.first + begin;
      message.count = end - begin;
      message.zeros = zeros;
      HETMP_CHECK(message.count != 0 && message.count <= most_data_pages && message.stride == 1);
      transport_->send(to, Lane::Service, Channel::Page, &message, sizeof message, zeros ? nullptr : content,
                       message.data_bytes());
    }
  });
}

} // namespace hetmp::dsm
