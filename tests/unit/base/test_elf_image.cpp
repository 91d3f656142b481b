// ELF's tables: read as they are, and never beyond the bytes that there are.
#include "base/elf/elf_image.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace hetmp {
namespace {

using Bytes = std::vector<uint8_t>;

void append_note(Bytes& notes, uint32_t type, const std::string& owner, const Bytes& description) {
  const ElfW(Nhdr) header{uint32_t(owner.size() + 1), uint32_t(description.size()), type};
  const auto add = [&](const void* from, size_t count) {
    const auto* begin = static_cast<const uint8_t*>(from);
    notes.insert(notes.end(), begin, begin + count);
    notes.resize((notes.size() + 3) / 4 * 4);
  };
  add(&header, sizeof header);
  add(owner.c_str(), owner.size() + 1);
  add(description.data(), description.size());
}

TEST(BuildId, IsFoundBehindOtherNotes) {
  Bytes notes;
  append_note(notes, NT_GNU_PROPERTY_TYPE_0, "GNU", Bytes(20));
  append_note(notes, NT_GNU_BUILD_ID, "Other", {9, 9});
  append_note(notes, NT_GNU_BUILD_ID, "GNU", {0x01, 0xab, 0xf0});
  EXPECT_EQ(build_id_in(notes.data(), notes.size()), "01abf0");
}

TEST(BuildId, CutOrChangedNotesAreNotReadBeyondTheirEnd) {
  Bytes notes;
  append_note(notes, NT_GNU_BUILD_ID, "GNU", {1, 2, 3, 4});
  for (size_t bytes = 0; bytes < notes.size(); ++bytes) {
    const Bytes cut(notes.begin(), notes.begin() + ptrdiff_t(bytes)); // a copy, so that a sanitizer sees its end
    EXPECT_EQ(build_id_in(cut.data(), cut.size()), "") << bytes;
  }
  for (const size_t field : {size_t(0), size_t(4)}) { // n_namesz, n_descsz
    Bytes changed = notes;
    memset(changed.data() + field, 0xff, 4);
    EXPECT_EQ(build_id_in(changed.data(), changed.size()), "");
  }
}

Bytes own_file() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t count_symbols(const Bytes& file, const char* name = nullptr) {
  size_t count = 0;
  ElfImage(file.data(), file.size()).each_symbol([&](const ElfSymbol& symbol) {
    count += !name || strstr(symbol.name, name) != nullptr;
  });
  return count;
}

TEST(ElfImageTest, HasTheProgramsSymbols) {
  const Bytes file = own_file();
  bool has_main = false;
  ElfImage(file.data(), file.size()).each_symbol([&](const ElfSymbol& symbol) {
    has_main |= strcmp(symbol.name, "main") == 0 && symbol.type == STT_FUNC && symbol.bytes > 0;
  });
  EXPECT_TRUE(has_main);
  EXPECT_GT(count_symbols(file, "hetmp"), 0u);
}

TEST(ElfImageTest, WhatIsNoElfFileHasNone) {
  EXPECT_EQ(count_symbols({}), 0u);
  EXPECT_EQ(count_symbols(Bytes(10'000)), 0u);
  Bytes file = own_file();
  file[1] = 'x';
  EXPECT_EQ(count_symbols(file), 0u);
}

/// The section table is at the end: a cut file has none, or one that refers to what is not there.
TEST(ElfImageTest, CutAndChangedFilesAreNotReadBeyondTheirEnd) {
  const Bytes file = own_file();
  for (const size_t bytes : {size_t(3), sizeof(ElfW(Ehdr)) - 1, sizeof(ElfW(Ehdr)), file.size() / 2, file.size() - 1})
    EXPECT_EQ(count_symbols(Bytes(file.begin(), file.begin() + ptrdiff_t(bytes))), 0u) << bytes;
  ElfW(Ehdr) header;
  memcpy(&header, file.data(), sizeof header);
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) { // a byte of the section table or of the file's header is another one
    Bytes changed = file;
    const size_t table = size_t(header.e_shnum) * header.e_shentsize;
    const size_t at = round % 2 ? header.e_shoff + random() % table : random() % sizeof header;
    changed[at] = uint8_t(random());
    count_symbols(changed); // whatever it finds: no access outside
  }
}

TEST(LoadedSegments, CodeLiesInASegmentThatIsExecuted) {
  static bool found;
  found = false;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        for_each_segment(*info, [](const LoadedSegment& segment) {
          EXPECT_TRUE(segment.type != PT_LOAD || segment.file_bytes <= segment.bytes);
          found |= segment.type == PT_LOAD && (segment.flags & PF_X) &&
                   segment.contains(reinterpret_cast<uintptr_t>(&own_file));
        });
        return 0;
      },
      nullptr);
  EXPECT_TRUE(found);
}

} // namespace
} // namespace hetmp
