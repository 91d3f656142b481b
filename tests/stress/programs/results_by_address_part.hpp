#pragma once

namespace part {

const char* zone(int which);
long zone_seconds();
/// By no function of the C library.
bool is_in_environment(const char* name, const char* value);

} // namespace part
