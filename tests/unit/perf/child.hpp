// Runs part of a test in a process of its own: what it changes (environment, allowed system calls, libraries
// that are loaded) ends with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hetmp::perf {

struct ChildOutcome {
  std::string result; ///< what the child's function returned
  std::string said;   ///< on standard error
  int status = 0;     ///< as from waitpid
};

inline std::string read_to_end(int descriptor) {
  std::string text;
  char piece[4096];
  for (ssize_t bytes; (bytes = read(descriptor, piece, sizeof piece)) > 0;)
    text.append(piece, size_t(bytes));
  close(descriptor);
  return text;
}

/// `function` takes nothing and returns a string. Outcomes are short: they fit into a pipe.
template <class Function> ChildOutcome in_child(Function function) {
  int result[2], said[2];
  if (pipe(result) != 0 || pipe(said) != 0)
    return {"", "no pipe", -1};
  const pid_t child = fork();
  if (child == 0) {
    dup2(said[1], STDERR_FILENO);
    const std::string text = function();
    const bool written = write(result[1], text.data(), text.size()) == ssize_t(text.size());
    _exit(written ? 0 : 1);
  }
  close(result[1]);
  close(said[1]);
  ChildOutcome outcome;
  outcome.result = read_to_end(result[0]);
  outcome.said = read_to_end(said[0]);
  waitpid(child, &outcome.status, 0);
  return outcome;
}

/// Page faults, as many as are asked for and few more.
inline void touch_new_pages(int count) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  char* memory = static_cast<char*>(
      mmap(nullptr, size_t(count) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(memory, size_t(count) * page, MADV_NOHUGEPAGE);
  for (int i = 0; i < count; ++i)
    const_cast<volatile char&>(memory[size_t(i) * page]) = 1;
  munmap(memory, size_t(count) * page);
}

/// Whether a thread that touched so many pages may have taken so many faults: some on its own account, and a
/// sanitizer's memory beside each page.
inline bool plausible_faults(int pages, uint64_t counted) {
  constexpr uint64_t on_its_own_account = 300, for_a_page = 5;
  return counted >= uint64_t(pages) && counted <= uint64_t(pages) * for_a_page + on_its_own_account;
}

/// From now on perf_event_open fails with `error` in this process, as in a sandbox. For children only: there
/// is no way back.
inline bool refuse_perf_events(int error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | unsigned(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof filter[0], filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace hetmp::perf
