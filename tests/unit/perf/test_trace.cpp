#include "json_reader.hpp"
#include "perf/report/trace_file.hpp"

#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace hetmp::perf {
namespace {

/// As when somebody wants a timeline.
class Trace : public testing::Test {
 protected:
  void SetUp() override { trace_buffer = &buffer_; }
  void TearDown() override { trace_buffer = nullptr; }

  std::vector<TraceEvent> events() const {
    std::vector<TraceEvent> events(TraceBuffer::capacity + 1);
    events.resize(buffer_.read(events.data(), events.size()));
    return events;
  }

  TraceBuffer buffer_;
};

TEST_F(Trace, ASpanIsFromItsBeginningToItsEnd) {
  const int64_t before = TraceBuffer::now_ns();
  {
    TraceSpan span(true, TraceEvent::Kind::Ask, 2, 7, &before, "x");
    span.event.count = 5;
  }
  const int64_t after = TraceBuffer::now_ns();
  ASSERT_EQ(events().size(), 1u);
  const TraceEvent event = events()[0];
  EXPECT_EQ(event.kind, TraceEvent::Kind::Ask);
  EXPECT_EQ(event.node, 2u);
  EXPECT_EQ(event.thread, 7u);
  EXPECT_EQ(event.count, 5u);
  EXPECT_EQ(event.subject, reinterpret_cast<uint64_t>(&before));
  EXPECT_LE(before, event.begin_ns);
  EXPECT_LE(event.begin_ns, event.end_ns);
  EXPECT_LE(event.end_ns, after);
}

TEST_F(Trace, WhatIsNotWantedIsNotRecorded) {
  { TraceSpan span(false, TraceEvent::Kind::Barrier, 0, 0); }
  trace_buffer = nullptr;
  { TraceSpan span(true, TraceEvent::Kind::Barrier, 0, 0); }
  EXPECT_TRUE(events().empty());
}

TEST_F(Trace, KeepsTheBeginningAndCountsTheRest) {
  for (uint64_t i = 0; i < TraceBuffer::capacity + 10; ++i) {
    TraceEvent event;
    event.first = i;
    buffer_.record(event);
  }
  EXPECT_EQ(events().size(), TraceBuffer::capacity);
  EXPECT_EQ(events().back().first, TraceBuffer::capacity - 1);
  EXPECT_EQ(buffer_.dropped(), 10u);
  TraceEvent few[3];
  EXPECT_EQ(buffer_.read(few, 3), 3u);
  EXPECT_EQ(few[2].first, 2u);
}

TEST_F(Trace, ThreadsRecordSideBySide) {
  constexpr uint64_t each = 5000;
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (uint64_t i = 0; i < each; ++i) {
        TraceSpan span(true, TraceEvent::Kind::Chunk, 0, thread);
        span.event.first = i;
      }
    });
  for (int i = 0; i < 20; ++i)
    for (const TraceEvent& event : events()) // none is half written
      ASSERT_LE(event.begin_ns, event.end_ns);
  for (std::thread& thread : threads)
    thread.join();
  std::set<std::pair<uint32_t, uint64_t>> seen;
  for (const TraceEvent& event : events())
    seen.insert({event.thread, event.first});
  EXPECT_EQ(seen.size(), 4 * each);
}

std::string name_of(const TraceEvent& event) { return event.subject == 1 ? "a.c:1 \"f\"" : "b.c:2 g"; }

TEST(TraceFile, IsJsonWithNamesAndExactTimes) {
  TracedNode node;
  node.node = 3;
  node.shift_ns = 1000;
  node.events = {{TraceEvent::Kind::Region, 3, 12, 0, 5'000'001, 6'000'003, 1, nullptr, 0, 0},
                 {TraceEvent::Kind::Chunk, 3, 12, 1, 5'500'000, 5'500'000, 2, nullptr, 64, 32}};
  node.faults = {{5'100'000, 5'200'000, 0x7000, "write miss"}};
  node.dropped = 2;
  TracedNode silent;
  silent.node = 4;
  silent.answered = false;
  const Json file = JsonReader::read(format_trace({node, silent}, 1'000'000, name_of));
  EXPECT_EQ(file["otherData"]["dropped"].number, 2);
  const auto& events = file["traceEvents"].elements;
  ASSERT_EQ(events.size(), 3u + 2 + 2 + 1);
  EXPECT_EQ(events[0]["args"]["name"].text, "node 3");
  EXPECT_EQ(events[2]["args"]["name"].text, "thread 12");
  EXPECT_EQ(events[3]["name"].text, "a.c:1 \"f\"");
  EXPECT_EQ(events[3]["ts"].number, 4001.001);
  EXPECT_EQ(events[3]["dur"].number, 1000.002);
  EXPECT_EQ(events[4]["name"].text, "loop b.c:2 g");
  EXPECT_EQ(events[4]["args"]["first"].number, 64);
  EXPECT_EQ(events[4]["args"]["iterations"].number, 32);
  EXPECT_EQ(events[4]["args"]["measured"].number, 1);
  EXPECT_EQ(events[3]["tid"].number, events[2]["tid"].number);
  EXPECT_EQ(events[5]["ph"].text, "b");
  EXPECT_EQ(events[6]["ph"].text, "e");
  EXPECT_EQ(events[5]["args"]["page"].text, "0x7000");
  EXPECT_EQ(events[6]["ts"].number, 4201);
  EXPECT_EQ(events[7]["args"]["name"].text, "node 4 (did not answer)");
  EXPECT_NE(events[7]["pid"].number, events[0]["pid"].number);
  EXPECT_NE(events[5]["tid"].number, events[3]["tid"].number);
}

TEST(TraceFile, NoEventsAreAFileToo) {
  EXPECT_TRUE(JsonReader::read(format_trace({}, 0, name_of))["traceEvents"].elements.empty());
}

} // namespace
} // namespace hetmp::perf
