// What the threads of this process do, for a timeline: spans of time in a buffer of fixed size. Off unless
// asked for; then the cost is one branch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>

namespace hetmp::perf {

/// Plain values: they travel between processes of the same program, where addresses mean the same.
struct TraceEvent {
  enum class Kind : uint32_t {
    Region,  ///< a thread's part of a parallel region; `subject`: its function
    Share,   ///< iterations of a static loop; `subject`: where it was begun
    Chunk,   ///< iterations of any other loop; likewise
    Ask,     ///< for a loop's next assignment, until the answer came: that is what the iterations and `measured`
             ///< are of
    Barrier, ///< until the whole team was there
    Join,    ///< at the end of a region, until the other nodes were done
  } kind = Kind::Region;
  uint32_t node = 0;
  uint32_t thread = 0;   ///< number in the team
  uint32_t measured = 0; ///< 1: the iterations were timed for a decision
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint64_t subject = 0;
  const void* source = nullptr; ///< of a region its ident_t, of a loop its source string; may be null
  uint64_t first = 0;           ///< iterations [first, first + count)
  uint64_t count = 0;
};

class TraceBuffer {
 public:
  static constexpr size_t capacity = size_t(1) << 15;

  TraceBuffer() : cells_(new Cell[capacity]) {}

  static int64_t now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  }

  int64_t began_ns() const { return began_ns_; } ///< when it was made

  /// Any thread; never waits. What does not fit any more is counted and dropped: the beginning is kept.
  void record(const TraceEvent& event) {
    const uint64_t index = next_.fetch_add(1, std::memory_order_relaxed); // unique; orders nothing else
    if (index >= capacity)
      return;
    cells_[index].event = event;
    cells_[index].written.store(true, std::memory_order_release); // pairs with the acquire in read()
  }

  /// Any thread: the events so far, at most `most`; returns how many.
  size_t read(TraceEvent* events, size_t most) const {
    size_t count = 0;
    for (size_t i = 0; i < capacity && count < most; ++i)
      if (cells_[i].written.load(std::memory_order_acquire)) // pairs with the release in record()
        events[count++] = cells_[i].event;
    return count;
  }
  uint64_t dropped() const {
    const uint64_t all = next_.load(std::memory_order_relaxed);
    return all > capacity ? all - capacity : 0;
  }

 private:
  struct Cell {
    TraceEvent event;
    std::atomic<bool> written{false};
  };
  const int64_t began_ns_ = now_ns();
  std::unique_ptr<Cell[]> cells_;
  std::atomic<uint64_t> next_{0}; ///< events so far, with those dropped; relaxed: only a number
};

/// Null unless somebody wants a timeline. Set before there are threads.
extern TraceBuffer* trace_buffer;

/// From here to the end of the scope.
class TraceSpan {
 public:
  /// Not `wanted`: nothing is recorded.
  TraceSpan(bool wanted, TraceEvent::Kind kind, uint32_t node, uint32_t thread, const void* subject = nullptr,
            const void* source = nullptr) {
    if (!trace_buffer || !wanted) [[likely]]
      return;
    event.kind = kind;
    event.node = node;
    event.thread = thread;
    event.subject = reinterpret_cast<uint64_t>(subject);
    event.source = source;
    event.begin_ns = TraceBuffer::now_ns();
  }
  ~TraceSpan() {
    if (event.begin_ns == 0) [[likely]]
      return;
    event.end_ns = TraceBuffer::now_ns();
    trace_buffer->record(event);
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  TraceEvent event; ///< for what is known before the end only
};

} // namespace hetmp::perf
