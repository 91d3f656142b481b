// What is mapped: as the kernel says it to questions, and as it writes it.
#include "dsm/space/memory_map.hpp"

#include "base/machine/process_status.hpp"
#include "base/page.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include <sys/mman.h>

namespace hetmp::dsm {
namespace {

constexpr Segment everything{0, UINTPTR_MAX};
constexpr char text[] = "1000-3000 r-xp 00001000 08:01 4711                 /lib/name with blanks\n"
                        "3000-4000 rw-s 00000000 00:05 12 /dev/zero (deleted)\n"
                        "7f0000000000-7f0000002000 ---p 00000000 00:00 0 \n"
                        "7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0     [stack]\n";

void expect_equal(const Mapping& one, const Mapping& other) {
  EXPECT_EQ(one.range.begin, other.range.begin);
  EXPECT_EQ(one.range.end, other.range.end);
  EXPECT_EQ(one.protection, other.protection);
  EXPECT_EQ(one.file, other.file);
  EXPECT_EQ(one.shared, other.shared);
  EXPECT_EQ(one.name, other.name);
}

TEST(MemoryMap, LinesSayAll) {
  const auto found = mappings_in_text(text, everything);
  ASSERT_EQ(found.size(), 4u);
  expect_equal(found[0], {{0x1000, 0x3000}, PROT_READ | PROT_EXEC, true, false, "/lib/name with blanks"});
  expect_equal(found[1], {{0x3000, 0x4000}, PROT_READ | PROT_WRITE, true, true, "/dev/zero (deleted)"});
  expect_equal(found[2], {{0x7f0000000000, 0x7f0000002000}, PROT_NONE, false, false, ""});
  expect_equal(found[3], {{0x7ffc00000000, 0x7ffc00001000}, PROT_READ | PROT_WRITE, false, false, "[stack]"});
}

TEST(MemoryMap, MappingsAreCutToTheRange) {
  const auto found = mappings_in_text(text, {0x2000, 0x7f0000001000});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].range.begin, 0x2000u);
  EXPECT_EQ(found[2].range.end, 0x7f0000001000u);
  EXPECT_TRUE(mappings_in_text(text, {0x4000, 0x7f0000000000}).empty());
  EXPECT_TRUE(mappings_in_text("", everything).empty());
}

TEST(MemoryMap, AnyTextIsReadToItsEnd) {
  const std::string whole = text;
  for (size_t length = 0; length < whole.size(); ++length)
    for (const Mapping& mapping : mappings_in_text(whole.substr(0, length), everything))
      EXPECT_LE(mapping.name.size(), length);
  for (const char* strange : {"\n\n", "x\n", "1000\n", "1000-2000\n", "1000-2000 rw", "-\n-"})
    EXPECT_LE(mappings_in_text(strange, everything).size(), 1u) << strange;
}

TEST(MemoryMap, TheKernelAnswersWhatItWrites) {
  void* const place = mmap(nullptr, 3 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(place, MAP_FAILED);
  const auto begin = reinterpret_cast<uintptr_t>(place);
  ASSERT_EQ(mprotect(reinterpret_cast<void*>(begin + page_bytes), page_bytes, PROT_READ), 0);
  const Segment around{begin + page_bytes / 2, begin + 2 * page_bytes + page_bytes / 2};
  const auto asked = mappings_within(around);
  const auto read = mappings_in_text(text_of_file("/proc/self/maps", 1 << 22), around);
  ASSERT_EQ(asked.size(), 3u);
  ASSERT_EQ(read.size(), 3u);
  for (size_t i = 0; i < 3; ++i)
    expect_equal(asked[i], read[i]);
  munmap(place, 3 * page_bytes);

  // Files have the same names. The heap may grow between the two.
  const auto code = reinterpret_cast<uintptr_t>(&mappings_within);
  const auto own = mappings_within({code, code + 1});
  const auto own_read = mappings_in_text(text_of_file("/proc/self/maps", 1 << 22), {code, code + 1});
  ASSERT_EQ(own.size(), 1u);
  ASSERT_EQ(own_read.size(), 1u);
  expect_equal(own[0], own_read[0]);
  EXPECT_TRUE(own[0].file);
  EXPECT_NE(own[0].name.find(program_invocation_short_name), std::string::npos);
}

} // namespace
} // namespace hetmp::dsm
