// The flush construct.
#pragma once

namespace hetmp::runtime {

/// By the thread with this frame, called from `place`. Where it waits for another thread so, and has to share its CPU
/// with others, they run first.
void flush(const void* frame, const void* place);

} // namespace hetmp::runtime
