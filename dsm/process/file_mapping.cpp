#include "dsm/process/file_mapping.hpp"

#include "base/message.hpp"
#include "dsm/process/changes.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/space/memory_map.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

bool overlap(Segment a, Segment b) { return a.begin < b.end && b.begin < a.end; }

/// Another node has withdrawn it.
bool is_refused(Segment range) {
  const std::vector<Mapping> mappings = mappings_within(range);
  return std::any_of(mappings.begin(), mappings.end(),
                     [](const Mapping& each) { return each.protection == PROT_NONE; });
}

void* refuse(int error) {
  errno = error;
  return MAP_FAILED;
}

void* map_copy(NodeProcess& process, size_t bytes, int protection, int descriptor, off_t offset) {
  const int access = fcntl(descriptor, F_GETFL) & O_ACCMODE;
  if (access == O_WRONLY)
    return refuse(EACCES);
  if (offset % off_t(page_bytes))
    return refuse(EINVAL);
  void* memory = process.heap().map(bytes);
  if (!memory)
    return refuse(ENOMEM);
  size_t filled;
  if (const int error = read_file(memory, page_up(bytes), descriptor, offset, &filled)) {
    process.heap().unmap(memory, bytes);
    return refuse(error);
  }
  if (!(protection & PROT_WRITE))
    change_everywhere({.kind = Change::Kind::Protect,
                       .protection = protection,
                       .begin = reinterpret_cast<uintptr_t>(memory),
                       .bytes = page_up(bytes)});
  return memory;
}

} // namespace

bool can_map_file(int descriptor) {
  struct stat facts;
  return fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
}

void FileMappings::Withdrawn::add(Segment range) {
  std::lock_guard guard(lock_);
  ranges_.push_back(range);
}

bool FileMappings::Withdrawn::meets(Segment range) {
  std::lock_guard guard(lock_);
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Segment& each) { return overlap(each, range); });
}

bool FileMappings::Withdrawn::covers(Segment range) {
  std::lock_guard guard(lock_);
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const Segment& each) { return each.begin <= range.begin && range.end <= each.end; });
}

void FileMappings::Withdrawn::remove(Segment range) {
  std::lock_guard guard(lock_);
  std::erase_if(ranges_, [&](const Segment& each) { return range.begin <= each.begin && each.end <= range.end; });
}

void* FileMappings::map_on_all_nodes(size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  const auto sharing = (flags & MAP_TYPE) == MAP_PRIVATE ? FileArea::Sharing::Private : FileArea::Sharing::Shared;
  const uintptr_t begin = area_.take(process_.node(), sharing, page_up(bytes));
  if (!begin)
    return refuse(ENOMEM);
  constexpr int unsuitable = MAP_HUGETLB | MAP_LOCKED;
  const Change change{.kind = Change::Kind::MapFile,
                      .protection = protection,
                      .flags = flags & ~unsuitable,
                      .descriptor = descriptor,
                      .begin = begin,
                      .bytes = page_up(bytes),
                      .offset = offset};
  if (const int error = change_everywhere(change)) {
    unmap({begin, begin + page_up(bytes)});
    return refuse(error);
  }
  return reinterpret_cast<void*>(begin);
}

void* FileMappings::map(size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  if (bytes > large_part_bytes)
    return refuse(ENOMEM);
  const bool shared = (flags & MAP_TYPE) != MAP_PRIVATE;
  const bool written = protection & PROT_WRITE;
  if (!process_.has_started() && (shared || !written)) // the nodes to come inherit it
    return reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, bytes, protection, flags, descriptor, offset));
  if (!process_.made_by_launcher() && (shared || !written))
    return map_on_all_nodes(bytes, protection, flags, descriptor, offset);
  if (shared && written) {
    say("mmap: a file that is shared and writable can be mapped where all nodes are processes of one program start "
        "only; "
        "refused");
    return refuse(ENOTSUP);
  }
  return map_copy(process_, bytes, protection, descriptor, offset);
}

