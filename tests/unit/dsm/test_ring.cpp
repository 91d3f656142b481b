// The ring: messages of any size come out whole and in order, their data in one piece, and whoever wishes for room
// hears of it.
#include "dsm/transport/ring.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace hetmp::dsm {
namespace {

/// As in shared memory: zeros are an empty ring.
struct Mapped {
  Mapped()
      : ring(static_cast<Ring*>(
            mmap(nullptr, sizeof(Ring), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Mapped() { munmap(ring, sizeof(Ring)); }
  Ring* ring;
};

bool put(Ring& ring, uint32_t number, size_t bytes) {
  const Ring::Place place = ring.reserve(bytes);
  if (!place.header)
    return false;
  SlotHeader header;
  header.data_bytes = uint32_t(bytes);
  memcpy(header.message, &number, sizeof number);
  *place.header = header;
  memset(place.data, int(number), bytes);
  ring.publish();
  return true;
}

/// Whether the oldest message is this one; takes it.
bool take(Ring& ring, uint32_t number, size_t bytes) {
  if (ring.empty())
    return false;
  const Slot slot = ring.front();
  uint32_t found;
  memcpy(&found, slot.header.message, sizeof found);
  bool right = found == number && slot.header.data_bytes == bytes;
  for (size_t i = 0; right && i < bytes; i += 512)
    right = slot.data[i] == uint8_t(number);
  right = right && (bytes == 0 || slot.data[bytes - 1] == uint8_t(number));
  ring.release();
  return right;
}

size_t random_bytes(std::mt19937& random) {
  return random() % 3 == 0 ? random() % (most_data_bytes + 1) : random() % (2 * page_bytes);
}

TEST(Ring, KeepsOrderAndContentWhateverTheSizes) {
  std::mt19937 random(8);
  const Mapped mapped;
  std::vector<size_t> sizes;
  size_t taken = 0;
  for (int step = 0; step < 20'000; ++step) {
    const size_t bytes = random_bytes(random);
    if (random() % 2 && put(*mapped.ring, uint32_t(sizes.size()), bytes))
      sizes.push_back(bytes);
    else if (taken < sizes.size()) {
      ASSERT_TRUE(take(*mapped.ring, uint32_t(taken), sizes[taken])) << taken;
      ++taken;
    }
  }
  while (taken < sizes.size()) {
    ASSERT_TRUE(take(*mapped.ring, uint32_t(taken), sizes[taken]));
    ++taken;
  }
  EXPECT_TRUE(mapped.ring->empty());
  EXPECT_GT(taken, 5000u);
}

TEST(Ring, TheLargestMessageFitsAnEmptyRingWhereverThatStands) {
  const Mapped mapped;
  for (uint64_t i = 0; i < 3 * Ring::slots; ++i) {
    ASSERT_TRUE(put(*mapped.ring, 1, most_data_bytes)) << i;
    ASSERT_TRUE(take(*mapped.ring, 1, most_data_bytes)) << i;
    ASSERT_TRUE(put(*mapped.ring, 2, 1));
    ASSERT_TRUE(take(*mapped.ring, 2, 1));
  }
}

TEST(Ring, AskingForRoomChangesNothing) {
  const Mapped mapped;
  for (uint32_t i = 0; i < 5 * Ring::slots; ++i) {
    mapped.ring->reserve(most_data_bytes);
    EXPECT_TRUE(mapped.ring->empty());
    ASSERT_TRUE(put(*mapped.ring, i, 0));
    mapped.ring->reserve(most_data_bytes);
    ASSERT_TRUE(take(*mapped.ring, i, 0));
  }
}

TEST(Ring, AWishIsTakenOnceAndWhenThereIsRoom) {
  const Mapped mapped;
  Ring& ring = *mapped.ring;
  uint32_t sent = 0;
  while (put(ring, sent, page_bytes))
    ++sent;
  ring.wish_for_room();
  uint32_t taken = 0, told = 0;
  while (taken < sent) {
    ASSERT_TRUE(take(ring, taken++, page_bytes));
    if (ring.takes_wish()) {
      ++told;
      EXPECT_TRUE(ring.reserve(most_data_bytes).header);
    }
  }
  EXPECT_EQ(told, 1u);
}

TEST(Ring, NoWishIsLostBetweenTwoThreads) {
  const Mapped mapped;
  Ring& ring = *mapped.ring;
  constexpr uint32_t count = 20'000;
  std::atomic<uint32_t> bell{0};
  std::thread producer([&] {
    for (uint32_t i = 0; i < count; ++i)
      while (!put(ring, i, most_data_bytes)) {
        const uint32_t before = bell.load();
        ring.wish_for_room();
        if (!ring.reserve(most_data_bytes).header)
          bell.wait(before); // for ever if the wish is lost
      }
  });
  for (uint32_t i = 0; i < count;)
    if (!ring.empty()) {
      EXPECT_TRUE(take(ring, i++, most_data_bytes));
      if (ring.takes_wish()) {
        bell.fetch_add(1);
        bell.notify_one();
      }
    } else {
      std::this_thread::yield();
    }
  producer.join();
  EXPECT_TRUE(ring.empty());
}

} // namespace
} // namespace hetmp::dsm
