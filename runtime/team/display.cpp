#include "runtime/team/display.hpp"

#include "base/environment.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/variables/variable.hpp"
#include "runtime/affinity/affinity_format.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/futex_lock.hpp"
#include "runtime/wait/write_changed.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::affinity {

using runtime::current_task;
using runtime::current_thread;
using runtime::FutexLockGuard;
using runtime::ImplicitTask;
using runtime::NodeTeam;
using runtime::Thread;

namespace {

bool display_affinity = false; // written before the first team

struct ProgramFormat {
  runtime::FutexLock lock;
  std::string text = environment_value(Variable::OMP_AFFINITY_FORMAT)
                         .value_or("OMP: pid %P tid %i thread %n bound to OS proc set {%A}");
};

ProgramFormat& program_format() {
  static ProgramFormat& format = *new ProgramFormat; // never destroyed
  return format;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string number_of_ancestor(const ImplicitTask& task) {
  uint32_t number = 0, team_size = 0;
  const bool found = task.level > 0 && find_ancestor(task, task.level - 1, number, team_size);
  return found ? std::to_string(number) : "-1";
}

AffinityFacts facts_of(const ImplicitTask& task) {
  AffinityFacts facts;
  facts.team_num = "0"; // of a league of one
  facts.num_teams = "1";
  facts.nesting_level = std::to_string(task.level);
  facts.thread_num = std::to_string(task.number);
  facts.num_threads = std::to_string(task.team_size);
  facts.ancestor_tnum = number_of_ancestor(task);
  facts.host = host_name();
  facts.process_id = std::to_string(getpid());
  facts.native_thread_id = std::to_string(syscall(SYS_gettid));
  facts.thread_affinity = format_cpu_list(allowed_cpus());
  return facts;
}

} // namespace

std::string affinity_format() {
  FutexLockGuard guard(program_format().lock);
  return program_format().text;
}

void set_affinity_format(std::string_view format) {
  FutexLockGuard guard(program_format().lock);
  program_format().text = format;
}

std::string describe_thread(std::string_view format) {
  return expand_affinity_format(format.empty() ? affinity_format() : std::string(format), facts_of(current_task()));
}

void display_thread(std::string_view format) {
  const std::string line = describe_thread(format) + "\n";
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, line.data(), line.size());
}

void read_display_affinity() {
  constexpr Variable name = Variable::OMP_DISPLAY_AFFINITY;
  const auto text = environment_value(name);
  if (!text)
    return;
  const auto wanted = parse_boolean(*text);
  if (!wanted)
    complain(name, *text, "neither true nor false", "false");
  display_affinity = wanted.value_or(false);
}

bool displays_affinity() { return display_affinity; }

void choose_display(Thread& primary, NodeTeam& team) {
  runtime::write_changed(team.displayed, false);
  if (!display_affinity)
    return;
  const DisplayedTeam now{team.description.level, team.description.threads, team.seat_plan};
  team.displayed = now != primary.displayed;
  primary.displayed = now;
}

} // namespace hetmp::affinity
