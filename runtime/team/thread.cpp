#include "runtime/team/thread.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/global/answers.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/process/library.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/thread_factory.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/threadprivate.hpp"
#include "runtime/team/worker_pool.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <cstdlib>
#include <memory>
#include <pthread.h>
#include <unistd.h>
#include <utility>

namespace hetmp::runtime {

namespace {

constexpr int most_threads = 32768;

/// The records of all threads that the runtime knows, by gtid.
class ThreadRecords {
 public:
  /// Null: the number is free. relaxed: whoever asks for another thread's entry holds the lock.
  Thread* find(int gtid) const { return table_[gtid].load(std::memory_order_relaxed); }
  uint32_t locks_held() const;
  uint32_t known() const { return known_.load(std::memory_order_relaxed); } // relaxed: only a number

  Thread* take();        ///< null when there are too many
  Thread* take_helper(); ///< null when none is left
  void give_back(Thread* thread);
  /// `retire` is called with the record when the calling thread, whose record it is, has ended. The same function
  /// always.
  void retire_at_end(Thread* thread, void (*retire)(void*));
  /// True for the first that asks.
  bool take_main();
  /// In a forked child: only this thread is left, null if the runtime does not know it.
  void keep_only(Thread* self);

 private:
  static bool is_of_helper(int number) { return number > 0 && number <= int(program_icvs().helper_threads); }
  Thread* take_record(int number);
  Thread* make_record();

