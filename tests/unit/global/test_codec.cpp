// Runtime messages as bytes: each kind survives, and bytes that no correct node sends are refused.
#include "runtime/global/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace hetmp::runtime {
namespace {

using Bytes = std::vector<std::byte>;

constexpr ConstructName name{0x1122334455667788, 99};
constexpr std::string_view source = ";file.c;main;10;3;;";
const NodeSet nodes = NodeSet::of_bits(0x8000000000000005);

schedulers::NodeMeasurement measurement() {
  schedulers::NodeMeasurement done;
  done.threads = 3;
  done.iterations = 1'000'000;
  done.thread_us = 12.5;
  done.read_misses = 7;
  done.cache_misses = UINT64_MAX;
  return done;
}

schedulers::Assignment assignment(uint32_t pieces) {
  schedulers::Assignment made;
  for (uint64_t i = 0; i < pieces; ++i)
    made.add({10 * i, 10 * i + 7});
  made.distribution = schedulers::Assignment::Distribution::Guided;
  made.measured = true;
  made.repeats = 12;
  return made;
}

Handover handover(uint32_t count) {
  Handover tasks;
  tasks.origin = 63;
  tasks.count = count;
  tasks.icvs.nthreads = 17;
  tasks.icvs.places = {1, 2};
  for (uint32_t i = 0; i < count; ++i)
    tasks.tasks[i] = {{7, 0x1000 + i}, {}, 0x2000 + i, i, i % 2 == 1};
  return tasks;
}

TeamDescription team(uint32_t arguments) {
  static const char somewhere[most_forwarded_arguments] = {};
  TeamDescription part;
  part.team = 5;
  part.node = 2;
  part.nodes = 3;
  part.participants = nodes;
  part.threads = 12;
  part.first_thread = 4;
  part.local_threads = 4;
  part.float_control = 0x37f'0000'9fc0;
  part.device.teams = -1;
  part.listed.count = 2;
  part.listed.sizes[0] = 3;
  part.listed.sizes[1] = 4;
  part.source = &source;
  part.argument_count = arguments;
  for (uint32_t i = 0; i < arguments; ++i)
    part.arguments[i] = const_cast<char*>(&somewhere[i]);
  return part;
}

constexpr TeamCode code{{5, 0x400}, {CodeId::shared_memory | 0x10, 0x800}};

/// Each kind of request, and some that have much or nothing in them.
std::vector<Request> requests() {
  const Asker from{63, 4095};
  const std::string longest(Request::longest_source, 'x');
  static const std::string kept = longest;
  const schedulers::Schedule schedule{.kind = schedulers::ScheduleKind::HetProbeI, .chunk = 3};
  return {{from, Request::Barrier{name, nodes, 1, 2, 3}},
          {from, Request::Join{name, nodes, 1, true, true, 9, true}},
          {from, Request::AskLoop{name, nodes, 1, 8, 9, schedule, 1000, measurement(), source}},
          {from, Request::AskLoop{name, nodes, 1, 8, 9, {}, 0, {}, {}}},
          {from, Request::AskLoop{name, nodes, 1, 8, 9, {}, 0, {}, kept}},
          {from, Request::ReportLoop{name, measurement()}},
          {from, Request::OrderedWait{name, 3}},
          {from, Request::OrderedPost{name, UINT64_MAX}},
          {from, Request::Lock{1}},
          {from, Request::TryLock{2}},
          {from, Request::GiveBackLock{3, true}},
          {from, Request::KeepLock{4, 5}},
          {from, Request::ReleaseLock{6}},
          {from, Request::OfferCopies{name, nodes, 4, false}},
          {from, Request::TakeCopies{name, nodes, 63}},
          {from, Request::ReleaseCopies{name, nodes}},
          {from, Request::AskIdle{8}},
          {from, Request::OfferTasks{8, handover(1)}},
          {from, Request::OfferTasks{8, handover(Handover::most)}},
          {from, Request::ReturnTask{62, 5, 6}},
          {from, Request::Cancel{8, nodes, 0, 0}},
          {from, Request::Cancel{8, nodes, 7, 9}}};
}

std::vector<Answer> answers() {
  const Asker to{1, 2};
  return {{to, Answer::Go{}},
          {to, Answer::BarrierOver{0xff}},
          {to, Answer::Tasks{handover(2)}},
          {to, Answer::Assigned{assignment(0)}},
          {to, Answer::Assigned{assignment(schedulers::Assignment::most_pieces)}},
          {to, Answer::LockGranted{1, true}},
          {to, Answer::LockTried{2, true, false}},
          {to, Answer::LockRecalled{3, 4, true}},
          {to, Answer::LockHome{5}},
          {to, Answer::LockReleased{6}},
          {to, Answer::Copies{0x7000}},
          {to, Answer::IdleNodes{3}},
          {to, Answer::TasksUnwanted{handover(3)}},
          {to, Answer::TaskDone{4, 5}},
          {to, Answer::Cancelled{8, 0}},
          {to, Answer::Cancelled{8, 7}},
          {to, Answer::Joined{1000, true}}};
}

Bytes bytes_of(const EncodedMessage& message) { return {message.bytes().begin(), message.bytes().end()}; }

/// Of every message that is tried.
std::vector<Bytes> all_messages() {
  std::vector<Bytes> all = {bytes_of(EncodedMessage(ReportWanted{}))};
  for (const Request& request : requests())
    all.push_back(bytes_of(EncodedMessage(request)));
  for (const Answer& answer : answers())
    all.push_back(bytes_of(EncodedMessage(answer)));
  for (const uint32_t arguments : {0u, 1u, most_forwarded_arguments})
    all.push_back(bytes_of(EncodedMessage(team(arguments), code)));
  return all;
}

Bytes written_again(const Message& message) {
  return std::visit([](const auto& content) { return bytes_of(EncodedMessage(content)); }, message);
}

/// Why the bytes are refused; empty if they are not.
std::string refusal(const Bytes& bytes) {
  Message message;
  const char* why = decode(bytes, message);
  return why ? why : "";
}

template <class Content> std::string refusal_of(const Content& content) {
  return refusal(bytes_of(EncodedMessage(content)));
}

TEST(Codec, EveryKindIsTried) {
  std::vector<bool> asked(std::variant_size_v<decltype(Request::content)>);
  for (const Request& request : requests())
    asked[request.content.index()] = true;
  EXPECT_EQ(std::count(asked.begin(), asked.end(), false), 0);
  std::vector<bool> answered(std::variant_size_v<decltype(Answer::content)>);
  for (const Answer& answer : answers())
    answered[answer.content.index()] = true;
  EXPECT_EQ(std::count(answered.begin(), answered.end(), false), 0);
}

TEST(Codec, EveryKindSurvives) {
  for (const Bytes& bytes : all_messages()) {
    Message message;
    const char* why = decode(bytes, message);
    ASSERT_EQ(why, nullptr) << why;
    EXPECT_EQ(written_again(message), bytes);
  }
}

TEST(Codec, FieldsComeOutWhereTheyWentIn) {
  Message message;
  const Bytes asked = bytes_of(EncodedMessage(requests()[2]));
  ASSERT_EQ(decode(asked, message), nullptr);
  const Request& request = std::get<Request>(message);
  EXPECT_EQ(request.from, (Asker{63, 4095}));
  const auto& loop = std::get<Request::AskLoop>(request.content);
  EXPECT_EQ(loop.name, name);
  EXPECT_EQ(loop.nodes, nodes);
  EXPECT_EQ(loop.threads, 8u);
  EXPECT_EQ(loop.call_site, 9u);
  EXPECT_EQ(loop.schedule, (schedulers::Schedule{.kind = schedulers::ScheduleKind::HetProbeI, .chunk = 3}));
  EXPECT_EQ(loop.done.thread_us, 12.5);
  EXPECT_EQ(loop.source, source);

  const Bytes told = bytes_of(EncodedMessage(answers()[4]));
  ASSERT_EQ(decode(told, message), nullptr);
  EXPECT_EQ(std::get<Answer::Assigned>(std::get<Answer>(message).content).assignment,
            assignment(schedulers::Assignment::most_pieces));

  const Bytes started = bytes_of(EncodedMessage(TeamStart{team(3), code}));
  ASSERT_EQ(decode(started, message), nullptr);
  const auto& start = std::get<TeamStart>(message);
  EXPECT_EQ(start.code.microtask, code.microtask);
  EXPECT_EQ(start.code.invoke, code.invoke);
  const TeamDescription& part = start.part;
  EXPECT_EQ(part.participants, nodes);
  EXPECT_EQ(part.source, static_cast<const void*>(&source));
  EXPECT_EQ(part.microtask, nullptr) << "an address of code does not travel";
  EXPECT_EQ(part.float_control, 0x37f'0000'9fc0);
  EXPECT_EQ(part.listed.sizes[1], 4u);
  ASSERT_EQ(part.argument_count, 3u);
  EXPECT_EQ(part.arguments[2], team(3).arguments[2]);
}

TEST(Codec, SmallThingsAreSmallMessages) {
  EXPECT_LE(EncodedMessage(Request{{1, 2}, Request::Lock{3}}).size(), 24u);
  EXPECT_LE(EncodedMessage(Request{{1, 2}, Request::Barrier{name, nodes, 1, 2, 3}}).size(), 64u);
  EXPECT_LE(EncodedMessage(Answer{{1, 2}, Answer::Go{}}).size(), 16u);
  EXPECT_LE(EncodedMessage(Answer{{1, 2}, Answer::BarrierOver{3}}).size(), 24u);
}

TEST(Codec, NoBeginningOfAMessageIsOneNorIsOneWithMoreBehindIt) {
  for (Bytes bytes : all_messages()) {
    for (size_t size = 0; size < bytes.size(); ++size)
      ASSERT_EQ(refusal(Bytes(bytes.begin(), bytes.begin() + std::ptrdiff_t(size))), "is too short") << size;
    bytes.push_back({});
    EXPECT_EQ(refusal(bytes), "is too long");
  }
}

TEST(Codec, KindsThatThereAreNotAreRefused) {
  const auto with = [](Bytes bytes, size_t place, size_t value) {
    bytes[place] = std::byte(value);
    return refusal(bytes);
  };
  constexpr size_t of_content = 1 + 2 * sizeof(uint32_t); // behind the message's kind and the asker
  const Bytes request = bytes_of(EncodedMessage(requests()[8])), answer = bytes_of(EncodedMessage(answers()[0]));
  const std::string no_kind = "is of a kind that there is not";
  for (size_t kind = std::variant_size_v<Message>; kind < 256; ++kind)
    EXPECT_EQ(with(request, 0, kind), no_kind);
  for (size_t kind = std::variant_size_v<decltype(Request::content)>; kind < 256; ++kind)
    EXPECT_EQ(with(request, of_content, kind), no_kind);
  for (size_t kind = std::variant_size_v<decltype(Answer::content)>; kind < 256; ++kind)
    EXPECT_EQ(with(answer, of_content, kind), no_kind);
}

TEST(Codec, ValuesOutOfRangeAreRefused) {
  const Asker from{1, 1};
  const std::string no_node = "names a node that there cannot be";
  EXPECT_EQ(refusal_of(Request{{most_nodes, 1}, Request::Lock{1}}), no_node);
  EXPECT_EQ(refusal_of(Answer{{UINT32_MAX, 1}, Answer::Go{}}), no_node);
  EXPECT_EQ(refusal_of(Request{from, Request::TakeCopies{name, nodes, most_nodes}}), no_node);
  EXPECT_EQ(refusal_of(Request{from, Request::ReturnTask{most_nodes, 0, 0}}), no_node);
  Handover tasks = handover(1);
  tasks.origin = most_nodes;
  EXPECT_EQ(refusal_of(Answer{from, Answer::Tasks{tasks}}), no_node);
  EXPECT_EQ(refusal_of(Answer{from, Answer::Tasks{handover(0)}}), "hands over no task");

  schedulers::Schedule schedule;
  for (const double percent : {0.0, -1.0, 100.5, std::numeric_limits<double>::quiet_NaN()}) {
    schedule.probe_percent = percent;
    EXPECT_EQ(refusal_of(Request{from, Request::AskLoop{name, nodes, 1, 8, 9, schedule, 1, {}, {}}}),
              "has a probe that is no part of a loop");
  }
  schedule = {.kind = schedulers::ScheduleKind(int(schedulers::ScheduleKind::HetProbeI) + 1)};
  EXPECT_EQ(refusal_of(Request{from, Request::AskLoop{name, nodes, 1, 8, 9, schedule, 1, {}, {}}}),
            "has a value that its kind has not");
  schedulers::NodeMeasurement done;
  done.busy_us = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal_of(Request{from, Request::ReportLoop{name, done}}), "has a time that is no number");
  done = {};
  done.granted_cpus = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal_of(Request{from, Request::ReportLoop{name, done}}), "has a time that is no number");

  schedulers::Assignment overlapping = assignment(2);
  overlapping.pieces[1].begin = overlapping.pieces[0].end - 1;
  EXPECT_EQ(refusal_of(Answer{from, Answer::Assigned{overlapping}}),
            "has pieces of a loop that do not follow each other");
  schedulers::Assignment with_nothing = assignment(2);
  with_nothing.pieces[1].end = with_nothing.pieces[1].begin;
  EXPECT_EQ(refusal_of(Answer{from, Answer::Assigned{with_nothing}}),
            "has pieces of a loop that do not follow each other");

  Bytes truth = bytes_of(EncodedMessage(Answer{from, Answer::LockTried{1, false, true}}));
  truth.back() = std::byte(2);
  EXPECT_EQ(refusal(truth), "has a truth value that is neither");
}