int FileMappings::protect(Segment range, int protection) {
  const Change everybodys{
      .kind = Change::Kind::Protect, .protection = protection, .begin = range.begin, .bytes = range.bytes()};
  if (FileArea::sharing_at(range.begin) != FileArea::Sharing::Private)
    return change_everywhere(everybodys);
  const bool mapped_here = FileArea::owner(range.begin) == process_.node();
  const bool writable = protection & PROT_WRITE;
  if (mapped_here && (writable ? withdrawn_.covers(range) : withdrawn_.meets(range)))
    return syscall(SYS_mprotect, range.begin, range.bytes(), protection) ? errno : 0;
  if (!writable)
    return mapped_here || !is_refused(range) ? change_everywhere(everybodys) : ENOTSUP;
  if (!mapped_here) {
    say("a private mapping of a file was made read-only, and only the node that has mapped it can make it writable: "
        "map it with "
        "PROT_WRITE; mprotect is refused");
    return ENOTSUP;
  }
  say_once(said_,
           "a private mapping of a file that was made read-only becomes writable: from now on only node %u can use it; "
           "map it "
           "with PROT_WRITE for all",
           process_.node());
  withdrawn_.add(range);
  Change others = everybodys;
  others.protection = PROT_NONE;
  if (const int error = change_elsewhere(others))
    return error;
  return syscall(SYS_mprotect, range.begin, range.bytes(), protection) ? errno : 0;
}

int FileMappings::unmap(Segment range) {
  const int error = change_everywhere({.kind = Change::Kind::Unmap, .begin = range.begin, .bytes = range.bytes()});
  withdrawn_.remove(range);
  if (FileArea::owner(range.begin) == process_.node()) // another node's addresses are not used again
    area_.give_back(range.begin, range.bytes());
  if (error)
    errno = error;
  return error ? -1 : 0;
}

void* FileMappings::attach(int segment, int flags) {
  shmid_ds facts;
  if (shmctl(segment, IPC_STAT, &facts) != 0)
    return reinterpret_cast<void*>(-1);
  const size_t bytes = page_up(facts.shm_segsz);
  const uintptr_t begin = area_.take(process_.node(), FileArea::Sharing::Shared, bytes);
  if (!begin)
    return refuse(ENOMEM);
  const Change change{
      .kind = Change::Kind::AttachSegment, .protection = segment, .flags = flags & ~SHM_REMAP, .begin = begin};
  if (const int error = change_everywhere(change)) {
    change_everywhere({.kind = Change::Kind::DetachSegment, .begin = begin});
    area_.give_back(begin, bytes);
    return refuse(error);
  }
  std::lock_guard guard(segments_lock_);
  segments_[begin] = bytes;
  return reinterpret_cast<void*>(begin);
}

int FileMappings::detach(const void* where) {
  const auto begin = reinterpret_cast<uintptr_t>(where);
  if (const int error = change_everywhere({.kind = Change::Kind::DetachSegment, .begin = begin})) {
    errno = error;
    return -1;
  }
  std::lock_guard guard(segments_lock_);
  const auto known = segments_.find(begin);
  if (known != segments_.end()) { // another node's addresses are not used again
    area_.give_back(begin, known->second);
    segments_.erase(known);
  }
  return 0;
}

int read_file(void* target, size_t bytes, int descriptor, off_t offset, size_t* filled) {
  // By way of private memory: the kernel may not be allowed to wait for a page that another node holds.
  constexpr size_t piece = size_t(256) << 10;
  const auto buffer = std::make_unique<char[]>(piece);
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(descriptor, buffer.get(), std::min(piece, bytes - done), offset + off_t(done));
    if (got < 0 && errno != EINTR)
      return errno;
    if (got == 0)
      break;
    if (got > 0) {
      memcpy(static_cast<char*>(target) + done, buffer.get(), size_t(got));
      done += size_t(got);
    }
  }
  *filled = done;
  return 0;
}

} // namespace hetmp::dsm
