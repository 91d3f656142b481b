// Getting the runtime ready, once for each process.
#pragma once

namespace hetmp::runtime {

/// Reads the layout of nodes, the ICVs and the wait policy. Called by the library's constructor and, in case another
/// constructor of the program uses OpenMP earlier, by the first thread that meets the runtime. Further calls do
/// nothing. Does not make the calling thread known to the runtime.
void initialise_runtime();

/// How long threads spin and on how many CPUs, from the ICVs, the layout and the own node.
void refresh_spinning();

} // namespace hetmp::runtime
