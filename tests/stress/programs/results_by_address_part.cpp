#include "results_by_address_part.hpp"

#include <ctime>
#include <unistd.h>

const char* part::zone(int which) { return tzname[which]; }

long part::zone_seconds() { return timezone; }

bool part::is_in_environment(const char* name, const char* value) {
  for (char** entry = environ; *entry; ++entry) {
    const char* text = *entry;
    const char* wanted = name;
    while (*wanted && *text == *wanted)
      ++text, ++wanted;
    if (*wanted || *text != '=')
      continue;
    for (++text; *value && *text == *value; ++text)
      ++value;
    return *text == 0 && *value == 0;
  }
  return false;
}
