#include "runtime/global/answers.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace hetmp::runtime {
namespace {

struct Slot {
  EventCount arrived;
  Answer answer; ///< written before `arrived` is posted, read by the slot's thread after
};

/// The numbers of slots: those that were used, and of these the ones that are nobody's now. Only threads that wait for
/// answers take the lock.
class TicketNumbers {
 public:
  struct Ticket {
    uint32_t number;
    bool is_new; ///< nobody has had it before
  };
  Ticket take() {
    std::lock_guard guard(lock_);
    if (free_ && !free_->empty()) {
      const uint32_t number = free_->back();
      free_->pop_back();
      HETMP_CHECK(number < used_);
      return {number, false};
    }
    if (used_ == AnswerSlots::most)
      die(exit_code::no_resources, "more than %u threads of one process take part in teams on several nodes",
          AnswerSlots::most);
    return {used_++, true};
  }
  void give_back(uint32_t number) {
    std::lock_guard guard(lock_);
    if (!free_)
      free_ = new std::vector<uint32_t>;
    free_->push_back(number);
  }

 private:
  FutexLock lock_;
  uint32_t used_ = 0;
  std::vector<uint32_t>* free_ = nullptr; ///< never destroyed: threads may outlive static objects
};

constinit TicketNumbers numbers;

/// Made one by one, never freed; a thread that ends leaves its slot to another. relaxed: read by a slot's own thread,
/// which has made it or has got its number from `numbers`.
std::atomic<Slot*> slots[AnswerSlots::most];

thread_local int own = -1;

} // namespace

uint32_t AnswerSlots::own_ticket() {
  if (own < 0) {
    const TicketNumbers::Ticket ticket = numbers.take();
    own = int(ticket.number);
    if (ticket.is_new)
      slots[own].store(new Slot, std::memory_order_release); // pairs with the acquire in deliver()
  }
  return uint32_t(own);
}

void AnswerSlots::give_back() {
  if (own >= 0)
    numbers.give_back(uint32_t(own));
  own = -1;
}

uint32_t AnswerSlots::expect(uint32_t ticket) {
  HETMP_CHECK(own >= 0 && ticket == uint32_t(own));
  return slots[ticket].load(std::memory_order_relaxed)->arrived.epoch(); // its own slot
}

const Answer& AnswerSlots::wait(uint32_t ticket, uint32_t expected) {
  HETMP_CHECK(own >= 0 && ticket == uint32_t(own));
  Slot& slot = *slots[ticket].load(std::memory_order_relaxed);
  slot.arrived.wait_while(expected);
  return slot.answer;
}

bool AnswerSlots::deliver(const Answer& answer) {
  // Acquire pairs with the release in own_ticket().
  Slot* slot = answer.to.ticket < most ? slots[answer.to.ticket].load(std::memory_order_acquire) : nullptr;
  if (!slot)
    return false;
  slot->answer = answer;
  slot->arrived.post();
  return true;
}

} // namespace hetmp::runtime
