#include "perf/report/report_symbols.hpp"

#include "base/elf/elf_image.hpp"
#include "base/private_section.hpp"

#include <algorithm>
#include <cstdlib>
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
    for_each_segment(*info, [&](const LoadedSegment& segment) {
      if (segment.type == PT_LOAD && segment.contains(wanted.address))
        wanted.found = {info->dlpi_addr, info->dlpi_name[0] == '\0' ? "/proc/self/exe" : info->dlpi_name};
    });
    return int(!wanted.found.path.empty());
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

/// A file in memory, read only.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
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
  ~MappedFile() {
    if (bytes_)
      munmap(const_cast<char*>(bytes_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  ElfImage image() const { return {bytes_, size_}; }

 private:
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
  const MappedFile file(object.path);
  file.image().each_symbol([&](const ElfSymbol& symbol) {
    const uint64_t address = object.base + symbol.value;
    if (symbol.type == STT_OBJECT && symbol.bytes > 0 && address < end && address + symbol.bytes > begin)
      variables.push_back({readable(symbol.name), address, symbol.bytes});
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
  const MappedFile file(object.path);
  file.image().each_symbol([&](const ElfSymbol& symbol) {
    if (place.function.empty() && symbol.type == STT_FUNC && place.offset - symbol.value < symbol.bytes)
      place.function = readable(symbol.name);
  });
  return place;
}

} // namespace hetmp::perf
