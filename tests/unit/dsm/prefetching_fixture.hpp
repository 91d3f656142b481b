// Pages of two nodes that only remember what they were asked, and what asks them ahead of threads.
#pragma once

#include "dsm/ahead/prefetcher.hpp"

#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

namespace hetmp::dsm {

/// Pages that come only when the test says so.
class Pages final : public PageSource {
 public:
  bool is_missing(PageNumber page, bool write) const override { return !(write ? writable : here).count(page); }
  bool is_asked_for(PageNumber page) const override { return under_way.count(page) != 0; }
  void ask(PageNumber page, bool write) override {
    asked.emplace_back(page, write);
    under_way.insert(page);
  }
  void send_asked() override { ++sent; }
  void watch(PageNumber page) override { watched.push_back(page); }
  void push(PageNumber page, uint32_t to) override { pushed.emplace_back(page, to); }
  bool all_readable() const override { return readable; }

  void come() {
    for (const PageNumber page : under_way)
      here.insert(page);
    under_way.clear();
  }

  std::set<PageNumber> here, writable, under_way;
  std::vector<std::pair<PageNumber, bool>> asked;
  std::vector<PageNumber> watched;
  std::vector<std::pair<PageNumber, uint32_t>> pushed;
  int sent = 0;
  bool readable = true;
};

class Prefetching : public testing::Test {
 protected:
  void fault(PageNumber page) {
    prefetcher.visits.fetched(page, false, pages);
    prefetcher.streams.fetch(prefetcher.streams.faulted(page, Access::Read, 1, true, pages), page, pages,
                             prefetcher.visits);
    pages.here.insert(page);
  }

  static AddressPlan two_nodes() {
    AddressPlan plan;
    plan.set(2, {});
    return plan;
  }

  const AddressPlan plan = two_nodes();
  Prefetcher prefetcher{plan};
  Pages pages;
  const PageNumber others = plan.page_of(AddressPlan::large_part(1).begin) + 1000; // of the other node's heap
  const PageNumber stack = plan.page_of(AddressPlan::stack_part(1).begin) + 1000;
};

} // namespace hetmp::dsm
