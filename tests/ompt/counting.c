// A tool that counts what it is told, from as many threads as there are, and looks whether what begins ends. With
// MULTIPLEX it hands all on to a second tool, by LLVM's header for that.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>
#ifdef MULTIPLEX
#define CLIENT_TOOL_LIBRARIES_VAR "SECOND_TOOL_LIBRARIES"
#include <ompt-multiplex.h>
#endif

static atomic_int threads, regions, implicit_tasks, tasks, running, waits, begun_threads;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;

static void fail(const char* what) {
  fprintf(stderr, "counting: %s\n", what);
  abort();
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t* thread) {
  if (thread->value != 0 || (type != ompt_thread_initial && type != ompt_thread_worker))
    fail("a thread is not new");
  thread->value = (uint64_t)++begun_threads;
  threads++;
}

static void on_thread_end(ompt_data_t* thread) {
  if (thread->value == 0)
    fail("a thread ends that has not begun");
  threads--;
}

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned requested,
                              int flags, const void* place) {
  if (!task || !frame || parallel->value != 0 || requested == 0 || !(flags & ompt_parallel_team) || !place)
    fail("a region's begin");
  parallel->value = 77;
  regions++;
}

static void on_parallel_end(ompt_data_t* parallel, ompt_data_t* task, int flags, const void* place) {
  (void)flags;
  if (parallel->value != 77 || !task || !place)
    fail("a region's end");
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task, unsigned size,
                             unsigned number, int flags) {
  if (flags & ompt_task_initial)
    return;
  if (endpoint == ompt_scope_begin) {
    if (parallel->value != 77 || task->value != 0 || number >= size)
      fail("an implicit task's begin");
    task->value = 88;
    ompt_data_t* seen = NULL;
    int level_size = 0;
    if (get_parallel_info(0, &seen, &level_size) != 2 || seen != parallel || level_size != (int)size)
      fail("the region of a task");
    implicit_tasks++;
  } else {
    if (task->value != 88)
      fail("an implicit task's end");
    implicit_tasks--;
  }
}

static void on_task_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* made, int flags, int depends,
                           const void* place) {
  (void)depends;
  if (!task || !frame->enter_frame.ptr || made->value != 0 || !(flags & ompt_task_explicit) || !place)
    fail("a task is made");
  made->value = 99;
  tasks++;
}

static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  if (next && next->value == 99 && status == ompt_task_switch)
    running++;
  if (prior->value == 99 && status == ompt_task_complete)
    running--;
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                                ompt_data_t* task, const void* place) {
  (void)kind, (void)parallel, (void)place;
  int flags = 0, number = -1;
  ompt_frame_t* frame = NULL;
  if (!task || get_thread_data()->value == 0 || get_task_info(0, &flags, NULL, &frame, NULL, &number) == 0 || !frame ||
      number < 0)
    fail("a wait");
  waits += endpoint == ompt_scope_begin ? 1 : -1;
}

#define ASK(event, function)                                                                                           \
  if (set(event, (ompt_callback_t)function) != ompt_set_always)                                                        \
  fail(#event)

static int initialise(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  if (lookup("no_such_function"))
    fail("lookup");
  ASK(ompt_callback_thread_begin, on_thread_begin);
  ASK(ompt_callback_thread_end, on_thread_end);
  ASK(ompt_callback_parallel_begin, on_parallel_begin);
  ASK(ompt_callback_parallel_end, on_parallel_end);
  ASK(ompt_callback_implicit_task, on_implicit_task);
  ASK(ompt_callback_task_create, on_task_create);
  ASK(ompt_callback_task_schedule, on_task_schedule);
  ASK(ompt_callback_sync_region_wait, on_sync_region_wait);
  return 1;
}

/// What is left open, and how much there was.
static void finalise(ompt_data_t* tool) {
  (void)tool;
  printf("open: %d threads, %d implicit tasks, %d tasks, %d waits; regions: %d, tasks: %d\n", threads, implicit_tasks,
         running, waits, regions, tasks);
  fflush(stdout);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialise, finalise, {0}};
  return &result;
}
