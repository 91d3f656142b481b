// `ordered`: iterations' ordered regions run in loop order.
//
// A chunk is executed by one thread in order, so only the passage from chunk to chunk needs care. On its node a chunk
// waits until the chunk handed out there before it is done (ordered_done has reached its end); then, with several
// nodes, its leader-for-the-moment waits at the global level for the chunks of other nodes in between. At most one
// thread of a node is in that wait, because later chunks of the node are still waiting locally.
#include "base/check.hpp"
#include "runtime/global/node_loops.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/process/standard_output.hpp"
#include "runtime/team/node_team.hpp"

namespace hetmp::runtime {
namespace {

/// Looks at nothing but the one word that the thread before writes: its cache line passes from thread to thread with
/// the turn.
void wait_locally(LoopBuffer& buffer, uint64_t end) {
  // Also acquires what the ordered regions before did.
  buffer.ordered_progress.wait_until([&] { return buffer.ordered_done.load(std::memory_order_seq_cst) == end; });
}

void wait_for_turn(ImplicitTask& task) {
  LoopProgress& loop = task.loop;
  HETMP_CHECK(loop.ordered && !loop.chunk.empty());
  if (loop.waited)
    return;
  wait_locally(buffer_of(task), loop.predecessor_end);
  if (GlobalLevel* global = task.team->global)
    global->loops.ordered_wait(task.team->description, loop.global_name, loop.chunk.begin);
  loop.waited = true;
}

void post_chunk(ImplicitTask& task) {
  LoopProgress& loop = task.loop;
  LoopBuffer& buffer = buffer_of(task);
  HETMP_CHECK(loop.waited); // its turn has come, so nobody else of this node posts
  // relaxed: acquired when the turn came
  HETMP_CHECK(buffer.ordered_done.load(std::memory_order_relaxed) == loop.predecessor_end);
  if (GlobalLevel* global = task.team->global) {
    write_partial_line();
    global->loops.ordered_post(task.team->description, loop.global_name, loop.chunk.end);
  }
  buffer.ordered_done.store(loop.chunk.end, std::memory_order_seq_cst);
  buffer.ordered_progress.ring();
  loop.chunk = {};
}

} // namespace

void open_ordered_chunk(ImplicitTask& task, schedulers::Range chunk, uint64_t predecessor_end) {
  LoopProgress& loop = task.loop;
  HETMP_CHECK(!chunk.empty() && predecessor_end <= chunk.begin);
  HETMP_CHECK(loop.chunk.empty()); // the one before is closed
  loop.chunk = chunk;
  loop.index = chunk.begin;
  loop.predecessor_end = predecessor_end;
  loop.waited = false;
  loop.region_done = false;
  task.exchanges++;
}

void close_ordered_chunk(ImplicitTask& task) {
  if (task.loop.chunk.empty())
    return;
  wait_for_turn(task);
  post_chunk(task);
}

void begin_ordered(ImplicitTask& task) {
  LoopProgress& loop = task.loop;
  if (!loop.open || !loop.ordered || loop.chunk.empty())
    return;
  if (loop.region_done) // the compiler does not report the ends of iterations
    finish_ordered_iteration(task);
  wait_for_turn(task);
}

void end_ordered(ImplicitTask& task) {
  LoopProgress& loop = task.loop;
  if (!loop.open || !loop.ordered || loop.chunk.empty())
    return;
  loop.region_done = true;
  if (loop.index + 1 == loop.chunk.end)
    post_chunk(task);
}

void finish_ordered_iteration(ImplicitTask& task) {
  task.loop.index++;
  task.loop.region_done = false;
}

} // namespace hetmp::runtime
