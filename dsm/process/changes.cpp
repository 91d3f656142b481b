#include "dsm/process/changes.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/futex.hpp"
#include "base/message.hpp"
#include "dsm/objects/open_streams.hpp"
#include "dsm/process/late_objects.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"
#include "dsm/process/process_state.hpp"
#include "dsm/process/signal_actions.hpp"
#include "dsm/space/file_area.hpp"
#include "dsm/space/late_window.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// The system calls themselves: this library interposes their names.
int carry_out(const Change& change) {
  long result = 0;
  switch (change.kind) {
  case Change::Kind::Protect:
    if (!(change.protection & PROT_READ) && !FileArea::contains(change.begin)) // of files nothing is fetched
      NodeProcess::instance()->memory_may_be_unreadable();
    if (change.protection != (PROT_READ | PROT_WRITE))
      NodeProcess::instance()->changes().protection_may_differ();
    result = syscall(SYS_mprotect, change.begin, change.bytes, change.protection);
    break;
  case Change::Kind::MapFile:
    result = syscall(SYS_mmap, change.begin, change.bytes, change.protection, change.flags | MAP_FIXED_NOREPLACE,
                     change.descriptor, change.offset);
    break;
  case Change::Kind::Unmap:
    result = syscall(SYS_munmap, change.begin, change.bytes);
    break;
  case Change::Kind::AttachSegment:
    result = syscall(SYS_shmat, change.protection, change.begin, change.flags);
    break;
  case Change::Kind::DetachSegment:
    result = syscall(SYS_shmdt, change.begin);
    break;
  case Change::Kind::SetAction:
    return carry_out_action(change);
  case Change::Kind::SetLimit: {
    const rlimit limit{change.begin, change.bytes};
    result = syscall(SYS_prlimit64, 0, change.protection, &limit, nullptr);
    break;
  }
  case Change::Kind::CreateKey:
    return NodeProcess::instance()->thread_keys().create_here(change);
  case Change::Kind::RemoveKey:
  case Change::Kind::FreeKey:
    return NodeProcess::instance()->thread_keys().remove_here(change);
  case Change::Kind::BindThreads:
    NodeProcess::instance()->tell_bound_to_origin();
    break;
  case Change::Kind::AllotKey:
  case Change::Kind::Load:
  case Change::Kind::RegisterFrames:
  case Change::Kind::ExecutableStacks:
  case Change::Kind::ForgetStream:
  case Change::Kind::SetLocale:
  case Change::Kind::SetVariable:
  case Change::Kind::UnsetVariable:
  case Change::Kind::ClearVariables:
  case Change::Kind::ReadTimeZone:
  case Change::Kind::StayAtHome:
  case Change::Kind::TellPointerLocks:
  case Change::Kind::TellUse:
  case Change::Kind::TellLoaded:
    break; // not here: they take longer, or change nothing
  }
  return result == -1 ? errno : 0;
}

uint64_t tell_use(uint64_t part) {
  const NodeProcess& process = *NodeProcess::instance();
  return part == NodeProcess::parts  ? process.parts_in_use()
         : part < NodeProcess::parts ? process.used_until(unsigned(part))
                                     : 0;
}

/// Only GNU's unwinder takes a whole table; a program with another one, or none, cannot throw through late objects.
void register_frames(uint64_t begin) {
  using Register = void (*)(const void*);
  const auto function = reinterpret_cast<Register>(dlsym(RTLD_DEFAULT, "__register_frame"));
  Dl_info where{};
  if (!function || !dladdr(reinterpret_cast<const void*>(function), &where) || !where.dli_fname)
    return;
  const std::string_view path = where.dli_fname;
  if (path.substr(path.rfind('/') + 1).starts_with("libgcc_s"))
    function(reinterpret_cast<const void*>(begin));
}

int register_frames_privately(const Change& change) {
  const bool before = allocate_privately(true); // the unwinder's list is this node's own
  register_frames(change.begin);
  allocate_privately(before);
  return 0;
}

/// For this node's threads: they take the same lock as whoever makes a thread, which may wait for a page.
int make_stacks_executable(const Change&) {
  NodeProcess::instance()->stacks().make_executable();
  return 0;
}

int forget_stream_at(const Change& change) {
  forget_stream(reinterpret_cast<FILE*>(change.begin));
  return 0;
}

void allot_key(uint32_t from, const Change& change) {
  NodeProcess& process = *NodeProcess::instance();
  if (process.node() != origin)
    die(exit_code::software, "node %u wants a key of node %u", from, process.node());
  pthread_key_t key = 0;
  const int error = process.thread_keys().allot(reinterpret_cast<void (*)(void*)>(change.begin), &key);
  process.answer_change(from, error, key);
}

