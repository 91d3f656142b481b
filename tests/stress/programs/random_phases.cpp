// Random writes by random owners, phase after phase, each word then checked against the value it must have.
//
// run with hetmp: HETMP_BUSY_POLL=true
#include "stress.hpp"

#include <omp.h>
#include <vector>

namespace {

constexpr uint64_t words = 48 * 512; // 48 pages

uint64_t global_words[words];
uint8_t global_bytes[3 * 4096];

/// Who writes which word in which phase, and what: functions of a seed, so every thread can recompute them.
struct Model {
  uint64_t seed, team, granule; ///< words that change hands together

  bool written(uint64_t phase, uint64_t index) const { return mixed(phase, index) % 4 != 0; }
  uint64_t owner(uint64_t phase, uint64_t index) const { return mixed(phase, index) / 4 % team; }
  static uint64_t value(uint64_t phase, uint64_t index) { return stress::mix(phase, index); }

 private:
  uint64_t mixed(uint64_t phase, uint64_t index) const { return stress::mix(seed, phase, index / granule); }
};

/// Every thread writes the words it owns in this phase, then checks a random part of all of them, and all in
/// the end.
void run(uint64_t* data, const Model& model, uint64_t phases) {
  std::vector<uint64_t> expected(words, 0); // written between phases by one thread, read by all
  for (uint64_t i = 0; i < words; ++i)
    data[i] = 0;
#pragma omp parallel num_threads(int(model.team))
  {
    const uint64_t me = uint64_t(omp_get_thread_num());
    stress::Random random(model.seed, 77 + me);
    for (uint64_t phase = 1; phase <= phases; ++phase) {
      for (uint64_t i = 0; i < words; ++i)
        if (model.written(phase, i) && model.owner(phase, i) == me) {
          CHECK_EQUAL(data[i], expected[i]);
          data[i] = Model::value(phase, i);
        }
#pragma omp barrier
#pragma omp single
      for (uint64_t i = 0; i < words; ++i)
        if (model.written(phase, i))
          expected[i] = Model::value(phase, i);
      const uint64_t first = random.below(words);
      for (uint64_t i = 0; i < words / 8; ++i) {
        const uint64_t index = (first + i * 3) % words;
        CHECK_EQUAL(data[index], expected[index]);
      }
#pragma omp barrier
    }
#pragma omp for schedule(static, 100)
    for (uint64_t i = 0; i < words; ++i)
      CHECK_EQUAL(data[i], expected[i]);
  }
}

/// Bytes instead of words, without a barrier between writing one's own and reading one's own.
void run_bytes(uint64_t rounds) {
  constexpr uint64_t team = 6;
#pragma omp parallel num_threads(team)
  {
    const uint64_t me = uint64_t(omp_get_thread_num());
    stress::Random random(stress::seed(), 500 + me);
    uint8_t mine[sizeof global_bytes / team + 1] = {};
    for (uint64_t i = me; i < sizeof global_bytes; i += team)
      global_bytes[i] = 0;
    for (uint64_t round = 0; round < rounds; ++round) {
      const uint64_t slot = random.below(sizeof global_bytes / team);
      uint8_t& byte = global_bytes[slot * team + me];
      CHECK_EQUAL(byte, mine[slot]);
      byte = mine[slot] = uint8_t(random.next());
    }
    for (uint64_t slot = 0; slot < sizeof global_bytes / team; ++slot)
      CHECK_EQUAL(global_bytes[slot * team + me], mine[slot]);
  }
}

/// Producer and consumer without any OpenMP construct between: a flag published by release, read by acquire.
void hand_on(uint64_t rounds) {
  static uint64_t data[4096];
  static std::atomic<uint64_t> stage{0};
  stage = 0;
#pragma omp parallel num_threads(4)
  {
    const uint64_t me = uint64_t(omp_get_thread_num());
    for (uint64_t round = 0; round < rounds; ++round) {
      const uint64_t mine = round * 4 + me;
      while (stage.load(std::memory_order_acquire) != mine)
        usleep(20);
      for (uint64_t i = 0; i < 4096; i += 16) {
        if (mine > 0)
          CHECK_EQUAL(data[i], Model::value(mine - 1, i));
        data[i] = Model::value(mine, i);
      }
      stage.store(mine + 1, std::memory_order_release);
    }
  }
}

} // namespace

int main() {
  const uint64_t seed = stress::seed();
  run(global_words, {seed, 4, 512}, stress::portion(6)); // whole pages change hands
  run(global_words, {seed + 1, 4, 1}, stress::portion(4));
  run(global_words, {seed + 2, 8, 64}, stress::portion(4));
  std::vector<uint64_t> on_heap(words);
  run(on_heap.data(), {seed + 3, 3, 100}, stress::portion(4)); // granules across page boundaries
  run_bytes(stress::portion(60'000));
  hand_on(stress::portion(40));
}
