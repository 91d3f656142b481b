#include "dsm/observe/observation.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/elf/elf_image.hpp"
#include "base/futex.hpp"
#include "dsm/space/heap.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <iterator>
#include <new>
#include <numeric>
#include <type_traits>

namespace hetmp::dsm {
namespace {

constexpr size_t most_pages = 512;                                                  ///< records of one node
constexpr int64_t patience = 1'000'000'000, patience_for_timelines = 5'000'000'000; // nanoseconds

/// What an answer about pages begins with.
struct Summary {
  FaultCounters counters;
  uint64_t waited_ns;
};
/// What an answer with a timeline begins with; FaultEvents and the runtime's events follow.
struct TimelineSummary {
  int64_t now_ns;
  uint64_t fault_count;
  uint64_t faults_dropped;
};
static_assert(std::is_trivially_copyable_v<Summary> && std::is_trivially_copyable_v<TimelineSummary> &&
              std::is_trivially_copyable_v<PageRecord> && std::is_trivially_copyable_v<FaultEvent> &&
              std::is_trivially_copyable_v<AllocationRecord>); // answers are made of these
constexpr size_t longest_answer = sizeof(Summary) + most_pages * sizeof(PageRecord);

/// The code of the program itself, from its first executable byte to its last; empty if that is not known.
Segment text_of_program() {
  Segment text;
  const auto look = [](dl_phdr_info* info, size_t, void* result) {
    auto& found = *static_cast<Segment*>(result);
    for_each_segment(*info, [&](const LoadedSegment& segment) {
      if (segment.type != PT_LOAD || !(segment.flags & PF_X))
        return;
      found.begin = found.begin ? std::min(found.begin, segment.begin) : segment.begin;
      found.end = std::max(found.end, segment.end());
    });
    return 1; // the program comes first
  };
  dl_iterate_phdr(look, &text);
  return text;
}

void append(std::vector<uint8_t>& to, const void* bytes, size_t size) {
  const auto* begin = static_cast<const uint8_t*>(bytes);
  to.insert(to.end(), begin, begin + size);
}

/// What the address alone tells: small blocks of a size have their own part of each slice.
void find_small_block(uintptr_t address, AllocationRecord& block) {
  const uintptr_t slice = slices_begin + (address - slices_begin) / slice_bytes * slice_bytes;
  const size_t size_class = (address - slice) / SizeClasses::part_bytes;
  if (size_class >= SizeClasses::count)
    return;
  block.bytes = SizeClasses::bytes_of(unsigned(size_class));
  const uintptr_t part = slice + size_class * SizeClasses::part_bytes;
  block.begin = part + (address - part) / block.bytes * block.bytes;
}

} // namespace

/// One question to some nodes. The service thread writes the answers.
struct Observation::Round {
  uint32_t number = 0;
  using Answer = Published<std::vector<uint8_t>>;
  std::vector<Answer> of_node;
  FutexWord answered{0};
  int64_t asked_ns = 0;
};

void Observation::watch() {
  sites_ = std::make_unique<AllocationSites>(text_of_program());
  own_answer_.reserve(longest_answer);
  pages_.watch_pages();
}

void Observation::watch_faults(size_t most_event_bytes) {
  watches_faults_ = true;
  most_event_bytes_ = most_event_bytes;
  own_answer_.reserve(longest_timeline());
  pages_.watch_faults();
}

size_t Observation::longest_timeline() const {
  return sizeof(TimelineSummary) + PageObserver::most_fault_events * sizeof(FaultEvent) + most_event_bytes_;
}

std::vector<uint32_t> Observation::all_nodes() const {
  std::vector<uint32_t> nodes(plan_.nodes());
  std::iota(nodes.begin(), nodes.end(), 0u);
  return nodes;
}

std::shared_ptr<Observation::Round> Observation::ask(Header::Kind kind, uint64_t address,
                                                     const std::vector<uint32_t>& nodes, size_t most_bytes,
                                                     int64_t patience_ns) {
  HETMP_CHECK(!nodes.empty() && !current_.load(std::memory_order_relaxed)); // one question at a time
  auto round = std::make_shared<Round>();
  rounds_.push_back(round);
  round->number = uint32_t(rounds_.size());
  round->of_node = std::vector<Round::Answer>(plan_.nodes());
  for (const uint32_t node : nodes)
    round->of_node[node].draft().reserve(most_bytes);     // the service thread allocates nothing
  current_.store(round.get(), std::memory_order_release); // pairs with the acquire in take_answer()
  round->asked_ns = monotonic_ns();
  const Header question{kind, round->number, address};
  for (const uint32_t node : nodes)
    send_(node, &question, sizeof question);
  const int64_t deadline = round->asked_ns + patience_ns;
  while (true) {
    const uint32_t answered =
        round->answered.load(std::memory_order_acquire); // pairs with the release in take_answer()
    const int64_t left = deadline - monotonic_ns();
    if (answered == nodes.size() || left <= 0)
      break;
    const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    futex_wait(round->answered, answered, FutexScope::Process, &timeout);
  }
  current_.store(nullptr, std::memory_order_relaxed); // an answer that is being taken still ends in `round`
  return round;
}

void Observation::gather_pages(void (*take)(void*, const NodeObservation&), void* context) {
  if (!sites_)
    return;
  const std::vector<uint32_t> nodes = all_nodes();
  const std::shared_ptr<Round> round = ask(Header::Kind::AskPages, 0, nodes, longest_answer, patience);
  std::vector<PageRecord> pages;
  for (const uint32_t node : nodes) {
    const std::vector<uint8_t>* answer = round->of_node[node].read();
    NodeObservation seen{node, false, {}, 0, nullptr, 0};
    if (answer && answer->size() >= sizeof(Summary)) {
      Summary summary;
      memcpy(&summary, answer->data(), sizeof summary);
      pages.resize((answer->size() - sizeof summary) / sizeof(PageRecord));
      memcpy(static_cast<void*>(pages.data()), answer->data() + sizeof summary, pages.size() * sizeof(PageRecord));
      seen = {node, true, summary.counters, summary.waited_ns, pages.data(), pages.size()};
    }
    take(context, seen);
  }
}

AllocationRecord Observation::find_allocation(uintptr_t address) {
  AllocationRecord block;
  if (!plan_.in_slices(address))
    return block;
  block.node = Heap::owner(reinterpret_cast<const void*>(address));
  block.place = AllocationRecord::Place::Stack;
  if (AddressPlan::stack_part(block.node).contains(address))
    return block;
  block.place = AllocationRecord::Place::Heap;
  find_small_block(address, block);
  if (!sites_)
    return block;
  const std::shared_ptr<Round> round = ask(Header::Kind::AskAllocation, address, {block.node}, sizeof block, patience);
  const std::vector<uint8_t>* answer = round->of_node[block.node].read();
  AllocationRecord known;
  if (answer && answer->size() == sizeof known) {
    memcpy(static_cast<void*>(&known), answer->data(), sizeof known);
    block.begin = known.begin;
    block.bytes = known.bytes;
    std::copy(std::begin(known.callers), std::end(known.callers), block.callers);
  }
  return block;
}

void Observation::gather_timelines(void (*take)(void*, const NodeTimeline&), void* context) {
  if (!watches_faults_)
    return;
  const std::vector<uint32_t> nodes = all_nodes();
  const std::shared_ptr<Round> round =
      ask(Header::Kind::AskTimeline, 0, nodes, longest_timeline(), patience_for_timelines);
  for (const uint32_t node : nodes) {
    const std::vector<uint8_t>* answer = round->of_node[node].read();
    NodeTimeline seen{node, false, 0, nullptr, 0, 0, nullptr, 0};
    TimelineSummary summary;
    if (answer && answer->size() >= sizeof summary) {
      memcpy(&summary, answer->data(), sizeof summary);
      const uint8_t* rest = answer->data() + sizeof summary;
      const size_t left = answer->size() - sizeof summary;
      const size_t count = std::min<size_t>(summary.fault_count, left / sizeof(FaultEvent));
      seen = {node,
              true,
              summary.now_ns - round->asked_ns,
              reinterpret_cast<const FaultEvent*>(rest),
              count,
              summary.faults_dropped,
              rest + count * sizeof(FaultEvent),
              left - count * sizeof(FaultEvent)};
    }
    take(context, seen);
  }
}

void Observation::answer_timeline(std::vector<uint8_t>& bytes) {
  TimelineSummary summary{monotonic_ns(), 0, 0};
  const std::vector<FaultEvent>& faults = pages_.fault_events(&summary.faults_dropped);
  summary.fault_count = faults.size();
  append(bytes, &summary, sizeof summary);
  append(bytes, faults.data(), faults.size() * sizeof(FaultEvent));
  if (!read_events_)
    return;
  const size_t before = bytes.size();
  bytes.resize(before + most_event_bytes_);
  bytes.resize(before + read_events_(bytes.data() + before, most_event_bytes_));
}

void Observation::answer_pages(std::vector<uint8_t>& bytes) {
  Summary summary{};
  pages_.read_counters(&summary.counters);
  bytes.resize(longest_answer);
  auto* records = new (bytes.data() + sizeof summary) PageRecord[most_pages];
  const size_t count = pages_.read_pages(records, most_pages, &summary.waited_ns);
  memcpy(bytes.data(), &summary, sizeof summary);
  bytes.resize(sizeof summary + count * sizeof(PageRecord));
}

void Observation::answer_allocation(uintptr_t address, std::vector<uint8_t>& bytes) {
  if (const auto block = sites_->find(address))
    append(bytes, &*block, sizeof *block);
}

void Observation::answer(uint32_t to, uint32_t own_node, uint32_t round, const std::vector<uint8_t>& bytes) {
  uint8_t message[page_bytes];
  constexpr size_t most = sizeof message - sizeof(Header);
  size_t sent = 0;
  do {
    const size_t part = std::min(most, bytes.size() - sent);
    const bool last = sent + part == bytes.size();
    const Header header{last ? Header::Kind::LastAnswer : Header::Kind::Answer, round, 0};
    memcpy(message, &header, sizeof header);
    memcpy(message + sizeof header, bytes.data() + sent, part);
    sent += part;
    if (to == own_node)
      take_answer(own_node, header, message + sizeof header, part);
    else
      send_(to, message, sizeof header + part);
  } while (sent < bytes.size());
}

bool Observation::take_answer(uint32_t from, const Header& header, const uint8_t* bytes, size_t size) {
  Round* round = current_.load(std::memory_order_acquire); // pairs with the release in ask()
  if (!round || header.round != round->number || from >= round->of_node.size())
    return true; // late
  Round::Answer& answer = round->of_node[from];
  if (answer.is_published() || answer.draft().size() + size > answer.draft().capacity())
    return false;
  append(answer.draft(), bytes, size);
  if (header.kind == Header::Kind::LastAnswer) {
    answer.publish();
    round->answered.fetch_add(1, std::memory_order_release); // pairs with the acquire in ask()
    futex_wake(round->answered, 1);
  }
  return true;
}

bool Observation::message(uint32_t from, uint32_t own_node, const uint8_t* bytes, size_t size) {
  Header header;
  if (size < sizeof header)
    return false;
  memcpy(&header, bytes, sizeof header);
  const bool question = header.kind <= Header::Kind::AskTimeline;
  if (question) {
    if (from != origin || size != sizeof header)
      return false;
    own_answer_.clear();
    const size_t room = own_answer_.capacity();
    if (sites_ && header.kind == Header::Kind::AskPages)
      answer_pages(own_answer_);
    else if (sites_ && header.kind == Header::Kind::AskAllocation)
      answer_allocation(header.address, own_answer_);
    else if (watches_faults_ && header.kind == Header::Kind::AskTimeline)
      answer_timeline(own_answer_);
    HETMP_CHECK(own_answer_.capacity() == room); // the service thread allocates nothing
    answer(from, own_node, header.round, own_answer_);
    return true;
  }
  if (header.kind != Header::Kind::Answer && header.kind != Header::Kind::LastAnswer)
    return false;
  return take_answer(from, header, bytes + sizeof header, size - sizeof header);
}

} // namespace hetmp::dsm
