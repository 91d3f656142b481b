// Another program takes half of the CPU that the primary has at home. When the other node's CPU is free, it goes there.
// run: OMP_NUM_THREADS=2 HETMP_PLACEMENT=auto
#include "stress.hpp"

#include <csignal>
#include <omp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// A process that computes on the calling thread's CPU.
class OtherProgram {
 public:
  OtherProgram() {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(unsigned(sched_getcpu()), &here);
    process_ = fork();
    CHECK(process_ >= 0);
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      sched_setaffinity(0, sizeof here, &here);
      execl("/bin/sh", "sh", "-c", "while :; do :; done", nullptr);
      _exit(1);
    }
  }
  ~OtherProgram() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_;
};

/// One visit; whether the primary was elsewhere in it.
bool primary_leaves() {
  bool left = false;
#pragma omp parallel shared(left)
  {
    const int most = omp_get_thread_num() == 0 ? 3000 : 300; // some 0.1 ms each
    for (int i = 0; i < most; ++i) {
      stress::compute(uint64_t(i));
      if (omp_get_thread_num() == 0 && stress::is_abroad()) {
        left = true;
        break;
      }
    }
  }
  return left;
}

} // namespace

int main() {
  const OtherProgram other;
  const char* const nodes = getenv("HETMP_NODES");
  const bool must_leave = nodes && strcmp(nodes, "proc:2") == 0 && omp_get_num_procs() >= 2;
  int visits = 0;
  do {
    const bool left = primary_leaves();
    CHECK(!left || nodes);
    if (left)
      return 0;
  } while (must_leave && ++visits < 100);
  CHECK(!must_leave);
}
