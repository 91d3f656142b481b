#include "runtime/tool/run.hpp"

#include "base/environment.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/message.hpp"
#include "base/seal/load.hpp"
#include "base/seal/wanted.hpp"
#include "base/variables/variable.hpp"
#include "dsm/transports.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/tool/machine.hpp"
#include "runtime/tool/run_on_hosts.hpp"
#include "runtime/tool/run_under_pmix.hpp"
#include "schedulers/policies/schedule_text.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace hetmp::tool {
namespace {

constexpr int cannot_run = 1;
constexpr int not_executable = 126; // as shells say it
constexpr int not_found = 127;

std::string over_hosts() { return dsm::transport_names(&dsm::TransportKind::over_hosts); }

bool connects_hosts(const std::string& transport) {
  const dsm::TransportKind* kind = dsm::find_transport(transport);
  return kind && kind->over_hosts;
}

std::string check_nodes(const RunOptions& options) {
  if (int(options.nodes.has_value()) + int(options.cores.has_value()) + int(options.hosts.has_value()) > 1)
    return "--nodes, --cores and --hosts exclude each other";
  if (options.remote_shell && !options.hosts)
    return "--remote-shell is for --hosts";
  const dsm::TransportKind* transport = options.transport ? dsm::find_transport(*options.transport) : nullptr;
  if (options.transport && !transport)
    return "--transport " + *options.transport + ": " + dsm::no_transport_of_that_name();
  if (transport && options.hosts && !transport->over_hosts)
    return "--transport " + *options.transport + ": hosts are connected by " + over_hosts();
  const bool stays_in_memory = transport && (!transport->can_seal || (transport->between_hosts_only && options.nodes));
  if (options.encrypt && (options.cores || stays_in_memory))
    return "--encrypt is for nodes that are connected by " + dsm::transport_names(&dsm::TransportKind::can_seal);
  if (options.cores)
    if (const auto parsed = runtime::parse_nodes("cores:" + *options.cores, allowed_cpus()); !parsed.error.empty())
      return "--cores " + *options.cores + ": " + parsed.error;
  if (options.nodes && !parse_integer(*options.nodes, 1, most_nodes))
    return "--nodes " + *options.nodes + ": not a number from 1 to " + std::to_string(most_nodes);
  return {};
}

std::string check(const RunOptions& options) {
  if (std::string wrong = check_nodes(options); !wrong.empty())
    return wrong;
  if (options.threads && !parse_integer(*options.threads, 1, most_threads))
    return "--threads " + *options.threads + ": not a number from 1 to " + std::to_string(most_threads);
  if (options.schedule)
    if (const auto parsed = schedulers::parse_schedule(*options.schedule); !parsed.schedule)
      return "--schedule " + *options.schedule + ": " + parsed.error;
  if (options.loops && *options.loops != "runtime" && *options.loops != "all")
    return "--loops " + *options.loops + ": neither runtime nor all";
  if (options.command.empty())
    return "no program given; try 'hetmp run --help'";
  return {};
}

Environment set_environment(const RunOptions& options, const std::string& library) {
  Environment planned = plan_environment(options, library, environment_text);
  for (const auto& [name, value] : planned.variables)
    setenv(name.c_str(), value.c_str(), 1);
  return planned;
}

/// Whoever says which nodes there are to be is obeyed. A program on several nodes says so too, by the HETMP_NODES it
/// was started with: what it starts by `hetmp run` is no further process of the job.
bool is_given_nodes_by_pmix(const RunOptions& options) {
  return environment_text(Variable::PMIX_RANK) && !options.nodes && !options.cores && !options.hosts &&
         !environment_value(Variable::HETMP_NODES);
}

std::optional<int> run_as_given_by_pmix(const RunOptions& options) {
  std::string problem;
  const auto library = find_library();
  if (!library)
    problem = "libhetmp.so is not where it should be";
  else if (!probe_fault_access().usable())
    problem = std::string("several node processes need userfaultfd: ") + fault_access_remedy;
  else if (options.transport && !connects_hosts(*options.transport))
    problem = "--transport " + *options.transport + ": processes that were started by themselves are connected by " +
              over_hosts();
  set_environment(options, "");
  return run_under_pmix(options, library.value_or(""), problem);
}

} // namespace

