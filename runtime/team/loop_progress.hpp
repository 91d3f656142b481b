// Where a thread is in the loop that it executes. Nobody else looks at it, so nothing here is shared.
#pragma once

#include "runtime/team/measure.hpp"
#include "runtime/wait/posted_bits.hpp"
#include "schedulers/arithmetic/chunk_batch.hpp"
#include "schedulers/arithmetic/following_distance.hpp"
#include "schedulers/arithmetic/loop.hpp"
#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hetmp::runtime {

/// What is taken down of a chunk when it has been executed.
enum class Measured : uint8_t {
  Nothing,
  Time,       ///< nobody has been asked on this visit
  Everything, ///< clocks, counters, faults: for the loop's policy
};

/// What a thread knows of the dynamically scheduled loop it is in. Owner: the thread of the task.
struct LoopProgress {
  schedulers::Schedule schedule;
  uint64_t trips = 0;
  uint64_t number = 0;                        ///< in the ring of loop buffers
  uint64_t global_name = 0;                   ///< of the loop among the nodes of the team
  uint64_t round = 0;                         ///< Static: chunks taken so far
  bool equal_shares = false;                  ///< Static: LoopRequest's
  std::optional<schedulers::Range> node_part; ///< Static: of this node, if such loops are placed
  uint64_t chunks = 0;                        ///< Dynamic: that the loop has
  bool dealt = false;                         ///< Dynamic: chunks are dealt in advance (chunk_share.hpp)
  bool in_batches = false;                    ///< Dynamic: LoopRequest's, and the thread may be elsewhere
  schedulers::ChunkBatch batch;               ///< then: how many chunks at a time; kept for the next visit of the loop,
  const void* batch_of = nullptr;             ///< which this is
  uint32_t batched = 0;                       ///< then: in hand,
  int64_t batch_began_ns = 0;                 ///< since, by how long the thread has been executed
  uint32_t victim = 0;                        ///< then: the local thread that the last ones were stolen from
  // lastprivate variables have what they had in the last chunk of the thread that gets the loop's last iteration.
  bool has_last = false; ///< which is kept for the end, where chunks do not come in order
  bool had_last = false; ///< it has been given
  bool open = false;     ///< between the loop's begin and its exhaustion
  bool ordered = false;
  // `ordered`: the chunk in hand
  schedulers::Range chunk;
  uint64_t index = 0;           ///< the iteration being executed
  uint64_t predecessor_end = 0; ///< end of the chunk this node handed out before; it must have been posted first
  bool waited = false;          ///< this chunk's turn has come
  bool region_done = false;     ///< the ordered region of iteration `index` is over
  // the loop in the types of the program: first value and stride, as two's complement bits
  uint64_t lower_bits = 0;
  uint64_t end_bits = 0; ///< by GOMP entries: the first value that is not the loop's any more
  int64_t stride = 1;
  // placed on several nodes
  Measured measured = Measured::Nothing; ///< of the chunk in hand
  ThreadSnapshot started;                ///< then: when the chunk was given
  uint64_t timed_iterations = 0;         ///< of a chunk whose time is taken
  const char* source = nullptr;
  const void* call_site = nullptr; ///< where the program began the loop
};

/// For a timeline (perf/report/trace.hpp): the iterations in hand. Owner: the thread of the task.
struct TracedIterations {
  int64_t since_ns = 0; ///< 0: none, or nobody wants to know
  schedulers::Range range;
  const void* call_site = nullptr;
  const char* source = nullptr;
};

/// What the variable of a loop goes through, `upper` included.
struct DoacrossDimension {
  int64_t lower, upper, stride;
};

/// A loop nest whose iterations wait for each other; see doacross.hpp. Owner: the thread of the task.
struct DoacrossNest {
  std::vector<DoacrossDimension> dimensions;
  std::vector<uint64_t> extents; ///< of each dimension: how many values its variable has
  PostedBits* posted = nullptr;  ///< the team's; null: there is nothing to wait for
  schedulers::FollowingDistance distance;
  std::vector<int64_t> awaited; ///< room for the values of the nest's variables
};

} // namespace hetmp::runtime
