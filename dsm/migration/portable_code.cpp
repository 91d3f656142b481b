#include "dsm/migration/portable_code.hpp"

#include "base/elf/elf_image.hpp"
#include "base/loaded_object.hpp"
#include "dsm/migration/gates.hpp"
#include "dsm/migration/memory_abroad.hpp"
#include "dsm/objects/private_objects.hpp"

#include <algorithm>
#include <unwind.h>

namespace hetmp::dsm {
namespace {

/// So many calls inside each other are looked at, a microsecond each. A thread in a deep recursion stays: it would
/// spend its time here, being asked every few milliseconds.
constexpr uint32_t most_frames = 256;

/// The frames from the interrupted one on, innermost first.
struct Walk {
  const PortableCode& code;
  uintptr_t interrupted;
  uintptr_t base;
  bool begun = false; ///< the handler's own frames are behind us
  bool arrived = false;
  uint32_t frames = 0;

  static _Unwind_Reason_Code step(_Unwind_Context* context, void* walk) {
    return static_cast<Walk*>(walk)->see(uintptr_t(_Unwind_GetIP(context)), uintptr_t(_Unwind_GetCFA(context)));
  }

  _Unwind_Reason_Code see(uintptr_t instruction, uintptr_t stack_pointer) {
    if (!begun) {
      begun = instruction == interrupted;
      return _URC_NO_REASON;
    }
    if (stack_pointer >= base) {
      arrived = true;
      return _URC_END_OF_STACK;
    }
    if (++frames > most_frames)
      return _URC_END_OF_STACK;
    return code.may_return_to(instruction) ? _URC_NO_REASON : _URC_END_OF_STACK;
  }
};

} // namespace

void PortableCode::find() {
  const std::vector<uintptr_t> private_objects = find_private_objects();
  for_each_loaded_object([&](const LoadedObject& object) {
    if (std::binary_search(private_objects.begin(), private_objects.end(), object.begin()) && !is_mathematical(object))
      return;
    for_each_segment(object.headers(), [&](const LoadedSegment& segment) {
      if (segment.type == PT_LOAD && segment.flags & PF_X)
        spans_.push_back({segment.begin, segment.end()});
    });
  });
  std::sort(spans_.begin(), spans_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  // The first walk sets up tables of the unwinder, which a signal handler should not have to.
  _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; }, nullptr);
}

bool PortableCode::has(uintptr_t instruction) const {
  const auto behind = std::upper_bound(spans_.begin(), spans_.end(), instruction,
                                       [](uintptr_t address, const auto& span) { return address < span.begin; });
  return behind != spans_.begin() && instruction < std::prev(behind)->end;
}

/// A stand-in calls the program only as a part of that (tasks_abroad.hpp), and goes on the same way on any node.
bool PortableCode::may_return_to(uintptr_t instruction) const {
  return is_return_code(instruction) || MemoryAbroad::is_stand_in(instruction) || has(instruction);
}

bool PortableCode::may_leave(const ucontext_t& interrupted, uintptr_t base, bool asks) const {
  const auto instruction = uintptr_t(interrupted.uc_mcontext.gregs[REG_RIP]);
  if (asks ? !is_return_code(instruction) : !has(instruction))
    return false;
  Walk walk{*this, instruction, base};
  _Unwind_Backtrace(Walk::step, &walk);
  return walk.arrived;
}

} // namespace hetmp::dsm
