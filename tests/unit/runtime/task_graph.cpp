// What __kmpc_task_get_depnode and __kmpc_task_get_successors show of tasks and their order.
#include "kmpc.hpp"

#include "runtime/abi/kmpc/kmp_dependence.hpp"
#include "runtime/abi/kmpc/kmp_task.hpp"

#include <atomic>
#include <vector>

extern "C" {
KmpTask* __kmpc_omp_task_alloc(const SourceLocation*, int32_t gtid, int32_t flags, size_t bytes, size_t shared_bytes,
                               KmpTaskRoutine routine);
int32_t __kmpc_omp_task(const SourceLocation*, int32_t gtid, KmpTask* task);
int32_t __kmpc_omp_task_with_deps(const SourceLocation*, int32_t gtid, KmpTask* task, int32_t count,
                                  const KmpDependence* list, int32_t count_2, const KmpDependence* list_2);
int32_t __kmpc_omp_taskwait(const SourceLocation*, int32_t gtid);
void* __kmpc_task_allow_completion_event(const SourceLocation*, int32_t gtid, KmpTask* task);
void omp_fulfill_event(void* event);
KmpNode* __kmpc_task_get_depnode(KmpTask* task);
KmpNodeList* __kmpc_task_get_successors(KmpTask* task);
}

namespace hetmp::test {
namespace {

constexpr uint8_t in = runtime::kmp_in, out = runtime::kmp_inout, inoutset = runtime::kmp_inoutset;
char places[2];
const intptr_t x = reinterpret_cast<intptr_t>(&places[0]), y = reinterpret_cast<intptr_t>(&places[1]);
std::atomic<int> executed{0};

int own_gtid() { return __kmpc_global_thread_num(&somewhere); }

KmpTask* make(int32_t flags) {
  return __kmpc_omp_task_alloc(&somewhere, own_gtid(), flags | runtime::task_tied, sizeof(KmpTask), 0,
                               [](int32_t, KmpTask*) {
                                 executed++;
                                 return 0;
                               });
}

KmpTask* submit(KmpTask* task, const std::vector<KmpDependence>& list) {
  __kmpc_omp_task_with_deps(&somewhere, own_gtid(), task, int32_t(list.size()), list.data(), 0, nullptr);
  return task;
}

KmpTask* submit(const std::vector<KmpDependence>& list) { return submit(make(0), list); }

/// Tasks that come first, and are not complete before their events are fulfilled: so nothing behind them is.
class TaskGraph : public testing::Test {
 protected:
  void SetUp() override { executed = 0; }

  KmpTask* submit_first(const std::vector<KmpDependence>& list) {
    KmpTask* task = make(runtime::task_detachable);
    events_.push_back(__kmpc_task_allow_completion_event(&somewhere, own_gtid(), task));
    return submit(task, list);
  }

  void complete_all(int tasks) {
    for (void* event : events_)
      omp_fulfill_event(event);
    __kmpc_omp_taskwait(&somewhere, own_gtid());
    EXPECT_EQ(executed, tasks);
  }

 private:
  std::vector<void*> events_;
};

std::vector<KmpNode*> nodes_of(const KmpNodeList* list) {
  std::vector<KmpNode*> nodes;
  for (; list; list = list->next)
    nodes.push_back(list->node);
  return nodes;
}

std::vector<KmpNode*> depnodes(std::initializer_list<KmpTask*> tasks) {
  std::vector<KmpNode*> nodes;
  for (KmpTask* task : tasks)
    nodes.push_back(__kmpc_task_get_depnode(task));
  return nodes;
}

TEST_F(TaskGraph, ASuccessorIsNamedOnce) {
  KmpTask* first = submit_first({{x, 1, out}, {y, 1, out}});
  KmpTask* second = submit({{x, 1, in}, {y, 1, in}});
  EXPECT_EQ(nodes_of(__kmpc_task_get_successors(first)), depnodes({second}));
  EXPECT_EQ(__kmpc_task_get_successors(second), nullptr);
  EXPECT_NE(__kmpc_task_get_depnode(first), __kmpc_task_get_depnode(second));
  complete_all(2);
}

TEST_F(TaskGraph, AListThatWasAskedForStays) {
  KmpTask* first = submit_first({{x, 1, out}});
  KmpTask* second = submit({{x, 1, in}});
  KmpNodeList* early = __kmpc_task_get_successors(first);
  KmpTask* third = submit({{x, 1, in}});
  KmpNodeList* late = __kmpc_task_get_successors(first);
  EXPECT_EQ(nodes_of(early), depnodes({second}));
  EXPECT_EQ(nodes_of(late), depnodes({third, second}));
  EXPECT_EQ(late->next, early);
  EXPECT_EQ(__kmpc_task_get_depnode(first)->successors, late);
  complete_all(3);
}

TEST_F(TaskGraph, SetsAreBetweenSets) {
  KmpTask* a = submit_first({{x, 1, inoutset}});
  KmpTask* b = submit_first({{x, 1, inoutset}, {y, 1, inoutset}});
  KmpTask* c = submit({{x, 1, in}});
  KmpTask* d = submit({{x, 1, in}, {y, 1, in}});
  KmpTask* e = submit({{y, 1, out}});
  EXPECT_EQ(nodes_of(__kmpc_task_get_successors(a)), depnodes({d, c}));
  EXPECT_EQ(nodes_of(__kmpc_task_get_successors(b)), depnodes({d, c}));
  EXPECT_EQ(nodes_of(__kmpc_task_get_successors(c)), depnodes({}));
  EXPECT_EQ(nodes_of(__kmpc_task_get_successors(d)), depnodes({e}));
  complete_all(5);
}

TEST_F(TaskGraph, ATaskWithoutDependencesHasNoNode) {
  KmpTask* task = make(runtime::task_detachable);
  void* event = __kmpc_task_allow_completion_event(&somewhere, own_gtid(), task);
  EXPECT_EQ(__kmpc_task_get_depnode(task), nullptr);
  __kmpc_omp_task(&somewhere, own_gtid(), task);
  EXPECT_EQ(__kmpc_task_get_depnode(task), nullptr);
  EXPECT_EQ(__kmpc_task_get_successors(task), nullptr);
  omp_fulfill_event(event);
  complete_all(1);
}

/// What was shown of complete tasks goes, whoever asks next, also while others complete theirs.
TEST_F(TaskGraph, ManyGraphsAtTheSameTime) {
  parallel(4, [&](Member self) {
    char place = 0;
    const intptr_t location = reinterpret_cast<intptr_t>(&place);
    for (int round = 0; round < rounds(300); round++) {
      KmpTask* first = make(runtime::task_detachable);
      void* event = __kmpc_task_allow_completion_event(&somewhere, self.gtid, first);
      submit(first, {{location, 1, out}});
      KmpTask* second = submit({{location, 1, out}});
      KmpTask* third = submit({{location, 1, out}});
      EXPECT_EQ(nodes_of(__kmpc_task_get_successors(second)), depnodes({third}));
      EXPECT_EQ(nodes_of(__kmpc_task_get_successors(first)), depnodes({second}));
      omp_fulfill_event(event);
      __kmpc_omp_taskwait(&somewhere, self.gtid);
    }
  });
  EXPECT_EQ(executed, 4 * 3 * rounds(300));
}

} // namespace
} // namespace hetmp::test
