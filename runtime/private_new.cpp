// operator new and delete of this library. They go to the C library's own allocator under the names it keeps for
// itself: `malloc` may be interposed so that programs share their heap between nodes, and what the runtime allocates
// must stay private to the process. The version script hides these operators from the program.
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" {
void* __libc_malloc(size_t bytes);
void __libc_free(void* block);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

void* checked(void* block) {
  if (!block)
    abort(); // the runtime cannot go on, and must not throw through the program's frames
  return block;
}

} // namespace

void* operator new(size_t bytes) {
  return checked(__libc_malloc(bytes));
}
void* operator new[](size_t bytes) {
  return checked(__libc_malloc(bytes));
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return checked(__libc_memalign(size_t(alignment), bytes));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return checked(__libc_memalign(size_t(alignment), bytes));
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return __libc_malloc(bytes);
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return __libc_malloc(bytes);
}

void operator delete(void* block) noexcept {
  __libc_free(block);
}
void operator delete[](void* block) noexcept {
  __libc_free(block);
}
void operator delete(void* block, size_t) noexcept {
  __libc_free(block);
}
void operator delete[](void* block, size_t) noexcept {
  __libc_free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  __libc_free(block);
}
void operator delete[](void* block, std::align_val_t) noexcept {
  __libc_free(block);
}
void operator delete(void* block, size_t, std::align_val_t) noexcept {
  __libc_free(block);
}
void operator delete[](void* block, size_t, std::align_val_t) noexcept {
  __libc_free(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept {
  __libc_free(block);
}
void operator delete[](void* block, const std::nothrow_t&) noexcept {
  __libc_free(block);
}
