// Which ready task a thread takes.
#include "runtime/task_graph/team_tasks.hpp"
#include "tasking.hpp"

#include "runtime/tasking/handing_over.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

namespace hetmp::test {
namespace {

using runtime::TaskQueue;
using runtime::TeamTasks;

bool any(const ExplicitTask&) { return true; }

TEST(TaskQueues, NewestForTheOwnerOldestForOthers) {
  TaskQueue queue;
  std::vector<ExplicitTask> tasks(200);
  for (ExplicitTask& task : tasks)
    queue.push(&task);
  EXPECT_EQ(queue.size(), 200u);
  for (size_t i = 0; i < 100; i++) {
    EXPECT_EQ(queue.take_newest(any), &tasks[199 - i]);
    EXPECT_EQ(queue.take_oldest(any), &tasks[i]);
  }
  EXPECT_EQ(queue.take_newest(any), nullptr);
  EXPECT_EQ(queue.take_oldest(any), nullptr);
}

/// An offer to another node that was begun before takes the queue's lock after: it must not get what may fulfil an
/// event, which was queued in between.
TEST(TaskQueues, NothingIsOfferedOnceThereAreEvents) {
  TaskQueue queue;
  ExplicitTask earlier, later;
  earlier.movable = later.movable = true;
  queue.push(&earlier);
  EXPECT_EQ(queue.take_oldest(runtime::may_go), &earlier);
  runtime::keep_tasks_at_home();
  queue.push(&later);
  EXPECT_TRUE(runtime::may_travel(later));
  EXPECT_EQ(queue.take_oldest(runtime::may_go), nullptr);
  EXPECT_EQ(queue.take_newest(any), &later);
}

/// Whoever generates tasks keeps them for others only where others have CPUs, or for as long as a program may count on
/// it.
TEST(TaskQueues, OneCpuHasPlentySoonerThanSeveral) {
  for (const uint32_t cpus : {1u, 2u}) {
    runtime::spinning.set({}, cpus);
    runtime::TeamTasks tasks;
    tasks.reserve(2);
    for (int i = 0; i < 255; i++)
      tasks.count_generated(0);
    EXPECT_FALSE(tasks.has_plenty(0)) << cpus;
    tasks.count_generated(0);
    EXPECT_EQ(tasks.has_plenty(0), cpus == 1);
    EXPECT_FALSE(tasks.has_plenty(1)) << "it has generated none";
    std::vector<ExplicitTask> records(64);
    for (ExplicitTask& task : records)
      tasks.members[1].queue.push(&task);
    EXPECT_TRUE(tasks.has_plenty(1));
    for (size_t i = 0; i < records.size(); i++)
      tasks.members[1].queue.take_newest(any);
    EXPECT_FALSE(tasks.has_plenty(1));
    for (int i = 0; i < 256; i++)
      tasks.count_completed(0);
  }
}

TEST(TaskQueues, OneInTheMiddle) {
  for (int wanted = 0; wanted < 10; wanted++)
    for (bool oldest : {true, false}) {
      TaskQueue queue;
      std::vector<ExplicitTask> tasks(10);
      for (int shift = 0; shift < 60; shift++) { // the ring's end lies in the middle of them
        queue.push(&tasks[0]);
        queue.take_oldest(any);
      }
      for (ExplicitTask& task : tasks)
        queue.push(&task);
      const auto only = [&](const ExplicitTask& task) { return &task == &tasks[size_t(wanted)]; };
      EXPECT_EQ(oldest ? queue.take_oldest(only) : queue.take_newest(only), &tasks[size_t(wanted)]);
      for (int i = 0; i < 10; i++) {
        if (i != wanted) {
          EXPECT_EQ(queue.take_oldest(any), &tasks[size_t(i)]);
        }
      }
      EXPECT_EQ(queue.size(), 0u);
    }
}

TEST(TaskQueues, HalfOfThemAsFarAsAllowed) {
  std::vector<ExplicitTask> tasks(100);
  ExplicitTask* taken[TaskQueue::most_taken];
  for (uint32_t count = 0; count < 100; count++) {
    TaskQueue queue;
    for (uint32_t i = 0; i < count; i++)
      queue.push(&tasks[i]);
    const uint32_t forbidden = count / 4;
    const auto allowed = [&](const ExplicitTask& task) { return &task != &tasks[forbidden] || count % 2 == 0; };
    const uint32_t half = std::min((count + 1) / 2, TaskQueue::most_taken);
    const uint32_t expected = count % 2 == 0 ? half : std::min(half, forbidden);
    ASSERT_EQ(queue.take_oldest_half(allowed, taken), expected) << count;
    for (uint32_t i = 0; i < expected; i++)
      EXPECT_EQ(taken[i], &tasks[i]);
    for (uint32_t i = expected; i < count; i++)
      EXPECT_EQ(queue.take_oldest(any), &tasks[i]);
    EXPECT_EQ(queue.size(), 0u);
  }
}

TEST(TaskQueues, SeveralAtOnceInTheOrderTheyAreGiven) {
  TaskQueue queue;
  std::vector<ExplicitTask> tasks(300);
  std::vector<ExplicitTask*> later;
  for (size_t i = 1; i < tasks.size(); i++)
    later.push_back(&tasks[i]);
  queue.push(&tasks[0]);
  const uint64_t pushes = queue.pushes();
  queue.push(later.data(), uint32_t(later.size()));
  EXPECT_NE(queue.pushes(), pushes);
  for (ExplicitTask* task : later)
    EXPECT_EQ(queue.take_newest(any), task);
  EXPECT_EQ(queue.take_newest(any), &tasks[0]);
}

TEST(TaskQueues, AThiefTakesHalfAndOthersTakeThatFromIt) {
  TeamTasks team;
  team.reserve(3);
  std::vector<ExplicitTask> tasks(20);
  for (ExplicitTask& task : tasks) {
    task.deferred = true; // as all that are stolen
    team.push(0, &task);
  }
  EXPECT_EQ(team.take(1, nullptr), &tasks[0]);
  EXPECT_EQ(team.members[0].queue.size(), 10u);
  EXPECT_EQ(team.members[1].queue.size(), 9u);
  EXPECT_EQ(team.take_own(1, nullptr), &tasks[1]) << "in the order in which they were generated";
  EXPECT_EQ(team.take_own(1, nullptr), &tasks[2]);
  EXPECT_EQ(team.take_own(0, nullptr), &tasks[19]);
  team.members[2].last_victim = 1;
  EXPECT_EQ(team.take(2, nullptr), &tasks[9]);
  std::set<ExplicitTask*> rest;
  for (uint32_t thread = 0; ExplicitTask* task = team.take(thread, nullptr); thread = (thread + 1) % 3)
    rest.insert(task);
  EXPECT_EQ(rest.size(), tasks.size() - 5);
}

TEST(TaskQueues, WhatABatchHasNotBegunOthersTake) {
  TeamTasks tasks;
  tasks.reserve(3);
  std::vector<ExplicitTask> all(4);
  ExplicitTask* const batch[] = {&all[0], &all[1], &all[2], &all[3]};
  std::atomic<uint32_t> taken[4] = {1, 0, 0, 0};
  const uint64_t before = tasks.pushes();
  tasks.begin_batch(1, batch, taken, 4);
  EXPECT_NE(tasks.pushes(), before) << "idle threads look again";
  EXPECT_EQ(tasks.take(1, nullptr), nullptr) << "its own";
  EXPECT_EQ(tasks.take(0, nullptr), &all[3]);
  taken[1] = 1; // begun by its thread
  EXPECT_EQ(tasks.take(2, &all[0]), nullptr) << "inside of a task that it does not descend from";
  EXPECT_EQ(tasks.take(2, nullptr), &all[2]);
  EXPECT_EQ(tasks.take(0, nullptr), nullptr);
  tasks.end_batch(1);
  taken[1] = 0;
  EXPECT_EQ(tasks.take(0, nullptr), nullptr) << "it is over";
}

TEST(TaskQueues, EachOfABatchIsBegunOnce) {
  constexpr int rounds = 2000, size = 8;
  TeamTasks tasks;
  tasks.reserve(3);
  std::vector<ExplicitTask> all(size_t(rounds) * size);
  std::vector<std::atomic<int>> begun(all.size());
  std::atomic<bool> over{false};
  const auto begin = [&](const ExplicitTask* task) { begun[size_t(task - all.data())]++; };
  const auto take_some = [&](uint32_t number) {
    while (!over)
      if (const ExplicitTask* const task = tasks.take(number, nullptr))
        begin(task);
  };
  std::thread first(take_some, 1), second(take_some, 2);
  for (int round = 0; round < rounds; round++) {
    ExplicitTask* batch[size];
    std::atomic<uint32_t> taken[size] = {1};
    for (int i = 0; i < size; i++)
      batch[i] = &all[size_t(round) * size + size_t(i)];
    tasks.begin_batch(0, batch, taken, size);
    for (int i = 0; i < size; i++)
      if (i == 0 || taken[i].exchange(1) == 0)
        begin(batch[i]);
    tasks.end_batch(0);
  }
  over = true;
  first.join();
  second.join();
  for (const std::atomic<int>& times : begun)
    ASSERT_EQ(times, 1);
}

TEST(TaskQueues, HighestPriorityFirst) {
  TeamTasks team;
  team.reserve(2);
  std::vector<ExplicitTask> tasks(12);
  for (size_t i = 0; i < tasks.size(); i++) {
    tasks[i].priority = uint32_t(i % 4);
    team.push(uint32_t(i % 2), &tasks[i]);
  }
  std::vector<size_t> order;
  while (ExplicitTask* task = team.take(0, nullptr))
    order.push_back(size_t(task - tasks.data()));
  ASSERT_EQ(order.size(), tasks.size());
  EXPECT_EQ(std::vector<size_t>(order.begin(), order.begin() + 9), (std::vector<size_t>{3, 7, 11, 2, 6, 10, 1, 5, 9}));
}

TEST(TaskQueues, SchedulingConstraint) {
  runtime::GeneratingTask implicit, other_implicit;
  ExplicitTask outer, inner, sibling;
  outer.parent = sibling.parent = &implicit;
  outer.depth = sibling.depth = 1;
  inner.parent = &outer;
  inner.depth = 2;
  EXPECT_TRUE(may_run(inner, nullptr));
  EXPECT_TRUE(may_run(inner, &outer));
  EXPECT_TRUE(may_run(inner, &implicit));
  EXPECT_FALSE(may_run(inner, &sibling));
  EXPECT_FALSE(may_run(inner, &other_implicit));
  EXPECT_FALSE(may_run(sibling, &outer));
  sibling.tied = false;
  EXPECT_FALSE(may_run(sibling, &outer)) << "its tied children could not be begun";
}

} // namespace
} // namespace hetmp::test
