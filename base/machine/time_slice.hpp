// How long the kernel lets a thread compute before others of its CPU get their turn.
#pragma once

namespace hetmp {

/// Asks for turns of the calling thread that are as short as the kernel makes them, or for the usual ones again. Who
/// has short turns gets the next one sooner when it wakes up: in Linux, from 6.12 on, at once, where the thread that
/// computes has longer ones, and is not behind with its share of the CPU. The share stays the same. Comes to nothing
/// where the kernel does not know of it, or does not allow it, and for threads with real-time priority. Makes no use of
/// thread-local variables.
void ask_for_short_turns(bool wanted);

} // namespace hetmp
