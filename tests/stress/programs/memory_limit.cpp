// More memory than there is: refused with a null pointer, by every function that allocates and on every node, and said
// once; what was given back is there again.

// flags: -fno-builtin -fno-assume-sane-operator-new
// run: HETMP_MEMORY=600M
// said on several nodes: hetmp: [0-9.]+ MiB more memory are refused: [0-9.]+ of the 600.0 MiB that the nodes of this machine may allocate are in use \(HETMP_MEMORY sets another limit\)
#include "stress.hpp"

#include <cerrno>
#include <cstring>
#include <malloc.h>
#include <new>
#include <omp.h>
#include <stdexcept>
#include <sys/mman.h>
#include <vector>

namespace {

constexpr size_t MiB = size_t(1) << 20, GiB = size_t(1) << 30;
constexpr int team = 4;

bool limited() {
  return getenv("HETMP_NODES") != nullptr; // the limit is one of several nodes
}

/// Each thread takes what it gets, in pieces of its own size, and writes a little into each.
void share_all_there_is() {
  size_t got[team] = {};
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    const size_t piece = MiB * size_t(1 + me * 3);
    std::vector<char*> pieces;
    while (pieces.size() * piece < GiB / 4) {
      char* memory = static_cast<char*>(malloc(piece));
      if (!memory) {
        CHECK_EQUAL(errno, ENOMEM);
        break;
      }
      memory[piece - 1] = char(me);
      pieces.push_back(memory);
    }
    got[me] = pieces.size() * piece;
#pragma omp barrier
    for (char* memory : pieces) {
      CHECK_EQUAL(memory[piece - 1], me);
      free(memory);
    }
  }
  size_t all = 0;
  for (size_t each : got)
    all += each;
  CHECK(limited() ? all < 600 * MiB && all > 500 * MiB : all >= GiB);
}

void too_large() {
#pragma omp parallel num_threads(team)
  for (size_t bytes : {size_t(700) * MiB, size_t(1) << 45, size_t(1) << 60, ~size_t(0) - 100}) {
    const bool refused = limited() || bytes > (size_t(1) << 50);
    if (!refused)
      continue;
    void* memory = nullptr;
    errno = 0;
    CHECK(malloc(bytes) == nullptr && errno == ENOMEM);
    errno = 0;
    CHECK(calloc(bytes / 8, 8) == nullptr && errno == ENOMEM);
    CHECK_EQUAL(posix_memalign(&memory, 64, bytes), ENOMEM);
    CHECK(aligned_alloc(64, bytes / 64 * 64) == nullptr);
    CHECK(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    CHECK_EQUAL(errno, ENOMEM);
    CHECK(operator new(bytes, std::nothrow) == nullptr);
    char* block = static_cast<char*>(malloc(100));
    strcpy(block, "still there");
    CHECK(realloc(block, bytes) == nullptr && strcmp(block, "still there") == 0);
    free(block);
    bool thrown = false;
    try {
      std::vector<char> much(bytes);
      much[0] = 1;
    } catch (const std::bad_alloc&) {
      thrown = true;
    } catch (const std::length_error&) {
      thrown = true;
    }
    CHECK(thrown);
  }
}

/// Small blocks count as well, and address space that is only reserved does not.
void small_blocks_and_reservations() {
  void* reserved = mmap(nullptr, 100 * GiB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(reserved != MAP_FAILED);
  struct Link {
    Link* next;
    char more[992];
  };
  size_t blocks = 0;
  Link* first = nullptr;
  for (; blocks < 1'000'000; ++blocks) {
    Link* link = static_cast<Link*>(malloc(sizeof(Link)));
    if (!link)
      break;
    link->next = first;
    first = link;
  }
  CHECK(limited() ? blocks * sizeof(Link) < 600 * MiB && blocks * sizeof(Link) > 400 * MiB : blocks == 1'000'000);
  while (first) {
    Link* next = first->next;
    free(first);
    first = next;
  }
  CHECK_EQUAL(munmap(reserved, 100 * GiB), 0);
}

} // namespace

int main() {
  share_all_there_is();
  share_all_there_is();
  too_large();
  share_all_there_is();
  small_blocks_and_reservations();
}
