#include "runtime/launch/launch_order.hpp"

#include "runtime/launch/node_program.hpp"

#include <set>
#include <string_view>
#include <unistd.h>

extern char** environ;

namespace hetmp::launch {
namespace {

std::map<std::string, std::string> environment_to_pass() {
  static const std::set<std::string_view> own = {"HOME", "USER",     "LOGNAME", "SHELL", "TMPDIR", "TERM",  "DISPLAY",
                                                 "MAIL", "HOSTNAME", "_",       "SHLVL", "PWD",    "OLDPWD"};
  std::map<std::string, std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals != std::string_view::npos && !own.contains(name) && !name.starts_with("SSH_") &&
        !name.starts_with("XDG_"))
      result.emplace(name, text.substr(equals + 1));
  }
  return result;
}

} // namespace

std::string own_name(const Host& host) { return host.name.substr(host.name.rfind('@') + 1); }

Order make_order(const Launch& launch, uint32_t node) {
  Order order;
  order.node = node;
  order.host = own_name(launch.hosts[node]);
  char folder[4096];
  order.folder = getcwd(folder, sizeof folder) ? folder : "/";
  order.command = launch.command;
  order.environment = environment_to_pass();
  order.stack_bytes = stack_limit();
  order.encrypt = launch.encrypt;
  return order;
}

} // namespace hetmp::launch
