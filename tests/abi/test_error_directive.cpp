// The error directive: what it says, and whether the program goes on.
#include <cstdint>
#include <gtest/gtest.h>

struct SourceLocation {
  int32_t reserved[4];
  const char* text;
};
extern "C" void __kmpc_error(const SourceLocation* location, int severity, const char* message);
extern "C" void GOMP_error(const char* message, size_t bytes);
extern "C" void GOMP_warning(const char* message, size_t bytes);

namespace {

constexpr int warning = 1, fatal = 2;
const SourceLocation somewhere = {{0, 2, 0, 0}, ";file.c;main;67;3;;"};

TEST(ErrorDirective, FatalOnesEndTheProgram) {
  EXPECT_EXIT(__kmpc_error(&somewhere, fatal, "too much"), testing::ExitedWithCode(1),
              "^hetmp: error directive at file.c;main;67: too much\n$");
  EXPECT_EXIT(GOMP_error("too little of it", 10), testing::ExitedWithCode(1), "^hetmp: error directive: too little\n$");
  EXPECT_EXIT(GOMP_error(nullptr, 0), testing::ExitedWithCode(1), "^hetmp: error directive: \n$");
}

TEST(ErrorDirective, WarningsAreLines) {
  testing::internal::CaptureStderr();
  __kmpc_error(&somewhere, warning, "beware");
  __kmpc_error(nullptr, warning, nullptr);
  GOMP_warning("of this", SIZE_MAX);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "OMP: Warning #283: hetmp: error directive at file.c;main;67: beware\n"
            "OMP: Warning #283: hetmp: error directive: \n"
            "hetmp: error directive: of this\n");
}

} // namespace
