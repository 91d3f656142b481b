// Target tasks and the hidden helper threads that execute them; on several nodes these are the team's.
#include "kmpc.hpp"

#include "runtime/abi/kmpc/kmp_task.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/settings/icv.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/task_reduction.hpp"
#include "runtime/team/thread.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

extern "C" KmpTask* __kmpc_omp_target_task_alloc(const SourceLocation*, int32_t gtid, int32_t flags, size_t bytes,
                                                 size_t shared_bytes, KmpTaskRoutine routine, int64_t device);
extern "C" KmpTask* __kmpc_omp_task_alloc(const SourceLocation*, int32_t gtid, int32_t flags, size_t bytes,
                                          size_t shared_bytes, KmpTaskRoutine routine);

namespace hetmp::test {
namespace {

using runtime::Dependence;
using runtime::DependenceKind;

constexpr int helpers = 8; ///< that there may be, by default

int own_gtid() { return __kmpc_global_thread_num(&somewhere); }
bool is_helper(int gtid) { return 0 < gtid && gtid <= helpers; }
bool has_helpers() {
  runtime::current_thread(); // the runtime looks at its nodes when somebody first needs it
  return runtime::layout().nodes() == 1;
}

using Body = std::function<void()>;

struct TaskWithBody : KmpTask {
  Body* body;
};

int32_t run_body(int32_t, KmpTask* task) {
  Body* body = static_cast<TaskWithBody*>(task)->body;
  (*body)();
  delete body;
  return 0;
}

void submit(KmpTask* task, Body body, std::vector<Dependence> dependences) {
  static_cast<TaskWithBody*>(task)->body = new Body(std::move(body));
  runtime::submit_task(runtime::current_thread(), runtime::ready_kmp_task(task), std::move(dependences));
}

/// #pragma omp target nowait
void target(Body body, std::vector<Dependence> dependences = {}, int32_t flags = runtime::task_tied) {
  submit(__kmpc_omp_target_task_alloc(&somewhere, own_gtid(), flags, sizeof(TaskWithBody), 0, run_body, -1),
         std::move(body), std::move(dependences));
}

/// #pragma omp task
void task(Body body, std::vector<Dependence> dependences = {}, int32_t flags = runtime::task_tied) {
  submit(__kmpc_omp_task_alloc(&somewhere, own_gtid(), flags, sizeof(TaskWithBody), 0, run_body), std::move(body),
         std::move(dependences));
}

void taskwait() { runtime::wait_for_children(runtime::current_thread()); }

template <class Body> void taskgroup(const Body& body) {
  runtime::begin_taskgroup(runtime::current_thread());
  body();
  runtime::end_taskgroup(runtime::current_thread());
}

TEST(TargetTasks, HelpersExecuteThemAndNothingElse) {
  for (int threads : {1, 4})
    parallel(threads, [&](Member) {
      for (int round = 0; round < rounds(100); round++) {
        std::array<int, 3> executed_by{-1, -1, -1};
        char location = 0;
        const Dependence chain{&location, DependenceKind::InOut};
        task([&] { executed_by[0] = own_gtid(); }, {chain});
        target([&] { executed_by[1] = own_gtid(); }, {chain});
        task([&] { executed_by[2] = own_gtid(); }, {chain});
        taskwait();
        for (int gtid : executed_by)
          EXPECT_GE(gtid, 0);
        if (!has_helpers())
          continue;
        EXPECT_FALSE(is_helper(executed_by[0]));
        EXPECT_TRUE(is_helper(executed_by[1]));
        EXPECT_FALSE(is_helper(executed_by[2]));
      }
    });
}

TEST(TargetTasks, ChainsGoToAndFro) {
  parallel(4, [&](Member) {
    for (int round = 0; round < rounds(100); round++) {
      int value = 1; // plain memory: the order of the tasks is part of what is tested
      const Dependence chain{&value, DependenceKind::InOut};
      for (int link = 0; link < 6; link++) {
        const auto body = [&value, link] { value = value * 3 + link; };
        link % 3 == 0 ? task(body, {chain}) : target(body, {chain});
      }
      taskwait();
      int expected = 1;
      for (int link = 0; link < 6; link++)
        expected = expected * 3 + link;
      EXPECT_EQ(value, expected);
    }
  });
}

TEST(TargetTasks, EverythingThatWaitsForTasksWaitsForThem) {
  std::atomic<int> done{0};
  int expected = 0;
  const auto some = [&](int count) {
    for (int i = 0; i < count; i++)
      target([&] { done++; });
  };
  for (int round = 0; round < rounds(50); round++) {
    parallel(3, [&](Member) { some(2); }); // the end of the region
    EXPECT_EQ(done, expected += 6);
    parallel(3, [&](Member self) {
      some(3);
      __kmpc_barrier(&somewhere, self.gtid);
      EXPECT_EQ(done, expected + 9);
      __kmpc_barrier(&somewhere, self.gtid);
    });
    EXPECT_EQ(done, expected += 9);
    taskgroup([&] { task([&] { some(5); }); }); // outside of any region, and not children of the waiting task
    EXPECT_EQ(done, expected += 5);
    __kmpc_serialized_parallel(&somewhere, own_gtid());
    some(4);
    __kmpc_end_serialized_parallel(&somewhere, own_gtid());
    EXPECT_EQ(done, expected += 4);
  }
}

TEST(TargetTasks, ManyRunAtTheSameTime) {
  if (!has_helpers())
    GTEST_SKIP() << "there are no helpers";
  std::atomic<int> begun{0};
  for (int i = 0; i < helpers; i++)
    target([&] {
      begun++;
      while (begun < helpers)
        sched_yield();
    });
  taskwait();
  EXPECT_EQ(begun, helpers);
}

TEST(TargetTasks, MoreThanThereAreHelpersWaitForOneAnother) {
  std::atomic<int> done{0};
  for (int i = 0; i < rounds(1000); i++)
    target([&, i] {
      if (i % 100 == 0)
        sched_yield();
      done++;
    });
  taskwait();
  EXPECT_EQ(done, rounds(1000));
}

TEST(TargetTasks, AreInitialTasksOfTheirOwn) {
  omp_set_max_active_levels(2);
  omp_set_num_threads(3);
  parallel(2, [&](Member) {
    target([&] {
      if (has_helpers()) {
        EXPECT_EQ(omp_get_num_threads(), 1);
        EXPECT_EQ(omp_get_thread_num(), 0);
        EXPECT_FALSE(omp_in_parallel());
      }
      EXPECT_EQ(omp_get_max_threads(), 3); // which its generating task has
      std::atomic<int> members{0};
      parallel(2, [&](Member) { members++; });
      EXPECT_EQ(members, 2);
      int tasks = 0;
      char location = 0;
      for (int i = 0; i < 5; i++)
        task([&] { tasks++; }, {{&location, DependenceKind::InOut}});
      target([&] { tasks *= 100; }, {{&location, DependenceKind::InOut}});
      taskwait();
      EXPECT_EQ(tasks, 500);
    });
  });
  omp_set_num_threads(4);
  omp_set_max_active_levels(1);
}

TEST(TargetTasks, IncludedOnesAreExecutedAtOnce) {
  task(
      [&] {
        const int generating = own_gtid();
        int executing = -1;
        target([&] { executing = own_gtid(); });
        EXPECT_EQ(executing, generating);
      },
      {}, runtime::task_tied | runtime::task_final);
  taskwait();
}

/// The team's threads have the copies of a reduction; without copies there is one variable.
TEST(TargetTasks, ReduceAsTheTeamsThreads) {
  for (int threads : {1, 4}) {
    int sum = 0;
    parallel(threads, [&](Member self) {
      if (self.number != 0)
        return;
      taskgroup([&] {
        runtime::ReductionItem item{};
        item.variable = &sum;
        item.bytes = sizeof sum;
        item.combine = [](void* into, void* from) { *static_cast<int*>(into) += *static_cast<int*>(from); };
        runtime::begin_reductions(runtime::current_task(), {item});
        for (int i = 0; i < rounds(200); i++)
          target([&, i] {
            runtime::Thread& here = runtime::current_thread();
            int* own = static_cast<int*>(
                runtime::reduction_copy(*here.task, runtime::generating_task(*here.task).group, &sum));
            increment_slowly(*own, i);
          });
      });
    });
    EXPECT_EQ(sum, rounds(200));
  }
}

TEST(TargetTasks, AThreadThatEndsWaitsForItsOwn) {
  std::atomic<int> done{0};
  for (int round = 0; round < rounds(50); round++)
    std::thread([&] {
      for (int i = 0; i < 4; i++)
        target([&] {
          sched_yield();
          done++;
        });
    }).join();
  EXPECT_EQ(done, 4 * rounds(50));
}

/// Where there is no helper yet, the team executes them.
TEST(TargetTasks, AreExecutedThoughNoThreadCanBeMade) {
  runtime::current_thread(); // from here on the program's ICVs are what they will be
  constexpr size_t more_than_there_is = size_t(1) << 60;
  const size_t stack_bytes = std::exchange(runtime::program_icvs().stack_bytes, more_than_there_is);
  std::atomic<int> done{0};
  for (int i = 0; i < 20; i++)
    target([&] { done++; });
  taskwait();
  EXPECT_EQ(std::exchange(runtime::program_icvs().stack_bytes, stack_bytes), more_than_there_is);
  EXPECT_EQ(done, 20);
  target([&] { done++; });
  taskwait();
  EXPECT_EQ(done, 21);
}

/// ThreadSanitizer allows a forked child no threads.
TEST(TargetTasks, AForkedChildHasItsOwn) {
  if (slower == 10)
    GTEST_SKIP() << "not under ThreadSanitizer";
  const auto counts = [] {
    std::atomic<int> done{0};
    for (int i = 0; i < 20; i++)
      target([&] { done++; });
    taskwait();
    return done == 20;
  };
  EXPECT_TRUE(counts());
  const pid_t child = fork();
  if (child == 0)
    _exit(counts() && counts() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(counts());
}

/// One that a helper executes while the process is forked, and one that waits for it.
TEST(TargetTasks, AForkedChildDoesNotWaitForThoseOfItsParent) {
  if (slower == 10 || !has_helpers())
    GTEST_SKIP() << "not under ThreadSanitizer, nor on several nodes";
  std::atomic<bool> begun{false}, may_end{false};
  std::atomic<int> done{0};
  char location = 0;
  target(
      [&] {
        begun = true;
        while (!may_end)
          sched_yield();
        done++;
      },
      {{&location, DependenceKind::InOut}});
  target([&] { done++; }, {{&location, DependenceKind::InOut}});
  while (!begun)
    sched_yield();
  const pid_t child = fork();
  if (child == 0) {
    taskwait();
    const int of_parent = done;
    target([&] { done++; }, {{&location, DependenceKind::InOut}});
    taskwait();
    _exit(of_parent == 0 && done == 1 ? 0 : 1);
  }
  may_end = true;
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  taskwait();
  EXPECT_EQ(done, 2);
}

TEST(TargetTasks, MayEndByEvents) {
  std::atomic<int> order{0};
  int done = 0;
  KmpTask* made = __kmpc_omp_target_task_alloc(&somewhere, own_gtid(), runtime::task_tied | runtime::task_detachable,
                                               sizeof(TaskWithBody), 0, run_body, -1);
  runtime::ExplicitTask& detached = runtime::task_of_body(made);
  char location = 0;
  submit(made, [&] { order = 1; }, {{&location, DependenceKind::InOut}});
  target([&] { done = order; }, {{&location, DependenceKind::InOut}});
  while (order != 1)
    sched_yield();
  order = 2;
  runtime::complete_event(detached);
  taskwait();
  EXPECT_EQ(done, 2);
}

} // namespace
} // namespace hetmp::test