TEST(Codec, CountsAreNotTrusted) {
  const auto with_count = [](Bytes bytes, size_t place, uint32_t value) {
    memcpy(bytes.data() + place, &value, sizeof value);
    return refusal(bytes);
  };
  const std::string too_many = "counts more than there may be";
  const Bytes pieces = bytes_of(EncodedMessage(Answer{{1, 1}, Answer::Assigned{assignment(0)}}));
  constexpr size_t of_pieces = 1 + 2 * sizeof(uint32_t) + 1;
  const TeamDescription part = team(0);
  const Bytes start = bytes_of(EncodedMessage(part, code));
  const size_t of_arguments = start.size() - sizeof(uint32_t);
  const Bytes asked = bytes_of(EncodedMessage(requests()[3])); // without a text
  const size_t of_text = asked.size() - sizeof(uint32_t);
  for (const uint32_t count : {1000u, UINT32_MAX, 0x80000000u}) {
    EXPECT_EQ(with_count(pieces, of_pieces, count), too_many);
    EXPECT_EQ(with_count(start, of_arguments, count), too_many);
    EXPECT_EQ(with_count(asked, of_text, count), "has a text that is too long");
  }
  EXPECT_EQ(with_count(pieces, of_pieces, 8), "is too short");
  EXPECT_EQ(with_count(start, of_arguments, most_forwarded_arguments), "is too short");
  EXPECT_EQ(with_count(asked, of_text, Request::longest_source), "is too short");
}

