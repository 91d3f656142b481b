// What the stress programs share: checks that end the program with one line, and reproducible random numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace stress {

/// Ends the program with exit code 1; the first caller's line is the one that counts.
[[noreturn]] inline void fail(const char* file, int line, const char* what, long long have, long long want) {
  static std::atomic<int> failures{0};
  if (failures.fetch_add(1) == 0) {
    dprintf(2, "%s:%d: %s: %lld, not %lld\n", file, line, what, have, want);
    exit(1);
  }
  while (true)
    pause();
}

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      stress::fail(__FILE__, __LINE__, #condition, 0, 1);                                                              \
  } while (0)

#define CHECK_EQUAL(have, want)                                                                                        \
  do {                                                                                                                 \
    const long long have_ = (long long)(have), want_ = (long long)(want);                                              \
    if (have_ != want_)                                                                                                \
      stress::fail(__FILE__, __LINE__, #have, have_, want_);                                                           \
  } while (0)

/// The value at a place of a random sequence (splitmix64), so that any thread can recompute any of them.
inline uint64_t mix(uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b * 0xbf58476d1ce4e5b9u + c * 0x94d049bb133111ebu + 0x2545f4914f6cdd1du;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0) : state_(mix(seed, stream)) {}
  uint64_t next() { return mix(state_++); }
  uint64_t below(uint64_t limit) { return next() % limit; }

 private:
  uint64_t state_;
};

/// What blocks that have been freed are used for next: bytes that mean nothing to whoever still takes them for his own.
inline void fill_free_blocks() {
  std::vector<void*> blocks;
  for (size_t bytes = 16; bytes <= 8192; bytes += 16)
    for (int i = 0; i < 4; ++i) {
      blocks.push_back(malloc(bytes));
      memset(blocks.back(), 0xee, bytes);
    }
  for (void* block : blocks)
    free(block);
}

/// Arithmetic without a call, in which a thread may go on elsewhere: about 0.1 ms.
__attribute__((always_inline)) inline uint64_t compute(uint64_t x, int count = 40'000) {
  for (int i = 0; i < count; ++i)
    x = x * 6364136223846793005u + (x >> 29);
  asm volatile("" : "+r"(x));
  return x;
}

/// Whether threads of regions at home are to go on elsewhere, again and again (HETMP_PLACEMENT=journeys): a program of
/// that would show nothing if none did.
inline bool threads_must_travel() {
  const char* placement = getenv("HETMP_PLACEMENT");
  const char* nodes = getenv("HETMP_NODES");
  return placement && strncmp(placement, "journeys", 8) == 0 && nodes && strncmp(nodes, "proc", 4) == 0;
}

/// The process that the calling thread is in, by the instruction: the C library's function is where threads come home.
inline long process_now() {
  long result = SYS_getpid;
  asm volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
  return result;
}

/// What a variable of the environment says, or the usual number.
inline uint64_t number_of(const char* variable, uint64_t usual) {
  const char* text = getenv(variable);
  return text ? strtoull(text, nullptr, 0) : usual;
}

/// The process in which the program has begun.
inline const long home = process_now();

inline bool is_abroad() { return process_now() != home; }

/// Until it is executed elsewhere, but so many times 0.1 ms at most; whether it was.
inline bool computes_abroad(int most = 20) {
  for (int i = 0; i < most; ++i) {
    if (is_abroad())
      return true;
    compute(uint64_t(i));
  }
  return false;
}

/// STRESS_SEED, or always the same.
inline uint64_t seed() { return number_of("STRESS_SEED", 20); }

/// How often something is done: STRESS_PERCENT of the usual number, for machines that are slow (tests/rdma).
inline int portion(int usual) {
  const int part = int(uint64_t(usual) * number_of("STRESS_PERCENT", 100) / 100);
  return part > 0 ? part : 1;
}

} // namespace stress
