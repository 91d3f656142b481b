// How many chunks of a dynamic loop a thread takes at a time where asking for them is dear: each time a thread that is
// executed on another node asks, it comes home for it (dsm/migration). Pure.
//
// Nobody promises a program which thread gets a chunk, so a thread may have several that follow each other as one. So
// many that they take some time: their times are measured, and the number grows by `growth` at most, since the next
// ones may take longer. At first that is `short_us`. As long as batches take what was expected the next ones are twice
// as long: what chunks that follow each other write lies side by side, and the further apart the nodes write, the fewer
// pages both want. The longer a batch, the less of what is left it may be: all the time of a loop may lie in a few of
// its iterations, and near the end everybody has to find some.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hetmp::schedulers {

class ChunkBatch {
 public:
  static constexpr double short_us = 8000; ///< some fifteen times what it takes to come home and to go again
  static constexpr double long_us = 512'000;
  static constexpr double surprise = 2; ///< times as long as expected: they are short again
  static constexpr uint32_t growth = 8;
  static constexpr uint64_t short_part = 2; ///< short ones have at most such a part of the thread's share of what is
  static constexpr uint64_t long_part = 8;  ///< left, longer ones such a part

  /// Chunks to take next of so many that are left, which so many threads take from; at least 1.
  uint64_t chunks(uint64_t left, uint32_t threads) const {
    const uint64_t share = left / std::max(threads, 1u);
    const auto shorter = uint64_t(chunks_ * std::min(1.0, short_us / wanted_us_));
    return std::max(
        {std::min(shorter, share / short_part), std::min<uint64_t>(chunks_, share / long_part), uint64_t(1)});
  }
  /// So many were executed in this time, with all that came in between.
  void took(uint64_t chunks, double microseconds) {
    if (microseconds > surprise * wanted_us_)
      wanted_us_ = short_us;
    else if (microseconds >= wanted_us_ / 2)
      wanted_us_ = std::min(2 * wanted_us_, long_us);
    const double least_us = double(chunks) * wanted_us_ / (double(chunks_) * growth); // what makes it grow by that
    chunks_ = uint32_t(std::clamp(double(chunks) * wanted_us_ / std::max(microseconds, least_us), 1.0, most));
  }

 private:
  static constexpr double most = 1 << 20;

  double wanted_us_ = short_us;
  uint32_t chunks_ = 1; ///< that take so long, as far as is known
};

} // namespace hetmp::schedulers
