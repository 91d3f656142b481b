#include "runtime/team/thread.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/global/answers.hpp"
#include "runtime/process/library.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/threadprivate.hpp"
#include "runtime/team/worker_pool.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <cstdlib>
#include <memory>
#include <pthread.h>

namespace hetmp::runtime {
namespace {

constexpr int most_threads = 32768;

/// By gtid; null = the number is free. Written with records_lock held; relaxed: read with it, or by the entry's own
/// thread.
std::atomic<Thread*> table[most_threads];
std::atomic<uint32_t> known{0}; ///< written with records_lock held; relaxed: only a number
FutexLock records_lock;
int lowest_maybe_free = 0;        // no free number below it; guarded by records_lock
Thread* unused_records = nullptr; // guarded by records_lock

// The default TLS model: the library may be loaded late (dlopen), when static TLS space is used up.
thread_local Thread* self = nullptr;

pthread_key_t root_ends;
pthread_once_t root_ends_once = PTHREAD_ONCE_INIT;

void retire_root(void* thread_pointer) {
  Thread& thread = *static_cast<Thread*>(thread_pointer);
  if (thread.before_end)
    thread.before_end(thread);
  resize_crew(thread, 0);
  destroy_threadprivate_copies(thread);
  perf::stop_thread_counters(thread.counters);
  AnswerSlots::give_back();
  threads_in_use.fetch_sub(1, std::memory_order_relaxed); // a hint for spinning_pays()
  self = nullptr; // a later destructor of this thread that meets OpenMP makes it a root once more
  retire_thread_record(&thread);
}

Thread* take_record(int number) {
  HETMP_CHECK(records_lock.held() && number >= 0 && number < most_threads);
  HETMP_CHECK(!table[number].load(std::memory_order_relaxed)); // nobody else has that number
  Thread* thread = unused_records;
  if (thread)
    unused_records = thread->next_idle;
  else
    thread = new Thread;
  thread->gtid = number;
  table[number].store(thread, std::memory_order_relaxed);
  known.fetch_add(1, std::memory_order_relaxed);
  return thread;
}

/// Programs tell helpers by their numbers, so they are kept for them from the start.
bool is_taken(int number) {
  const bool of_helper = number > 0 && number <= int(program_icvs().helper_threads);
  return of_helper || table[number].load(std::memory_order_relaxed);
}

__attribute__((noinline, cold)) Thread& become_root() {
  initialise_runtime();
  Thread* thread = create_thread_record();
  if (!thread)
    die(exit_code::no_resources, "more than %d threads use OpenMP", most_threads);
  thread->root = true;
  thread->node = own_node();
  thread->bound = false;
  begin_initial_task(*thread);
  threads_in_use.fetch_add(1, std::memory_order_relaxed); // a hint for spinning_pays()
  adopt_thread(thread);
  pthread_once(&root_ends_once, [] { pthread_key_create(&root_ends, retire_root); });
  pthread_setspecific(root_ends, thread);
  return *thread;
}

} // namespace

void begin_initial_task(Thread& thread) {
  if (!thread.initial.team) {
    thread.initial.team = new NodeTeam;
    thread.initial.team->description.node = own_node();
    thread.initial.team->tasks.reserve(1);
  }
  thread.pushed_threads = thread.pushed_list.count = thread.pushed_strict.threads = 0;
  NodeTeam* team = thread.initial.team;
  HETMP_CHECK(team->alone() && !team->global && team->tasks.count != 0); // its own, whatever it has been before
  for (void* memory : thread.initial.construct_memory)
    free(memory);
  std::destroy_at(&thread.initial);
  std::construct_at(&thread.initial);
  thread.initial.team = team;
  thread.initial.icvs = program_icvs().initial;
  thread.initial.loops = team->first_loop;
  // relaxed: the thread is alone in this team.
  thread.initial.singles = team->singles.load(std::memory_order_relaxed);
  thread.task = &thread.initial;
}

Thread& current_thread() {
  Thread* thread = self;
  return __builtin_expect(thread != nullptr, 1) ? *thread : become_root();
}

Thread* known_thread() { return self; }

Thread& thread_of(int gtid) {
  if (unsigned(gtid) < unsigned(most_threads)) {
    // relaxed: the thread asks for its own entry, which it wrote itself or received together with its first job.
    if (Thread* thread = table[gtid].load(std::memory_order_relaxed)) {
      HETMP_CHECK(thread->gtid == gtid);
      return *thread;
    }
  }
  return current_thread();
}

ImplicitTask& current_task() { return *current_thread().task; }
ImplicitTask& task_of(int gtid) { return *thread_of(gtid).task; }

uint32_t known_threads() { return known.load(std::memory_order_relaxed); }

void adopt_thread(Thread* thread) {
  HETMP_CHECK(!self && thread->gtid >= 0);
  HETMP_CHECK(table[thread->gtid].load(std::memory_order_relaxed) == thread); // relaxed: it is the thread's own
  self = thread;
}

Thread* create_thread_record() {
  FutexLockGuard guard(records_lock);
  while (lowest_maybe_free < most_threads && is_taken(lowest_maybe_free))
    lowest_maybe_free++;
  return lowest_maybe_free < most_threads ? take_record(lowest_maybe_free++) : nullptr;
}

Thread* create_helper_record() {
  FutexLockGuard guard(records_lock);
  for (int number = 1; number <= int(program_icvs().helper_threads); number++)
    if (!table[number].load(std::memory_order_relaxed))
      return take_record(number);
  return nullptr;
}

void retire_thread_record(Thread* thread) {
  if (!thread)
    return;
  FutexLockGuard guard(records_lock);
  HETMP_CHECK(table[thread->gtid].load(std::memory_order_relaxed) == thread); // under the lock
  HETMP_CHECK(known.load(std::memory_order_relaxed) != 0);                    // under the lock
  HETMP_CHECK(thread->crew.empty());                                          // nobody would give them back
  table[thread->gtid].store(nullptr, std::memory_order_relaxed);
  if (thread->gtid < lowest_maybe_free)
    lowest_maybe_free = thread->gtid;
  known.fetch_sub(1, std::memory_order_relaxed);
  thread->root = false;
  thread->next_idle = unused_records;
  unused_records = thread;
}

/// relaxed throughout: a forked child has one thread.
void forget_other_threads() {
  new (&records_lock) FutexLock; // its holder may not exist any more
  for (auto& entry : table) {
    if (entry.load(std::memory_order_relaxed) != self)
      entry.store(nullptr, std::memory_order_relaxed);
  }
  lowest_maybe_free = 0;
  known.store(self ? 1 : 0, std::memory_order_relaxed);
  threads_in_use.store(self ? 1 : 0, std::memory_order_relaxed);
  unused_records = nullptr;
  if (self)
    self->crew.clear();
}

bool find_ancestor(const ImplicitTask& task, uint32_t level, uint32_t& number, uint32_t& team_size) {
  if (level > task.level)
    return false;
  const ImplicitTask* ancestor = &task;
  while (ancestor && ancestor->level > level)
    ancestor = ancestor->parent;
  // A team is spread over nodes only from an initial thread or inside regions of one thread: ancestors that live on
  // another node are thread 0 of 1.
  number = ancestor ? ancestor->number : 0;
  team_size = ancestor ? ancestor->team_size : 1;
  HETMP_CHECK(number < team_size);
  return true;
}

} // namespace hetmp::runtime
