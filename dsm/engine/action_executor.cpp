#include "dsm/engine/action_executor.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"
#include "dsm/space/zero_page.hpp"

namespace hetmp::dsm {
namespace {

/// Calls work(pages) for the ranges of those that are no witnesses.
template <class Work> void for_each_between(const Witnesses& witnesses, PageRange pages, Work work) {
  uint32_t begin = 0;
  for (uint32_t end = 0; end <= pages.count; ++end) {
    if (end != pages.count && !witnesses.has(pages.first + end))
      continue;
    if (end != begin)
      work(PageRange{pages.first + begin, end - begin});
    begin = end + 1;
  }
}

} // namespace

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
  for (const PageRange& pages : batch_.drops_before)
    drop(pages);
  for (const ActionBatch::Installation& installation : batch_.installations)
    install(installation);
  for (const PageRange& pages : batch_.upgrades)
    unprotect(pages, UserFaults::Waiters::Wake);
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
      unprotect({page, 1}, then_wake ? UserFaults::Waiters::Wake : UserFaults::Waiters::Keep);
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
  listener_.right_lost(pages);
  for_each_piece(plan_, pages, [this](uintptr_t address, PageRange piece) { memory_.protect(address, piece); });
}

void ActionExecutor::unprotect(PageRange all, UserFaults::Waiters waiters) {
  for_each_piece(plan_, all, [this, waiters](uintptr_t address, PageRange pages) {
    for_each_between(witnesses_, pages, [&](PageRange others) {
      memory_.unprotect(address + (others.first - pages.first) * page_bytes, others, waiters);
    });
    observer_.arrived(address, pages.count, true);
    observer_.taken(pages.count);
    came(pages, true);
  });
}

/// Pages, or the right to write them. What is only read comes back without taking anything away.
void ActionExecutor::came(PageRange pages, bool writable, bool held) {
  const int64_t now = monotonic_ns();
  const StormMeter::Clock missed = writable && pages.count == 1 ? meter_.missed_for(pages.first, now) : 0;
  meter_.came(pages.first, pages.count, now);
  observer_.waiting(meter_.is_waiting(), now);
  if (held)
    holds_.came(pages.first, now, pages.count, missed);
}

void ActionExecutor::install(const ActionBatch::Installation& installation, bool held) {
  HETMP_CHECK(installation.pages.count != 0);
  const uint8_t* content = installation.content;
  for_each_piece(plan_, installation.pages, [&](uintptr_t address, PageRange pages) {
    if (installation.writable)
      install_witnesses_apart(address, pages, content);
    else
      memory_.install(address, pages, content, false);
    observer_.arrived(address, pages.count, installation.writable);
    if (content) {
      observer_.received(pages.count);
      if (installation.writable)
        observer_.taken(pages.count);
      content += pages.count * page_bytes;
    }
    came(pages, installation.writable, held);
  });
}

/// Pages that may be written.
void ActionExecutor::install_witnesses_apart(uintptr_t address, PageRange pages, const uint8_t* content) {
  const auto install = [&](PageRange some, bool writable) {
    const size_t offset = (some.first - pages.first) * page_bytes;
    memory_.install(address + offset, some, content ? content + offset : nullptr, writable);
  };
  for_each_between(witnesses_, pages, [&](PageRange others) { install(others, true); });
  for (PageNumber page = pages.first; page != pages.first + pages.count; ++page)
    if (witnesses_.has(page))
      install({page, 1}, false);
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
