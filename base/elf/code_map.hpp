// Which code of this process a CodeId names, and how its code is named. Pure, but for loaded_code().
#pragma once

#include "base/elf/code_id.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hetmp {

/// What of a loaded object can be executed.
struct ObjectCode {
  struct Span {
    uintptr_t begin, end;
  };
  std::string identity; ///< what the file is: alike in all processes that have loaded the same
  uintptr_t begin = 0;  ///< of the object; offsets count from here
  std::vector<Span> spans;
};

/// Of all objects, in the dynamic linker's order. Takes the linker's lock.
std::vector<ObjectCode> loaded_code();

class CodeMap {
 public:
  /// Objects that are alike are told apart by their order.
  explicit CodeMap(const std::vector<ObjectCode>& objects);

  /// The name of the code at this address; none if no object has code there.
  CodeId id_of(uintptr_t address) const;
  /// Where the code is that the id names; 0 if there is no such object, or no code of it at the offset.
  uintptr_t address_of(CodeId id) const;

  /// Of how many objects it was made.
  size_t objects() const { return objects_; }

 private:
  struct Span {
    uintptr_t begin, end;
    uintptr_t object_begin;
    uint32_t object; ///< CodeId::object
  };
  size_t objects_;
  std::vector<Span> by_address_; ///< ascending
  std::vector<Span> by_object_;  ///< ascending by `object`
};

} // namespace hetmp
