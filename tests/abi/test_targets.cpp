// Target regions as gcc begins them, and memory of devices, where there is no device but the host.
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

extern "C" {
void GOMP_target_ext(int device, void (*function)(void*), size_t count, void** addresses, size_t* sizes,
                     unsigned short* kinds, unsigned flags, void** depend, void** arguments);
int omp_get_thread_limit();
}

namespace {

constexpr unsigned short kind_firstprivate = 12;
constexpr unsigned short alignment_of_8 = 3 << 8;

struct Seen {
  const void* absent;
  const long* present;
  long value;
  int limit;
} seen;

void look(void* data) {
  void** addresses = static_cast<void**>(data);
  seen = {addresses[0], static_cast<long*>(addresses[1]), *static_cast<long*>(addresses[1]), omp_get_thread_limit()};
}

void* number(uintptr_t value) { return reinterpret_cast<void*>(value); }

TEST(TargetRegions, AnAbsentArgumentStaysAbsent) {
  long present = 42;
  void* addresses[] = {nullptr, &present};
  size_t sizes[] = {sizeof present, sizeof present};
  unsigned short kinds[] = {kind_firstprivate | alignment_of_8, kind_firstprivate | alignment_of_8};
  GOMP_target_ext(-1, look, 2, addresses, sizes, kinds, 0, nullptr, nullptr);
  EXPECT_EQ(seen.absent, nullptr);
  EXPECT_NE(seen.present, &present);
  EXPECT_EQ(seen.value, 42);
}

TEST(TargetRegions, ThreadLimitIsFoundAmongTheArguments) {
  constexpr uintptr_t num_teams = 0x100, thread_limit = 0x200, value_follows = 0x80, of_device_5 = 5;
  const int usual = omp_get_thread_limit();
  long present = 0;
  const auto limit_with = [&](void** arguments) {
    void* addresses[] = {nullptr, &present};
    size_t sizes[] = {0, sizeof present};
    unsigned short kinds[] = {0, kind_firstprivate};
    GOMP_target_ext(-1, look, 2, addresses, sizes, kinds, 0, nullptr, arguments);
    return seen.limit;
  };
  EXPECT_EQ(limit_with(nullptr), usual);
  void* none[] = {number(num_teams | 2 << 16), nullptr};
  EXPECT_EQ(limit_with(none), usual);
  void* packed[] = {number(num_teams | 2 << 16), number(thread_limit | 3 << 16), nullptr};
  EXPECT_EQ(limit_with(packed), 3);
  void* apart[] = {number(num_teams | value_follows), number(0x200), number(thread_limit | value_follows),
                   number(70000), nullptr};
  EXPECT_EQ(limit_with(apart), 70000);
  void* others[] = {number(of_device_5 | thread_limit | 3 << 16), nullptr};
  EXPECT_EQ(limit_with(others), usual);
  EXPECT_EQ(omp_get_thread_limit(), usual);
}

} // namespace
