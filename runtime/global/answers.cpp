#include "runtime/global/answers.hpp"

#include "base/message.hpp"

namespace hetmp::runtime {
namespace {

struct Slot {
  EventCount arrived;
  Answer answer; ///< written before `arrived` is posted, read by the slot's thread after
};

/// Made one by one, never freed: a worker's slot lives as long as the worker.
std::atomic<Slot*> slots[AnswerSlots::most];
std::atomic<uint32_t> used_slots{0};

thread_local int own = -1;

} // namespace

uint32_t AnswerSlots::own_ticket() {
  if (own < 0) {
    own = int(used_slots.fetch_add(1, std::memory_order_relaxed)); // a unique number; orders nothing
    if (own >= int(most))
      die(71, "more than %u threads of one process have taken part in teams on several nodes", most);
    // Release pairs with the acquire in deliver().
    slots[own].store(new Slot, std::memory_order_release);
  }
  return uint32_t(own);
}

uint32_t AnswerSlots::expect(uint32_t ticket) {
  return slots[ticket].load(std::memory_order_relaxed)->arrived.epoch(); // its own slot
}

const Answer& AnswerSlots::wait(uint32_t ticket, uint32_t expected) {
  Slot& slot = *slots[ticket].load(std::memory_order_relaxed);
  slot.arrived.wait_while(expected);
  return slot.answer;
}

bool AnswerSlots::deliver(const Answer& answer) {
  Slot* slot = answer.ticket < most ? slots[answer.ticket].load(std::memory_order_acquire) : nullptr;
  if (!slot)
    return false;
  slot->answer = answer;
  slot->arrived.post();
  return true;
}

} // namespace hetmp::runtime
