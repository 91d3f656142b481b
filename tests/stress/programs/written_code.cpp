// Regions whose functions the program writes itself while it runs, as a compiler at run time does: code that belongs to
// no object, and that threads of all nodes execute.
#include "stress.hpp"

#include <cstdint>
#include <cstring>
#include <sys/mman.h>

struct Location {
  int reserved, flags, more[2];
  const char* source;
};
extern "C" void __kmpc_fork_call(const Location* where, int arguments, void (*function)(int*, int*, ...), ...);

int main() {
  constexpr int regions = 100;
  constexpr size_t page = 4096, distance = 32;                    // from function to function
  constexpr unsigned char increment[] = {0xf0, 0xff, 0x02, 0xc3}; // lock incl (%rdx); ret
  static const Location here{0, 2, {}, ";written_code.cpp;main;1;1;;"};
  auto* code =
      static_cast<unsigned char*>(mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK(code != MAP_FAILED);
  for (int i = 0; i < regions; ++i)
    memcpy(code + size_t(i) * distance, increment, sizeof increment);
  CHECK_EQUAL(mprotect(code, page, PROT_READ | PROT_EXEC), 0);
  int threads = 0, executed = 0;
#pragma omp parallel
#pragma omp atomic
  threads++;
  for (int i = 0; i < regions; ++i)
    __kmpc_fork_call(&here, 1, reinterpret_cast<void (*)(int*, int*, ...)>(code + size_t(i) * distance), &executed);
  CHECK_EQUAL(executed, regions * threads);
}
