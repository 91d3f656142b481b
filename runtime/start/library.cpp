// The library's constructor, and what a fork() leaves of it in the child.
#include "runtime/process/library.hpp"

#include "base/machine/cpu_list.hpp"
#include "base/message.hpp"
#include "runtime/affinity/environment.hpp"
#include "runtime/nodes/node_setup.hpp"
#include "runtime/nodes/region_knowledge.hpp"
#include "runtime/nodes/timeline.hpp"
#include "runtime/process/ending_signals.hpp"
#include "runtime/process/libgomp_binding.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/other_runtimes.hpp"
#include "runtime/settings/icv.hpp"
#include "runtime/settings/settings.hpp"
#include "runtime/start/rooms.hpp"
#include "runtime/team/worker_pool.hpp"
#include "runtime/wait/wait.hpp"

#include "perf/report/explain.hpp"
#include "perf/report/report.hpp"

#include "base/environment.hpp"
#include "base/futex.hpp"
#include "base/variables/variable.hpp"

#include <algorithm>
#include <climits>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

namespace hetmp::runtime {
namespace {

constexpr int64_t nanoseconds_per_ms = 1'000'000;

/// Node processes share the machine with the threads that serve page faults: there a spinner soon is in the way.
constexpr int64_t spin_with_node_processes = 50'000;

SpinBudget choose_spin_budget(const ProgramIcvs& icvs) {
  SpinBudget budget;
  if (several_processes())
    budget.nanoseconds = spin_with_node_processes;
  if (icvs.wait_policy == WaitPolicy::Active)
    budget.nanoseconds = -1;
  else if (icvs.wait_policy == WaitPolicy::Passive)
    budget.nanoseconds = 0;
  if (icvs.blocktime_ms >= 0)
    budget.nanoseconds = icvs.blocktime_ms == INT32_MAX ? -1 : icvs.blocktime_ms * nanoseconds_per_ms;
  return budget;
}

/// CPUs that this process's threads have for themselves; 0 when node processes share single CPUs.
uint32_t count_usable_cpus() {
  if (!several_processes())
    return layout().distinct_cpus();
  return layout().nodes() > layout().distinct_cpus() ? 0 : uint32_t(layout().cpus[own_node()].size());
}

/// Not for node processes, which are not made by fork(). The child of one is a program of its own: one node.
void after_fork_in_child() {
  forget_in_child();
  if (!several_processes())
    return;
  use_one_node();
  set_own_node(0);
  refresh_spinning();
}

/// The size of a team that nobody gave one. A part of the machine that KMP_HW_SUBSET names when the program starts
/// counts.
uint32_t usual_team_size() {
  const uint32_t cpus = default_team_size(layout());
  if (layout().nodes() > 1 || !environment_value(Variable::KMP_HW_SUBSET))
    return cpus;
  const size_t left = affinity::program_places().usable_cpus;
  return left == 0 ? cpus : std::min(cpus, uint32_t(left));
}

/// Whether the program's calls of sigaction() come here, and not only to the C library.
bool signals_lead_here() {
  for (const char* version : {"GLIBC_2.2.5", "GLIBC_2.17"}) {
    const void* first = dlvsym(RTLD_DEFAULT, "sigaction", version);
    Dl_info found{}, own{};
    if (first && dladdr(first, &found) && dladdr(reinterpret_cast<const void*>(program_sigaction), &own))
      return found.dli_fbase == own.dli_fbase;
  }
  return false;
}

void show(const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

/// What the program says of itself when it ends, once.
class Reports {
 public:
  /// This process is the program: not a child that it forks later.
  void belong_here() { process_ = getpid(); }
  bool are_of_this_process() const { return process_ == getpid(); }

  /// HETMP_EXPLAIN, as it is when the program begins.
  void read_explain() {
    explains_ = wants_explanation();
    const auto text = environment_value(Variable::HETMP_EXPLAIN);
    if (text && !parse_boolean(*text) && own_node() == 0)
      complain(Variable::HETMP_EXPLAIN, *text, "neither true nor false", "false");
  }
  bool explains() const { return explains_; }

  /// What regions teach is for the next run; that of earlier ones is taken now.
  void recall_regions() { regions_ = region_knowledge::recall(); }
  void keep_regions() const {
    if (regions_)
      region_knowledge::keep(*regions_);
  }

  /// By whoever comes first: the end of the program, or a signal that ends it.
  bool write() {
    uint32_t unwritten = Unwritten;
    // relaxed: it only chooses who writes.
    if (!state_.compare_exchange_strong(unwritten, BeingWritten, std::memory_order_relaxed))
      return false;
    if (wants_report() || explains_) {
      const perf::Report report = loop_report();
      if (wants_report())
        perf::write_report(report, *environment_value(Variable::HETMP_REPORT));
      if (explains_)
        show(perf::explain(report));
    }
    timeline::write();
    state_.store(Written, std::memory_order_release); // pairs with the acquire in wait()
    futex_wake(state_, INT_MAX);
    return true;
  }

  void wait() {
    // acquire: pairs with the release in write().
    for (uint32_t state; (state = state_.load(std::memory_order_acquire)) != Written;)
      futex_wait(state_, state);
  }

 private:
  enum : uint32_t { Unwritten, BeingWritten, Written };
  FutexWord state_{Unwritten};
  pid_t process_ = 0; ///< 0: the runtime has not begun
  bool explains_ = false;
  const region_knowledge::Place* regions_ = nullptr;
};

constinit Reports reports;

/// Whoever ends the program after this waits for nothing but this.
void on_ending_signal() {
  if (!reports.write())
    reports.wait();
}

/// `before_main`: later, the program runs and its processes are what they are.
void initialise(bool before_main) {
  reports.belong_here();
  const auto warnings = environment_value(Variable::KMP_WARNINGS);
  if (warnings) // malformed: read_icvs_from_environment() says so
    set_complaints(parse_boolean(*warnings).value_or(true));
  undo_binding_by_libgomp();
  read_layout(allowed_cpus());
  set_up_nodes(before_main);
  reports.recall_regions();
  if (own_node() == 0)
    affinity::prepare_places(allowed_cpus(), layout().nodes() > 1);
  program_icvs() = read_icvs_from_environment(usual_team_size());
  if (layout().nodes() > 1)
    program_icvs().helper_threads = 0;
  set_up_rooms();
  reports.read_explain();
  tell_mistyped_variables();
  show_settings_at_start();
  if (own_node() == 0 && !program_icvs().duplicate_library_ok)
    warn_of_divided_objects();
  if (own_node() == 0 && (wants_report() || reports.explains() || timeline::is_wanted()))
    take_ending_signals(on_ending_signal, several_processes() || signals_lead_here());
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
}

struct Beginning {
  pthread_once_t once = PTHREAD_ONCE_INIT;
  /// Constructors of this library have run, or do. Where it is preloaded, those of the program's other objects may be
  /// earlier, and call it: the program has not begun then either.
  bool is_loaded = false;
};
constinit Beginning beginning;

void initialise_once(void (*how)()) { pthread_once(&beginning.once, how); }

__attribute__((constructor)) void on_load() {
  beginning.is_loaded = true;
  if (!refers_to_openmp() || entries_that_lead_here() == EntriesHere::None)
    return;
  initialise_once([] { initialise(true); });
}

/// Only the process that began as the program reports, and keeps what it has learned: not a forked child, not another
/// node.
__attribute__((destructor)) void on_exit_of_program() {
  if (!reports.are_of_this_process() || own_node() != 0)
    return;
  end_tool();
  reports.keep_regions();
  if (reports.write())
    return;
  while (true) // a signal that ends the program was first: it does, in a moment
    pause();
}

} // namespace

void refresh_spinning() { spinning.set(choose_spin_budget(program_icvs()), count_usable_cpus()); }

void initialise_runtime() {
  initialise_once([] { initialise(!beginning.is_loaded); });
}

} // namespace hetmp::runtime
