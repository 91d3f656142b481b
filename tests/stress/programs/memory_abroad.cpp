// Threads of regions at home that allocate and free while they are executed on another node: they stay there, and what
// one has allocated anywhere another frees anywhere.
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7
#include "stress.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <omp.h>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

long home;
std::atomic<long> abroad{0}, went_on{0}; ///< allocations by threads that were abroad before; and after it still

/// What was filled with its own size and a number.
struct Block {
  unsigned char* bytes = nullptr;
  size_t size = 0;
  unsigned char number = 0;

  void fill(size_t of_size, unsigned char with) {
    size = of_size;
    number = with;
    memset(bytes, number, size);
  }
  void check() const {
    for (size_t i = 0; i < size; ++i)
      CHECK_EQUAL(bytes[i], number);
  }
};

void make(Block& block, int kind, size_t size, unsigned char number) {
  const bool was_abroad = stress::process_now() != home;
  if (kind == 0)
    block.bytes = static_cast<unsigned char*>(malloc(size));
  else if (kind == 1)
    block.bytes = static_cast<unsigned char*>(calloc(size, 1));
  else if (kind == 2)
    block.bytes = static_cast<unsigned char*>(operator new(size));
  else if (kind == 3)
    block.bytes = new (std::nothrow) unsigned char[size];
  else if (kind == 4) {
    block.bytes = static_cast<unsigned char*>(malloc(size / 2));
    block.fill(size / 2, number);
    block.bytes = static_cast<unsigned char*>(realloc(block.bytes, size + 1));
    block.check();
  } else if (kind == 5)
    block.bytes = static_cast<unsigned char*>(aligned_alloc(64, (size + 63) / 64 * 64));
  else
    block.bytes = static_cast<unsigned char*>(operator new(size, std::align_val_t(256)));
  if (was_abroad) {
    abroad.fetch_add(1, std::memory_order_relaxed);
    if (stress::process_now() != home)
      went_on.fetch_add(1, std::memory_order_relaxed);
  }
  CHECK(block.bytes);
  CHECK_EQUAL(reinterpret_cast<uintptr_t>(block.bytes) % (kind == 6 ? 256 : kind == 5 ? 64 : 16), 0);
  if (kind == 1)
    for (size_t i = 0; i < size; ++i)
      CHECK_EQUAL(block.bytes[i], 0);
  block.fill(size, number);
}

void destroy(Block& block, int kind) {
  block.check();
  if (kind == 6)
    operator delete(block.bytes, std::align_val_t(256));
  else if (kind <= 1 || kind >= 4)
    free(block.bytes);
  else if (kind == 2)
    operator delete(block.bytes);
  else
    delete[] block.bytes;
  block = {};
}

size_t draw_size(stress::Random& random) {
  return random.below(8) == 0 ? 1 + random.below(200'000) : 1 + random.below(400);
}

/// Each member fills its own, and empties its neighbour's after the barrier.
void blocks_pass_from_thread_to_thread() {
  constexpr int each = 60;
  const int members = omp_get_max_threads();
  std::vector<Block> blocks(size_t(members) * each);
  std::vector<int> kinds(blocks.size());
  for (int visit = 0; visit < 12; ++visit) {
#pragma omp parallel
    {
      const int member = omp_get_thread_num();
      stress::Random random(stress::seed(), uint64_t(visit * 100 + member));
      for (int i = 0; i < each; ++i) {
        stress::compute(1);
        const size_t place = size_t(member) * each + size_t(i);
        kinds[place] = int(random.below(7));
        make(blocks[place], kinds[place], draw_size(random), (unsigned char)(1 + random.below(255)));
      }
#pragma omp barrier
      const int neighbour = (member + 1) % members;
      for (int i = 0; i < each; ++i) {
        stress::compute(1);
        const size_t place = size_t(neighbour) * each + size_t(i);
        destroy(blocks[place], kinds[place]);
      }
    }
  }
}

/// What containers allocate, and what they keep in order with.
void containers_grow() {
  for (int visit = 0; visit < 6; ++visit) {
    std::vector<std::unique_ptr<std::map<int, std::string>>> kept(static_cast<size_t>(omp_get_max_threads()));
#pragma omp parallel
    {
      const int member = omp_get_thread_num();
      stress::Random random(stress::seed() + 1, uint64_t(visit * 100 + member));
      auto words = std::make_unique<std::map<int, std::string>>();
      std::set<uint64_t> numbers;
      std::unordered_map<int, std::vector<int>> lists;
      std::list<int> chain;
      for (int i = 0; i < 300; ++i) {
        stress::compute(1, 10'000);
        (*words)[int(random.below(100))] += "a word that is longer than what a string has room for";
        numbers.insert(random.below(1000));
        lists[int(random.below(40))].push_back(i);
        if (i % 2)
          chain.push_back(i);
        else
          chain.push_front(i);
        if (i % 7 == 0)
          numbers.erase(numbers.begin());
      }
      size_t listed = 0;
      for (const auto& [key, values] : lists) {
        CHECK(std::is_sorted(values.begin(), values.end()));
        listed += values.size();
      }
      CHECK_EQUAL(listed, 300);
      CHECK_EQUAL(chain.size(), 300);
      CHECK(std::is_sorted(numbers.begin(), numbers.end()));
      kept[size_t(member)] = std::move(words);
    }
    size_t length = 0;
    for (const auto& words : kept)
      for (const auto& [key, text] : *words)
        length += text.size();
    CHECK_EQUAL(length, kept.size() * 300 * strlen("a word that is longer than what a string has room for"));
  }
}

/// What the heap cannot give is the function's own affair, at home.
void too_large_is_refused() {
#pragma omp parallel
  for (int i = 0; i < 5; ++i) {
    stress::compute(1, 200'000);
    volatile size_t too_much = size_t(1) << 60;
    void* volatile refused = malloc(too_much); // volatile: what nobody uses compilers take to have been given
    CHECK(!refused);
    refused = calloc(too_much, 64);
    CHECK(!refused);
    refused = new (std::nothrow) char[too_much];
    CHECK(!refused);
    bool thrown = false;
    try {
      refused = new char[too_much];
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    CHECK(thrown);
    free(nullptr);
    operator delete(nullptr);
  }
}

} // namespace

int main() {
  home = stress::process_now();
  omp_set_dynamic(0);
  blocks_pass_from_thread_to_thread();
  containers_grow();
  too_large_is_refused();
  // Where threads travel at all, allocations that began abroad end there: usually five of six, fewer where drawn stays
  // are over before a slow machine has brought the pages. If none could, none would.
  if (abroad > 20)
    CHECK(went_on * 10 > abroad);
  if (getenv("STRESS_VERBOSE"))
    printf("%ld allocations abroad, %ld went on there\n", abroad.load(), went_on.load());
}
