// What has to be alike in two processes before addresses mean the same in both: the page size, and each program file
// and library, its content and its place.
#pragma once

#include <string>
#include <vector>

namespace hetmp::dsm {

/// Of this process, a line for each fact, the same order everywhere; without what was loaded for hetmp itself
/// (private_objects.hpp). Of a file: its name, its build id (without one,
/// the sizes of its segments) and its address.
std::vector<std::string> own_identity();

/// The first difference in words, empty if there is none: "node 1 (host b) has libm.so.6 (build id 5d3c... at
/// 0x7ffff7c00000), the origin libm.so.6 (build id 8f21... at 0x7ffff7c00000)". `host` is whose identity `other` is.
std::string first_difference(const std::vector<std::string>& own, const std::vector<std::string>& other,
                             const std::string& host);

} // namespace hetmp::dsm
