// A tool that ends itself inside of a callback: at the second event of the kind that WHEN names (1 to 6).
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static ompt_finalize_tool_t end_tool;
static atomic_int events;
static int wanted;

static void happens(int kind) {
  if (kind == wanted && ++events == 2)
    end_tool();
}

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned requested,
                              int flags, const void* place) {
  (void)task, (void)frame, (void)parallel, (void)requested, (void)flags, (void)place;
  happens(1);
}

static void on_parallel_end(ompt_data_t* parallel, ompt_data_t* task, int flags, const void* place) {
  (void)parallel, (void)task, (void)flags, (void)place;
  happens(2);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task, unsigned size,
                             unsigned number, int flags) {
  (void)endpoint, (void)parallel, (void)task, (void)size, (void)number, (void)flags;
  happens(3);
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                           ompt_data_t* task, const void* place) {
  (void)kind, (void)endpoint, (void)parallel, (void)task, (void)place;
  happens(4);
}

static void on_task_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* made, int flags, int depends,
                           const void* place) {
  (void)task, (void)frame, (void)made, (void)flags, (void)depends, (void)place;
  happens(5);
}

static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  (void)prior, (void)status, (void)next;
  happens(6);
}

static int initialise(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  end_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
  wanted = atoi(getenv("WHEN"));
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
  set(ompt_callback_sync_region, (ompt_callback_t)on_sync_region);
  set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
  set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
  return 1;
}

static void finalise(ompt_data_t* tool) {
  (void)tool;
  puts("ended");
  fflush(stdout);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialise, finalise, {0}};
  return &result;
}
