// Files that the program maps: private copies that all nodes write, mappings that are only read, one that is shared and
// written; made, moved and taken back by threads of any node.
#include "stress.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <omp.h>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace {

constexpr int team = 6;
constexpr size_t page = 4096, pages = 24, tail = 100, bytes = pages * page + tail;

uint8_t content(size_t i) { return uint8_t(stress::mix(stress::seed(), i) >> 3); }

void* map(int descriptor, int protection, int flags, size_t length = bytes, off_t offset = 0) {
  void* memory = mmap(nullptr, length, protection, flags, descriptor, offset);
  CHECK(memory != MAP_FAILED);
  return memory;
}

void check_file(int descriptor) {
  std::vector<uint8_t> now(bytes + 1);
  CHECK_EQUAL(pread(descriptor, now.data(), now.size(), 0), bytes);
  for (size_t i = 0; i < bytes; ++i)
    CHECK_EQUAL(now[i], content(i));
}

/// Written by all threads; the file must not see it.
void private_copy(int descriptor) {
  auto* memory = static_cast<uint8_t*>(map(descriptor, PROT_READ | PROT_WRITE, MAP_PRIVATE));
#pragma omp parallel num_threads(team)
  {
    const size_t me = size_t(omp_get_thread_num());
    for (size_t i = me; i < bytes; i += team) {
      CHECK_EQUAL(memory[i], content(i));
      memory[i] ^= 0x5a;
    }
#pragma omp barrier
    for (size_t i = me * 7; i < bytes; i += 31)
      CHECK_EQUAL(memory[i], content(i) ^ 0x5a);
    for (size_t i = bytes; i < (pages + 1) * page; ++i)
      CHECK_EQUAL(memory[i], 0); // behind the end of the file
  }
  check_file(descriptor);
  CHECK_EQUAL(munmap(memory, bytes), 0);
}

/// Each thread makes a mapping, the next one reads it, the one after that takes it back, in two parts.
void only_read(int descriptor) {
  static const uint8_t* memory[team];
  for (int flags : {MAP_PRIVATE, MAP_SHARED})
#pragma omp parallel num_threads(team)
    for (int round = 0; round < 4; ++round) {
      const int me = omp_get_thread_num();
      const off_t offset = off_t(page) * (me + round);
      memory[me] = static_cast<uint8_t*>(map(descriptor, PROT_READ, flags, bytes - size_t(offset), offset));
#pragma omp barrier
      const int theirs = (me + 1) % team;
      const size_t begin = size_t(page) * size_t(theirs + round);
      for (size_t i = 0; i < bytes - begin; i += 61)
        CHECK_EQUAL(memory[theirs][i], content(begin + i));
#pragma omp barrier
      const int old = (me + 2) % team;
      const size_t length = bytes - page * size_t(old + round);
      void* first = const_cast<uint8_t*>(memory[old]);
      void* second = const_cast<uint8_t*>(memory[old] + 2 * page);
      CHECK_EQUAL(munmap(second, length - 2 * page), 0);
      CHECK_EQUAL(munmap(first, 2 * page), 0);
#pragma omp barrier
    }
}

/// What one thread writes the others read, and the file has it.
void shared_and_written(int descriptor) {
  uint32_t* memory = nullptr;
  constexpr size_t words = 8 * page / sizeof *memory;
  memory = static_cast<uint32_t*>(map(descriptor, PROT_READ | PROT_WRITE, MAP_SHARED, 8 * page, page));
#pragma omp parallel num_threads(team)
  for (int round = 0; round < 5; ++round) {
    const size_t me = size_t(omp_get_thread_num());
    for (size_t i = me; i < words; i += team)
      memory[i] = uint32_t(i * 3 + size_t(round));
#pragma omp barrier
    for (size_t i = me * 5; i < words; i += 13)
      CHECK_EQUAL(memory[i], i * 3 + size_t(round));
#pragma omp barrier
#pragma omp atomic
    memory[0]++;
#pragma omp barrier
    CHECK_EQUAL(memory[0], round + team);
#pragma omp barrier
  }
  std::vector<uint32_t> now(words);
  CHECK_EQUAL(pread(descriptor, now.data(), words * sizeof now[0], page), words * sizeof now[0]);
  CHECK(std::equal(now.begin(), now.end(), memory));
  CHECK_EQUAL(munmap(memory, 8 * page), 0);
}

/// Addresses are used again: far more than there is room for, one after the other.
void again_and_again(int descriptor) {
  for (int i = 0; i < 300; ++i) {
    auto* memory = static_cast<uint8_t*>(map(descriptor, PROT_READ, MAP_SHARED));
    CHECK_EQUAL(memory[page], content(page));
    CHECK_EQUAL(munmap(memory, bytes), 0);
  }
}

void errors(int descriptor, const std::string& name) {
  CHECK(mmap(nullptr, 0, PROT_READ, MAP_PRIVATE, descriptor, 0) == MAP_FAILED && errno == EINVAL);
  CHECK(mmap(nullptr, page, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED && errno == EBADF);
  CHECK(mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 17) == MAP_FAILED && errno == EINVAL);
  const int read_only = open(name.c_str(), O_RDONLY), write_only = open(name.c_str(), O_WRONLY);
  CHECK(mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, read_only, 0) == MAP_FAILED && errno == EACCES);
  CHECK(mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, write_only, 0) == MAP_FAILED && errno == EACCES);
  close(read_only);
  close(write_only);
}

} // namespace

int main() {
  char name[] = "/tmp/hetmp-stress-XXXXXX";
  const int descriptor = mkstemp(name);
  CHECK(descriptor >= 0);
  std::vector<uint8_t> all(bytes);
  for (size_t i = 0; i < bytes; ++i)
    all[i] = content(i);
  CHECK_EQUAL(write(descriptor, all.data(), bytes), bytes);
  errors(descriptor, name);
  unlink(name);
  private_copy(descriptor);
  only_read(descriptor);
  again_and_again(descriptor);
  check_file(descriptor);
  shared_and_written(descriptor);
}
