#include "runtime/nodes/bouncing_pages.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

constexpr uint64_t word_bytes = dsm::PageRecord::word_bytes;
constexpr size_t words_per_page = page_bytes / word_bytes;

using Words = perf::BouncingPages::Words;

void add_turns(std::vector<perf::RegionTurns>& regions, const std::string& name, uint64_t turns) {
  const auto same = [&](const perf::RegionTurns& region) { return region.region == name; };
  const auto known = std::find_if(regions.begin(), regions.end(), same);
  if (known == regions.end())
    regions.push_back({name, turns});
  else
    known->turns += turns;
}

void most_turns_first(std::vector<perf::RegionTurns>& regions) {
  std::stable_sort(regions.begin(), regions.end(),
                   [](const perf::RegionTurns& a, const perf::RegionTurns& b) { return a.turns > b.turns; });
}

perf::BouncingWriter describe(uint32_t node, const dsm::PageRecord& record, const WrittenWords& words) {
  perf::BouncingWriter writer;
  writer.node = node;
  writer.turns = record.returns;
  writer.faults = record.read_misses + record.write_misses + record.write_upgrades;
  writer.waited_us = double(record.waited_ns) / 1000;
  if (words.known()) {
    writer.first = words.first_byte();
    writer.last = words.last_byte();
  }
  return writer;
}

/// The second one begins where the first one ends and holds the same things.
bool continues(const perf::BouncingPages& before, const perf::BouncingPages& next) {
  return next.address == before.address + before.pages * page_bytes && !next.holds.empty() &&
         next.holds == before.holds;
}

void merge(perf::BouncingPages& into, const perf::BouncingPages& next) {
  const uint64_t offset = next.address - into.address;
  into.pages += next.pages;
  into.turns += next.turns;
  into.waited_us += next.waited_us;
  if (next.words != into.words)
    into.words = next.words == Words::Same || into.words == Words::Same ? Words::Same : Words::Unknown;
  for (const perf::BouncingWriter& writer : next.writers) {
    const auto known = std::find_if(into.writers.begin(), into.writers.end(),
                                    [&](const perf::BouncingWriter& other) { return other.node == writer.node; });
    perf::BouncingWriter moved = writer;
    moved.first += offset;
    moved.last += offset;
    if (known == into.writers.end()) {
      into.writers.push_back(moved);
      continue;
    }
    known->turns += moved.turns;
    known->faults += moved.faults;
    known->waited_us += moved.waited_us;
    if (moved.first <= moved.last) {
      known->first = known->first <= known->last ? std::min(known->first, moved.first) : moved.first;
      known->last = std::max(known->last, moved.last);
    }
  }
  for (const perf::RegionTurns& region : next.regions)
    add_turns(into.regions, region.region, region.turns);
  most_turns_first(into.regions);
}

double longest_wait(const perf::BouncingPages& pages) {
  double longest = 0;
  for (const perf::BouncingWriter& writer : pages.writers)
    longest = std::max(longest, writer.waited_us);
  return longest;
}

} // namespace

bool WrittenWords::known() const {
  return std::any_of(std::begin(bits), std::end(bits), [](uint64_t part) { return part != 0; });
}

void WrittenWords::add(const uint64_t (&more)[16]) {
  for (size_t i = 0; i < 16; ++i)
    bits[i] |= more[i];
}

bool WrittenWords::overlap(const WrittenWords& other) const {
  for (size_t i = 0; i < 16; ++i)
    if (bits[i] & other.bits[i])
      return true;
  return false;
}

uint64_t WrittenWords::first_byte() const { return addresses(0).front(); }
uint64_t WrittenWords::last_byte() const { return addresses(0).back() + word_bytes - 1; }

std::vector<uint64_t> WrittenWords::addresses(uint64_t page) const {
  std::vector<uint64_t> found;
  const bool all = !known();
  for (size_t word = 0; word < words_per_page; ++word)
    if (all || (bits[word / 64] >> (word % 64) & 1))
      found.push_back(page + word * word_bytes);
  return found;
}

