#include "runtime/process/code_ids.hpp"

#include "base/elf/code_map.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/process/fabric.hpp"

#include <atomic>
#include <vector>

namespace hetmp::runtime {
namespace {

/// Never freed: somebody may be reading it. A few in the life of a program, since each knows more objects than the one
/// before.
struct Known {
  CodeMap map;
  const Known* before;
};
/// Released by look_again(), acquired by those who read it.
std::atomic<const Known*> known{nullptr};

/// The map of what is loaded now. What the program loads when there are several nodes is in the origin's list only, and
/// lies in memory that they share: that names it.
const CodeMap& look_again() {
  std::vector<ObjectCode> objects = loaded_code();
  if (fabric)
    std::erase_if(objects, [](const ObjectCode& object) {
      return fabric->may_hold_code(reinterpret_cast<const void*>(object.begin));
    });
  const Known* before = known.load(std::memory_order_acquire); // pairs with the release below
  if (before && before->map.objects() == objects.size())
    return before->map;
  const auto* fresh = new Known{CodeMap(objects), before};
  // release: whoever finds the pointer finds the map. acquire: the one of another thread, which was first, will do.
  if (known.compare_exchange_strong(before, fresh, std::memory_order_release, std::memory_order_acquire))
    return fresh->map;
  delete fresh;
  return before->map;
}

const CodeMap& map_of_code() {
  const Known* all = known.load(std::memory_order_acquire); // pairs with the release in look_again()
  return all ? all->map : look_again();
}

} // namespace

CodeId name_code(const void* function) {
  const auto address = reinterpret_cast<uintptr_t>(function);
  if (address == 0)
    return {};
  if (const CodeId id = map_of_code().id_of(address))
    return id;
  if (!fabric || fabric->may_hold_code(function))
    return CodeId::in_shared_memory(address);
  const CodeId id = look_again().id_of(address);
  if (!id)
    die(exit_code::software, "the code at %p lies in nothing that is loaded, and not in memory of all nodes", function);
  return id;
}

CodeId name_lasting_code(const void* function) {
  const auto address = reinterpret_cast<uintptr_t>(function);
  if (const CodeId id = map_of_code().id_of(address))
    return id;
  return look_again().id_of(address);
}

const void* find_code(CodeId id) {
  if (!id)
    return nullptr;
  if (!id.is_in_shared_memory()) {
    uintptr_t address = map_of_code().address_of(id);
    if (address == 0)
      address = look_again().address_of(id);
    return reinterpret_cast<const void*>(address);
  }
  const auto* address = reinterpret_cast<const void*>(id.shared_address());
  return !fabric || fabric->holds_code(address) ? address : nullptr;
}

} // namespace hetmp::runtime
