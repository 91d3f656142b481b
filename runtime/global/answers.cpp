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

/// Made one by one, never freed; a thread that ends leaves its slot to another. relaxed: read by a slot's own thread,
/// which has made it or has got its number under numbers_lock.
std::atomic<Slot*> slots[AnswerSlots::most];

FutexLock numbers_lock; ///< guards what follows; only threads that wait for answers take it
uint32_t used_slots = 0;
std::vector<uint32_t>& free_numbers() {
  static auto* const numbers = new std::vector<uint32_t>; // never destroyed: threads may outlive static objects
  return *numbers;
}

thread_local int own = -1;

} // namespace

uint32_t AnswerSlots::own_ticket() {
  if (own < 0) {
    std::lock_guard guard(numbers_lock);
    if (!free_numbers().empty()) {
      own = int(free_numbers().back());
      free_numbers().pop_back();
      HETMP_CHECK(own >= 0 && uint32_t(own) < used_slots);
      return uint32_t(own);
    }
    if (used_slots == most)
      die(exit_code::no_resources, "more than %u threads of one process take part in teams on several nodes", most);
    own = int(used_slots++);
    // Release pairs with the acquire in deliver().
    slots[own].store(new Slot, std::memory_order_release);
  }
  return uint32_t(own);
}

void AnswerSlots::give_back() {
  if (own < 0)
    return;
  std::lock_guard guard(numbers_lock);
  HETMP_CHECK_COSTLY(std::find(free_numbers().begin(), free_numbers().end(), uint32_t(own)) == free_numbers().end());
  free_numbers().push_back(uint32_t(own));
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
