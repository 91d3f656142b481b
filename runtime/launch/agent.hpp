// `hetmp agent`: what the launcher starts on each host. It starts the node's process, carries its output to the
// launcher and the launcher's input and signals to it, and takes it along when the launcher is gone.
#pragma once

#include <string>

namespace hetmp::launch {

/// Speaks with the launcher on standard input and output until the node's process has ended. `library`: libhetmp.so
/// here, empty if there is none; `problem`: what speaks against running a node on this host, `no_encryption`: what
/// speaks against one of an encrypted run, empty if nothing does. Returns the agent's exit code.
int run_agent(const std::string& library, const std::string& problem, const std::string& no_encryption);

} // namespace hetmp::launch
