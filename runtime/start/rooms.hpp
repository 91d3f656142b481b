// The rooms whose state a process begins with and a forked child forgets, in one list.
#pragma once

namespace hetmp::runtime {

/// Each room's settings, once the program's ICVs are known (program_icvs()).
void set_up_rooms();

/// In the child of a fork(), which has one thread: no lock has a holder, no other thread and nothing they had in hand
/// exists.
void forget_in_child();

} // namespace hetmp::runtime
