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

/// The slots that were made, and of these the ones that are nobody's now. Only threads that wait for answers take the
/// lock.
class Slots {
 public:
  /// The number of one that is the caller's until it gives it back.
  uint32_t take() {
    std::lock_guard guard(lock_);
    if (free_ && !free_->empty()) {
      const uint32_t number = free_->back();
      free_->pop_back();
      HETMP_CHECK(number < used_);
      return number;
    }
    if (used_ == AnswerSlots::most)
      die(exit_code::no_resources, "more than %u threads of one process take part in teams on several nodes",
          AnswerSlots::most);
    slots_[used_].store(new Slot, std::memory_order_release); // pairs with the acquire in find()
    return used_++;
  }
  void give_back(uint32_t number) {
    std::lock_guard guard(lock_);
    if (!free_)
      free_ = new std::vector<uint32_t>;
    free_->push_back(number);
  }
  /// Null: nobody has had it. Any thread, without the lock.
  Slot* find(uint32_t number) const {
    // acquire: pairs with the release in take()
    return number < AnswerSlots::most ? slots_[number].load(std::memory_order_acquire) : nullptr;
  }
  /// By the thread that has it. relaxed: it has made the slot, or has got its number with the lock.
  Slot& taken(uint32_t number) const { return *slots_[number].load(std::memory_order_relaxed); }

 private:
  FutexLock lock_;
  uint32_t used_ = 0;
  std::vector<uint32_t>* free_ = nullptr; ///< never destroyed: threads may outlive static objects
  /// Made one by one, never freed; a thread that ends leaves its slot to another. Released by take(), acquired by
  /// find().
  std::atomic<Slot*> slots_[AnswerSlots::most] = {};
};

constinit Slots slots;

thread_local int own = -1;

} // namespace

uint32_t AnswerSlots::own_ticket() {
  if (own < 0)
    own = int(slots.take());
  return uint32_t(own);
}

void AnswerSlots::give_back() {
  if (own >= 0)
    slots.give_back(uint32_t(own));
  own = -1;
}

uint32_t AnswerSlots::expect(uint32_t ticket) {
  HETMP_CHECK(own >= 0 && ticket == uint32_t(own));
  return slots.taken(ticket).arrived.epoch();
}

const Answer& AnswerSlots::wait(uint32_t ticket, uint32_t expected) {
  HETMP_CHECK(own >= 0 && ticket == uint32_t(own));
  Slot& slot = slots.taken(ticket);
  slot.arrived.wait_while(expected);
  return slot.answer;
}

bool AnswerSlots::deliver(const Answer& answer) {
  Slot* slot = slots.find(answer.to.ticket);
  if (!slot)
    return false;
  slot->answer = answer;
  slot->arrived.post();
  return true;
}

} // namespace hetmp::runtime
