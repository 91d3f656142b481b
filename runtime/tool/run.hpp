// `hetmp run`: the environment in which a program finds the runtime, then the program.
#pragma once

#include "base/node_set.hpp"
#include "base/variables/variable.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hetmp::tool {

inline constexpr int usage_error = 2;
inline constexpr int most_threads = 32768;

/// As given on the command line; nothing = not given.
struct RunOptions {
  std::optional<std::string> nodes;
  std::optional<std::string> cores;
  std::optional<std::string> hosts;        ///< one for each node: "a,b:4"
  std::optional<std::string> remote_shell; ///< what reaches them, instead of ssh
  std::optional<std::string> transport;    ///< between the nodes of this machine: of dsm/transports.hpp
  bool encrypt = false;                    ///< what travels between hosts, and between processes by tcp
  std::optional<std::string> report;       ///< a file, or "1" for standard error
  bool explain = false;                    ///< three sentences on standard error
  std::optional<std::string> schedule;
  std::optional<std::string> loops; ///< which loops are placed: runtime or all
  std::optional<std::string> threads;
  std::vector<std::string> command; ///< the program and its arguments
};

/// Variables to set, and what is wrong with the options (empty if nothing is).
struct Environment {
  std::map<std::string, std::string> variables;
  std::string error;
  bool several_processes = false;
};

using Lookup = const char* (*)(Variable); ///< like environment_text

/// Works out the variables; changes nothing. What LD_PRELOAD held stays behind `library`. The DSM is not
/// preloaded here: the runtime does that, for the programs that use OpenMP only, so that a shell in between
/// is an ordinary shell. No `library`: nothing is preloaded, each node's host has its own.
Environment plan_environment(const RunOptions& options, const std::string& library, Lookup lookup);

/// The folder of this program's file.
std::string own_folder();

/// The runtime's library beside this program; nothing, after one line, if it is not there.
std::optional<std::string> find_library();

/// What speaks against a node of an encrypted run here, a clause; empty if nothing does. `library`: libhetmp.so, empty
/// if there is none.
std::string why_no_encryption(const std::string& library);

/// Becomes the program. Returns an exit code if that is not possible, after one line that says why.
int run(const RunOptions& options);

} // namespace hetmp::tool
