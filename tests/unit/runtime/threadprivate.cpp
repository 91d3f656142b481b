// Threadprivate variables that the runtime keeps: what their copies begin with, and who makes and ends them.
#include "kmpc.hpp"

#include "runtime/team/current_thread.hpp"
#include "runtime/team/threadprivate.hpp"

#include <atomic>

struct ThreadprivateRecord {
  ThreadprivateRecord *next, *link;
  void *original, *copy;
  size_t bytes;
};

extern "C" {
void __kmpc_threadprivate_register_vec(const SourceLocation*, void* original, void* (*construct)(void*, size_t),
                                       void* (*copy_construct)(void*, void*, size_t), void (*destroy)(void*, size_t),
                                       size_t elements);
void kmp_threadprivate_insert_private_data(int gtid, void* original, void* value, size_t bytes);
ThreadprivateRecord* kmp_threadprivate_insert(int gtid, void* original, void* value, size_t bytes);
}

namespace hetmp::test {
namespace {

template <size_t N> int* copy_of(int gtid, int (&original)[N]) {
  void** cache = nullptr;
  return static_cast<int*>(__kmpc_threadprivate_cached(&somewhere, gtid, original, sizeof original, &cache));
}

int constructed[3] = {1, 2, 3}, copied[3] = {1, 2, 3};

void* construct(void* objects, size_t elements) {
  for (size_t i = 0; i < elements; i++)
    static_cast<int*>(objects)[i] = 70 + int(i);
  return objects;
}

void* copy_construct(void* objects, void* originals, size_t elements) {
  for (size_t i = 0; i < elements; i++)
    static_cast<int*>(objects)[i] = 10 * static_cast<int*>(originals)[i];
  return objects;
}

std::atomic<size_t> destroyed{0};

void destroy(void*, size_t elements) { destroyed += elements; }

TEST(Threadprivate, FunctionsOfArraysGetTheNumberOfElements) {
  destroyed = 0;
  __kmpc_threadprivate_register_vec(&somewhere, constructed, construct, nullptr, destroy, 3);
  __kmpc_threadprivate_register_vec(&somewhere, copied, nullptr, copy_construct, destroy, 3);
  parallel(4, [](Member self) {
    const int* first = copy_of(self.gtid, constructed);
    const int* second = copy_of(self.gtid, copied);
    for (int i = 0; i < 3; i++) {
      EXPECT_EQ(first[i], self.number == 0 ? i + 1 : 70 + i); // the initial thread has the original
      EXPECT_EQ(second[i], self.number == 0 ? i + 1 : 10 * (i + 1));
    }
    runtime::destroy_threadprivate_copies(runtime::thread_of(self.gtid));
  });
  EXPECT_EQ(destroyed, 2u * 3 * 3);
}

TEST(Threadprivate, InsertedValuesAreWhatCopiesBeginWith) {
  static int original[2] = {1, 2};
  int value[2] = {8, 9}, too_late[2] = {0, 0};
  const int root = __kmpc_global_thread_num(&somewhere);
  kmp_threadprivate_insert_private_data(root, original, value, sizeof value);
  parallel(4, [&](Member self) {
    ThreadprivateRecord* record = kmp_threadprivate_insert(self.gtid, original, too_late, sizeof original);
    EXPECT_EQ(record->original, original);
    EXPECT_EQ(record->copy, copy_of(self.gtid, original));
    EXPECT_EQ(record->bytes, sizeof original);
    EXPECT_EQ(record->copy == original, self.number == 0);
    EXPECT_EQ(static_cast<int*>(record->copy)[1], self.number == 0 ? 2 : 9);
  });
}

} // namespace
} // namespace hetmp::test
