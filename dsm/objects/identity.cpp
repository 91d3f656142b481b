#include "dsm/objects/identity.hpp"

#include "dsm/space/late_window.hpp"

#include <cstdio>
#include <elf.h>
#include <link.h>
#include <string_view>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

std::string hexadecimal(const uint8_t* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

/// Empty if there is none.
std::string build_id(const dl_phdr_info& object, const ElfW(Phdr) & notes) {
  const auto* at = reinterpret_cast<const uint8_t*>(object.dlpi_addr + notes.p_vaddr);
  const uint8_t* const end = at + notes.p_memsz;
  constexpr auto padded = [](size_t bytes) { return (bytes + 3) & ~size_t(3); };
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
    const uint8_t* name = at + sizeof *note;
    const uint8_t* description = name + padded(note->n_namesz);
    if (description + note->n_descsz > end)
      break;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
        std::string_view(reinterpret_cast<const char*>(name), 3) == "GNU")
      return hexadecimal(description, note->n_descsz);
    at = description + padded(note->n_descsz);
  }
  return {};
}

std::string content_of(const dl_phdr_info& object) {
  std::string sizes = "sizes";
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object.dlpi_phdr[i];
    if (header.p_type == PT_NOTE)
      if (const std::string id = build_id(object, header); !id.empty())
        return "build id " + id;
    if (header.p_type == PT_LOAD)
      sizes += ' ' + std::to_string(header.p_memsz);
  }
  return sizes;
}

int collect(dl_phdr_info* object, size_t, void* result) {
  const std::string_view path = object->dlpi_name;
  std::string name(path.substr(path.rfind('/') + 1));
  if (name.starts_with("linux-vdso") || name.starts_with("linux-gate")) // the kernel's own, and nobody's data
    return 0;
  char address[32];
  snprintf(address, sizeof address, "%#zx", size_t(object->dlpi_addr));
  static_cast<std::vector<std::string>*>(result)->push_back((name.empty() ? "program" : name) + " (" +
                                                            content_of(*object) + " at " + address + ")");
  return 0;
}

} // namespace

std::vector<std::string> own_identity() {
  std::vector<std::string> facts{"page size " + std::to_string(sysconf(_SC_PAGESIZE))};
  dl_iterate_phdr(collect, &facts);
  char window[64];
  snprintf(window, sizeof window, "room for later objects at %#zx", size_t(LateWindow::instance().range().begin));
  facts.push_back(window);
  return facts;
}

std::string first_difference(const std::vector<std::string>& own, const std::vector<std::string>& other,
                             const std::string& host) {
  const std::string nothing = "nothing in its place";
  for (size_t i = 0; i < own.size() || i < other.size(); ++i) {
    const std::string& here = i < own.size() ? own[i] : nothing;
    const std::string& there = i < other.size() ? other[i] : nothing;
    if (here != there)
      return host + " has " + there + ", the origin " + here;
  }
  return {};
}

} // namespace hetmp::dsm
