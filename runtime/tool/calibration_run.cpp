#include "runtime/tool/calibration_run.hpp"

#include "base/message.hpp"
#include "runtime/tool/machine.hpp"
#include "runtime/tool/run.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace hetmp::tool {
namespace {

std::optional<std::string> find_program() {
  for (const char* folder : {"/../libexec/hetmp/", "/" HETMP_PROGRAM_FOLDER "/"})
    if (std::string path = own_folder() + folder + "hetmp-calibration"; access(path.c_str(), X_OK) == 0)
      return path;
  say("hetmp-calibration is not in %s/../libexec/hetmp", own_folder().c_str());
  return {};
}

/// "NAME=value" words for the child: this process's, without those that steer OpenMP or hetmp.
std::vector<std::string> child_environment(const CalibratedNodes& where, const std::string& library) {
  RunOptions options;
  options.nodes = where.nodes;
  options.hosts = where.hosts;
  options.transport = where.transport;
  options.command = {"hetmp-calibration"};
  auto set = plan_environment(options, where.hosts ? "" : library, environment_text).variables;
  set[name_of(Variable::HETMP_PROFILE)] = "none";    // it makes one
  set[name_of(Variable::HETMP_PLACEMENT)] = "all";   // what is measured is several nodes
  set[name_of(Variable::HETMP_MIGRATION)] = "false"; // threads stay where they are,
  set[name_of(Variable::HETMP_TURNS)] = "false";     // and nodes that take pages from each other as they come
  set[name_of(Variable::HETMP_PREFETCH)] = "0"; // a fault is to cost what a fault costs; pages fetched ahead are none
  std::vector<std::string> words;
  for (char** word = environ; *word; ++word) {
    const std::string_view text = *word;
    const bool steers = is_of_openmp_runtimes(text);
    if (!steers && !set.contains(std::string(text.substr(0, text.find('=')))))
      words.emplace_back(text);
  }
  for (const auto& [name, value] : set)
    words.push_back(name + '=' + value);
  return words;
}

/// On hosts `hetmp run` starts it.
std::vector<std::string> words_for(const CalibratedNodes& where, const std::string& program, bool quick) {
  std::vector<std::string> words;
  if (where.hosts)
    words = {own_folder() + "/hetmp", "run", "--hosts", *where.hosts, "--transport", where.transport};
  if (where.remote_shell)
    words.insert(words.end(), {"--remote-shell", *where.remote_shell});
  if (where.hosts)
    words.emplace_back("--");
  words.push_back(program);
  if (quick)
    words.emplace_back("--quick");
  return words;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Starts the program with its standard output in `pipe`; -1 if there can be no process.
pid_t start(std::vector<std::string> words, std::vector<std::string> environment, const int (&pipe)[2]) {
  const std::vector<char*> arguments = pointers_to(words), variables = pointers_to(environment);
  const pid_t child = fork();
  if (child != 0)
    return child;
  dup2(pipe[1], STDOUT_FILENO);
  close(pipe[0]);
  close(pipe[1]);
  execve(arguments[0], arguments.data(), variables.data());
  say("%s: %s", arguments[0], strerrordesc_np(errno));
  _exit(127);
}

void read_lines(int descriptor, const std::function<void(std::string_view)>& take_line) {
  FILE* stream = fdopen(descriptor, "r");
  char* line = nullptr;
  size_t room = 0;
  for (ssize_t length; stream && (length = getline(&line, &room, stream)) > 0;)
    take_line({line, size_t(length)});
  free(line);
  if (stream)
    fclose(stream);
}

} // namespace

bool run_calibration(const CalibratedNodes& where, bool quick, const std::function<void(std::string_view)>& take_line) {
  if (!probe_fault_access().usable()) {
    say("several node processes need userfaultfd: %s", fault_access_remedy);
    return false;
  }
  const auto library = find_library();
  const auto program = library ? find_program() : std::nullopt;
  if (!program)
    return false;
  std::vector<std::string> words = words_for(where, *program, quick);
  int pipe_ends[2];
  const bool piped = pipe(pipe_ends) == 0;
  fflush(stdout); // the child would have a copy of what is buffered
  const pid_t child = piped ? start(std::move(words), child_environment(where, *library), pipe_ends) : -1;
  if (child < 0) {
    say("calibrate: cannot start a process: %s", strerrordesc_np(errno));
    return false;
  }
  close(pipe_ends[1]);
  read_lines(pipe_ends[0], take_line);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  if (WIFSIGNALED(status))
    say("calibrate: the calibration was ended by signal %d", WTERMSIG(status));
  else
    say("calibrate: the calibration ended with exit code %d", WEXITSTATUS(status));
  return false;
}

} // namespace hetmp::tool
