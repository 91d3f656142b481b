#include "dsm/process/forking.hpp"

#include "dsm/process/changes.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"
#include "dsm/space/late_window.hpp"
#include "dsm/space/memory_map.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace hetmp::dsm {
namespace {

/// For each run of pages of the range that this process has not got. Without /proc, all: then nothing is known.
template <class Visit> void for_each_absent(Segment range, Visit visit) {
  constexpr uint64_t present_or_swapped = uint64_t(3) << 62;
  uint64_t entries[512];
  const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  uintptr_t absent_from = 0; // 0: none
  for (uintptr_t at = range.begin; at < range.end;) {
    const size_t pages = std::min<size_t>(std::size(entries), (range.end - at) >> page_shift);
    const ssize_t bytes =
        file < 0 ? 0 : pread(file, entries, pages * sizeof entries[0], off_t((at >> page_shift) * sizeof entries[0]));
    const size_t told = bytes > 0 ? size_t(bytes) / sizeof entries[0] : 0;
    for (size_t i = 0; i < pages; ++i, at += page_bytes) {
      const bool here = i < told && (entries[i] & present_or_swapped);
      if (!here && !absent_from)
        absent_from = at;
      if (here && absent_from)
        visit(Segment{std::exchange(absent_from, 0), at});
    }
  }
  if (absent_from)
    visit(Segment{absent_from, range.end});
  if (file >= 0)
    close(file);
}

/// As a thread of the program that reads it: what is elsewhere comes.
void fetch(Segment range) {
  for (const Mapping& mapping : mappings_within(range))
    if (mapping.protection & PROT_READ)
      for (uintptr_t page = mapping.range.begin; page < mapping.range.end; page += page_bytes)
        static_cast<void>(*reinterpret_cast<const volatile char*>(page));
}

/// Guards of other nodes' stacks are not known here, and their owner cannot read them.
bool is_foreign_stack(const NodeProcess& process, Segment range) {
  const uint32_t owner = Heap::owner(reinterpret_cast<const void*>(range.begin));
  return process.plan().in_slices(range.begin) && owner != process.node() &&
         AddressPlan::stack_part(owner).contains(range.begin);
}

/// The system call itself: this library interposes the name.
void refuse(Segment range) { syscall(SYS_mprotect, range.begin, range.bytes(), PROT_NONE); }

/// Of the window for late objects, the part that the origin has. The rest it cannot read itself.
Segment used_of_globals(Segment segment) {
  if (segment.begin != LateWindow::instance().range().begin)
    return segment;
  uint64_t from = 0;
  if (change_at({.kind = Change::Kind::TellLoaded}, origin, &from) != 0)
    from = segment.end;
  return {std::clamp<uintptr_t>(from, segment.begin, segment.end), segment.end};
}

void before_fork() {
  NodeProcess* process = NodeProcess::instance();
  if (process && process->has_started() && !must_allocate_privately())
    process->forking().prepare(*process);
}

void after_fork_in_parent() {
  if (NodeProcess* process = NodeProcess::instance())
    process->forking().end_in_parent();
}

void after_fork_in_child() {
  NodeProcess* process = NodeProcess::instance();
  NodeProcess::leave();
  if (process)
    process->forking().end_in_child();
}

} // namespace

/// Pieces of this node's own memory of which another node has asked for something; of the others nothing is elsewhere.
void Forking::want_published(const NodeProcess& process, Segment range) {
  for (uintptr_t at = range.begin; at < range.end;) {
    const uintptr_t end = std::min((at | (publish_bytes - 1)) + 1, range.end);
    if (!process.unpublished({at, end}))
      wanted_.push_back({at, end});
    at = end;
  }
}

void Forking::want_memory_of(NodeProcess& process, uint32_t node) {
  uint64_t in_use = ~uint64_t(0); // parts, by their bits: most others are empty, and each question is a message
  if (node != process.node() &&
      change_at({.kind = Change::Kind::TellUse, .offset = NodeProcess::parts}, node, &in_use) != 0)
    in_use = 0;
  for (unsigned part = 0; part < NodeProcess::parts; ++part) {
    const Segment all = NodeProcess::part(node, part);
    uint64_t end = 0;
    if (node == process.node())
      end = process.used_until(part);
    else if ((in_use >> part & 1) == 0 || change_at({.kind = Change::Kind::TellUse, .offset = part}, node, &end) != 0)
      end = 0;
    const Segment used{all.begin, page_up(std::clamp<uintptr_t>(end, all.begin, all.end))};
    if (node == process.node())
      want_published(process, used);
    else if (used.bytes() > 0)
      wanted_.push_back(used);
    if (node != process.node() && used.end < all.end)
      unreliable_.push_back({used.end, all.end});
  }
}

/// How many bytes were missing.
uint64_t Forking::fetch_missing(const NodeProcess& process) {
  uint64_t missing = 0;
  for (const Segment& segment : wanted_)
    if (!is_foreign_stack(process, segment))
      for_each_absent(segment, [&](Segment range) {
        missing += range.bytes();
        fetch(range);
      });
  return missing;
}

/// What other nodes have asked for to write it, before they had nothing to do any more, may leave while the rest comes:
/// so this looks again, until nothing has come to be missing. Pages that nobody may read are always missing.
void Forking::fetch_wanted(const NodeProcess& process) {
  constexpr int most_looks = 7;
  constexpr timespec between = {0, 1'000'000};
  uint64_t missing = fetch_missing(process);
  for (int look = 0; look < most_looks; ++look) {
    nanosleep(&between, nullptr);
    const uint64_t before = std::exchange(missing, fetch_missing(process));
    if (missing == before)
      return;
  }
}

void Forking::prepare(NodeProcess& process) {
  one_at_a_time_.lock();
  under_way_ = true;
  const bool before = allocate_privately(true);
  wanted_.clear();
  unreliable_.clear();
  for (uint32_t node = 0; node < process.plan().nodes(); ++node)
    want_memory_of(process, node);
  for (const Segment& segment : process.plan().globals())
    if (process.node() == origin)
      want_published(process, segment);
    else if (const Segment used = used_of_globals(segment); used.bytes() > 0)
      wanted_.push_back(used);
  fetch_wanted(process);
  allocate_privately(before);
}

void Forking::end_in_parent() {
  if (std::exchange(under_way_, false))
    one_at_a_time_.unlock();
}

void Forking::end_in_child() {
  if (!std::exchange(under_way_, false))
    return;
  new (&one_at_a_time_) std::mutex;
  for (const Segment& segment : wanted_)
    for_each_absent(segment, refuse);
  for (const Segment& segment : unreliable_)
    refuse(segment);
}

void prepare_for_forks() { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

} // namespace hetmp::dsm
