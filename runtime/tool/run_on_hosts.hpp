// What `hetmp run` and `hetmp agent` do with hosts; a build without libsodium can only say that it cannot.
#pragma once

#include "runtime/tool/run.hpp"

namespace hetmp::tool {

/// Whether this build knows hosts.
bool knows_hosts();

/// Runs the program on its hosts, to its end. The environment is set. Returns an exit code.
int run_on_hosts(const RunOptions& options);

/// The part of one host: see runtime/launch/agent.hpp.
int be_agent();

} // namespace hetmp::tool
