// Code as this process names it to others, and finds it by name.
#include "runtime/process/code_ids.hpp"
#include "runtime/process/fabric.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hetmp::runtime {
namespace {

int answer() { return 42; }

char in_common[64];

bool is_in_common(const void* address) { return address >= in_common && address < in_common + sizeof in_common; }
bool first_half_is_code(const void* address) { return is_in_common(address) && address < in_common + 32; }

class CodeIds : public testing::Test {
 protected:
  CodeIds() {
    of_nodes_.may_hold_code = is_in_common;
    of_nodes_.holds_code = first_half_is_code;
  }
  void SetUp() override { fabric = &of_nodes_; }
  void TearDown() override { fabric = nullptr; }

 private:
  dsm::Fabric of_nodes_{};
};

TEST_F(CodeIds, FunctionsAreFoundByTheirNames) {
  const CodeId id = name_code(&answer);
  EXPECT_FALSE(id.is_in_shared_memory());
  const auto function = find_function<int (*)()>(id);
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function(), 42);
  EXPECT_EQ(name_code(nullptr), CodeId{});
  EXPECT_EQ(find_code({}), nullptr);
}

TEST_F(CodeIds, WhatIsNotLoadedOrNoCodeIsNotFound) {
  const CodeId id = name_code(&answer);
  EXPECT_EQ(find_code({id.object + 1, id.offset}), nullptr);
  EXPECT_EQ(find_code({id.object, 0}), nullptr);
  EXPECT_EQ(find_code({id.object, UINT32_MAX}), nullptr);
}

TEST_F(CodeIds, CodeInCommonMemoryIsNamedByItsAddress) {
  const CodeId code = name_code(in_common + 8), no_code = name_code(in_common + 40);
  EXPECT_TRUE(code.is_in_shared_memory());
  EXPECT_EQ(find_code(code), in_common + 8);
  EXPECT_EQ(find_code(no_code), nullptr);
  EXPECT_EQ(find_code(CodeId::in_shared_memory(reinterpret_cast<uintptr_t>(&answer))), nullptr)
      << "code, but not in such memory";
}

TEST_F(CodeIds, WhatOtherNodesCannotHaveEndsTheProgram) {
  int here = 0;
  EXPECT_EXIT(name_code(&here), testing::ExitedWithCode(70), "lies in nothing that is loaded");
}

TEST_F(CodeIds, WithinOneProcessAllMemoryIsInCommon) {
  fabric = nullptr;
  int here = 0;
  EXPECT_EQ(find_code(name_code(&here)), &here);
}

} // namespace
} // namespace hetmp::runtime
