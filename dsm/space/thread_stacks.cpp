#include "dsm/space/thread_stacks.hpp"

#include "base/check.hpp"
#include "base/elf/elf_image.hpp"
#include "dsm/space/core_dump.hpp"

#include <algorithm>
#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// Below main's stack nothing else may be: a function with a large frame that overflows it must not come out in a heap.
constexpr size_t main_guard_bytes = size_t(1) << 30;

/// Each stack ends at a multiple of it. The predictor of ways of some processors' first-level cache (AMD Zen) tells
/// lines apart by a hash in which bits 12 to 19 of an address are mixed with those above: two pages of what is used
/// most, the upper end, must not be told apart by both, or they keep throwing each other out. Source: Lipp et al., Take
/// A Way: Exploring the Security Implications of AMD's Cache Way Predictors, 2020.
constexpr uintptr_t end_alignment = publish_bytes;
static_assert(end_alignment >= uintptr_t(1) << 20);

uintptr_t aligned_end(uintptr_t least) { return (least + end_alignment - 1) & ~(end_alignment - 1); }

/// Of the objects that are there when the program begins: of each thread that the C library makes, they take a part of
/// the stack.
size_t thread_local_bytes() {
  const auto add = [](dl_phdr_info* info, size_t, void* sum) {
    for_each_segment(*info, [sum](const LoadedSegment& segment) {
      if (segment.type == PT_TLS)
        *static_cast<size_t*>(sum) += segment.bytes + segment.alignment;
    });
    return 0;
  };
  constexpr size_t of_the_library = size_t(16)
                                    << 10; // its record of a thread, and a surplus for objects that are loaded later
  size_t sum = of_the_library;
  dl_iterate_phdr(add, &sum);
  return sum;
}

/// The system call itself: this library interposes the name.
int protect(Segment range, int protection) {
  return syscall(SYS_mprotect, range.begin, range.bytes(), protection) ? errno : 0;
}

/// Which a dump has; a stack that is used any deeper would fill the disk.
Segment upper_part(const Segment& stack) {
  constexpr size_t most = size_t(1) << 30;
  return {stack.end - std::min(stack.bytes(), most), stack.end};
}

} // namespace

void ThreadStacks::plan_main(uint64_t limit) {
  constexpr uint64_t least = uint64_t(8) << 20, most = uint64_t(32) << 30; // half of the part: workers need some, too
  const uintptr_t begin = AddressPlan::stack_part(origin).begin + main_guard_bytes;
  const size_t bytes = page_up(std::clamp(limit, least, most) + thread_local_bytes());
  main_.end = aligned_end(begin + bytes);
  main_.begin = main_.end - bytes;
}

/// The C library keeps a thread's record below the end of the stack that it is given, aligned as thread-local variables
/// are; its address is what the thread is known by. Both figures are for debuggers and sanitizers.
uintptr_t ThreadStacks::mains_identity() const {
  using TellSizes = void (*)(size_t * bytes, size_t * alignment);
  const auto* const record_bytes = static_cast<const uint32_t*>(dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread"));
  const auto tell_sizes = reinterpret_cast<TellSizes>(dlsym(RTLD_DEFAULT, "_dl_get_tls_static_info"));
  if (!record_bytes || !tell_sizes || main_.end == 0)
    return 0;
  size_t bytes, alignment;
  tell_sizes(&bytes, &alignment);
  return (main_.end - *record_bytes) & ~(alignment - 1);
}

int ThreadStacks::protection() const { return PROT_READ | PROT_WRITE | (executable_ ? PROT_EXEC : 0); }

void ThreadStacks::make_executable() {
  std::lock_guard guard(lock_);
  if (executable_)
    return;
  executable_ = true;
  for (const Segment& stack : stacks_)
    protect(stack, protection());
  protect_others();
}

/// Of the others the guards are not this node's business.
void ThreadStacks::protect_others() const {
  for (uint32_t node = 0; executable_ && node < nodes_; ++node)
    if (node != node_)
      protect(AddressPlan::stack_part(node), protection());
}

void ThreadStacks::meet_others(uint32_t nodes) {
  std::lock_guard guard(lock_);
  nodes_ = nodes;
  protect_others();
}

void ThreadStacks::become(uint32_t node) {
  node_ = node;
  free_ = AddressPlan::stack_part(node);
  if (node == origin)
    free_.begin = main_.end + page_bytes; // its upper guard
}

/// A page or more, which stay a guard, and the stack; nothing if there is not so much room.
Segment ThreadStacks::take(size_t bytes) {
  std::lock_guard guard(lock_);
  if (bytes > free_.bytes() || free_.bytes() - bytes < page_bytes + end_alignment)
    return {};
  HETMP_CHECK(bytes == page_up(bytes) && page_down(free_.begin) == free_.begin);
  const uintptr_t end = aligned_end(free_.begin + page_bytes + bytes);
  const Segment stack{end - bytes, end};
  protect({free_.begin, stack.begin}, PROT_NONE);              // an overflow faults instead of overwriting
  __atomic_store_n(&free_.begin, stack.end, __ATOMIC_RELAXED); // see used_until(); it orders nothing
  if (executable_)
    protect(stack, protection());
  include_in_dumps(upper_part(stack));
  HETMP_CHECK(AddressPlan::stack_part(node_).contains(stack.begin) && stack.end <= free_.end);
  stacks_.push_back(stack);
  return stack;
}

int ThreadStacks::start(Body body, void* argument, const Segment& stack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int error = pthread_attr_setstack(&attributes, reinterpret_cast<void*>(stack.begin), stack.bytes());
  pthread_t thread;
  if (!error)
    error = pthread_create(&thread, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  return error;
}

int ThreadStacks::create_thread(Body body, void* argument, size_t stack_bytes) {
  constexpr size_t default_stack = size_t(8) << 20, least = size_t(256) << 10;
  const size_t wanted =
      std::clamp(stack_bytes ? stack_bytes : default_stack, least, slice_bytes); // which is more than there is
  const Segment stack = take(page_up(wanted));
  return stack.begin ? start(body, argument, stack) : EAGAIN;
}

int ThreadStacks::create_main(Body body, void* argument) {
  HETMP_CHECK(node_ == origin && main_.begin < main_.end && main_.end < free_.begin);
  protect({main_.begin - main_guard_bytes, main_.begin}, PROT_NONE);
  protect({main_.end, main_.end + page_bytes}, PROT_NONE);
  {
    std::lock_guard guard(lock_);
    protect(main_, protection());
    stacks_.push_back(main_);
  }
  include_in_dumps(upper_part(main_));
  return start(body, argument, main_);
}

} // namespace hetmp::dsm
