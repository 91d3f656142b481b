// Tasks that threads generate which are executed on this node: the thread of this test is host and guest.
#include "dsm/migration/tasks_abroad.hpp"

#include "dsm/guest_tasks.hpp"
#include "dsm/migration/contexts/context.hpp"
#include "dsm/migration/memory_abroad.hpp"
#include "dsm/migration/this_process.hpp"
#include "slice_fixture.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace hetmp::dsm {
namespace {

constexpr unsigned untied = 1, final_task = 2, depends = 8;

MemoryAbroad memory;
TasksAbroad tasks;
Host* host = nullptr;
Heap* node_heap = nullptr;
std::vector<const char*> called; ///< at home, in this order
thread_local TaskSigns signs;

void come_home() {
  called.push_back("home");
  host->guest = 0;
}
void task_is_over() {
  called.push_back("over");
  signs.has_settings = 0;
}
void gomp_task_itself(void (*)(void*), void*, void (*)(void*, void*), long, long, bool, unsigned flags, void**, int,
                      void*) {
  EXPECT_TRUE(flags == depends || flags == final_task || flags == 0);
  called.push_back("task");
}
void* alloc_itself(const void*, int32_t, int32_t, size_t, size_t, int32_t (*)(int32_t, void*)) {
  called.push_back("alloc");
  return nullptr;
}
int32_t task_itself(const void*, int32_t, void*) {
  called.push_back("task");
  return 7;
}
void if0_itself(const void*, int32_t, void*) { called.push_back("if0"); }
void yield_itself() { called.push_back("yield"); }

template <class Signature> Signature* stand_in(const char* name, Signature* function) {
  return reinterpret_cast<Signature*>(tasks.stand_in(name, reinterpret_cast<uintptr_t>(function)));
}

/// One of the runtime's.
struct OwnTask {
  uintptr_t record = 0x1000;
  GuestTaskBody body{};
};

class TasksOfGuests : public SliceFixture {
 protected:
  void SetUp() override {
    SliceFixture::SetUp();
    if (IsSkipped())
      return;
    static Heap heap;
    static const bool once = [] {
      memory.serve(heap, node, [](void*) { ADD_FAILURE() << "its own node's"; });
      host = memory.add_host();
      node_heap = &heap;
      return true;
    }();
    ASSERT_TRUE(once && host);
    heap.become(node, nullptr);
    before_ = this_process;
    this_process.memory = &memory;
    this_process.tasks = &tasks;
    tasks.set_way_home(come_home);
    tasks.set_task_end(ptrdiff_t(uintptr_t(&signs) - thread_pointer()), task_is_over);
    signs.has_settings = signs.part_follows = 0;
    signs.in_parts = nullptr;
    host->own = thread_pointer();
    host->guest = thread_pointer();
    host->deepest = 0;
    host->kept_tasks = nullptr;
    called.clear();
  }
  void TearDown() override {
    if (!IsSkipped())
      this_process = before_;
    SliceFixture::TearDown();
  }