/// Whoever asks will ask for all of it.
uint64_t tell_loaded() {
  const uintptr_t from = LateWindow::instance().used_from();
  if (from < LateWindow::instance().range().end)
    NodeProcess::instance()->memory_may_be_unreadable();
  return from;
}

int stay_at_home(const Change&) {
  NodeProcess::instance()->migration().deputies().stay_at_home();
  return 0;
}

struct Errand {
  int (*body)(const Change& change);
  Change change;
  uint32_t asked_by;
};

void carry_out_errand(void* argument) {
  const std::unique_ptr<Errand> errand(static_cast<Errand*>(argument));
  const int error = errand->body(errand->change);
  NodeProcess::instance()->answer_change(errand->asked_by, error, 0);
}

/// What is done by an errand; null if it is done at once.
auto errand_of(Change::Kind kind) -> int (*)(const Change& change) {
  switch (kind) {
  case Change::Kind::RegisterFrames:
    return register_frames_privately;
  case Change::Kind::ForgetStream:
    return forget_stream_at;
  case Change::Kind::ExecutableStacks:
    return make_stacks_executable;
  case Change::Kind::StayAtHome:
    return stay_at_home;
  default:
    return is_of_state(kind) ? carry_out_state : nullptr;
  }
}

/// No handler runs on this thread while one exists.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

constexpr uint32_t all_others = most_nodes;

} // namespace

int Changes::ask(NodeProcess& process, const Change& change, uint32_t whom, uint64_t* result) {
  const Change wanted = change; // before the lock is taken: reading it may take long
  const SignalsHeld signals;    // their handlers may make changes, too
  std::lock_guard guard(one_at_a_time_);
  under_way_ = wanted;
  first_error_.store(0, std::memory_order_relaxed); // like `unanswered_`: nobody answers before something is sent
  const uint32_t nodes = process.plan().nodes();
  HETMP_CHECK(whom != process.node() && unanswered_.load(std::memory_order_relaxed) == 0); // the last one's
  unanswered_.store(whom == all_others ? nodes - 1 : 1, std::memory_order_relaxed);
  for (uint32_t node = 0; node < nodes; ++node)
    if (node != process.node() && (whom == all_others || whom == node))
      process.send_change(node, under_way_);
  // acquire: pairs with the release in answered(); errors and results are final
  for (uint32_t left; (left = unanswered_.load(std::memory_order_acquire)) != 0;)
    futex_wait(unanswered_, left);
  if (result)
    *result = last_result_.load(std::memory_order_relaxed);
  return first_error_.load(std::memory_order_relaxed);
}

void Changes::answered(int error, uint64_t result) {
  last_result_.store(result, std::memory_order_relaxed); // relaxed: see first_error_
  if (error) {
    int none = 0;
    first_error_.compare_exchange_strong(none, error, std::memory_order_relaxed); // relaxed: see there
  }
  // release: pairs with the acquire in ask()
  if (unanswered_.fetch_sub(1, std::memory_order_release) == 1)
    futex_wake(unanswered_, 1);
}

int change_elsewhere(const Change& change) {
  NodeProcess* process = NodeProcess::instance();
  return process->has_started() ? process->changes().ask(*process, change, all_others, nullptr) : 0;
}

int change_at(const Change& change, uint32_t node, uint64_t* result) {
  NodeProcess& process = *NodeProcess::instance();
  return process.changes().ask(process, change, node, result);
}

int change_everywhere(const Change& change) {
  const int error = carry_out(change);
  return error ? error : change_elsewhere(change);
}

void change_arrived(uint32_t from, const void* data, size_t bytes) {
  Change change;
  if (bytes != sizeof change)
    die(exit_code::software, "node %u sent a change of %zu bytes", from, bytes);
  memcpy(&change, data, sizeof change);
  if (!can_be_read(*NodeProcess::instance(), change))
    die(exit_code::software, "node %u sent a change whose text is at %#zx", from, size_t(change.begin));
  if (change.kind == Change::Kind::Load)
    load_for(from, change);
  else if (const auto body = errand_of(change.kind))
    NodeProcess::instance()->errands().do_later(carry_out_errand, new Errand{body, change, from});
  else if (change.kind == Change::Kind::TellPointerLocks)
    NodeProcess::instance()->answer_change(from, 0, NodeProcess::instance()->pointer_locks().begin());
  else if (change.kind == Change::Kind::TellUse)
    NodeProcess::instance()->answer_change(from, 0, tell_use(uint64_t(change.offset)));
  else if (change.kind == Change::Kind::AllotKey)
    allot_key(from, change);
  else if (change.kind == Change::Kind::TellLoaded)
    NodeProcess::instance()->answer_change(from, 0, tell_loaded());
  else
    NodeProcess::instance()->answer_change(from, carry_out(change), 0);
}
} // namespace hetmp::dsm
