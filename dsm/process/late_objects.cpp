#include "dsm/process/late_objects.hpp"

#include "base/elf/elf_image.hpp"
#include "base/loaded_object.hpp"
#include "base/message.hpp"
#include "dsm/objects/anonymous_data.hpp"
#include "dsm/objects/private_objects.hpp"
#include "dsm/process/changes.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/space/initial_stack.hpp"
#include "dsm/space/late_window.hpp"
#include "dsm/space/memory_map.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace hetmp::dsm {
namespace {

struct Object {
  std::string path;
  Segment span; ///< of pages
  uintptr_t begin = 0;
  bool thread_locals = false;
  uintptr_t frames = 0; ///< its unwind tables, 0 if there are none that can be told
};

void* system_dlopen(const char* file, int flags) {
  static const auto real = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  return real(file, flags);
}

/// PT_GNU_EH_FRAME's first field leads to them; all linkers write it relative to itself.
uintptr_t frames_of(uintptr_t header) {
  constexpr uint8_t relative_32 = 0x1b;
  const auto* bytes = reinterpret_cast<const uint8_t*>(header);
  if (bytes[0] != 1 || bytes[1] != relative_32)
    return 0;
  int32_t distance;
  memcpy(&distance, bytes + 4, sizeof distance);
  return header + 4 + uintptr_t(intptr_t(distance));
}

int add_object(dl_phdr_info* info, size_t, void* result) {
  Object object;
  object.path = info->dlpi_name;
  object.begin = LoadedObject(*info).begin();
  object.span.begin = ~uintptr_t(0);
  for_each_segment(*info, [&](const LoadedSegment& segment) {
    if (segment.type == PT_LOAD) {
      object.span.begin = std::min(object.span.begin, page_down(segment.begin));
      object.span.end = std::max(object.span.end, page_up(segment.end()));
    } else if (segment.type == PT_TLS) {
      object.thread_locals = true;
    } else if (segment.type == PT_GNU_EH_FRAME) {
      object.frames = frames_of(segment.begin);
    }
  });
  static_cast<std::vector<Object>*>(result)->push_back(object);
  return 0;
}

std::vector<Object> objects_loaded_now() {
  std::vector<Object> objects;
  dl_iterate_phdr(add_object, &objects);
  return objects;
}

std::vector<uintptr_t> begins_of(const std::vector<Object>& objects) {
  std::vector<uintptr_t> begins;
  for (const Object& object : objects)
    begins.push_back(object.span.begin);
  return begins;
}

/// Without those that begin at one of these.
std::vector<Object> without(const std::vector<uintptr_t>& known, std::vector<Object> objects) {
  std::erase_if(objects, [&](const Object& object) {
    return std::find(known.begin(), known.end(), object.span.begin) != known.end();
  });
  return objects;
}

bool in_window(const Object& object) {
  const Segment window = LateWindow::instance().range();
  return object.span.begin >= window.begin && object.span.end <= window.end;
}

/// Why the other nodes cannot use it; empty if they can.
std::string hindrance(const Object& object, const std::vector<uintptr_t>& private_objects) {
  if (std::binary_search(private_objects.begin(), private_objects.end(), object.begin))
    return "it brings " + object.path + ", of which each node needs its own";
  if (object.thread_locals)
    return object.path + " has thread-local variables";
  if (!in_window(object))
    return "there is no room left for " + object.path;
  return {};
}

void protect_elsewhere(Segment range, int protection) {
  change_elsewhere(
      {.kind = Change::Kind::Protect, .protection = protection, .begin = range.begin, .bytes = range.bytes()});
}

/// Everything in the window becomes memory that userfaultfd can serve: also what is not to be used elsewhere, and what
/// else the kernel has put there meanwhile, since pages are made known in larger pieces.
void make_window_anonymous() {
  for (const Mapping& mapping : mappings_within(LateWindow::instance().unsettled()))
    if (mapping.file && !mapping.shared)
      make_anonymous(mapping.range, mapping.protection);
}

void share(const std::vector<Object>& objects, const char* file) {
  std::string reason;
  const std::vector<uintptr_t> private_objects = find_private_objects();
  for (const Object& object : objects)
    if (reason.empty())
      reason = hindrance(object, private_objects);
  if (!reason.empty()) {
    NodeProcess::instance()->tell_bound_to_origin();
    say("dlopen of %s: %s; only node 0 can use it: link the program with it, or run it on one node", file,
        reason.c_str());
  }
  for (const LoadedObject& loaded : loaded_objects())
    if (std::any_of(objects.begin(), objects.end(), [&](const Object& one) { return one.begin == loaded.begin(); }))
      NodeProcess::instance()->shared_variables().give(loaded);
  make_window_anonymous();
  LateWindow::instance().settle();
  for (const Object& object : objects)
    if (!in_window(object))
      continue;
    else if (!reason.empty())
      protect_elsewhere(object.span, PROT_NONE);
    else
      for (const Mapping& mapping : mappings_within(object.span))
        if (mapping.protection != (PROT_READ | PROT_WRITE))
          protect_elsewhere(mapping.range, mapping.protection);
  if (reason.empty())
    for (const Object& object : objects)
      if (object.frames)
        change_elsewhere({.kind = Change::Kind::RegisterFrames, .begin = object.frames});
}

} // namespace

