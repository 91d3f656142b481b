// Futexes between nodes. The C library lets threads sleep on words of the program's memory (mutexes, condition
// variables, pthread_once, stream locks ...), and whoever changes the word wakes the sleepers of its own process. A
// thread of another node cannot. But to change the word it had to take the page away from this node first: so, after
// this node has lost a page, threads here that sleep on a word in shared memory are woken to look again.
//
// Nothing is missed. A sleeper's word was compared in the kernel, with the page present, when it went to sleep. If the
// word changes on another node, this node loses the page after that, and a scan follows. A thread that is not yet
// asleep when the scan comes compares the word after the loss: it fetches the page and sees the change. And all waits
// of the C library look again after being woken for nothing, because futexes may always do that.
//
// This is for process-private futexes, which is what the C library uses. (Waking one of the other kind makes the kernel
// touch the page, which the service thread must not; the C++ library has such waits for static local objects, and
// interpose_static_init.cpp has those.)
#pragma once

#include "dsm/space/address_plan.hpp"

namespace hetmp::dsm {

/// Wakes every thread of this process that sleeps on a futex in shared memory. For the service thread: touches no
/// shared page. Needs /proc; without it nobody is woken.
void wake_shared_futex_waiters(const AddressPlan& plan);

} // namespace hetmp::dsm
