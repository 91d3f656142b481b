// Entries without code end the program with a line that names them.
#include <gtest/gtest.h>

#define HETMP_UNIMPLEMENTED(name) extern "C" void name();
#include "runtime/abi/unimplemented.def"
#undef HETMP_UNIMPLEMENTED

namespace {

struct Entry {
  const char* name;
  void (*call)();
};
#define HETMP_UNIMPLEMENTED(name) {#name, name},
const Entry entries[] = {
#include "runtime/abi/unimplemented.def"
    {nullptr, nullptr}};

TEST(Unimplemented, EntrySaysItsNameAndStops) {
  const Entry& entry = entries[0];
  if (!entry.name)
    GTEST_SKIP() << "everything is implemented";
  EXPECT_EXIT(entry.call(), testing::ExitedWithCode(70),
              std::string("hetmp: ") + entry.name + " is not implemented yet");
}

} // namespace
