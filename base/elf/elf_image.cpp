#include "base/elf/elf_image.hpp"

#include <cstring>

namespace hetmp {
namespace {

std::string hexadecimal(const uint8_t* bytes, size_t count) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 0xf];
  }
  return text;
}

} // namespace

std::string build_id_in(const uint8_t* notes, size_t bytes) {
  constexpr auto padded = [](uint64_t count) { return (count + 3) & ~uint64_t(3); };
  constexpr char owner[] = "GNU";
  ElfW(Nhdr) note;
  for (uint64_t at = 0; bytes >= sizeof note && at <= bytes - sizeof note;) {
    memcpy(&note, notes + at, sizeof note);
    const uint64_t name = at + sizeof note, description = name + padded(note.n_namesz);
    if (description + note.n_descsz > bytes) // both numbers have 32 bits: no overflow
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner &&
        memcmp(notes + name, owner, sizeof owner) == 0)
      return hexadecimal(notes + description, note.n_descsz);
    at = description + padded(note.n_descsz);
  }
  return {};
}

std::string object_name(const dl_phdr_info& object) {
  const std::string_view path = object.dlpi_name ? object.dlpi_name : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("linux-vdso") || name.starts_with("linux-gate"))
    return {};
  return std::string(name.empty() ? "program" : name);
}

std::string object_content(const dl_phdr_info& object) {
  std::string sizes = "sizes", id;
  for_each_segment(object, [&](const LoadedSegment& segment) {
    if (segment.type == PT_NOTE && id.empty())
      id = build_id_in(reinterpret_cast<const uint8_t*>(segment.begin), segment.bytes);
    if (segment.type == PT_LOAD)
      sizes += ' ' + std::to_string(segment.bytes);
  });
  return id.empty() ? sizes : "build id " + id;
}

ElfImage::SymbolTable ElfImage::find_symbols(uint32_t type) const {
  const auto* file = part<ElfW(Ehdr)>(0);
  if (!file || memcmp(file->e_ident, ELFMAG, SELFMAG) != 0 || file->e_shentsize != sizeof(ElfW(Shdr)))
    return {};
  const auto* sections = part<ElfW(Shdr)>(file->e_shoff, file->e_shnum);
  for (unsigned i = 0; sections && i < file->e_shnum; ++i) {
    const ElfW(Shdr)& section = sections[i];
    if (section.sh_type != type || section.sh_link >= file->e_shnum)
      continue;
    const ElfW(Shdr)& names = sections[section.sh_link];
    const size_t count = section.sh_size / sizeof(ElfW(Sym));
    const auto* symbols = part<ElfW(Sym)>(section.sh_offset, count);
    const char* text = part<char>(names.sh_offset, names.sh_size);
    if (symbols && text && names.sh_size != 0 && text[names.sh_size - 1] == '\0')
      return {symbols, count, text, names.sh_size};
  }
  return {};
}

} // namespace hetmp
