#include "dsm/objects/identity.hpp"

#include "base/elf/elf_image.hpp"
#include "dsm/objects/private_objects.hpp"
#include "dsm/space/late_window.hpp"

#include <cstdio>
#include <link.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

int collect(dl_phdr_info* object, size_t, void* result) {
  const std::string name = object_name(*object);
  if (name.empty()) // the kernel's own, and nobody's data
    return 0;
  if (was_loaded_for_ourselves(LoadedObject(*object).begin()))
    return 0; // no address in it goes to another node
  char address[32];
  snprintf(address, sizeof address, "%#zx", size_t(object->dlpi_addr));
  static_cast<std::vector<std::string>*>(result)->push_back(name + " (" + object_content(*object) + " at " + address +
                                                            ")");
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