void* LateObjects::load(const char* file, int flags) {
  // A thread that is away could call the object, in which there are no gates.
  NodeProcess::instance()->migration().deputies().stay_at_home();
  std::lock_guard guard(loading_);
  const std::vector<uintptr_t> before = begins_of(objects_loaded_now());
  LateWindow::instance().open();
  const int known = (flags & ~RTLD_LAZY) | RTLD_NOW | RTLD_NODELETE;
  void* handle;
  {
    LoadingWatch watch(make_window_anonymous); // before constructors start threads that write there
    handle = system_dlopen(file, known);
    if (!handle) { // perhaps it needs executable stacks, and only of its own stack can the kernel change all there will
                   // be
      const OriginalStackMeanwhile here(NodeProcess::instance()->initial_stack());
      handle = system_dlopen(file, known);
    }
  }
  LateWindow::instance().close();
  const std::vector<Object> fresh = without(dealt_with_, without(before, objects_loaded_now()));
  const std::vector<uintptr_t> dealt_with = begins_of(fresh);
  dealt_with_.insert(dealt_with_.end(), dealt_with.begin(), dealt_with.end());
  if (!fresh.empty()) {
    if (executable_stacks_wanted()) {
      NodeProcess::instance()->stacks().make_executable();
      change_elsewhere({.kind = Change::Kind::ExecutableStacks});
    }
    share(fresh, file);
  }
  return handle;
}

namespace {

/// A name without a slash is searched for where the caller says, which the dynamic linker would take this library for.
std::string resolve(const char* file, const void* caller) {
  if (strchr(file, '/'))
    return file;
  Dl_info info;
  link_map* map = nullptr;
  Dl_serinfo size{};
  if (!dladdr1(caller, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map ||
      dlinfo(map, RTLD_DI_SERINFOSIZE, &size) != 0)
    return file;
  const auto room = std::make_unique<char[]>(size.dls_size);
  auto* paths = reinterpret_cast<Dl_serinfo*>(room.get());
  paths->dls_size = size.dls_size;
  paths->dls_cnt = size.dls_cnt;
  if (dlinfo(map, RTLD_DI_SERINFO, paths) != 0)
    return file;
  for (unsigned i = 0; i < paths->dls_cnt; ++i) {
    std::string path = std::string(paths->dls_serpath[i].dls_name) + '/' + file;
    if (access(path.c_str(), R_OK) == 0)
      return path;
  }
  return file;
}

void* ask_origin(const std::string& file, int flags) {
  Change change{.kind = Change::Kind::Load, .flags = flags};
  if (file.size() < sizeof change.path) {
    strcpy(change.path, file.c_str());
    uint64_t handle = 0;
    if (change_at(change, origin, &handle) == 0)
      return reinterpret_cast<void*>(handle);
  }
  return system_dlopen((file + " (as node 0 tried to load it)").c_str(), RTLD_NOW); // fails, and dlerror() says what
}

struct Request {
  uint32_t node;
  Change change;
};

void load_errand(void* argument) {
  const std::unique_ptr<Request> request(static_cast<Request*>(argument));
  NodeProcess& process = *NodeProcess::instance();
  void* handle = process.late_objects().load(request->change.path, request->change.flags);
  process.answer_change(request->node, handle ? 0 : ENOENT, reinterpret_cast<uintptr_t>(handle));
}

} // namespace

void* load_early(const char* file, int flags, const void* caller) {
  LoadingWatch watch([] { NodeProcess::instance()->file_data().make_anonymous(); });
  return system_dlopen(resolve(file, caller).c_str(), flags | RTLD_NODELETE); // what is anonymous memory stays that
}

void* load_late(const char* file, int flags, const void* caller) {
  // Loaded already, from the start perhaps: each node has its own handle for that.
  if (void* handle = system_dlopen(file, (flags & ~RTLD_NODELETE) | RTLD_NOLOAD))
    return handle;
  const std::string path = resolve(file, caller);
  NodeProcess& process = *NodeProcess::instance();
  return process.node() == origin ? process.late_objects().load(path.c_str(), flags) : ask_origin(path, flags);
}

void load_for(unsigned node, const Change& change) {
  NodeProcess::instance()->errands().do_later(load_errand, new Request{node, change});
}

} // namespace hetmp::dsm
