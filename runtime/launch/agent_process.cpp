#include "runtime/launch/agent_process.hpp"

#include "base/message.hpp"
#include "runtime/launch/connection/descriptors.hpp"
#include "runtime/launch/connection/sockets.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string_view>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hetmp::launch {
namespace {

constexpr int cannot_run = 1;
constexpr int64_t grace_ms = 500;

std::string quoted(std::string_view word) {
  std::string text = "'";
  for (const char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

[[noreturn]] void become_agent(const Launch& launch, const Host& host) {
  std::vector<std::string> words = {launch.tool, "agent"};
  if (!is_here(host.name)) {
    words = launch.remote_shell;
    words.push_back(host.name);
    words.push_back(quoted(launch.tool) + " agent");
  }
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  say("%s: %s", arguments[0], strerrordesc_np(errno));
  _exit(127);
}

} // namespace

std::string start_agent(const Launch& launch, const Host& host, AgentProcess& agent) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return "no sockets for agents: " + std::string(strerrordesc_np(errno));
  const pid_t launcher = getpid();
  agent.socket = ends[0];
  agent.pid = fork();
  if (agent.pid < 0)
    return "no processes for agents: " + std::string(strerrordesc_np(errno));
  if (agent.pid == 0) {
    setpgid(0, 0); // the terminal's signals are for the launcher, which passes them on
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != launcher)
      _exit(cannot_run);
    dup2(ends[1], 0);
    dup2(ends[1], 1);
    release_signals();
    become_agent(launch, host);
  }
  close(ends[1]);
  return {};
}

void end_agents(const std::vector<AgentProcess>& agents) {
  for (const AgentProcess& agent : agents)
    if (agent.socket >= 0)
      close(agent.socket);
  const int64_t deadline = now_ms() + grace_ms;
  for (const AgentProcess& agent : agents)
    while (agent.pid > 0 && waitpid(agent.pid, nullptr, WNOHANG) == 0) {
      constexpr timespec moment{0, 2'000'000};
      nanosleep(&moment, nullptr);
      if (now_ms() > deadline)
        kill(-agent.pid, SIGKILL);
    }
}

} // namespace hetmp::launch
