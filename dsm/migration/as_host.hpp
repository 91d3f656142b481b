// What stand-ins are made of: functions that a thread calls in the program's place of others while it is executed on
// another node (gates.hpp). They find the thread that executes it, its host, and do something as that.
//
// While the host works with its own thread pointer, and while the guest executes a stand-in's own instructions, which
// have found the host, nobody sends the guest home (Carrier::meet_signal). So a stand-in calls nothing but by do_as(),
// or when it is at home.
#pragma once

#include "base/check.hpp"
#include "dsm/migration/contexts/context.hpp"
#include "dsm/migration/contexts/raw_calls.hpp"
#include "dsm/migration/memory_abroad.hpp"
#include "dsm/migration/this_process.hpp"

#include <asm/prctl.h>
#include <cstdlib>
#include <string_view>

// What carries this lies in the stand-ins' section, with all that it calls in place. The canary of a stack protector
// would be another thread's.
#define HETMP_STAND_IN __attribute__((section("hetmp_stand_ins"), noinline, no_stack_protector))
#define HETMP_IN_PLACE inline __attribute__((always_inline, no_stack_protector))

namespace hetmp::dsm {

/// A stand-in, and the function whose place it takes.
struct StandIn {
  std::string_view name;
  uintptr_t address;

  template <class Signature>
  StandIn(std::string_view of, Signature* function) : name(of), address(reinterpret_cast<uintptr_t>(function)) {}
};

/// Which one the function of this name has; 0: none. Kept for it, in its place among `all`: the function itself.
template <size_t count>
uintptr_t keep_original(const StandIn (&all)[count], std::string_view name, uintptr_t function,
                        uintptr_t (&originals)[count]) {
  for (size_t i = 0; i < count; ++i)
    if (all[i].name == name) {
      HETMP_CHECK(MemoryAbroad::is_stand_in(all[i].address));
      originals[i] = function;
      return all[i].address;
    }
  return 0;
}

struct AsHost {
  /// Of the calling thread; null: it is at home.
  HETMP_IN_PLACE static Host* of_caller() {
    MemoryAbroad& memory = *this_process.memory;
    const uintptr_t caller = thread_pointer();
    for (size_t i = 0; i < memory.hosts_; ++i)
      if (memory.host_[i].guest == caller)
        return &memory.host_[i];
    return nullptr;
  }

  /// As the host of the caller.
  template <class Argument> HETMP_IN_PLACE static void* do_as(Host& host, void* (*work)(Argument), Argument argument) {
    const uintptr_t guest = host.guest;
    host.works = true; // for the host's handler: before its pointer is set, and until the guest's is again
    set_thread_pointer(host.own);
    void* const result = work(argument);
    set_thread_pointer(guest);
    host.works = false;
    return result;
  }

  /// A block of the heap of the caller's node; null: it has none.
  HETMP_IN_PLACE static void* take(Host& host, size_t bytes) { return do_as(host, MemoryAbroad::take, bytes); }
  /// Of some node's heap, wherever the caller is.
  HETMP_IN_PLACE static void give_back(void* block) {
    if (Host* const host = of_caller())
      do_as(*host, MemoryAbroad::give_back, block);
    else
      free(block);
  }

  /// Calls the function itself, which gates lead to, at home.
  template <class Result, class... Arguments>
  HETMP_IN_PLACE static Result at_home(void (*come_home)(), uintptr_t function, Arguments... arguments) {
    come_home();
    return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
  }

 private:
  HETMP_IN_PLACE static void set_thread_pointer(uintptr_t pointer) {
    if (this_process.memory->sets_pointer_itself_)
      asm volatile("wrfsbase %0" : : "r"(pointer) : "memory");
    else
      raw::call(SYS_arch_prctl, ARCH_SET_FS, long(pointer));
  }
};

} // namespace hetmp::dsm
