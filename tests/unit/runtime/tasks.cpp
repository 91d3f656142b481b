// Explicit tasks: who executes them, what waits for them, that nothing is lost when threads come and go meanwhile.
#include "tasking.hpp"

#include <atomic>
#include <memory>
#include <thread>

namespace hetmp::test {
namespace {

int fibonacci(int n) {
  if (n < 2)
    return n;
  int a = 0, b = 0;
  task([&a, n] { a = fibonacci(n - 1); });
  task([&b, n] { b = fibonacci(n - 2); });
  taskwait();
  return a + b;
}

TEST(Tasks, Recursion) {
  for (int round = 0; round < rounds(20); round++)
    parallel(1 + round % 5, [](Member self) {
      if (self.number == 0) {
        EXPECT_EQ(fibonacci(14), 377);
      }
    });
}

TEST(Tasks, OfAThreadAlone) {
  int done = 0;
  for (int i = 0; i < 100; i++)
    task([&] { done++; });
  taskwait();
  EXPECT_EQ(done, 100);
}

/// Workers reach the region's end before, while and after another thread makes the first task of the region.
TEST(Tasks, WorkersThatHaveLeftAreCalledBack) {
  for (int round = 0; round < rounds(2000); round++) {
    std::atomic<int> done{0};
    const int maker = round % 4;
    const int delay = round % 50 * 20;
    parallel(4, [&](Member self) {
      if (self.number != maker)
        return;
      for (int i = 0; i < delay; i++)
        cpu_relax();
      for (int i = 0; i < 5; i++)
        task([&] {
          task([&] { done++; });
          done++;
        });
    });
    ASSERT_EQ(done, 10);
  }
}

/// Workers that have not begun a region yet, but have left one without tasks before, are not taken for such.
TEST(Tasks, WorkersThatBeginLateAreNotCalledBack) {
  for (int round = 0; round < rounds(1000); round++) {
    parallel(4, [](Member) {});
    std::atomic<int> done{0}, entered{0};
    parallel(4, [&](Member self) {
      entered++;
      if (self.number == 1)
        task([&] { done++; });
      __kmpc_barrier(&somewhere, self.gtid);
      EXPECT_EQ(done, 1);
    });
    ASSERT_EQ(entered, 4);
  }
}

/// On one node some of the tasks of a thread that waits for nothing are executed by others.
TEST(Tasks, OthersTakeThem) {
  std::atomic<int> by_others{0};
  for (int attempt = 0; attempt < 100 && by_others == 0; attempt++)
    parallel(4, [&](Member self) {
      if (self.number != 0)
        return;
      for (int i = 0; i < 20; i++)
        task([&by_others] {
          by_others += omp_get_thread_num() != 0;
          std::this_thread::sleep_for(std::chrono::microseconds(200));
        });
    });
  EXPECT_GT(by_others, 0);
}

TEST(Tasks, BarriersWaitForThem) {
  for (int round = 0; round < rounds(500); round++) {
    std::atomic<int> done{0};
    parallel(4, [&](Member self) {
      for (int phase = 1; phase <= 4; phase++) {
        if (phase % 2 == 1 || self.number == 0)
          task([&] { task([&] { done++; }); });
        __kmpc_barrier(&somewhere, self.gtid);
        const int of_team = omp_get_num_threads();
        EXPECT_EQ(done, (phase + 1) / 2 * of_team + phase / 2);
        __kmpc_barrier(&somewhere, self.gtid);
      }
    });
  }
}

TEST(Tasks, TaskgroupsWaitForDescendants) {
  for (int round = 0; round < rounds(300); round++)
    parallel(4, [&](Member) {
      std::atomic<int> done{0};
      runtime::begin_taskgroup(here());
      for (int i = 0; i < 4; i++)
        task([&done] {
          for (int j = 0; j < 4; j++)
            task([&done] { done++; });
        });
      runtime::end_taskgroup(here());
      EXPECT_EQ(done, 16);
    });
}

/// What a task has copied is destroyed once, also where another thread completes it, and its memory is used again.
TEST(Tasks, BodiesAreDestroyedOnce) {
  struct Counted {
    explicit Counted(std::atomic<int>& count) : alive(&count) { count++; }
    Counted(const Counted& other) : alive(other.alive) { ++*alive; }
    ~Counted() { --*alive; }
    std::atomic<int>* alive;
  };
  std::atomic<int> alive{0};
  for (int round = 0; round < rounds(50); round++) {
    parallel(3, [&](Member self) {
      if (self.number != 0)
        return;
      for (int i = 0; i < 200; i++) {
        Counted counted(alive);
        std::shared_ptr<int> shared = std::make_shared<int>(i);
        task([counted, shared, i] { EXPECT_EQ(*shared, i); });
      }
    });
    ASSERT_EQ(alive, 0);
  }
}

TEST(Tasks, LargeAndAlignedBodies) {
  struct alignas(256) Large {
    char bytes[10000];
  };
  for (size_t alignment : {16, 64, 256, 4096})
    for (size_t bytes : {1, 100, 900, 1100, 100000}) {
      TaskRequest request;
      request.body_bytes = bytes;
      request.body_alignment = alignment;
      request.function = [](int, void*) {};
      ExplicitTask& made = runtime::make_task(here(), request);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(made.body) % alignment, 0u);
      EXPECT_EQ(&runtime::task_of_body(made.body), &made);
      memset(made.body, 1, bytes);
      runtime::submit_task(here(), made);
    }
}

TEST(Tasks, FinalTasksHaveFinalChildren) {
  parallel(3, [](Member) {
    TaskRequest request;
    request.is_final = true;
    auto body = [] {
      EXPECT_TRUE(omp_in_final());
      int steps = 0;
      task([&steps] {
        EXPECT_TRUE(omp_in_final());
        steps++;
      });
      EXPECT_EQ(steps, 1);
    };
    runtime::submit_task(here(), make(body, request));
    taskwait();
    EXPECT_FALSE(omp_in_final());
  });
}

/// A tied task that waits takes descendants only: no thread finds itself in two unrelated tasks at a time.
TEST(Tasks, SchedulingConstraint) {
  static thread_local int inside = -1;
  std::atomic<int> broken{0};
  for (int round = 0; round < rounds(200); round++)
    parallel(4, [&](Member self) {
      if (self.number != 0)
        return;
      for (int family = 0; family < 12; family++)
        task([&broken, family] {
          const int outer = std::exchange(inside, family);
          broken += outer != -1;
          for (int i = 0; i < 6; i++)
            task([&broken, family] { broken += inside != -1 && inside != family; });
          taskwait();
          inside = outer;
        });
      taskwait();
    });
  EXPECT_EQ(broken, 0);
}

TEST(Tasks, EventsFulfilledByAForeignThread) {
  for (int round = 0; round < rounds(200); round++) {
    std::atomic<int> steps{0};
    std::thread foreign;
    parallel(1 + round % 3, [&](Member self) {
      if (self.number == 0) {
        TaskRequest request;
        request.has_event = true;
        ExplicitTask& detached = make([&steps] { steps++; }, request);
        foreign = std::thread([&steps, &detached] {
          while (steps != 1)
            std::this_thread::yield();
          steps++;
          runtime::complete_event(detached);
        });
        static int location;
        runtime::submit_task(here(), detached, {{&location, DependenceKind::InOut}});
        task([&steps] { EXPECT_EQ(steps.fetch_add(1), 2); }, {{&location, DependenceKind::In}});
      }
      __kmpc_barrier(&somewhere, self.gtid);
      EXPECT_EQ(steps, 3);
    });
    foreign.join();
  }
}

/// A task that is submitted again while it runs goes on with its next part, perhaps at the same time on another thread.
TEST(Tasks, PartsOfUntiedTasks) {
  struct Parts {
    std::atomic<int>* done;
    std::atomic<int>* next;
  };
  for (int round = 0; round < rounds(300); round++) {
    std::atomic<int> done{0}, next{0};
    parallel(3, [&](Member self) {
      if (self.number != 0)
        return;
      TaskRequest request;
      request.tied = false;
      request.body_bytes = sizeof(Parts);
      request.function = [](int, void* argument) {
        Parts& parts = *static_cast<Parts*>(argument);
        const int part = (*parts.next)++;
        EXPECT_EQ(*parts.done, part);
        ++*parts.done;
        if (part < 5)
          runtime::submit_task(here(), runtime::task_of_body(argument));
      };
      ExplicitTask& untied = runtime::make_task(here(), request);
      new (untied.body) Parts{&done, &next};
      runtime::submit_task(here(), untied);
      taskwait();
      EXPECT_EQ(done, 6);
    });
  }
}

/// A thread alone need not come to a place where it executes tasks.
TEST(Tasks, PartsOfUntiedTasksByAThreadAlone) {
  parallel(1, [](Member) {
    static int parts;
    parts = 0;
    TaskRequest request;
    request.tied = false;
    request.function = [](int, void* argument) {
      if (++parts < 5)
        runtime::submit_task(here(), runtime::task_of_body(argument));
    };
    runtime::submit_task(here(), runtime::make_task(here(), request));
    EXPECT_EQ(parts, 5);
    ExplicitTask& undeferred = runtime::make_task(here(), request);
    parts = 0;
    runtime::begin_undeferred(here(), undeferred);
    request.function(0, undeferred.body);
    runtime::end_undeferred(here(), undeferred);
    EXPECT_EQ(parts, 5);
  });
}

TEST(Tasks, CancelledGroupsBeginNoMore) {
  parallel(1, [](Member) {
    runtime::begin_taskgroup(here());
    static int location;
    int begun = 0;
    TaskRequest request;
    request.has_event = true;
    ExplicitTask& gate = make([] {}, request);
    runtime::submit_task(here(), gate, {{&location, DependenceKind::InOut}});
    task([&begun] { begun++; }, {{&location, DependenceKind::InOut}});
    runtime::regions_may_be_cancelled = true; // as with OMP_CANCELLATION, for this taskgroup alone
    runtime::generating_task(*here().task).group->cancelled = true;
    runtime::complete_event(gate);
    runtime::end_taskgroup(here());
    runtime::regions_may_be_cancelled = false;
    EXPECT_EQ(begun, 0);
  });
}

TEST(Tasks, NestedTeamsHaveTheirOwn) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < rounds(100); round++) {
    std::atomic<int> done{0};
    parallel(2, [&](Member self) {
      if (self.number != 0)
        return;
      for (int i = 0; i < 4; i++)
        task([&] {
          parallel(2, [&](Member) {
            for (int j = 0; j < 3; j++)
              task([&] { done++; });
          });
        });
    });
    EXPECT_EQ(done, 24);
  }
  omp_set_max_active_levels(1);
}

} // namespace
} // namespace hetmp::test
