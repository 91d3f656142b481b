#include "runtime/nodes/page_report.hpp"

#include "perf/clock.hpp"
#include "perf/report/report_symbols.hpp"
#include "perf/report/report_text.hpp"
#include "runtime/nodes/bouncing_pages.hpp"
#include "runtime/nodes/construct_names.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace hetmp::runtime::page_report {
namespace {

/// What is known for a report about pages besides what the fabric has seen: since when it watches, and where each
/// parallel region stands in the program's text, by its function. The latter of the origin; written by the one thread
/// that spreads teams, read by it or by whoever reports when a signal ends the program.
class PageWatch {
 public:
  void begin() { began_us_ = perf::monotonic_us(); }
  bool has_begun() const { return began_us_ != 0; }
  double elapsed_us() const { return perf::monotonic_us() - began_us_; }

  void add(uint64_t region, const char* source) {
    FutexLockGuard guard(lock_);
    if (!known_)
      known_ = new std::unordered_map<uint64_t, const char*>; // never destroyed: a report may come at the very end
    known_->try_emplace(region, source);
  }
  const char* find(uint64_t region) {
    FutexLockGuard guard(lock_);
    if (!known_)
      return nullptr;
    const auto known = known_->find(region);
    return known == known_->end() ? nullptr : known->second;
  }

 private:
  double began_us_ = 0; ///< 0: there will be no report. Set before there are teams
  FutexLock lock_;
  std::unordered_map<uint64_t, const char*>* known_ = nullptr; ///< guarded by the lock
};

constinit PageWatch page_watch;

/// Each is looked up once: symbol tables are slow to look through.
class RegionNames {
 public:
  /// "file.c:12 function", or what the symbols tell; empty for 0, outside parallel regions.
  std::string of(uint64_t region) {
    const auto [place, is_new] = names_.try_emplace(region);
    if (is_new && region != 0)
      place->second = name_of_construct(region, page_watch.find(region));
    return place->second;
  }

 private:
  std::unordered_map<uint64_t, std::string> names_;
};

/// Libraries that allocate for the program.
bool allocates_for_others(std::string_view object) {
  for (std::string_view name : {"libhetmp", "libc.so", "libc-", "libstdc++", "libc++", "libgcc_s", "libgfortran"})
    if (object.starts_with(name))
      return true;
  return false;
}

std::string name_of_block(const dsm::AllocationRecord& block) {
  const std::string node = "node " + std::to_string(block.node);
  if (block.begin == 0)
    return "heap of " + node;
  std::string text = "heap block of " + std::to_string(block.bytes) + " bytes at " + perf::hexadecimal(block.begin);
  for (const uint64_t caller : block.callers) {
    if (caller == 0)
      break;
    const perf::CodePlace place = perf::code_at(caller - 1); // what is behind the call may be another function
    if (!place.object.empty() && !allocates_for_others(place.object))
      return text + ", allocated in " + text_of(place);
  }
  return text;
}

/// The compiler's own mark that a program's destructors have run: written once, when it ends.
bool belongs_to_compiler(std::string_view variable) {
  constexpr std::string_view mark = "completed.";
  return variable.starts_with(mark) && variable.find_first_not_of("0123456789", mark.size()) == variable.npos;
}

/// What lies at the written words of a page: each thing once.
std::vector<std::string> names_at(uint64_t page, const WrittenWords& words) {
  constexpr size_t most = 6;
  std::vector<std::string> names;
  uint64_t known_until = 0;
  std::vector<perf::Variable> variables;
  bool looked = false;
  for (const uint64_t address : words.addresses(page)) {
    if (address < known_until)
      continue;
    dsm::AllocationRecord block;
    fabric->find_allocation(address, &block);
    std::string name;
    known_until = address + dsm::PageRecord::word_bytes;
    if (block.place == dsm::AllocationRecord::Place::Heap) {
      name = name_of_block(block);
      known_until = std::max(known_until, block.begin + block.bytes);
    } else if (block.place == dsm::AllocationRecord::Place::Stack) {
      name = "stack of a thread of node " + std::to_string(block.node);
      known_until = page + page_bytes;
    } else {
      if (!looked)
        variables = perf::variables_in(page, page + page_bytes);
      looked = true;
      const auto at = std::find_if(variables.begin(), variables.end(), [address](const perf::Variable& variable) {
        return address + dsm::PageRecord::word_bytes > variable.begin && address < variable.begin + variable.bytes;
      });
      if (at == variables.end() || belongs_to_compiler(at->name))
        continue;
      name = at->name + " (" + std::to_string(at->bytes) + " bytes)";
      known_until = at->begin + at->bytes;
    }
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
    if (names.size() == most)
      break;
  }
  return names;
}

struct Gathered {
  perf::Report* report;
  PagesOfNodes pages;
};

void take(void* context, const dsm::NodeObservation& seen) {
  auto& gathered = *static_cast<Gathered*>(context);
  perf::NodeFaultTotals totals;
  totals.known = seen.answered;
  totals.read_misses = seen.counters.read_misses;
  totals.write_misses = seen.counters.write_misses;
  totals.write_upgrades = seen.counters.write_upgrades;
  totals.invalidations = seen.counters.invalidations;
  totals.bytes_received = seen.counters.bytes_received;
  totals.messages = seen.counters.messages;
  totals.waited_us = double(seen.waited_ns) / 1000;
  gathered.report->totals.push_back(totals);
  for (size_t i = 0; i < seen.page_count; ++i)
    gathered.pages.add(seen.node, seen.pages[i]);
}

} // namespace

void watch() {
  page_watch.begin();
  fabric->watch_pages();
}

void region_begins(const TeamDescription& part) {
  if (!page_watch.has_begun())
    return;
  const auto region = reinterpret_cast<uint64_t>(part.microtask);
  fabric->enter_region(region);
  if (fabric->node != 0)
    return;
  const char* source = source_of(part.source);
  page_watch.add(region, source);
}

void region_ends() {
  if (page_watch.has_begun())
    fabric->enter_region(0);
}

void add_to(perf::Report& report) {
  if (!page_watch.has_begun())
    return;
  report.elapsed_us = page_watch.elapsed_us();
  Gathered gathered{&report, {}};
  fabric->gather_pages(take, &gathered);
  report.pages = gathered.pages.hottest();
  RegionNames names;
  const auto name_of = [&](uint64_t region) { return names.of(region); };
  report.bouncing = gathered.pages.bouncing(report.elapsed_us, names_at, name_of);
}

} // namespace hetmp::runtime::page_report
