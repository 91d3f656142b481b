// From what each node has seen of its pages to what a report says about them. Pure.
#pragma once

#include "base/page.hpp"
#include "dsm/fabric.hpp"
#include "perf/report/report_pages.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hetmp::runtime {

/// Words of a page; none set: it is not known which.
struct WrittenWords {
  uint64_t bits[16] = {};

  bool known() const;
  void add(const uint64_t (&more)[16]);
  bool overlap(const WrittenWords& other) const;
  uint64_t first_byte() const; ///< only if known()
  uint64_t last_byte() const;  ///< likewise
  /// Ascending; every word of the page if it is not known which.
  std::vector<uint64_t> addresses(uint64_t page) const;
};

class PagesOfNodes {
 public:
  /// A page bounces if the right to write it came back to at least two nodes, and so often in all...
  static constexpr uint64_t fewest_turns = 32;
  /// ... and is worth a word if a node waited for it and its like for this part of the program's time.
  static constexpr double least_part = 0.01;
  static constexpr size_t most_shown = 256;

  using NamesAt = std::function<std::vector<std::string>(uint64_t page, const WrittenWords& words)>;
  using NameOfRegion = std::function<std::string(uint64_t region)>;

  void add(uint32_t node, const dsm::PageRecord& record);

  /// Those with most faults, in the order of addresses.
  std::vector<perf::HotPage> hottest() const;
  /// Pages side by side that hold the same are one. The functions are asked about pages that bounce only.
  std::vector<perf::BouncingPages> bouncing(double elapsed_us, const NamesAt& names_at,
                                            const NameOfRegion& name_of_region) const;

 private:
  using OfNodes = std::vector<std::pair<uint32_t, dsm::PageRecord>>;

  static bool bounces(const OfNodes& nodes);
  std::vector<uint64_t> dearest_that_bounce() const;
  static perf::BouncingPages describe(uint64_t address, const OfNodes& nodes, const NamesAt& names_at,
                                      const NameOfRegion& name_of_region);

  std::map<uint64_t, OfNodes> pages_; ///< by address
};

} // namespace hetmp::runtime