TEST(Codec, PartsThatNoTeamHasAreRefused) {
  const auto refused = [](auto change) {
    TeamDescription part = team(1);
    change(part);
    return refusal_of(TeamStart{part, code});
  };
  const std::string no_node = "names a node that there cannot be",
                    no_threads = "starts threads that are not the team's";
  EXPECT_EQ(refused([](TeamDescription& part) { part.node = 1; }), no_node) << "not one of the team's";
  EXPECT_EQ(refused([](TeamDescription& part) { part.node = most_nodes; }), no_node);
  EXPECT_EQ(refused([](TeamDescription& part) { part.nodes = 2; }), no_node);
  EXPECT_EQ(refused([](TeamDescription& part) { part.local_threads = 0; }), no_threads);
  EXPECT_EQ(refused([](TeamDescription& part) { part.local_threads = 9; }), no_threads);
  EXPECT_EQ(refused([](TeamDescription& part) { part.first_thread = 12; }), no_threads);
  for (const unsigned bit : {0u, 5u, 16u, 31u, 48u, 63u})
    EXPECT_EQ(refused([&](TeamDescription& part) { part.float_control |= FloatControl(1) << bit; }),
              "has threads compute as no processor does");
}

TEST(Codec, WhatNamesNoCodeIsRefused) {
  const std::string no_code = "names no code to execute";
  EXPECT_EQ(refusal_of(TeamStart{team(1), {{}, code.invoke}}), no_code);
  EXPECT_EQ(refusal_of(TeamStart{team(1), {code.microtask, {}}}), no_code);
  Handover tasks = handover(2);
  tasks.tasks[1].function = {};
  EXPECT_EQ(refusal_of(Request{{1, 1}, Request::OfferTasks{8, tasks}}), no_code);
}

