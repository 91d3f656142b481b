#include "dsm/ahead/visit_memory.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

/// A visit that has fewer to fetch begins to fetch them with its first fault: that is nearly as good, and costs
/// nothing.
constexpr size_t least_to_wake = 2;
constexpr uint32_t enough_expected = 4; ///< pages left out before they are judged
constexpr uint32_t enough_asked = 4;    ///< pages asked for, likewise

} // namespace

/// The loop's memory for a visit; null while it is given up.
VisitMemory::Memory* VisitMemory::start(Loop loop) {
  HETMP_CHECK(loop != 0 && loops_.size() <= most_loops);
  ++visits_;
  current_loop_ = loop;
  auto found = loops_.find(loop);
  if (found == loops_.end()) {
    if (loops_.size() == most_loops)
      loops_.erase(std::min_element(loops_.begin(), loops_.end(),
                                    [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    found = loops_.try_emplace(loop).first;
  }
  HETMP_CHECK(!current_); // the visit before is over
  Memory& memory = found->second;
  HETMP_CHECK_COSTLY(memory.valid());
  memory.used = visits_;
  ++memory.visits;
  if (memory.rest == 0)
    return &memory;
  --memory.rest;
  return nullptr;
}

/// Whether the page is asked for at the beginning of this visit.
bool VisitMemory::choose(Page& page, size_t index, bool needed) {
  HETMP_CHECK(index < current_->pages.size() && current_->period != 0);
  page.asked = page.left_out = page.met = page.taken = false;
  if (page.barred != 0) {
    --page.barred;
    return false;
  }
  if (!needed) {
    ++page.idle;
    return false;
  }
  page.idle = 0;
  page.left_out = (index + current_->visits) % current_->period == 0;
  page.asked = !page.left_out;
  return page.asked;
}

void VisitMemory::fetched(PageNumber number, bool write) {
  if (!current_)
    return;
  const auto [entry, fresh] = current_->index.try_emplace(number, uint32_t(current_->pages.size()));
  if (fresh) {
    if (current_->pages.size() == most_pages) {
      current_->index.erase(entry);
      return;
    }
    current_->pages.push_back({number, write});
    current_->pages.back().met = true;
    return;
  }
  HETMP_CHECK(entry->second < current_->pages.size());
  Page& page = current_->pages[entry->second];
  HETMP_CHECK(page.number == number); // the index names the page it is for
  // The first fault on a page that was left out tells anew what it is wanted for; one for a write that follows, more.
  page.write = write || (page.write && !(page.left_out && !page.met));
  page.met = true;
}

void VisitMemory::lost(PageNumber number) {
  if (!current_)
    return;
  const auto found = current_->index.find(number);
  if (found != current_->index.end() && current_->pages[found->second].asked)
    current_->pages[found->second].taken = true;
}

void VisitMemory::finish() {
  if (!current_)
    return;
  uint32_t asked = 0, taken = 0;
  size_t fetched = 0;
  for (Page& page : current_->pages) {
    asked += page.asked;
    taken += page.taken;
    current_->expected += page.left_out;
    current_->met += page.left_out && page.met;
    if (page.taken)
      page.barred = visits_barred;
    fetched += page.barred == 0 && (page.asked || page.met);
  }
  forget_pages();
  HETMP_CHECK_COSTLY(current_->valid());
  judge(asked, taken);
  worth_waking_[place_of(current_loop_)].set(fetched >= least_to_wake && current_->rest == 0);
  current_ = nullptr;
}

/// Those that were left out and not missed, and those that have long been here without being fetched.
void VisitMemory::forget_pages() {
  Memory& memory = *current_;
  const auto stale = [](const Page& page) { return (page.left_out && !page.met) || page.idle >= visits_idle; };
  if (std::erase_if(memory.pages, stale) == 0)
    return;
  HETMP_CHECK(memory.pages.size() <= most_pages);
  memory.index.clear();
  for (size_t i = 0; i < memory.pages.size(); ++i)
    memory.index.emplace(memory.pages[i].number, uint32_t(i));
}

void VisitMemory::judge(uint32_t asked, uint32_t taken) {
  Memory& memory = *current_;
  HETMP_CHECK(taken <= asked && memory.met <= memory.expected);
  if (asked >= enough_asked && taken * 2 > asked) {
    give_up(memory);
  } else if (memory.expected >= enough_expected) {
    if (memory.met * 2 < memory.expected) {
      give_up(memory);
    } else {
      memory.period = std::min(memory.period * 2, longest_period);
      memory.next_rest = first_rest;
    }
    memory.expected = memory.met = 0;
  }
}

void VisitMemory::give_up(Memory& memory) {
  memory.pages.clear();
  memory.index.clear();
  memory.period = first_period;
  memory.expected = memory.met = 0;
  HETMP_CHECK(memory.next_rest >= first_rest && memory.next_rest <= longest_rest);
  memory.rest = memory.next_rest;
  memory.next_rest = std::min(memory.next_rest * 2, longest_rest);
}

size_t VisitMemory::pages_of(Loop loop) const {
  const auto found = loops_.find(loop);
  return found == loops_.end() ? 0 : found->second.pages.size();
}

} // namespace hetmp::dsm
