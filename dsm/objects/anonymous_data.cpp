#include "dsm/objects/anonymous_data.hpp"

#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "dsm/objects/globals.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace hetmp::dsm {
namespace {

unsigned long long objects_ever_loaded() {
  unsigned long long count = 0;
  const auto read = [](dl_phdr_info* info, size_t, void* result) {
    *static_cast<unsigned long long*>(result) = info->dlpi_adds;
    return 1; // the same for all
  };
  dl_iterate_phdr(read, &count);
  return count;
}

} // namespace

constinit thread_local LoadingWatch* loading_watch = nullptr;

void FileData::make_anonymous() {
  std::lock_guard guard(lock_);
  for (const Segment& segment : find_file_data())
    if (std::none_of(done_.begin(), done_.end(), [&](const Segment& known) { return known.begin == segment.begin; })) {
      dsm::make_anonymous(segment, PROT_READ | PROT_WRITE);
      done_.push_back(segment);
    }
}

void make_anonymous(Segment range, int protection) {
  // The system calls themselves: this library interposes the functions.
  const long copy =
      syscall(SYS_mmap, nullptr, range.bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == -1)
    die(exit_code::software, "cannot map %zu bytes for the program's global data: %s", range.bytes(),
        strerrordesc_np(errno));
  if (protection & PROT_READ)
    memcpy(reinterpret_cast<void*>(copy), reinterpret_cast<const void*>(range.begin), range.bytes());
  if (syscall(SYS_mprotect, copy, range.bytes(), protection) != 0 ||
      syscall(SYS_mremap, copy, range.bytes(), range.bytes(), MREMAP_MAYMOVE | MREMAP_FIXED, range.begin) == -1)
    die(exit_code::software, "cannot replace %zu bytes of the program's global data: %s", range.bytes(),
        strerrordesc_np(errno));
}

LoadingWatch::LoadingWatch(void (*adopt)())
    : adopt_(adopt), outer_(std::exchange(loading_watch, this)), objects_(objects_ever_loaded()) {}

LoadingWatch::~LoadingWatch() { loading_watch = outer_; }

void LoadingWatch::look() {
  const unsigned long long now = objects_ever_loaded();
  if (std::exchange(objects_, now) == now)
    return;
  LoadingWatch* const self = std::exchange(loading_watch, nullptr); // what this allocates is not looked at
  adopt_();
  loading_watch = self;
}

} // namespace hetmp::dsm