void PagesOfNodes::add(uint32_t node, const dsm::PageRecord& record) {
  pages_[record.address].push_back({node, record});
}

bool PagesOfNodes::bounces(const OfNodes& nodes) {
  uint64_t turns = 0, writers = 0;
  for (const auto& [node, record] : nodes) {
    turns += record.returns;
    writers += record.returns != 0;
  }
  return writers >= 2 && turns >= fewest_turns;
}

perf::BouncingPages PagesOfNodes::describe(uint64_t address, const OfNodes& nodes, const NamesAt& names_at,
                                           const NameOfRegion& name_of_region) {
  perf::BouncingPages page;
  page.address = address;
  WrittenWords all;
  bool know_all = true, same = false;
  for (const auto& [node, record] : nodes) {
    if (record.returns == 0)
      continue;
    WrittenWords words;
    words.add(record.written);
    know_all = know_all && words.known();
    same = same || words.overlap(all);
    all.add(record.written);
    page.writers.push_back(runtime::describe(node, record, words));
    page.turns += record.returns;
    page.waited_us += page.writers.back().waited_us;
    for (const dsm::PageRecord::InRegion& region : record.regions)
      if (region.returns != 0)
        add_turns(page.regions, name_of_region(region.region), region.returns);
  }
  most_turns_first(page.regions);
  page.words = same ? Words::Same : know_all ? Words::Different : Words::Unknown;
  page.holds = names_at(address, all);
  return page;
}

std::vector<perf::HotPage> PagesOfNodes::hottest() const {
  std::vector<perf::HotPage> pages;
  for (const auto& [address, nodes] : pages_) {
    perf::HotPage page;
    page.address = address;
    for (const auto& [node, record] : nodes) {
      page.read_misses += record.read_misses;
      page.write_misses += record.write_misses;
      page.write_upgrades += record.write_upgrades;
      page.turns += record.returns;
      page.waited_us += double(record.waited_ns) / 1000;
    }
    pages.push_back(page);
  }
  if (pages.size() > most_shown) {
    std::nth_element(pages.begin(), pages.begin() + most_shown, pages.end(),
                     [](const perf::HotPage& a, const perf::HotPage& b) { return a.faults() > b.faults(); });
    pages.resize(most_shown);
  }
  std::sort(pages.begin(), pages.end(),
            [](const perf::HotPage& a, const perf::HotPage& b) { return a.address < b.address; });
  return pages;
}

/// At most `most_shown`, in the order of addresses.
std::vector<uint64_t> PagesOfNodes::dearest_that_bounce() const {
  std::vector<std::pair<uint64_t, uint64_t>> costs; // and addresses
  for (const auto& [address, nodes] : pages_) {
    uint64_t waited = 0;
    for (const auto& [node, record] : nodes)
      waited += record.waited_ns;
    if (bounces(nodes))
      costs.push_back({waited, address});
  }
  std::sort(costs.rbegin(), costs.rend());
  costs.resize(std::min(costs.size(), most_shown));
  std::vector<uint64_t> addresses;
  for (const auto& [cost, address] : costs)
    addresses.push_back(address);
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

std::vector<perf::BouncingPages> PagesOfNodes::bouncing(double elapsed_us, const NamesAt& names_at,
                                                        const NameOfRegion& name_of_region) const {
  std::vector<perf::BouncingPages> found;
  for (const uint64_t address : dearest_that_bounce()) {
    perf::BouncingPages page = describe(address, pages_.at(address), names_at, name_of_region);
    if (!found.empty() && continues(found.back(), page))
      merge(found.back(), page);
    else
      found.push_back(std::move(page));
  }
  std::erase_if(found, [&](const perf::BouncingPages& pages) { return longest_wait(pages) < least_part * elapsed_us; });
  std::stable_sort(found.begin(), found.end(), [](const perf::BouncingPages& a, const perf::BouncingPages& b) {
    return a.waited_us > b.waited_us;
  });
  return found;
}

} // namespace hetmp::runtime