 private:
  ThisProcess before_;
};

void add_one(void* data) { ++*static_cast<int*>(data); }

TEST_F(TasksOfGuests, OfGccAreExecutedAtOnce) {
  auto* const task = stand_in("GOMP_task", gomp_task_itself);
  int data = 4;
  task(add_one, &data, nullptr, sizeof data, alignof(int), true, untied, nullptr, 0, nullptr);
  EXPECT_EQ(data, 5);
  EXPECT_TRUE(called.empty());
}

TEST_F(TasksOfGuests, GetCopiesWhereTheirCodeWantsThem) {
  static uintptr_t seen;
  static int value;
  auto* const task = stand_in("GOMP_task", gomp_task_itself);
  const auto copy = [](void* to, void* from) { memcpy(to, from, sizeof(int)); };
  const auto code = [](void* data) {
    seen = reinterpret_cast<uintptr_t>(data);
    value = ++*static_cast<int*>(data);
  };
  for (const long alignment : {1L, 4L, 64L, 4096L}) {
    int data = 40;
    task(code, &data, copy, sizeof data, alignment, true, 0, nullptr, 0, nullptr);
    EXPECT_EQ(value, 41);
    EXPECT_EQ(data, 40);
    EXPECT_EQ(seen % uintptr_t(alignment), 0u) << alignment;
  }
  EXPECT_TRUE(called.empty());
}

TEST_F(TasksOfGuests, ThatAreNotPlainAreGeneratedAtHome) {
  auto* const task = stand_in("GOMP_task", gomp_task_itself);
  int data = 0;
  task(add_one, &data, nullptr, sizeof data, alignof(int), true, depends, nullptr, 0, nullptr);
  EXPECT_EQ(called, (std::vector{"home", "task"}));
  host->guest = thread_pointer();
  task(add_one, &data, nullptr, sizeof data, alignof(int), true, final_task, nullptr, 0, nullptr);
  EXPECT_EQ(called, (std::vector{"home", "task", "home", "task"}));
  EXPECT_EQ(data, 0);
}

TEST_F(TasksOfGuests, ThatAreTooDeepAreGeneratedAtHome) {
  host->deepest = TasksAbroad::nowhere;
  int data = 0;
  stand_in("GOMP_task", gomp_task_itself)(add_one, &data, nullptr, sizeof data, alignof(int), true, 0, nullptr, 0,
                                          nullptr);
  EXPECT_EQ(called, (std::vector{"home", "task"}));
  host->guest = thread_pointer();
  stand_in("__kmpc_omp_task_alloc", alloc_itself)(this, 5, 1, 48, 0, nullptr);
  EXPECT_EQ(called, (std::vector{"home", "task", "home", "alloc"}));
}

void set_something(void*) { signs.has_settings = 1; }

TEST_F(TasksOfGuests, EndAtHomeIfTheyHaveSetSomething) {
  auto* const task = stand_in("GOMP_task", gomp_task_itself);
  task(set_something, nullptr, nullptr, 0, 1, true, 0, nullptr, 0, nullptr);
  EXPECT_EQ(called, (std::vector{"home", "over"}));
  host->guest = thread_pointer();
  signs.has_settings = 1; // one that has generates others at home: they inherit those
  task(set_something, nullptr, nullptr, 0, 1, true, 0, nullptr, 0, nullptr);
  EXPECT_EQ(called, (std::vector{"home", "over", "home", "task"}));
}

int32_t sum_routine(int32_t gtid, void* task) {
  const auto* const body = static_cast<const GuestTaskBody*>(task);
  int* const* const shareds = static_cast<int* const*>(body->shareds);
  int own;
  memcpy(&own, body + 1, sizeof own);
  *shareds[0] += own + gtid;
  return 0;
}

TEST_F(TasksOfGuests, OfClangLieInTheNodesHeap) {
  auto* const alloc = stand_in("__kmpc_omp_task_alloc", alloc_itself);
  auto* const task = stand_in("__kmpc_omp_task", task_itself);
  int sum = 0;
  for (int i = 0; i < 1000; ++i) {
    void* const body = alloc(this, 5, 1, sizeof(GuestTaskBody) + sizeof(int), sizeof(int*), sum_routine);
    ASSERT_TRUE(body);
    EXPECT_TRUE(is_guest_task(body));
    EXPECT_EQ(Heap::owner(body), node);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(body) % 16, 0u);
    const auto* const known = static_cast<const GuestTaskBody*>(body);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(known->shareds) % sizeof(void*), 0u);
    *static_cast<int**>(known->shareds) = &sum;
    memcpy(static_cast<GuestTaskBody*>(body) + 1, &i, sizeof i);
    EXPECT_EQ(task(this, 5, body), 0);
  }
  EXPECT_EQ(sum, 999 * 500 + 5 * 1000);
  EXPECT_TRUE(called.empty());
  EXPECT_FALSE(host->works);
}

TEST_F(TasksOfGuests, HaveTheMemoryOfThoseBefore) {
  auto* const alloc = stand_in("__kmpc_omp_task_alloc", alloc_itself);
  auto* const task = stand_in("__kmpc_omp_task", task_itself);
  const auto nothing = [](int32_t, void*) { return int32_t(0); };
  void* const outer = alloc(this, 5, 1, 48, 0, nothing);
  void* const inner = alloc(this, 5, 1, 48, 8, nothing);
  EXPECT_NE(outer, inner);
  task(this, 5, inner);
  EXPECT_EQ(alloc(this, 5, 1, 400, 0, nothing), inner);
  void* const large = alloc(this, 5, 1, 4000, 0, nothing);
  memset(static_cast<GuestTaskBody*>(large) + 1, 1, 4000 - sizeof(GuestTaskBody));
  task(this, 5, large); // back to the heap
  task(this, 5, inner);
  task(this, 5, outer);
  EXPECT_EQ(alloc(this, 5, 1, 48, 0, nothing), outer);
  EXPECT_EQ(alloc(this, 5, 1, 48, 0, nothing), inner);
  EXPECT_TRUE(called.empty());
}

