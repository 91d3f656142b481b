#include "runtime/team/worker_pool.hpp"

#include "base/check.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/message.hpp"
#include "base/private_section.hpp"
#include "dsm/fabric.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/thread_factory.hpp"
#include "runtime/team/thread.hpp"

#include <cstring>
#include <vector>

namespace hetmp::runtime {
namespace {

WorkerPool pools[most_nodes]; // by node

void* worker_body(void* argument) {
  Thread& self = *static_cast<Thread*>(argument);
  adopt_thread(&self);
  if (layout().kind != Layout::Kind::One) {
    const PrivateSection here; // what this allocates shall not lie beside what the region's threads write
    bind_thread(layout().cpus[self.node]);
  }
  if (self.node == 0) // what happens on other nodes no tool is told
    ompt::thread_begins(ompt::ThreadKind::Worker);
  uint32_t seen = 0; // a new worker's epoch; its first job may already be posted
  while (true) {
    self.go.wait_while(seen);
    seen++; // one post for each job, and none before the last job is over
    HETMP_CHECK(self.go.epoch() == seen && self.job);
    self.job(self);
  }
}

Thread* create_worker(uint32_t node) {
  Thread* worker = create_thread_record();
  int error = EAGAIN;
  if (worker) {
    worker->node = node;
    error = make_thread(worker_body, worker, program_icvs().stack_bytes);
  }
  if (error == 0)
    return worker;
  if (error != dsm::before_nodes) // that passes
    say_once(shortage_told(), "cannot create another thread (%s); teams will be smaller", strerror(error));
  retire_thread_record(worker);
  return nullptr;
}

} // namespace

bool WorkerPool::is_idle(const Thread& worker) const {
  const Thread* idle = idle_;
  while (idle && idle != &worker)
    idle = idle->next_idle;
  return idle != nullptr;
}

Thread* WorkerPool::take_idle() {
  FutexLockGuard guard(lock_);
  Thread* const worker = idle_;
  if (worker)
    idle_ = worker->next_idle;
  return worker;
}

Thread* WorkerPool::take() {
  Thread* worker = take_idle();
  if (!worker)
    worker = create_worker(uint32_t(this - pools));
  HETMP_CHECK(!worker || worker->node == uint32_t(this - pools)); // workers stay on their node
  if (worker)
    spinning.thread_begins();
  return worker;
}

void WorkerPool::give_back(Thread* worker) {
  spinning.thread_ends();
  put_idle(worker);
}

void WorkerPool::put_idle(Thread* worker) {
  HETMP_CHECK(worker->node == uint32_t(this - pools) && !worker->root && !worker->resident);
  FutexLockGuard guard(lock_);
  HETMP_CHECK_COSTLY(!is_idle(*worker));
  worker->next_idle = idle_;
  idle_ = worker;
}

Thread* WorkerPool::take_resident() {
  if (resident_taken_.exchange(true, std::memory_order_acquire)) // pairs with the release in release_resident()
    return nullptr;
  if (!resident_) {
    Thread* const thread = take();
    if (!thread) {
      resident_taken_.store(false, std::memory_order_release); // pairs with the acquire in take_resident()
      return nullptr;                                          // from now on the field is another's
    }
    thread->resident = true;
    resident_ = thread;
  }
  return resident_;
}

void WorkerPool::release_resident(const Thread& resident) {
  HETMP_CHECK(resident.resident && resident_ == &resident);
  resident_taken_.store(false, std::memory_order_release); // pairs with take_resident()
}

WorkerPool& pool_of_node(uint32_t node) {
  HETMP_CHECK(node < most_nodes);
  return pools[node];
}

namespace {

/// A worker's job.
void tell_end(Thread& worker) {
  ompt::thread_ends();
  pool_of_node(worker.node).told().post();
}

/// Of one that waits for work, and of those that it keeps for regions of its own; returns when they are told.
void have_end_told(Thread& worker) { // NOLINT(misc-no-recursion): as deep as regions were in each other
  for (Thread* const own : worker.crew)
    have_end_told(*own);
  HETMP_CHECK(&worker != known_thread() && !worker.root);
  EventCount& told = pool_of_node(worker.node).told();
  const uint32_t seen = told.epoch();
  worker.job = tell_end;
  worker.go.post();
  told.wait_while(seen);
}

} // namespace

void end_tool() {
  if (!ompt::has_tool())
    return;
  if (Thread* const self = known_thread(); self && !self->crew_at_work)
    for (Thread* const worker : self->crew)
      have_end_told(*worker);
  for (WorkerPool& pool : pools) {
    std::vector<Thread*> idle;
    while (Thread* const worker = pool.take_idle())
      idle.push_back(worker);
    for (Thread* const worker : idle)
      have_end_told(*worker);
    for (; !idle.empty(); idle.pop_back())
      pool.put_idle(idle.back());
  }
  ompt::finish_tool();
}

void forget_all_workers() {
  for (WorkerPool& pool : pools) {
    pool.~WorkerPool();
    new (&pool) WorkerPool;
  }
}

void resize_crew(Thread& primary, uint32_t wanted) {
  if (primary.crew.size() == wanted)
    return;
  WorkerPool& pool = pool_of_node(primary.node);
  while (primary.crew.size() > wanted) {
    pool.give_back(primary.crew.back());
    primary.crew.pop_back();
  }
  while (primary.crew.size() < wanted) {
    Thread* worker = pool.take();
    if (!worker)
      return;
    HETMP_CHECK(worker != &primary);
    primary.crew.push_back(worker);
  }
  HETMP_CHECK(primary.crew.size() == wanted);
}

} // namespace hetmp::runtime
