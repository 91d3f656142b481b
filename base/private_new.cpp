// operator new for the libraries themselves. `malloc` may be interposed and then hands out memory that nodes share, but
// this project's own state must stay private to its process: it is touched by threads that serve page faults. So the
// libraries' C++ allocations go straight to the C library's allocator. Linked into each shared library as an object;
// the version scripts keep these definitions local, so the program's own operator new is not affected.
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* pointer);
}

namespace {

void* checked(void* pointer) {
  if (!pointer)
    abort(); // no exceptions cross this library, and there is nothing smaller to fall back to
  return pointer;
}

} // namespace

void* operator new(size_t size) { return checked(__libc_malloc(size)); }
void* operator new[](size_t size) { return checked(__libc_malloc(size)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return __libc_malloc(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return __libc_malloc(size); }
void* operator new(size_t size, std::align_val_t alignment) {
  return checked(__libc_memalign(size_t(alignment), size));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return checked(__libc_memalign(size_t(alignment), size));
}
void operator delete(void* pointer) noexcept { __libc_free(pointer); }
void operator delete[](void* pointer) noexcept { __libc_free(pointer); }
void operator delete(void* pointer, size_t) noexcept { __libc_free(pointer); }
void operator delete[](void* pointer, size_t) noexcept { __libc_free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { __libc_free(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { __libc_free(pointer); }
void operator delete(void* pointer, size_t, std::align_val_t) noexcept { __libc_free(pointer); }
void operator delete[](void* pointer, size_t, std::align_val_t) noexcept { __libc_free(pointer); }
