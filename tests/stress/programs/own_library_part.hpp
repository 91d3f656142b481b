#pragma once

#include <string>

namespace part {

extern int initialised;
extern long counter;
extern int table[8192];
extern std::string constructed;

void count();
long hidden_count();
/// The sum of table[], by a region inside the library.
long sum_in_library(int team);

} // namespace part