TEST_F(TasksOfGuests, WithDestructorsAndTheLikeAreMadeAtHome) {
  auto* const alloc = stand_in("__kmpc_omp_task_alloc", alloc_itself);
  for (const int32_t flags : {2, 1 | 2, 1 | 8, 1 | 32, 1 | 64}) {
    host->guest = thread_pointer();
    called.clear();
    alloc(this, 5, flags, 48, 0, nullptr);
    EXPECT_EQ(called, (std::vector{"home", "alloc"})) << flags;
  }
}

/// As clang's code of an untied task with three parts does.
int32_t next_of_three_parts(int32_t gtid, void* task) {
  auto* const body = static_cast<GuestTaskBody*>(task);
  ++*static_cast<int*>(body->shareds);
  if (++body->part < 3) {
    EXPECT_EQ(stand_in("__kmpc_omp_task", task_itself)(&tasks, gtid, task), 0);
  }
  return 0;
}

TEST_F(TasksOfGuests, UntiedAreExecutedPartByPart) {
  auto* const alloc = stand_in("__kmpc_omp_task_alloc", alloc_itself);
  for (const bool by_the_program : {false, true}) {
    void* const body = alloc(this, 5, 0, sizeof(GuestTaskBody), sizeof(int), next_of_three_parts);
    ASSERT_TRUE(body && is_guest_task(body));
    EXPECT_FALSE(GuestTask::of(body)->tied);
    auto& parts = *static_cast<int*>(static_cast<GuestTaskBody*>(body)->shareds);
    parts = 0;
    if (by_the_program) {
      stand_in("__kmpc_omp_task_begin_if0", if0_itself)(this, 5, body);
      next_of_three_parts(5, body);
      EXPECT_EQ(parts, 1);
      stand_in("__kmpc_omp_task_complete_if0", if0_itself)(this, 5, body);
    } else {
      EXPECT_EQ(stand_in("__kmpc_omp_task", task_itself)(this, 5, body), 0);
    }
    EXPECT_EQ(parts, 3);
    EXPECT_TRUE(called.empty());
  }
}

TEST_F(TasksOfGuests, ThePartsOfTheRuntimesFollowWhereTheyBegan) {
  OwnTask own;
  signs.in_parts = &own.body;
  EXPECT_EQ(stand_in("__kmpc_omp_task", task_itself)(this, 5, &own.body), 0);
  EXPECT_EQ(signs.part_follows, 1);
  EXPECT_TRUE(called.empty());
}

TEST_F(TasksOfGuests, ThatTheProgramExecutesItselfAreOnlyGivenBack) {
  void* const body = stand_in("__kmpc_omp_task_alloc", alloc_itself)(this, 5, 1, 48, 0, nullptr);
  stand_in("__kmpc_omp_task_begin_if0", if0_itself)(this, 5, body);
  stand_in("__kmpc_omp_task_complete_if0", if0_itself)(this, 5, body);
  EXPECT_TRUE(called.empty());
}

TEST_F(TasksOfGuests, OfTheRuntimeAreItsOwn) {
  OwnTask own;
  EXPECT_EQ(stand_in("__kmpc_omp_task", task_itself)(this, 5, &own.body), 7);
  host->guest = thread_pointer();
  stand_in("__kmpc_omp_task_begin_if0", if0_itself)(this, 5, &own.body);
  EXPECT_EQ(called, (std::vector{"home", "task", "home", "if0"}));
}

TEST_F(TasksOfGuests, YieldToNobody) {
  auto* const yield = stand_in("GOMP_taskyield", yield_itself);
  yield();
  EXPECT_TRUE(called.empty());
  host->guest = 0;
  yield();
  EXPECT_EQ(called, (std::vector{"home", "yield"}));
}

TEST(TasksAbroad, LeaveRoomOnTheStack) {
  constexpr uintptr_t guard = 0x10000000;
  EXPECT_EQ(TasksAbroad::deepest(guard + (8 << 20), guard), guard + (7 << 20));
  EXPECT_EQ(TasksAbroad::deepest(guard + (1 << 20), guard), guard + (256 << 10));
  EXPECT_GT(TasksAbroad::deepest(guard + 4096, guard), guard + 4096) << "none at all";
}

} // namespace
} // namespace hetmp::dsm
