// Another program takes half of a CPU. Where it is that of the primary, this goes to the other node's when that is
// free; where it is the other node's, a member that has gone there comes home when the primary has nothing to do any
// more.
// run: OMP_NUM_THREADS=2 HETMP_PLACEMENT=auto
#include "stress.hpp"

#include <csignal>
#include <omp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// A process that computes on the calling thread's CPU, or on another one.
class OtherProgram {
 public:
  explicit OtherProgram(bool elsewhere) {
    const int here = sched_getcpu();
    process_ = fork();
    CHECK(process_ >= 0);
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      bool bound = false;
      for (int cpu = elsewhere ? 0 : here; cpu < CPU_SETSIZE && !bound; ++cpu) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(unsigned(cpu), &one);
        bound = (cpu != here) == elsewhere && sched_setaffinity(0, sizeof one, &one) == 0;
      }
      execl("/bin/sh", "sh", "-c", "while :; do :; done", nullptr);
      _exit(1);
    }
  }
  OtherProgram(const OtherProgram&) = delete;
  OtherProgram& operator=(const OtherProgram&) = delete;
  ~OtherProgram() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_;
};

/// One visit, in which the other thread has less to do; whether that `wanted` has been elsewhere in it, and back if it
/// is to come home.
bool moves(int wanted, bool comes_home) {
  bool left = false, came_home = false;
#pragma omp parallel shared(left, came_home)
  {
    const int self = omp_get_thread_num(), most = self == wanted ? 3000 : 500; // some 0.1 ms each
    for (int i = 0; i < most && !(comes_home ? came_home : left); ++i) {
      stress::compute(uint64_t(i));
      if (self != wanted)
        continue;
      left = left || stress::is_abroad();
      came_home = left && !stress::is_abroad();
    }
  }
  return comes_home ? came_home : left;
}

void try_to_move(int wanted, bool elsewhere) {
  const OtherProgram other(elsewhere);
  const char* const nodes = getenv("HETMP_NODES");
  const bool must_move = nodes && strcmp(nodes, "proc:2") == 0 && omp_get_num_procs() >= 2;
  for (int visits = 0; !moves(wanted, elsewhere); ++visits) {
    if (!must_move)
      return;
    CHECK(visits < 100);
  }
  CHECK(nodes);
}

} // namespace

int main() {
  try_to_move(0, false);
  try_to_move(1, true);
}
