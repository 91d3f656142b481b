// An agent as its launcher has it: a process here, which is the agent itself or a remote shell to it, and a socket.
#pragma once

#include "runtime/launch/launcher.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace hetmp::launch {

struct AgentProcess {
  pid_t pid = -1;
  int socket = -1; ///< to the agent's standard input and output
};

/// Starts the host's agent; what is wrong, empty if nothing is. That there is no agent on the host shows later.
std::string start_agent(const Launch& launch, const Host& host, AgentProcess& agent);

/// Closing the connection tells an agent that nobody is left to run for: it ends, and its node with it. Who does not is
/// killed after a moment.
void end_agents(const std::vector<AgentProcess>& agents);

} // namespace hetmp::launch
