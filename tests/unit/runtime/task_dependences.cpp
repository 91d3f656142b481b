// The order that dependences ask for: against a model that remembers everything, and while threads run the tasks.
#include "tasking.hpp"

#include <atomic>
#include <random>
#include <set>

namespace hetmp::test {
namespace {

using runtime::DependenceNode;
using runtime::DependenceTable;

struct Item {
  int location;
  DependenceKind kind;
};

/// What the specification says of two tasks that name the same location, the first one generated earlier.
bool ordered(DependenceKind first, DependenceKind second) {
  if (first != second)
    return true; // reading, excluding each other, being of an inoutset: each only goes together with its like
  return first == DependenceKind::InOut;
}

bool ordered(const std::vector<Item>& first, const std::vector<Item>& second) {
  for (const Item& a : first)
    for (const Item& b : second)
      if (a.location == b.location && ordered(a.kind, b.kind))
        return true;
  return false;
}

constexpr int locations = 4;
int places[locations];

std::vector<Dependence> dependences(const std::vector<Item>& items) {
  std::vector<Dependence> made;
  for (const Item& item : items)
    made.push_back({&places[item.location], item.kind});
  return made;
}

/// Each task at most once a location: then what ordered() says of pairs is all there is.
std::vector<Item> random_items(std::mt19937& random) {
  std::vector<Item> items;
  for (int location = 0; location < locations; location++)
    if (random() % 3 == 0)
      items.push_back({location, DependenceKind(random() % 4)});
  return items;
}

/// Completes ready tasks in random orders: each becomes ready exactly when all that the model orders before it are
/// complete.
TEST(TaskDependences, AgreeWithTheModel) {
  std::mt19937 random(1);
  for (int round = 0; round < rounds(400); round++) {
    DependenceTable table;
    constexpr int count = 24;
    std::vector<std::vector<Item>> items;
    std::vector<ExplicitTask> tasks(count);
    std::vector<DependenceNode*> nodes;
    std::set<int> ready, complete;
    const auto excluded = [&](int task) { // by one that is ready, that is: that holds what both are members of
      for (int other : ready)
        for (const Item& a : items[size_t(task)])
          for (const Item& b : items[size_t(other)])
            if (other != task && a.location == b.location && a.kind == DependenceKind::MutexInOutSet &&
                b.kind == a.kind)
              return true;
      return false;
    };
    const auto may_run = [&](int task) {
      for (int before = 0; before < task; before++)
        if (!complete.count(before) && ordered(items[size_t(before)], items[size_t(task)]))
          return false;
      return true;
    };
    const auto complete_one = [&] {
      const int chosen = *std::next(ready.begin(), long(random() % ready.size()));
      ready.erase(chosen);
      complete.insert(chosen);
      std::vector<ExplicitTask*> next;
      runtime::complete(*nodes[size_t(chosen)], next);
      for (ExplicitTask* task : next) {
        EXPECT_TRUE(may_run(int(task - tasks.data())));
        EXPECT_TRUE(ready.insert(int(task - tasks.data())).second);
      }
    };
    for (int i = 0; i < count; i++) {
      items.push_back(random_items(random));
      nodes.push_back(new DependenceNode);
      nodes.back()->task = &tasks[size_t(i)];
      table.insert(*nodes.back(), dependences(items.back()));
      if (runtime::is_inserted(*nodes.back())) {
        EXPECT_TRUE(may_run(i));
        if (runtime::enter_exclusions(*nodes.back()))
          ready.insert(i);
        else
          EXPECT_TRUE(excluded(i));
      } else {
        EXPECT_FALSE(may_run(i)) << "task " << i << " waits for nothing";
      }
      if (random() % 3 == 0 && !ready.empty())
        complete_one();
    }
    while (!ready.empty()) {
      for (int a : ready)
        EXPECT_FALSE(excluded(a));
      complete_one();
      for (int task = 0; task < count; task++) { // nobody is forgotten
        if (!complete.count(task) && !ready.count(task) && may_run(task)) {
          EXPECT_TRUE(excluded(task)) << "task " << task;
        }
      }
    }
    EXPECT_EQ(complete.size(), size_t(count));
    for (DependenceNode* node : nodes)
      runtime::release(node);
  }
}

TEST(TaskDependences, SeveralItemsOfOneLocation) {
  DependenceTable table;
  DependenceNode* nodes[3];
  for (auto& node : nodes)
    node = new DependenceNode;
  table.insert(*nodes[0], {{&places[0], DependenceKind::In}});
  EXPECT_TRUE(runtime::is_inserted(*nodes[0]));
  // Reads and writes: behind the reader, and not behind itself.
  table.insert(
      *nodes[1],
      {{&places[0], DependenceKind::In}, {&places[0], DependenceKind::InOut}, {&places[0], DependenceKind::In}});
  EXPECT_FALSE(runtime::is_inserted(*nodes[1]));
  std::vector<ExplicitTask*> ready;
  runtime::complete(*nodes[0], ready);
  EXPECT_EQ(nodes[1]->predecessors, 0u);
  table.insert(*nodes[2], {{&places[0], DependenceKind::In}});
  EXPECT_FALSE(runtime::is_inserted(*nodes[2]));
  runtime::complete(*nodes[1], ready);
  EXPECT_EQ(nodes[2]->predecessors, 0u);
  for (auto& node : nodes)
    runtime::release(node);
}

TEST(TaskDependences, AllMemoryIsEveryLocation) {
  DependenceTable table;
  std::vector<DependenceNode*> nodes;
  std::vector<ExplicitTask*> ready;
  const auto insert = [&](Dependence item) {
    nodes.push_back(new DependenceNode);
    table.insert(*nodes.back(), {item});
    return runtime::is_inserted(*nodes.back());
  };
  EXPECT_TRUE(insert({&places[0], DependenceKind::In}));
  EXPECT_TRUE(insert({&places[1], DependenceKind::InOut}));
  EXPECT_FALSE(insert({nullptr, DependenceKind::InOut, true}));
  EXPECT_FALSE(insert({&places[0], DependenceKind::In}));
  EXPECT_FALSE(insert({&places[2], DependenceKind::In})); // never named before
  EXPECT_FALSE(insert({nullptr, DependenceKind::InOut, true}));
  runtime::complete(*nodes[0], ready);
  EXPECT_NE(nodes[2]->predecessors, 0u);
  runtime::complete(*nodes[1], ready);
  EXPECT_EQ(nodes[2]->predecessors, 0u);
  EXPECT_NE(nodes[3]->predecessors, 0u);
  runtime::complete(*nodes[2], ready);
  EXPECT_EQ(nodes[3]->predecessors, 0u);
  EXPECT_EQ(nodes[4]->predecessors, 0u);
  EXPECT_NE(nodes[5]->predecessors, 0u);
  runtime::complete(*nodes[3], ready);
  runtime::complete(*nodes[4], ready);
  EXPECT_EQ(nodes[5]->predecessors, 0u);
  for (DependenceNode* node : nodes)
    runtime::release(node);
}

TEST(TaskDependences, LocationsThatAreOnlyReadDoNotCollectTasks) {
  DependenceTable table;
  std::vector<ExplicitTask*> ready;
  std::vector<DependenceNode*> nodes;
  for (int i = 0; i < 1000; i++) {
    nodes.push_back(new DependenceNode);
    table.insert(*nodes.back(), {{&places[0], DependenceKind::In}});
    ASSERT_TRUE(runtime::is_inserted(*nodes.back()));
    runtime::complete(*nodes.back(), ready);
  }
  int kept = 0;
  for (DependenceNode* node : nodes) {
    kept += node->references != 1;
    runtime::release(node);
  }
  EXPECT_LE(kept, 600);
}

/// Random programs on threads: a task checks that those ordered before it are done, and that nobody it excludes is
/// inside.
TEST(TaskDependences, OnThreads) {
  std::mt19937 random(2);
  for (int round = 0; round < rounds(100); round++) {
    constexpr int count = 60;
    std::vector<std::vector<Item>> items;
    for (int i = 0; i < count; i++)
      items.push_back(random_items(random));
    std::vector<std::atomic<bool>> done(count);
    std::atomic<int> holders[locations] = {};
    std::atomic<int> broken{0};
    parallel(4, [&](Member self) {
      if (self.number != 0)
        return;
      for (int i = 0; i < count; i++)
        task(
            [&, i] {
              for (int before = 0; before < i; before++)
                broken += ordered(items[size_t(before)], items[size_t(i)]) && !done[size_t(before)];
              for (const Item& item : items[size_t(i)])
                broken += item.kind == DependenceKind::MutexInOutSet && holders[item.location]++ != 0;
              for (const Item& item : items[size_t(i)])
                if (item.kind == DependenceKind::MutexInOutSet)
                  holders[item.location]--;
              done[size_t(i)] = true;
            },
            dependences(items[size_t(i)]));
      if (round % 2 == 0) {
        runtime::wait_for_dependences(here(), {{&places[1], DependenceKind::InOut}}, false);
        for (int i = 0; i < count; i++)
          for (const Item& item : items[size_t(i)])
            broken += item.location == 1 && !done[size_t(i)];
      }
      taskwait();
    });
    ASSERT_EQ(broken, 0);
    for (auto& is_done : done)
      ASSERT_TRUE(is_done);
  }
}

} // namespace
} // namespace hetmp::test
