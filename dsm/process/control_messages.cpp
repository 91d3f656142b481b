// NodeProcess's part in control messages: what others want of this node, and what it wants of them.
#include "dsm/process/control_message.hpp"

#include "base/message.hpp"
#include "dsm/engine/service_thread.hpp"
#include "dsm/process/errands.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE

void exit_here(void* code) { exit(int(reinterpret_cast<intptr_t>(code))); }

} // namespace

void NodeProcess::control_message(uint32_t from, const Slot& slot) {
  ControlMessage message;
  if (slot.header.header_bytes != sizeof message)
    die(failure, "node %u sent a control message of %u bytes", from, slot.header.header_bytes);
  memcpy(&message, slot.header.message, sizeof message);
  switch (message.kind) {
  case ControlMessage::Kind::Free: {
    void* block = reinterpret_cast<void*>(message.address);
    if (!AddressPlan::slice(node_).contains(message.address))
      die(failure, "node %u wants to free %p, which is not a block of node %u", from, block, node_);
    if (!heap_.try_free(block))
      to_free_.push_back(block);
    break;
  }
  case ControlMessage::Kind::Exit:
    do_later(exit_here, reinterpret_cast<void*>(intptr_t(message.exit_code)));
    break;
  case ControlMessage::Kind::Fact:
    node_joins(from, std::string(reinterpret_cast<const char*>(slot.data), slot.header.data_bytes));
    break;
  case ControlMessage::Kind::Joined:
    node_joins(from, {});
    break;
  case ControlMessage::Kind::Unmap: {
    const Segment range{message.address, message.address + (uint64_t(uint32_t(message.exit_code)) << page_shift)};
    if (!AddressPlan::large_part(node_).contains(range.begin) || range.end > AddressPlan::large_part(node_).end)
      die(failure, "%s wants to unmap %#zx, which is not node %u's", name_of(from).c_str(), size_t(range.begin), node_);
    if (!heap_.try_unmap(range))
      to_unmap_.push_back(range);
    break;
  }
  case ControlMessage::Kind::Change:
    change_arrived(from, slot.data, slot.header.data_bytes);
    break;
  case ControlMessage::Kind::Changed:
    change_answered(message.exit_code, message.address);
    break;
  case ControlMessage::Kind::End:
    if (from != origin)
      die(failure, "%s wants to end the run, which is the origin's to do", name_of(from).c_str());
    _exit(0);
  case ControlMessage::Kind::Observe:
    if (!observation_.message(from, node_, slot.data, slot.header.data_bytes))
      die(failure, "node %u sent an observation of %u bytes that means nothing", from, slot.header.data_bytes);
    break;
  case ControlMessage::Kind::Lost:
    if (node_ == origin && message.address < plan_.nodes())
      lost_elsewhere(from, uint32_t(message.address),
                     std::string(reinterpret_cast<const char*>(slot.data), slot.header.data_bytes));
    break;
  case ControlMessage::Kind::Push:
    if (from == node_)
      service_->engine().push_page_of(message.address, uint32_t(message.exit_code));
    break;
  case ControlMessage::Kind::Offer:
    service_->engine().push_offer();
    break;
  case ControlMessage::Kind::Visit:
    break; // being awake, the service looks
  }
}

void NodeProcess::send_observation(uint32_t to, const void* bytes, size_t size) {
  const ControlMessage message{ControlMessage::Kind::Observe, 0, 0};
  transport_->send(to, is_service_thread ? Lane::Service : Lane::Anyone, Channel::Control, &message, sizeof message,
                   bytes, size);
}

void NodeProcess::free_remote(void* block) {
  const ControlMessage message{ControlMessage::Kind::Free, 0, reinterpret_cast<uintptr_t>(block)};
  transport_->send(Heap::owner(block), Lane::Anyone, Channel::Control, &message, sizeof message, nullptr, 0);
}

void NodeProcess::unmap_remote(Segment range) {
  const ControlMessage message{ControlMessage::Kind::Unmap, int32_t(range.bytes() >> page_shift), range.begin};
  const uint32_t owner = Heap::owner(reinterpret_cast<const void*>(range.begin));
  transport_->send(owner, Lane::Anyone, Channel::Control, &message, sizeof message, nullptr, 0);
}

void NodeProcess::send_change(uint32_t to, const Change& change) {
  const ControlMessage message{ControlMessage::Kind::Change, 0, 0};
  transport_->send(to, Lane::Anyone, Channel::Control, &message, sizeof message, &change, sizeof change);
}

void NodeProcess::answer_change(uint32_t to, int error, uint64_t result) {
  const ControlMessage message{ControlMessage::Kind::Changed, error, result};
  const Lane lane = is_service_thread ? Lane::Service : Lane::Anyone;
  transport_->send(to, lane, Channel::Control, &message, sizeof message, nullptr, 0);
}

void NodeProcess::exit_at_origin(int code) {
  fflush(stdout);
  const ControlMessage message{ControlMessage::Kind::Exit, code, 0};
  transport_->send(origin, Lane::Anyone, Channel::Control, &message, sizeof message, nullptr, 0);
  while (true)
    pause();
}

} // namespace hetmp::dsm
