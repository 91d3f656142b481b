// Where threads of this process wait for the coordinator's answers. Slots lie in private memory; an answer is delivered
// without a lock, so the thread that serves page faults may deliver it.
#pragma once

#include "runtime/global/requests.hpp"
#include "runtime/wait/wait.hpp"

namespace hetmp::runtime {

class AnswerSlots {
 public:
  static constexpr uint32_t most = 4096; ///< threads of one process that have asked and still live

  /// The calling thread's slot number: its ticket. Taken at its first question, kept until give_back().
  static uint32_t own_ticket();
  /// The calling thread ends. Nothing happens if it has no slot.
  static void give_back();

  /// Before asking: what wait() compares with.
  static uint32_t expect(uint32_t ticket);
  /// Blocks until the answer that follows expect() is there.
  static const Answer& wait(uint32_t ticket, uint32_t expected);
  /// False if there is no such slot.
  static bool deliver(const Answer& answer);
};

} // namespace hetmp::runtime
