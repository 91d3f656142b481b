// What the calling thread is to the runtime: in static TLS space, since locks look here each time, and a call of the
// dynamic linker's would cost as much as the lock.
#pragma once

namespace hetmp::runtime {

namespace ompt {
struct ThreadRecord;
}
struct Thread;

/// current_thread.hpp's and thread.cpp's alone, but for `observed`, which is ompt/events.hpp's. The library has 40
/// bytes of such variables; the C library keeps some hundred for libraries that are loaded late (dlopen).
struct OwnThread {
  Thread* record = nullptr;               ///< null until the runtime knows it; and where it is executed on another node
  int number = -1;                        ///< that compilers hand around; -1 until the runtime knows it
  ompt::ThreadRecord* observed = nullptr; ///< for a tool (OMPT); null: there is none
};
extern constinit thread_local OwnThread own_thread __attribute__((tls_model("initial-exec")));

} // namespace hetmp::runtime
