#include "dsm/space/memory_map.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// Without streams: theirs would be allocated where the program's memory is.
std::string read_all(int file) {
  std::string text;
  char piece[16384];
  for (ssize_t length; (length = read(file, piece, sizeof piece)) > 0;)
    text.append(piece, size_t(length));
  return text;
}

/// The number at the beginning of the text, which then begins with what is behind it.
uint64_t take_number(std::string_view& text, int base) {
  uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number, base).ptr;
  text.remove_prefix(size_t(end - text.data()));
  return number;
}

/// Of "7f00-7f10 rw-p 00001000 08:01 4711   /lib/name", which then begins with the flags.
Segment take_range(std::string_view& line) {
  const uintptr_t begin = take_number(line, 16);
  line.remove_prefix(std::min<size_t>(1, line.size()));
  const uintptr_t end = take_number(line, 16);
  line.remove_prefix(std::min<size_t>(1, line.size()));
  return {begin, end};
}

/// The rest of it.
Mapping read_mapping(Segment range, std::string_view line) {
  const auto is = [&](size_t at, char flag) { return at < line.size() && line[at] == flag; };
  Mapping mapping{range, (is(0, 'r') ? PROT_READ : 0) | (is(1, 'w') ? PROT_WRITE : 0) | (is(2, 'x') ? PROT_EXEC : 0),
                  false, is(3, 's')};
  for (int field = 0; field < 3; ++field) // flags, offset, device
    line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  mapping.file = take_number(line, 10) != 0;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  mapping.name = line;
  return mapping;
}

/// The kernel's struct procmap_query (linux/fs.h of Linux 6.11).
struct MapQuery {
  uint64_t size = sizeof(MapQuery);
  uint64_t query_flags = 0;
  uint64_t query_address = 0;
  uint64_t begin = 0, end = 0;
  uint64_t flags = 0;
  uint64_t page_size = 0;
  uint64_t offset = 0;
  uint64_t inode = 0;
  uint32_t device_major = 0, device_minor = 0;
  uint32_t name_size = 0, build_id_size = 0;
  uint64_t name_address = 0, build_id_address = 0;
};

constexpr unsigned long procmap_query = _IOWR('f', 17, MapQuery);
constexpr uint64_t readable = 1, writable = 2, executable = 4, is_shared = 8, covering_or_next = 16;

/// Asks for those in the range alone, whereas the text has all there are. False if the kernel takes no such questions.
bool query_maps(int maps, Segment range, std::vector<Mapping>& found) {
  char name[PATH_MAX];
  for (uintptr_t at = range.begin; at < range.end;) {
    MapQuery query;
    query.query_flags = covering_or_next;
    query.query_address = at;
    query.name_size = sizeof name;
    query.name_address = reinterpret_cast<uintptr_t>(name);
    if (ioctl(maps, procmap_query, &query) != 0)
      return errno == ENOENT; // there is no other one
    if (query.begin >= range.end)
      return true;
    const int protection = (query.flags & readable ? PROT_READ : 0) | (query.flags & writable ? PROT_WRITE : 0) |
                           (query.flags & executable ? PROT_EXEC : 0);
    found.push_back({{std::max<uintptr_t>(query.begin, range.begin), std::min<uintptr_t>(query.end, range.end)},
                     protection,
                     query.inode != 0,
                     (query.flags & is_shared) != 0,
                     std::string(name, query.name_size ? query.name_size - 1 : 0)});
    at = query.end;
  }
  return true;
}

} // namespace

std::vector<Mapping> mappings_in_text(const std::string& maps, Segment range) {
  std::vector<Mapping> found;
  for (std::string_view rest = maps; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const Segment mapped = take_range(line);
    if (mapped.begin >= range.end)
      break; // they ascend
    if (mapped.end > range.begin && !line.empty())
      found.push_back(read_mapping({std::max(mapped.begin, range.begin), std::min(mapped.end, range.end)}, line));
  }
  return found;
}

std::vector<Mapping> mappings_within(Segment range) {
  std::vector<Mapping> found;
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0)
    return found;
  if (!query_maps(maps, range, found))
    found = mappings_in_text(read_all(maps), range);
  close(maps);
  return found;
}

} // namespace hetmp::dsm
