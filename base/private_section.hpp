// Keeps other people's libraries out of memory that nodes share.
#pragma once

namespace hetmp {

/// While one exists, what its thread allocates is private to the process, in this project's own code and in
/// any library that it calls: in node processes `malloc` otherwise gives memory that nodes share. Such a
/// block may be freed at any time. Sections nest. Where nodes are not processes of their own, nothing
/// changes.
class PrivateSection {
 public:
  PrivateSection();
  ~PrivateSection();
  PrivateSection(const PrivateSection&) = delete;
  PrivateSection& operator=(const PrivateSection&) = delete;

 private:
  bool before_ = false;
};

} // namespace hetmp

/// Exported by the DSM library, found by dlsym: what the calling thread allocates is private from now on, or
/// no longer. Returns how it was before.
extern "C" bool hetmp_dsm_allocate_privately(bool privately);