std::string own_folder() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string file(path, size_t(length > 0 ? length : 0));
  return file.substr(0, file.rfind('/'));
}

Environment plan_environment(const RunOptions& options, const std::string& library, Lookup lookup) {
  Environment result;
  result.error = check(options);
  if (!result.error.empty())
    return result;
  auto& set = result.variables;
  const int64_t nodes = options.nodes ? *parse_integer(*options.nodes, 1, most_nodes) : 1;
  result.several_processes = nodes > 1;
  if (options.nodes)
    set[name_of(Variable::HETMP_NODES)] = nodes > 1 ? "proc:" + std::to_string(nodes) : "1";
  if (options.cores)
    set[name_of(Variable::HETMP_NODES)] = "cores:" + *options.cores;
  if (options.transport)
    set[name_of(Variable::HETMP_TRANSPORT)] = *options.transport;
  if (options.encrypt)
    set[name_of(Variable::HETMP_ENCRYPT)] = "1";
  if (options.report)
    set[name_of(Variable::HETMP_REPORT)] = *options.report;
  if (options.explain)
    set[name_of(Variable::HETMP_EXPLAIN)] = "true";
  if (options.schedule)
    set[name_of(Variable::HETMP_SCHEDULE)] =
        *options.schedule; // another runtime in the process complains of hetmp's kinds in OMP_SCHEDULE
  if (options.loops)
    set[name_of(Variable::HETMP_LOOPS)] = *options.loops;
  if (options.threads)
    set[name_of(Variable::OMP_NUM_THREADS)] = *options.threads;
  if (library.empty())
    return result;
  const char* preloaded = lookup(Variable::LD_PRELOAD);
  set[name_of(Variable::LD_PRELOAD)] = preloaded && *preloaded ? library + ':' + preloaded : library;
  return result;
}

std::string why_no_encryption(const std::string& library) {
  std::string problem;
  seal::load_cipher(library.substr(0, library.rfind('/')), problem);
  return problem;
}

std::optional<std::string> find_library() {
  const std::string here = own_folder();
  for (const char* folder : {"/../lib/", "/" HETMP_LIBRARY_FOLDER "/"}) {
    char resolved[PATH_MAX];
    if (!realpath((here + folder + "libhetmp.so").c_str(), resolved) || access(resolved, R_OK) != 0)
      continue;
    if (strpbrk(resolved, ": ")) {
      say("%s: LD_PRELOAD cannot name a file with a colon or a blank in its path", resolved);
      return {};
    }
    return resolved;
  }
  say("libhetmp.so is not in %s/../lib", here.c_str());
  return {};
}

int run(const RunOptions& options) {
  // The options first, so that a mistake in them is reported even where nothing could run.
  if (const std::string wrong = check(options); !wrong.empty()) {
    say("%s", wrong.c_str());
    return usage_error;
  }
  if (is_given_nodes_by_pmix(options))
    if (const auto code = run_as_given_by_pmix(options))
      return *code;
  const auto library = find_library();
  if (!library)
    return cannot_run;
  const Environment planned = set_environment(options, options.hosts ? "" : *library);
  if (planned.several_processes && !probe_fault_access().usable()) {
    say("several node processes need userfaultfd: %s", fault_access_remedy);
    return cannot_run;
  }
  if (options.hosts)
    return run_on_hosts(options);

  std::vector<char*> arguments;
  for (const std::string& argument : options.command)
    arguments.push_back(const_cast<char*>(argument.c_str())); // execvp's signature; it changes nothing
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  say("%s: %s", arguments[0], strerror(error));
  return error == ENOENT ? not_found : not_executable;
}

} // namespace hetmp::tool
