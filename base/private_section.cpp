#include "base/private_section.hpp"

#include <dlfcn.h>

namespace hetmp {
namespace {

using Switch = bool (*)(bool privately);

Switch find_switch() {
  // A preloaded library is there from the start, or never.
  static const Switch found = reinterpret_cast<Switch>(dlsym(RTLD_DEFAULT, "hetmp_dsm_allocate_privately"));
  return found;
}

} // namespace

PrivateSection::PrivateSection() {
  if (const Switch allocate_privately = find_switch())
    before_ = allocate_privately(true);
}

PrivateSection::~PrivateSection() {
  if (const Switch allocate_privately = find_switch())
    allocate_privately(before_);
}

} // namespace hetmp
