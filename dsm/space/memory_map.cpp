#include "dsm/space/memory_map.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// Without streams: theirs would be allocated where the program's memory is.
std::string read_maps() {
  std::string text;
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return text;
  char piece[16384];
  for (ssize_t length; (length = read(file, piece, sizeof piece)) > 0;)
    text.append(piece, size_t(length));
  close(file);
  return text;
}

/// "7f00-7f10 rw-p 00001000 08:01 4711   /lib/name"
bool parse(const char* line, Mapping& mapping) {
  char flags[5] = {};
  unsigned long begin = 0, end = 0, offset = 0, inode = 0;
  unsigned major = 0, minor = 0;
  int length = 0;
  if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu%*[ ]%n", &begin, &end, flags, &offset, &major, &minor, &inode, &length) !=
      7)
    return false;
  mapping.name.assign(line + length, length ? strcspn(line + length, "\n") : 0);
  mapping.range = {begin, end};
  mapping.protection =
      (flags[0] == 'r' ? PROT_READ : 0) | (flags[1] == 'w' ? PROT_WRITE : 0) | (flags[2] == 'x' ? PROT_EXEC : 0);
  mapping.shared = flags[3] == 's';
  mapping.file = inode != 0;
  return true;
}

} // namespace

std::vector<Mapping> mappings_within(Segment range) {
  std::vector<Mapping> found;
  const std::string text = read_maps();
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    Mapping mapping;
    if (!parse(text.c_str() + at, mapping) || mapping.range.end <= range.begin || mapping.range.begin >= range.end)
      continue;
    mapping.range.begin = std::max(mapping.range.begin, range.begin);
    mapping.range.end = std::min(mapping.range.end, range.end);
    found.push_back(mapping);
  }
  return found;
}

} // namespace hetmp::dsm
