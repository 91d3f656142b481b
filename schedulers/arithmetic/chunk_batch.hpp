// How many chunks of a dynamic loop a thread takes at a time where asking for them is dear: each time a thread that is
// executed on another node asks, it comes home for it (dsm/migration). Pure.
//
// Nobody promises a program which thread gets a chunk, so a thread may have several that follow each other as one. So
// many that they take about `wanted_us`: their times are measured, and the number grows by `growth` at most, since the
// next ones may take longer. Of what is left others get their share: see most_of().
#pragma once

#include <algorithm>
#include <cstdint>

namespace hetmp::schedulers {

class ChunkBatch {
 public:
  static constexpr double wanted_us = 8000; ///< some fifteen times what it takes to come home and to go again
  static constexpr uint32_t growth = 8;

  /// Chunks to take next; at least 1.
  uint32_t chunks() const { return chunks_; }
  /// So many were executed in this time, with all that came in between.
  void took(uint32_t chunks, double microseconds) {
    const double least_us = double(chunks) * wanted_us / (double(chunks_) * growth); // what makes it grow by that
    chunks_ = uint32_t(std::clamp(double(chunks) * wanted_us / std::max(microseconds, least_us), 1.0, most));
  }

  /// Of so many that are left, for one of so many threads that take from them: near the loop's end all have to find
  /// some.
  static constexpr uint64_t most_of(uint64_t left, uint32_t threads) {
    return std::max<uint64_t>(left / (2 * std::max(threads, 1u)), 1);
  }

 private:
  static constexpr double most = 1 << 20;

  uint32_t chunks_ = 1;
};

} // namespace hetmp::schedulers