TEST(Codec, WhatCannotBeCancelledIsRefused) {
  const Asker from{1, 1};
  const std::string nothing = "cancels what there cannot be";
  EXPECT_EQ(refusal_of(Request{from, Request::Cancel{0, nodes, 2, 0}}), nothing) << "no team";
  EXPECT_EQ(refusal_of(Request{from, Request::Cancel{1, nodes, 1, 0}}), nothing) << "no thread counts so";
  EXPECT_EQ(refusal_of(Request{from, Request::Cancel{1, nodes, 0, 3}}), nothing) << "a loop instead of the region";
  EXPECT_EQ(refusal_of(Answer{from, Answer::Cancelled{0, 2}}), nothing);
  EXPECT_EQ(refusal_of(Answer{from, Answer::Cancelled{1, 1}}), nothing);
}

TEST(Codec, WhateverIsAcceptedIsWhatWouldBeSent) {
  std::mt19937 random(13);
  const std::vector<Bytes> all = all_messages();
  for (int turn = 0; turn < 200'000; ++turn) {
    Bytes bytes = all[random() % all.size()];
    for (uint32_t changes = 1 + random() % 3; changes != 0; --changes)
      bytes[random() % std::min<size_t>(bytes.size(), 300)] = std::byte(random() % 4 == 0 ? random() : random() % 8);
    Message message;
    if (!decode(bytes, message)) {
      ASSERT_EQ(written_again(message), bytes);
    }
  }
}

} // namespace
} // namespace hetmp::runtime