  /// Written with the lock held; relaxed: read with it, or by the entry's own thread.
  std::atomic<Thread*> table_[most_threads] = {};
  std::atomic<uint32_t> known_{0}; ///< written with the lock held; relaxed: only a number
  FutexLock lock_;
  int lowest_maybe_free_ = 0;          ///< no free number below it; guarded by the lock
  Thread* unused_records_ = nullptr;   ///< guarded by the lock
  std::atomic<Thread*> made_{nullptr}; ///< all there have ever been; written with the lock held, read by locks_held()
  pthread_key_t ends_ = 0;             ///< made with the lock held, before its first use
  bool has_ends_ = false;              ///< guarded by the lock
  bool knows_main_ = false;            ///< guarded by the lock
};

constinit ThreadRecords records;

void retire_root(void* thread_pointer) {
  Thread& thread = *static_cast<Thread*>(thread_pointer);
  if (thread.before_end)
    thread.before_end(thread);
  resize_crew(thread, 0);
  destroy_threadprivate_copies(thread);
  perf::stop_thread_counters(thread.counters);
  AnswerSlots::give_back();
  if (ompt::observed()) [[unlikely]]
    ompt::thread_ends();
  spinning.thread_ends();
  spinning.thread_sleeps();
  own_thread = {}; // a later destructor of this thread that meets OpenMP makes it a root once more
  retire_thread_record(&thread);
  if (gettid() == getpid())
    end_with_last_thread();
}

/// Records are never destroyed, so the list needs no lock to be read.
Thread* ThreadRecords::make_record() {
  HETMP_CHECK(lock_.held());
  auto* const thread = new Thread;
  thread->made_before = made_.load(std::memory_order_relaxed); // under the lock
  made_.store(thread, std::memory_order_release);              // pairs with the acquire in locks_held()
  return thread;
}

uint32_t ThreadRecords::locks_held() const {
  uint32_t sum = 0;
  // acquire: pairs with the release in make_record().
  for (const Thread* thread = made_.load(std::memory_order_acquire); thread; thread = thread->made_before)
    sum += thread->locks_held.value();
  return sum;
}

Thread* ThreadRecords::take_record(int number) {
  HETMP_CHECK(lock_.held() && number >= 0 && number < most_threads);
  HETMP_CHECK(!table_[number].load(std::memory_order_relaxed)); // nobody else has that number
  Thread* thread = unused_records_;
  if (thread)
    unused_records_ = thread->next_idle;
  else
    thread = make_record();
  thread->gtid = number;
  table_[number].store(thread, std::memory_order_relaxed);
  known_.fetch_add(1, std::memory_order_relaxed);
  return thread;
}

Thread* ThreadRecords::take() {
  FutexLockGuard guard(lock_);
  // Programs tell helpers by their numbers, so they are kept for them from the start.
  while (lowest_maybe_free_ < most_threads && (is_of_helper(lowest_maybe_free_) || find(lowest_maybe_free_)))
    lowest_maybe_free_++;
  return lowest_maybe_free_ < most_threads ? take_record(lowest_maybe_free_++) : nullptr;
}

Thread* ThreadRecords::take_helper() {
  FutexLockGuard guard(lock_);
  for (int number = 1; is_of_helper(number); number++)
    if (!find(number))
      return take_record(number);
  return nullptr;
}

void ThreadRecords::give_back(Thread* thread) {
  FutexLockGuard guard(lock_);
  HETMP_CHECK(table_[thread->gtid].load(std::memory_order_relaxed) == thread); // under the lock
  HETMP_CHECK(known_.load(std::memory_order_relaxed) != 0);                    // under the lock
  HETMP_CHECK(thread->crew.empty());                                           // nobody would give them back
  table_[thread->gtid].store(nullptr, std::memory_order_relaxed);
  if (thread->gtid < lowest_maybe_free_)
    lowest_maybe_free_ = thread->gtid;
  known_.fetch_sub(1, std::memory_order_relaxed);
  thread->root = thread->executes_main = false;
  thread->next_idle = unused_records_;
  unused_records_ = thread;
}

void ThreadRecords::retire_at_end(Thread* thread, void (*retire)(void*)) {
  {
    FutexLockGuard guard(lock_);
    if (!has_ends_)
      has_ends_ = pthread_key_create(&ends_, retire) == 0;
  }
  pthread_setspecific(ends_, thread); // of its own thread
}

bool ThreadRecords::take_main() {
  FutexLockGuard guard(lock_);
  return !std::exchange(knows_main_, true);
}

/// relaxed throughout: a forked child has one thread.
void ThreadRecords::keep_only(Thread* self) {
  new (&lock_) FutexLock; // its holder may not exist any more
  for (auto& entry : table_) {
    if (entry.load(std::memory_order_relaxed) != self)
      entry.store(nullptr, std::memory_order_relaxed);
  }
  lowest_maybe_free_ = 0;
  known_.store(self ? 1 : 0, std::memory_order_relaxed);
  unused_records_ = nullptr;
}

/// It ends before the objects of its library do: what is registered later is called earlier.
void start_tool() {
  if (ompt::start_tool())
    atexit(end_tool);
}

__attribute__((noinline, cold)) Thread& become_root() {
  initialise_runtime();
  Thread* thread = create_thread_record();
  if (!thread)
    die(exit_code::no_resources, "more than %d threads use OpenMP", most_threads);
  thread->root = true;
  // The first thread that uses OpenMP may be one that the program has made, or one that runs constructors. Among node
  // processes only main's stack is shared, and regions of others, whose variables no other node would find, stay at
  // home.
  thread->executes_main = stack_is_reachable() && records.take_main();
  thread->node = own_node();
  thread->bound = false;
  begin_initial_task(*thread);
  spinning.thread_begins();
  adopt_thread(thread);
  records.retire_at_end(thread, retire_root);
  if (own_node() == 0) // what happens on other node processes no tool is told
    start_tool();
  ompt::thread_begins(ompt::ThreadKind::Initial);
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
  Thread* thread = own_thread.record;
  return __builtin_expect(thread != nullptr, 1) ? *thread : become_root();
}

Thread& thread_of(int gtid) {
  if (unsigned(gtid) < unsigned(most_threads)) {
    // The thread asks for its own entry, which it wrote itself or received together with its first job.
    if (Thread* thread = records.find(gtid)) {
      HETMP_CHECK(thread->gtid == gtid);
      return *thread;
    }
  }
  return current_thread();
}

ImplicitTask& current_task() { return *current_thread().task; }
ImplicitTask& task_of(int gtid) { return *thread_of(gtid).task; }

uint32_t known_threads() { return records.known(); }
uint32_t locks_held_by_threads() { return records.locks_held(); }

void adopt_thread(Thread* thread) {
  HETMP_CHECK(!own_thread.record && thread->gtid >= 0);
  HETMP_CHECK(records.find(thread->gtid) == thread);
  own_thread = {thread, thread->gtid};
  spinning.thread_wakes();
}

Thread* create_thread_record() { return records.take(); }

Thread* create_helper_record() { return records.take_helper(); }

void retire_thread_record(Thread* thread) {
  if (thread)
    records.give_back(thread);
}

void forget_other_threads() {
  forget_own_threads();
  records.keep_only(own_thread.record);
  spinning.keep_threads(own_thread.record ? 1 : 0);
  if (own_thread.record)
    own_thread.record->crew.clear();
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
