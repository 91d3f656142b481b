// What launcher and agent both do with descriptors.
#pragma once

#include <string_view>
#include <sys/types.h>

namespace hetmp::launch {

/// Writes all of it, waiting as long as that takes. False if the other side is gone.
bool write_all(int descriptor, std::string_view bytes);

/// A descriptor that becomes readable when one of `signals` comes; these are blocked from now on. Zero ends the list.
int catch_signals(const int* signals);
/// The next signal such a descriptor has, 0 if none; for SIGCHLD too. Does not wait if it is non-blocking.
int read_signal_from(int descriptor);
/// For a child that is about to execute something else.
void release_signals();

} // namespace hetmp::launch
