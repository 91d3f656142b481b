#include "dsm/process/membership.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/machine/process_status.hpp"
#include "base/message.hpp"
#include "dsm/process/control_message.hpp"
#include "dsm/process/signal_actions.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr int any_child = 0x40000000; // __WALL: also children whose end raises no SIGCHLD

} // namespace

void Membership::add_process(uint32_t node, pid_t process, int pidfd) {
  HETMP_CHECK(node != origin && node < nodes() && node >= processes_.size() && process > 0);
  processes_.resize(node + 1);
  processes_[node] = {process, pidfd};
}

bool Membership::is_stopped(uint32_t node) const {
  return node < processes_.size() && processes_[node].process > 0 && hetmp::is_stopped(processes_[node].process);
}

void Membership::end_others() {
  HETMP_CHECK(node_ == origin && transport_);
  ending_.store(true, std::memory_order_release); // pairs with the acquire in node_ended() and node_lost()
  if (launch_.made_by_launcher()) {
    for (uint32_t node = 0; node < nodes(); ++node)
      if (node != origin)
        send_control(*transport_, node, Lane::Anyone, control::End{});
    transport_->settle();
    return; // their launcher collects them
  }
  for (const Process& process : processes_)
    if (process.pidfd >= 0)
      syscall(SYS_pidfd_send_signal, process.pidfd, SIGKILL, nullptr, 0);
  for (const Process& process : processes_)
    if (siginfo_t info; process.pidfd >= 0)
      waitid(idtype_t(3) /* P_PIDFD */, id_t(process.pidfd), &info, WEXITED | any_child);
}

/// As messages name it.
std::string Membership::name_of(uint32_t node) const {
  std::string name = "node " + std::to_string(node);
  if (node < launch_.hosts.size())
    name += " (host " + launch_.hosts[node] + ")";
  return name;
}

/// ", in the parallel region at FILE+0xOFFSET", or nothing between regions.
std::string Membership::place_of_loss() const {
  const void* region = current_region_ ? current_region_() : nullptr;
  Dl_info info;
  if (!region || !dladdr(region, &info) || !info.dli_fname)
    return {};
  const std::string path = info.dli_fname;
  char offset[32];
  snprintf(offset, sizeof offset, "+%#zx", reinterpret_cast<size_t>(region) - reinterpret_cast<size_t>(info.dli_fbase));
  return ", in the parallel region at " + path.substr(path.rfind('/') + 1) + offset;
}

/// The origin speaks for all; the others end with it, and tell it of what only they may see: a connection between two
/// of them that has ended. Nodes other than the origin need not agree on who is lost.
void Membership::node_lost(const Transport::Loss& loss) {
  if (ending_.load(std::memory_order_acquire))
    return;
  // What came from the origin may have changed while it still hears this node: it is to say so, and to end this one.
  if (node_ != origin && (loss.node != origin || loss.changed)) {
    send_control(*transport_, origin, Lane::Service, control::Lost{loss.node}, loss.reason.data(),
                 std::min(loss.reason.size(), page_bytes));
    transport_->flush();
  }
  if (node_ != origin && loss.node == origin && loss.changed) {
    constexpr timespec patience{1, 0};
    nanosleep(&patience, nullptr);
  }
  if (node_ == origin)
    say_loss(loss);
  if (node_ == origin || loss.node == origin)
    _exit(exit_code::software);
}

/// Or leaves that to the launcher, who may know how the node's process ended.
void Membership::say_loss(const Transport::Loss& loss) {
  const std::string place = place_of_loss();
  const std::string line =
      name_of(loss.node) + " was lost" + place + ": " + loss.reason + "; the program cannot go on without its memory";
  const std::string words = place + '\n' + line + '\n';
  if (launch_.words < 0 || write(launch_.words, words.data(), words.size()) != ssize_t(words.size()))
    say("%s", line.c_str());
}

/// Origin: another node says that it has lost a third one, or the origin.
void Membership::lost_elsewhere(uint32_t from, uint32_t node, const std::string& reason) {
  if (node == origin)
    node_lost({from, "it has lost " + name_of(origin) + ": " + reason});
  else
    node_lost({node, reason + ", as " + name_of(from) + " says"});
}

void Membership::node_ended(uint32_t node, pid_t pid, int pidfd) {
  if (ending_.load(std::memory_order_acquire))
    return;
  siginfo_t info{};
  int code = exit_code::software;
  // Only looked at, not collected: see create_private_thread() about real-time priority. This process ends now anyway.
  if (waitid(idtype_t(3) /* P_PIDFD */, id_t(pidfd), &info, WEXITED | WNOWAIT | any_child) == 0 &&
      info.si_code != CLD_EXITED) {
    code = 128 + info.si_status;
    // The same on all nodes, but not to be had where a stack has overflowed, for one.
    const char* handled = has_handler(info.si_status) ? ", although the program has a handler for it" : "";
    say("node %u (process %d) was ended by signal %d (%s)%s%s; the program cannot go on without its memory", node, pid,
        info.si_status, sigdescr_np(info.si_status), place_of_loss().c_str(), handled);
  } else {
    say("node %u (process %d) ended with exit code %d; the program cannot go on without its memory", node, pid,
        info.si_status);
  }
  _exit(code); // the other node processes end with this one
}

} // namespace hetmp::dsm
