// `hetmp run --hosts`: starts an agent on each host and, through them, the program as one of the nodes on each; is the
// program's terminal, and its end.
#pragma once

#include "runtime/launch/hosts.hpp"

#include <string>
#include <vector>

namespace hetmp::launch {

struct Launch {
  std::vector<Host> hosts;
  std::vector<std::string> remote_shell; ///< its words; the host and then one command for its shell follow
  std::string tool;                      ///< bin/hetmp, at the same place on every host
  std::vector<std::string> command;      ///< the program and its arguments
  bool encrypt = false;                  ///< what travels between hosts
};

/// Runs the program to its end. Returns the exit code: the origin's, 128 + the number of the signal that ended it, or,
/// after one line, what tells that it could not be run.
int launch(const Launch& launch);

} // namespace hetmp::launch
