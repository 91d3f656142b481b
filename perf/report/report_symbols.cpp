#include "perf/report/report_symbols.hpp"

#include "base/private_section.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <fcntl.h>
#include <link.h>
#include <memory>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hetmp::perf {
namespace {

/// A loaded file.
struct Object {
  uint64_t base = 0;
  std::string path; ///< empty: nothing is loaded there
};

Object object_at(uint64_t address) {
  struct Search {
    uint64_t address;
    Object found;
  } search{address, {}};
  const auto look = [](dl_phdr_info* info, size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = info->dlpi_phdr[i];
      if (header.p_type == PT_LOAD && wanted.address - (info->dlpi_addr + header.p_vaddr) < header.p_memsz) {
        const bool program = info->dlpi_name[0] == '\0';
        wanted.found = {info->dlpi_addr, program ? "/proc/self/exe" : info->dlpi_name};
        return 1;
      }
    }
    return 0;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

/// A file in memory, read only. What it says is not believed: the file may not be the one that was loaded.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
      return;
    struct stat facts {};
    if (fstat(descriptor, &facts) == 0 && facts.st_size > 0) {
      void* memory = mmap(nullptr, size_t(facts.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (memory != MAP_FAILED) {
        bytes_ = static_cast<const char*>(memory);
        size_ = size_t(facts.st_size);
      }
    }
    close(descriptor);
  }
  ~ElfFile() {
    if (bytes_)
      munmap(const_cast<char*>(bytes_), size_);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// Calls `see(symbol, name)` for each symbol of the fullest table there is.
  template <class See> void each_symbol(See see) const {
    for (const uint32_t type : {uint32_t(SHT_SYMTAB), uint32_t(SHT_DYNSYM)})
      if (each_symbol_of(type, see))
        return;
  }

 private:
  template <class Part> const Part* part(uint64_t offset, uint64_t count = 1) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(Part) || offset % alignof(Part) != 0)
      return nullptr;
    return reinterpret_cast<const Part*>(bytes_ + offset);
  }

  template <class See> bool each_symbol_of(uint32_t type, See see) const {
    const auto* file = part<ElfW(Ehdr)>(0);
    if (!file || memcmp(file->e_ident, ELFMAG, SELFMAG) != 0 || file->e_shentsize != sizeof(ElfW(Shdr)))
      return false;
    const auto* sections = part<ElfW(Shdr)>(file->e_shoff, file->e_shnum);
    for (unsigned i = 0; sections && i < file->e_shnum; ++i) {
      const ElfW(Shdr)& section = sections[i];
      if (section.sh_type != type || section.sh_link >= file->e_shnum)
        continue;
      const ElfW(Shdr)& names = sections[section.sh_link];
      const size_t count = section.sh_size / sizeof(ElfW(Sym));
      const auto* symbols = part<ElfW(Sym)>(section.sh_offset, count);
      const char* text = part<char>(names.sh_offset, names.sh_size);
      if (!symbols || !text || names.sh_size == 0 || text[names.sh_size - 1] != '\0')
        continue;
      for (size_t k = 0; k < count; ++k)
        if (symbols[k].st_shndx != SHN_UNDEF && symbols[k].st_name < names.sh_size)
          see(symbols[k], text + symbols[k].st_name);
      return true;
    }
    return false;
  }

  const char* bytes_ = nullptr;
  size_t size_ = 0;
};

/// "stdout@GLIBC_2.2.5" and mangled names as people write them.
std::string readable(std::string_view symbol) {
  const std::string name(symbol.substr(0, symbol.find('@')));
  int status = 0;
  const std::unique_ptr<char, decltype(&free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), free);
  return status == 0 && text ? text.get() : name;
}

unsigned type_of(const ElfW(Sym) & symbol) { return symbol.st_info & 0xf; }

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, size_t(length)) : std::string();
}

} // namespace

std::vector<Variable> variables_in(uint64_t begin, uint64_t end) {
  const PrivateSection section;
  std::vector<Variable> variables;
  const Object object = object_at(begin);
  if (object.path.empty())
    return variables;
  ElfFile(object.path).each_symbol([&](const ElfW(Sym) & symbol, const char* name) {
    const uint64_t address = object.base + symbol.st_value;
    if (type_of(symbol) == STT_OBJECT && symbol.st_size > 0 && address < end && address + symbol.st_size > begin)
      variables.push_back({readable(name), address, symbol.st_size});
  });
  std::stable_sort(variables.begin(), variables.end(),
                   [](const Variable& a, const Variable& b) { return a.begin < b.begin; });
  const auto same_bytes = [](const Variable& a, const Variable& b) { return a.begin == b.begin && a.bytes == b.bytes; };
  variables.erase(std::unique(variables.begin(), variables.end(), same_bytes), variables.end());
  return variables;
}

CodePlace code_at(uint64_t address) {
  const PrivateSection section;
  CodePlace place;
  const Object object = object_at(address);
  if (object.path.empty())
    return place;
  const std::string path = object.path == "/proc/self/exe" ? own_path() : object.path;
  place.object = path.substr(path.rfind('/') + 1);
  place.offset = address - object.base;
  ElfFile(object.path).each_symbol([&](const ElfW(Sym) & symbol, const char* name) {
    if (place.function.empty() && type_of(symbol) == STT_FUNC && place.offset - symbol.st_value < symbol.st_size)
      place.function = readable(name);
  });
  return place;
}

} // namespace hetmp::perf
