#include "runtime/tool/run_on_hosts.hpp"

#include "base/environment.hpp"
#include "base/message.hpp"
#include "base/seal/wanted.hpp"
#include "runtime/launch/agent.hpp"
#include "runtime/launch/launcher.hpp"
#include "runtime/tool/machine.hpp"

namespace hetmp::tool {
namespace {

/// -x: no X11; BatchMode: nobody is there to type a password on each host.
constexpr const char* usual_remote_shell = "ssh -x -o BatchMode=yes";

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t begin = 0; (begin = text.find_first_not_of(' ', begin)) != std::string::npos;) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

} // namespace

bool knows_hosts() { return true; }

int run_on_hosts(const RunOptions& options) {
  const launch::ParsedHosts parsed = launch::parse_hosts(*options.hosts);
  if (!parsed.error.empty()) {
    say("--hosts %s: %s", options.hosts->c_str(), parsed.error.c_str());
    return usage_error;
  }
  launch::Launch run;
  run.hosts = parsed.hosts;
  run.remote_shell = words_of(options.remote_shell.value_or(usual_remote_shell));
  if (run.remote_shell.empty()) {
    say("--remote-shell: no command");
    return usage_error;
  }
  run.tool = own_folder() + "/hetmp";
  run.command = options.command;
  run.encrypt = seal::wanted(); // the option has become the variable
  return launch::launch(run);
}

int be_agent() {
  std::string problem;
  const auto library = find_library();
  if (!library)
    problem = "libhetmp.so is not beside " + own_folder() + "/hetmp";
  else if (!probe_fault_access().usable())
    problem = std::string("several node processes need userfaultfd: ") + fault_access_remedy;
  return launch::run_agent(library.value_or(""), problem, why_no_encryption(library.value_or("")));
}

} // namespace hetmp::tool
