#include "runtime/process/execute_again.hpp"

#include "base/machine/address_layout.hpp"
#include "base/message.hpp"
#include "base/variables/variable.hpp"
#include "runtime/process/room_for_nodes.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif

namespace hetmp::runtime {
namespace {

constexpr std::string_view dsm_library = "libhetmp_dsm.so";
// The kernel writes a thread's restartable-sequences area at every context switch. It lies beside the thread-local
// variables, in pages that nodes share: such a page would never settle.
constexpr std::string_view no_rseq = "glibc.pthread.rseq=0";

std::string dsm_library_path() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&execute_again_under_dsm), &info) || !info.dli_fname)
    return {};
  char* resolved = realpath(info.dli_fname, nullptr); // the name may be one of the links in lib/omp
  std::string path = resolved ? resolved : info.dli_fname;
  free(resolved);
  path.resize(path.rfind('/') + 1);
  return path += dsm_library;
}

std::vector<std::string> read_arguments() {
  std::string text;
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  char piece[4096];
  for (ssize_t bytes; file >= 0 && (bytes = read(file, piece, sizeof piece)) > 0;)
    text.append(piece, size_t(bytes));
  if (file >= 0)
    close(file);
  std::vector<std::string> arguments;
  for (size_t begin = 0; begin < text.size(); begin = text.find('\0', begin) + 1)
    arguments.push_back(text.c_str() + begin);
  return arguments;
}

std::string program_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || size_t(length) == sizeof path || access(std::string(path, size_t(length)).c_str(), X_OK) != 0)
    return "/proc/self/exe";
  return std::string(path, size_t(length));
}

/// userfaultfd must serve at least user code; which way does not matter here.
bool user_faults_allowed() {
  const int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
  int descriptor = -1;
  if (device >= 0) {
    descriptor = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC);
    close(device);
  }
  constexpr int user_mode_only = 1;
  if (descriptor < 0)
    descriptor = int(syscall(SYS_userfaultfd, O_CLOEXEC | user_mode_only));
  if (descriptor >= 0)
    close(descriptor);
  return descriptor >= 0;
}

void prepend(Variable variable, std::string_view item) {
  std::string value(item);
  const char* old = environment_text(variable);
  if (old && *old)
    value.append(":").append(old);
  setenv(name_of(variable), value.c_str(), 1);
}

/// Takes the first item of a colon-separated list away if it is the one that was put there; an empty list is unset. The
/// dynamic linker may have cleared the list itself.
void drop_first(Variable variable, std::string_view ours) {
  const char* value = environment_text(variable);
  const char* colon = value ? strchr(value, ':') : nullptr;
  if (!value || !std::string_view(value, colon ? size_t(colon - value) : strlen(value)).ends_with(ours))
    return;
  if (colon)
    setenv(name_of(variable), std::string(colon + 1).c_str(), 1);
  else
    unsetenv(name_of(variable));
}

} // namespace

void execute_again_under_dsm(dsm::LaunchPlan plan) {
  const std::string library = dsm_library_path();
  if (library.empty() || access(library.c_str(), R_OK) != 0) {
    say("node processes need %s beside libhetmp.so, and it is not there; using one node", library.c_str());
    return;
  }
  if (library.find_first_of(" :") != std::string::npos) { // which the dynamic linker divides LD_PRELOAD at
    say("node processes need a libhetmp_dsm.so whose path has no blank and no colon, and this is %s; using one node",
        library.c_str());
    return;
  }
  // Where a launcher has started the nodes, the others would wait for this one: there, what is missing ends the run.
  if (const std::string why = plan.made_by_launcher() ? "" : why_no_room(plan); !why.empty()) {
    say("%s; using one node", why.c_str());
    return;
  }
  if (!user_faults_allowed()) {
    say("node processes need userfaultfd, which is refused here: allow read and write of /dev/userfaultfd, or set "
        "vm.unprivileged_userfaultfd=1, or pass on CAP_SYS_PTRACE as an ambient capability; using one node");
    return;
  }
  std::vector<std::string> arguments = read_arguments();
  std::vector<char*> pointers;
  for (std::string& argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  const AddressLayout users = address_layout();
  if (const AddressLayout layout = downwards(users); layout != users) {
    set_address_layout(layout); // if that is refused, the library finds what is in its way
    plan.users_layout = plan.users_layout.value_or(users);
  }
  plan.process = getpid();
  setenv(name_of(dsm::plan_variable), dsm::format_plan(plan).c_str(), 1);
  prepend(Variable::LD_PRELOAD, library);
  prepend(Variable::GLIBC_TUNABLES, no_rseq);
  execv(program_path().c_str(), pointers.data());
  say("cannot execute %s again for node processes: %s; using one node", program_path().c_str(), strerrordesc_np(errno));
  set_address_layout(users);
  clean_environment();
}

bool was_executed_again() {
  const char* plan = environment_text(dsm::plan_variable);
  return plan && std::string_view(plan).starts_with("process=" + std::to_string(getpid()) + ' ');
}

void clean_environment() {
  unsetenv(name_of(dsm::plan_variable));
  unsetenv(name_of(dsm::launcher_variable));
  drop_first(Variable::LD_PRELOAD, dsm_library);
  drop_first(Variable::GLIBC_TUNABLES, no_rseq);
}

} // namespace hetmp::runtime
