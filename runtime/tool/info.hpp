// `hetmp info`: what hetmp finds on this machine, one fact a line.
#pragma once

namespace hetmp::tool {

/// Prints to standard output; returns the exit code.
int print_info();

} // namespace hetmp::tool
