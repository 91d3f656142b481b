// What constructs tell of their beginnings and ends.
#include "kmpc.hpp"

#include "perf/report/trace.hpp"
#include "runtime/team/events.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace hetmp::test {
namespace {

using perf::TraceEvent;
using Kind = TraceEvent::Kind;

/// While it is there somebody wants a timeline. No other thread is in a region when it comes or goes.
class Listening {
 public:
  Listening() : buffer_(std::make_unique<perf::TraceBuffer>()) { perf::trace_buffer = buffer_.get(); }
  ~Listening() { perf::trace_buffer = nullptr; }

  std::vector<TraceEvent> heard() const {
    std::vector<TraceEvent> events(perf::TraceBuffer::capacity);
    events.resize(buffer_->read(events.data(), events.size()));
    return events;
  }
  long count(Kind kind) const {
    const std::vector<TraceEvent> events = heard();
    return std::count_if(events.begin(), events.end(), [&](const TraceEvent& event) { return event.kind == kind; });
  }

 private:
  std::unique_ptr<perf::TraceBuffer> buffer_;
};

constexpr int members = 3;

TEST(Events, EveryThreadTellsOfItsPartAndItsBarriers) {
  Listening listening;
  parallel(members, [](Member self) { __kmpc_barrier(&somewhere, self.gtid); });
  EXPECT_EQ(listening.count(Kind::Region), members);
  EXPECT_EQ(listening.count(Kind::Barrier), members);
  for (const TraceEvent& event : listening.heard()) {
    EXPECT_LT(event.thread, uint32_t(members));
    EXPECT_LE(event.begin_ns, event.end_ns);
  }
}

TEST(Events, APartLastsLongerThanItsBarrier) {
  Listening listening;
  parallel(members, [](Member self) { __kmpc_barrier(&somewhere, self.gtid); });
  const std::vector<TraceEvent> events = listening.heard();
  for (const TraceEvent& part : events)
    for (const TraceEvent& barrier : events)
      if (part.kind == Kind::Region && barrier.kind == Kind::Barrier && part.thread == barrier.thread) {
        EXPECT_LE(part.begin_ns, barrier.begin_ns);
        EXPECT_GE(part.end_ns, barrier.end_ns);
      }
}

TEST(Events, NestedTeamsAreLeftOut) {
  omp_set_max_active_levels(2);
  Listening listening;
  parallel(2, [](Member) { parallel(2, [](Member inside) { __kmpc_barrier(&somewhere, inside.gtid); }); });
  EXPECT_EQ(listening.count(Kind::Region), 2);
  EXPECT_EQ(listening.count(Kind::Barrier), 0);
  omp_set_max_active_levels(1);
}

TEST(Events, NobodyIsToldOfWhatBeganBeforeHeListened) {
  runtime::ImplicitTask& task = runtime::current_task();
  runtime::events::iterations_begin(task, {0, 10}, nullptr, nullptr);
  Listening listening;
  runtime::events::iterations_end(task, runtime::events::Iterations::Share, false);
  EXPECT_TRUE(listening.heard().empty());
  runtime::events::iterations_begin(task, {3, 10}, nullptr, nullptr);
  runtime::events::iterations_end(task, runtime::events::Iterations::Chunk, true);
  ASSERT_EQ(listening.heard().size(), 1u);
  const TraceEvent event = listening.heard()[0];
  EXPECT_EQ(event.kind, Kind::Chunk);
  EXPECT_EQ(event.measured, 1u);
  EXPECT_EQ(event.first, 3u);
  EXPECT_EQ(event.count, 7u);
}

int visits_begun = 0, visits_ended = 0;

TEST(Events, OnlyTeamsOnSeveralNodesTellOfVisits) {
  runtime::NodeTeam& team = *runtime::current_task().team; // known before there is a fabric, which can do nothing else
  dsm::Fabric listener{};
  listener.begin_visit = [](uint64_t) { visits_begun++; };
  listener.end_visit = [] { visits_ended++; };
  runtime::fabric = &listener;
  runtime::events::visit_begins(team, nullptr);
  runtime::events::visit_ends(team);
  EXPECT_EQ(visits_begun + visits_ended, 0);
  runtime::fabric = nullptr;
}

} // namespace
} // namespace hetmp::test
