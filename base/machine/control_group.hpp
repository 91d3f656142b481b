// The control groups that this process is in, versions 1 and 2, and what their files say.
#pragma once

#include <string>
#include <string_view>

namespace hetmp {

/// The first line of a small file, without its end; empty if there is none.
std::string first_line(const std::string& path);

/// The path of this process's group in the hierarchy with the controller, "/" at its top; the unified one of version 2
/// has none to its name. Empty if there is no such hierarchy. `root` stands before /proc (tests).
std::string control_group(const std::string& root, std::string_view controller);

/// Calls `look(folder)` for that group and all above it, down to the hierarchy's own folder. A container may see its
/// group mounted there, under a path that says otherwise.
template <class Look> void for_each_control_group(const std::string& root, std::string_view controller, Look&& look) {
  std::string hierarchy = root + "/sys/fs/cgroup";
  if (!controller.empty())
    hierarchy.append("/").append(controller);
  std::string group = control_group(root, controller);
  while (group.ends_with('/'))
    group.pop_back();
  for (;; group.resize(group.rfind('/'))) {
    look(hierarchy + group);
    if (group.find('/') == std::string::npos)
      return;
  }
}

} // namespace hetmp
