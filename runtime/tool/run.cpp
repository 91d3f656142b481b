#include "runtime/tool/run.hpp"

#include "base/environment.hpp"
#include "base/message.hpp"
#include "runtime/tool/machine.hpp"
#include "schedulers/parse.hpp"

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

std::string text_of(Lookup lookup, const char* name) {
  const char* value = lookup(name);
  return value ? value : "";
}

/// `first` and `second` with a colon between them where both say something.
std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + ':' + second;
}

std::string check_nodes(const RunOptions& options) {
  if (options.nodes && options.cores)
    return "--nodes and --cores exclude each other";
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
  if (options.command.empty())
    return "no program given; try 'hetmp run --help'";
  return {};
}

/// The folder of this program's file.
std::string own_folder() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string file(path, size_t(length > 0 ? length : 0));
  return file.substr(0, file.rfind('/'));
}

} // namespace

Environment plan_environment(const RunOptions& options, const Libraries& libraries, Lookup lookup) {
  Environment result;
  result.error = check(options);
  if (!result.error.empty())
    return result;
  auto& set = result.variables;
  const int64_t nodes = options.nodes ? *parse_integer(*options.nodes, 1, most_nodes) : 1;
  result.several_nodes = nodes > 1;
  if (options.nodes)
    set["HETMP_NODES"] = "proc:" + std::to_string(nodes);
  if (options.cores)
    set["HETMP_NODES"] = "cores:" + *options.cores;
  if (options.report)
    set["HETMP_REPORT"] = *options.report;
  if (options.schedule)
    set["OMP_SCHEDULE"] = *options.schedule;
  if (options.threads)
    set["OMP_NUM_THREADS"] = *options.threads;

  std::string added = libraries.runtime;
  if (result.several_nodes) {
    added = joined(libraries.dsm, libraries.runtime);
    // The kernel writes a thread's rseq area at every context switch; in shared memory that would move its
    // page each time.
    set["GLIBC_TUNABLES"] = joined(text_of(lookup, "GLIBC_TUNABLES"), "glibc.pthread.rseq=0");
    set["HETMP_DSM_PRELOADED"] = added;
  }
  set["LD_PRELOAD"] = joined(added, text_of(lookup, "LD_PRELOAD"));
  return result;
}

std::optional<Libraries> find_libraries(bool with_dsm) {
  const std::string here = own_folder();
  for (const char* folder : {"/../lib", "/" HETMP_LIBRARY_FOLDER}) {
    char resolved[PATH_MAX];
    if (!realpath((here + folder).c_str(), resolved))
      continue;
    const Libraries found{std::string(resolved) + "/libhetmp.so", std::string(resolved) + "/libhetmp_dsm.so"};
    if (access(found.runtime.c_str(), R_OK) != 0 || (with_dsm && access(found.dsm.c_str(), R_OK) != 0))
      continue;
    if (found.runtime.find_first_of(": ") != std::string::npos) {
      say("%s: LD_PRELOAD cannot name a file with a colon or a blank in its path", found.runtime.c_str());
      return {};
    }
    return found;
  }
  say("libhetmp.so%s not found in %s/../lib", with_dsm ? " and libhetmp_dsm.so are" : " is", here.c_str());
  return {};
}

int run(const RunOptions& options) {
  // The options first, so that a mistake in them is reported even where nothing could run.
  if (const std::string wrong = check(options); !wrong.empty()) {
    say("%s", wrong.c_str());
    return usage_error;
  }
  const bool with_dsm = options.nodes && *parse_integer(*options.nodes, 1, most_nodes) > 1;
  const auto libraries = find_libraries(with_dsm);
  if (!libraries)
    return cannot_run;
  const Environment planned =
      plan_environment(options, *libraries, [](const char* name) -> const char* { return getenv(name); });
  if (planned.several_nodes && !probe_fault_access().sufficient()) {
    say("several node processes need userfaultfd with kernel faults: %s", fault_access_remedy);
    return cannot_run;
  }
  for (const auto& [name, value] : planned.variables)
    setenv(name.c_str(), value.c_str(), 1);

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
