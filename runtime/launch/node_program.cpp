#include "runtime/launch/node_program.hpp"

#include "base/machine/address_layout.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/message.hpp"
#include "dsm/launch_plan.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/personality.h>
#include <unistd.h>

namespace hetmp::launch {
namespace {

constexpr int cannot_run = 1;
constexpr int not_executable = 126;
constexpr int not_found = 127;
constexpr int patience_s = 20;
/// Sockets go there: a descriptor that the program has opened on another host is then none here, instead of a socket.
constexpr int first_socket = 200;

bool lift(int& descriptor) {
  if (descriptor < 0)
    return true;
  const int lifted = fcntl(descriptor, F_DUPFD, first_socket);
  close(descriptor);
  descriptor = lifted;
  return lifted >= 0;
}

/// The descriptor from which the program will read them; negative, with errno, if there is none.
int inheritable(dsm::ConnectionKeys& keys) {
  int descriptor = dsm::pass_keys(keys);
  dsm::forget(keys);
  return descriptor >= 0 && !lift(descriptor) ? -1 : descriptor;
}

/// Addresses have to be the same on all hosts: no randomisation, and one stack limit, from which the kernel works out
/// where libraries go. False if the kernel does not allow that.
bool fix_addresses(uint64_t stack_bytes) {
  AddressLayout layout = address_layout();
  if (layout.personality == AddressLayout::unknown)
    return false;
  layout.stack_bytes = stack_bytes;
  layout = downwards(layout);
  layout.personality |= ADDR_NO_RANDOMIZE;
  return set_address_layout(layout);
}

/// The user's choice as the order has it, which is the same for all nodes.
const dsm::TransportKind& wanted_transport(const Order& order) {
  const dsm::TransportKind& usual = dsm::transport_over_hosts();
  const auto wanted = order.environment.find(name_of(Variable::HETMP_TRANSPORT));
  if (wanted == order.environment.end() || wanted->second.empty())
    return usual;
  const dsm::TransportKind* const kind = dsm::find_transport(wanted->second);
  if (kind && kind->over_hosts)
    return *kind;
  if (order.node == 0)
    complain(Variable::HETMP_TRANSPORT, wanted->second,
             kind ? "connects processes of one machine only" : dsm::no_transport_of_that_name(), usual.name);
  return usual;
}

void set_environment(const Order& order, const Start& start, const dsm::LaunchPlan& plan, const std::string& library) {
  for (const auto& [name, value] : order.environment)
    setenv(name.c_str(), value.c_str(), 1);
  const char* preloaded = environment_text(Variable::LD_PRELOAD);
  setenv(name_of(Variable::LD_PRELOAD), preloaded && *preloaded ? (library + ':' + preloaded).c_str() : library.c_str(),
         1);
  setenv(name_of(Variable::HETMP_NODES), ("hosts:" + format_cpu_lists(start.cpus)).c_str(), 1);
  setenv(name_of(dsm::launcher_variable), dsm::format_plan(plan).c_str(), 1);
}

} // namespace

uint64_t stack_limit() { return downwards(address_layout()).stack_bytes; }

int become_node(const Order& order, const Start& start, const ListeningSocket& listening, const std::string& library,
                int words) {
  const char* host = order.host.c_str();
  if (chdir(order.folder.c_str()) != 0) {
    say("host %s: %s: %s", host, order.folder.c_str(), strerrordesc_np(errno));
    return cannot_run;
  }
  Mesh mesh = connect_mesh(order.node, start.endpoints, listening, start.secret, patience_s, order.encrypt);
  if (!mesh.error.empty()) {
    say("host %s: %s", host, mesh.error.c_str());
    return cannot_run;
  }
  for (auto& pair : mesh.sockets)
    if (!lift(pair[0]) || !lift(pair[1])) {
      say("host %s: no descriptors for %zu nodes: %s", host, mesh.sockets.size(), strerrordesc_np(errno));
      return cannot_run;
    }
  const int keys = order.encrypt ? inheritable(mesh.keys) : -1;
  if (order.encrypt && keys < 0) {
    say("host %s: the keys cannot be handed to the program: %s", host, strerrordesc_np(errno));
    return cannot_run;
  }
  AddressLayout users = address_layout();
  users.stack_bytes = order.stack_bytes; // which is the launcher's, wherever it is
  if (!lift(words)) {
    say("host %s: no descriptor for what is to be said: %s", host, strerrordesc_np(errno));
    return cannot_run;
  }
  if (!fix_addresses(order.stack_bytes)) {
    say("host %s: the address space cannot be laid out as on the other hosts: %s", host, strerrordesc_np(errno));
    return cannot_run;
  }
  dsm::LaunchPlan plan;
  plan.process = getpid();
  plan.transport = &wanted_transport(order);
  plan.cpus = start.cpus;
  plan.node = order.node;
  plan.sockets = mesh.sockets;
  plan.sealed = order.encrypt;
  plan.keys = keys;
  plan.words = words;
  plan.hosts = start.hosts;
  plan.users_layout = users;
  set_environment(order, start, plan, library);

  std::vector<char*> arguments;
  for (const std::string& word : order.command)
    arguments.push_back(const_cast<char*>(word.c_str())); // execvp's signature; it changes nothing
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  say("host %s: %s: %s", host, arguments[0], strerrordesc_np(error));
  return error == ENOENT ? not_found : not_executable;
}

} // namespace hetmp::launch
