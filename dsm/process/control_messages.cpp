// NodeProcess's part in control messages: what others want of this node, and what it wants of them.
#include "base/check.hpp"
#include "dsm/process/control_message.hpp"

#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "dsm/engine/service_thread.hpp"
#include "dsm/process/errands.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <unistd.h>
#include <variant>

namespace hetmp::dsm {
namespace {

void exit_here(void* code) { exit(int(reinterpret_cast<intptr_t>(code))); }

} // namespace

/// What is done about each message.
struct ControlReceiver {
  NodeProcess& self;
  uint32_t from;
  const Slot& slot;

  /// Nothing: there is more or less than one.
  template <class T> std::optional<T> content() const {
    if (slot.header.data_bytes != sizeof(T))
      return {};
    T read;
    memcpy(&read, slot.data, sizeof read);
    return read;
  }
  std::string text() const { return {reinterpret_cast<const char*>(slot.data), slot.header.data_bytes}; }

  void operator()(const control::Free& free) const {
    void* block = reinterpret_cast<void*>(free.block);
    if (!AddressPlan::slice(self.node_).contains(free.block))
      die(exit_code::software, "node %u wants to free %p, which is not a block of node %u", from, block, self.node_);
    if (!self.heap_.try_free(block))
      self.to_free_.push_back(block);
  }
  void operator()(const control::Exit& exit) const {
    self.errands_.do_later(exit_here, reinterpret_cast<void*>(intptr_t(exit.code)));
  }
  void operator()(const control::Fact&) const { self.members_.node_joins(from, text()); }
  void operator()(const control::Joined&) const { self.members_.node_joins(from, {}); }
  void operator()(const control::Unmap& unmap) const {
    const Segment range{unmap.begin, unmap.begin + (unmap.pages << page_shift)};
    const Segment large = AddressPlan::large_part(self.node_);
    if (!large.contains(range.begin) || unmap.pages > (large.end - range.begin) >> page_shift)
      die(exit_code::software, "%s wants to unmap %#zx, which is not node %u's", self.members_.name_of(from).c_str(),
          size_t(range.begin), self.node_);
    if (!self.heap_.try_unmap(range))
      self.to_unmap_.push_back(range);
  }
  void operator()(const control::MakeChange&) const { change_arrived(from, slot.data, slot.header.data_bytes); }
  void operator()(const control::Changed& changed) const { self.changes_.answered(int(changed.error), changed.result); }
  void operator()(const control::End&) const {
    if (from != origin)
      die(exit_code::software, "%s wants to end the run, which is the origin's to do",
          self.members_.name_of(from).c_str());
    _exit(0);
  }
  void operator()(const control::Observe&) const {
    if (!self.observation_.message(from, self.node_, slot.data, slot.header.data_bytes))
      die(exit_code::software, "node %u sent an observation of %u bytes that means nothing", from,
          slot.header.data_bytes);
  }
  void operator()(const control::Lost& lost) const {
    if (self.node_ == origin && lost.node < self.plan_.nodes())
      self.members_.lost_elsewhere(from, uint32_t(lost.node), text());
  }
  void operator()(const control::Push& push) const {
    if (from == self.node_)
      self.service_->engine().push_page_of(push.address, uint32_t(push.reader));
  }
  void operator()(const control::Offer&) const { self.service_->engine().push_offer(); }
  void operator()(const control::Turn& turn) const {
    if (!self.service_->turns().message(from, turn.step))
      die(exit_code::software, "%s sent a word about turns that cannot be", self.members_.name_of(from).c_str());
  }
  void operator()(const control::Depart& depart) const {
    const auto taken = self.migration_.carriers().departed(from, depart.departure);
    if (taken == Carriers::Taken::Impossible)
      die(exit_code::software, "%s sent a thread that cannot be", self.members_.name_of(from).c_str());
    if (taken == Carriers::Taken::No)
      return;
    const DepartureMessage& thread = depart.departure;
    self.service_->prefetcher().visits.begin(thread.phase); // being awake, the service looks
    self.service_->engine().fetch(TravellersPages(thread.context, thread.thread_pointer,
                                                  thread.thread_pointer + uintptr_t(travel_flag()), thread.guard)
                                      .addresses);
  }
  void operator()(const control::ComeHome& come) const {
    const auto pages = self.migration_.deputies().came_home(from, come.homecoming);
    if (!pages)
      die(exit_code::software, "%s sent a thread home that it did not have", self.members_.name_of(from).c_str());
    self.service_->prefetcher().visits.end();
    self.service_->engine().fetch(pages->addresses);
  }
  void operator()(const control::CallHome& call) const {
    if (!self.migration_.carriers().call_home(from, call.deputy))
      die(exit_code::software, "%s called a thread home, which is the origin's to do",
          self.members_.name_of(from).c_str());
  }
  void operator()(const control::InviteHome& invitation) const {
    if (invitation.invitation > uint64_t(last_invitation) ||
        !self.migration_.carriers().invite_home(from, invitation.deputy, Invitation(invitation.invitation)))
      die(exit_code::software, "%s invited a thread home, which is the origin's to do, or for no reason that there is",
          self.members_.name_of(from).c_str());
  }
  void operator()(const control::CallForGuest& call) const {
    const auto wanted = content<GuestCall>();
    if (!wanted || !self.migration_.deputies().called(from, call.deputy, *wanted))
      die(exit_code::software, "%s sent a call of a thread that it does not have", self.members_.name_of(from).c_str());
    if (wanted->function == GuestFunction::Barrier)
      self.service_->prefetcher().visits.end();
  }
  void operator()(const control::AnswerToGuest& to) const {
    const auto answer = content<GuestAnswer>();
    if (from != origin || !answer)
      die(exit_code::software, "%s sent an answer that means nothing", self.members_.name_of(from).c_str());
    if (!self.migration_.carriers().answered(to.deputy, *answer) || to.phase == 0)
      return;
    self.service_->prefetcher().visits.end();
    self.service_->prefetcher().visits.begin(to.phase); // being awake, the service looks
  }
  void operator()(const control::Visit&) const {} // being awake, the service looks
};

void NodeProcess::control_message(uint32_t from, const Slot& slot) {
  HETMP_CHECK(on_service_thread() && from < plan_.nodes());
  const auto message = control::read(slot.header);
  if (!message)
    die(exit_code::software, "node %u sent a control message of %u bytes that means nothing", from,
        slot.header.header_bytes);
  std::visit(ControlReceiver{*this, from, slot}, *message);
}

void NodeProcess::send_observation(uint32_t to, const void* bytes, size_t size) {
  send_control(*transport_, to, on_service_thread() ? Lane::Service : Lane::Anyone, control::Observe{}, bytes, size);
}

void NodeProcess::send_turn(uint32_t to, TurnMessage step) {
  send_control(*transport_, to, Lane::Service, control::Turn{uint64_t(step)});
}

void NodeProcess::wake_service() {
  static constexpr control::Encoded message(control::Visit{}); // the caller may hold a lock: no shared page
  send_control(*transport_, node_, Lane::Anyone, message);
}

void NodeProcess::begin_visit(uint64_t loop) {
  if (service_->prefetcher().visits.begin(loop))
    wake_service();
}

void NodeProcess::bring_home() {
  service_->prefetcher().lent.want_back();
  wake_service();
}

void NodeProcess::send_departure(uint32_t to, const DepartureMessage& departure) {
  begin_visit(departure.phase); // of those that stay
  service_->prefetcher().lent.lend(true);
  send_control(*transport_, to, Lane::Anyone, control::Depart{departure});
}

void NodeProcess::send_homecoming(const HomecomingMessage& homecoming) {
  if (homecoming.why() != Homecoming::Refused) // else another guest's
    service_->prefetcher().visits.end();
  send_control(*transport_, origin, on_service_thread() ? Lane::Service : Lane::Anyone, control::ComeHome{homecoming});
}

void NodeProcess::call_home(uint32_t node, uint64_t deputy) {
  send_control(*transport_, node, Lane::Anyone, control::CallHome{deputy});
}

void NodeProcess::invite_home(uint32_t node, uint64_t deputy, Invitation invitation) {
  send_control(*transport_, node, Lane::Anyone, control::InviteHome{deputy, uint64_t(invitation)});
}

void NodeProcess::send_guest_call(uint64_t deputy, const GuestCall& call) {
  if (call.function ==
      GuestFunction::Barrier) // else what those at home take meanwhile would be fetched again and again
    service_->prefetcher().visits.end();
  send_control(*transport_, origin, Lane::Anyone, control::CallForGuest{deputy}, &call, sizeof call);
}

void NodeProcess::send_guest_answer(uint32_t node, uint64_t deputy, uint32_t phase, const GuestAnswer& answer) {
  if (phase != 0)
    begin_visit(phase); // of those that stay
  send_control(*transport_, node, Lane::Anyone, control::AnswerToGuest{uint32_t(deputy), phase}, &answer,
               sizeof answer);
}

void NodeProcess::free_remote(void* block) {
  HETMP_CHECK(Heap::owner(block) != node_); // which frees its own itself
  send_control(*transport_, Heap::owner(block), Lane::Anyone, control::Free{reinterpret_cast<uintptr_t>(block)});
}

void NodeProcess::unmap_remote(Segment range) {
  const uint32_t owner = Heap::owner(reinterpret_cast<const void*>(range.begin));
  HETMP_CHECK(owner != node_); // likewise
  send_control(*transport_, owner, Lane::Anyone, control::Unmap{range.begin, range.bytes() >> page_shift});
}

void NodeProcess::send_change(uint32_t to, const Change& change) {
  HETMP_CHECK(to != node_ && !on_service_thread()); // who asks waits for the answer
  static_assert(std::is_trivially_copyable_v<Change> && sizeof change <= most_data_bytes);
  send_control(*transport_, to, Lane::Anyone, control::MakeChange{}, &change, sizeof change);
}

void NodeProcess::answer_change(uint32_t to, int error, uint64_t result) {
  send_control(*transport_, to, on_service_thread() ? Lane::Service : Lane::Anyone, control::Changed{error, result});
}

void NodeProcess::exit_at_origin(int code) {
  fflush(stdout);
  send_control(*transport_, origin, Lane::Anyone, control::Exit{code});
  while (true)
    pause();
}

} // namespace hetmp::dsm
