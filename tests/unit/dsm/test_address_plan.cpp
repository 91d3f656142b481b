// Page numbers and addresses: each is the other's inverse, and pieces that are published together fit in
// their segment.
#include "dsm/space/address_plan.hpp"

#include <gtest/gtest.h>

#include <random>

namespace hetmp::dsm {
namespace {

AddressPlan plan_with(uint32_t nodes, std::vector<Segment> globals) {
  AddressPlan plan;
  plan.set(nodes, std::move(globals));
  return plan;
}

const std::vector<Segment> some_globals = {
    {0x555555558000, 0x55555555a000}, // two pages
    {0x7ffff7a00000, 0x7ffff7e01000}, // begins a piece, ends just in a third
    {0x7ffff7e01000, 0x7ffff7e02000}, // a neighbour without a gap
    {0x7ffff7ffe000, 0x7ffff8003000}, // over a boundary of pieces
};

void expect_round_trip(const AddressPlan& plan, uintptr_t address) {
  ASSERT_TRUE(plan.is_shared(address));
  const PageNumber page = plan.page_of(address);
  ASSERT_LT(page, plan.pages());
  EXPECT_EQ(plan.address_of(page), page_down(address));
}

TEST(AddressPlan, PartsOfASliceFollowOneAnother) {
  for (uint32_t node = 0; node < most_nodes; ++node) {
    const Segment slice = AddressPlan::slice(node);
    EXPECT_EQ(slice.bytes(), slice_bytes);
    EXPECT_EQ(AddressPlan::small_part(node).begin, slice.begin);
    EXPECT_EQ(AddressPlan::small_part(node).end, AddressPlan::large_part(node).begin);
    EXPECT_EQ(AddressPlan::large_part(node).end, AddressPlan::stack_part(node).begin);
    EXPECT_EQ(AddressPlan::stack_part(node).end, slice.end);
    if (node > 0) {
      EXPECT_EQ(AddressPlan::slice(node - 1).end, slice.begin);
    }
  }
  EXPECT_LE(AddressPlan::slice(most_nodes - 1).end, uintptr_t(0x550000000000)) << "where programs may lie";
}

TEST(AddressPlan, NumbersOfGlobalPagesAreDenseAndInverse) {
  for (uint32_t nodes : {1u, 2u, 7u, most_nodes}) {
    const AddressPlan plan = plan_with(nodes, some_globals);
    PageNumber expected = nodes * slice_pages;
    for (const Segment& segment : some_globals)
      for (uintptr_t address = segment.begin; address < segment.end; address += page_bytes) {
        EXPECT_EQ(plan.page_of(address), expected);
        EXPECT_EQ(plan.page_of(address + page_bytes - 1), expected);
        EXPECT_EQ(plan.address_of(expected), address);
        EXPECT_EQ(plan.home_of(expected), origin);
        ++expected;
      }
    EXPECT_EQ(plan.pages(), expected);
    EXPECT_EQ(plan.global_pages(), expected - nodes * slice_pages);
  }
}

TEST(AddressPlan, AnyAddressOfASliceIsHomedAtItsNode) {
  std::mt19937_64 random(1);
  const AddressPlan plan = plan_with(5, some_globals);
  for (int i = 0; i < 20'000; ++i) {
    const uint32_t node = uint32_t(random() % 5);
    const uintptr_t address = AddressPlan::slice(node).begin + random() % slice_bytes;
    expect_round_trip(plan, address);
    EXPECT_EQ(plan.home_of(plan.page_of(address)), node);
  }
  for (uint32_t node = 0; node < 5; ++node) {
    expect_round_trip(plan, AddressPlan::slice(node).begin);
    expect_round_trip(plan, AddressPlan::slice(node).end - 1);
  }
}

TEST(AddressPlan, WhatLiesOutsideIsNotShared) {
  const AddressPlan plan = plan_with(3, some_globals);
  for (uintptr_t address : {uintptr_t(0), slices_begin - 1, AddressPlan::slice(3).begin, uintptr_t(0x555555557fff),
                            uintptr_t(0x55555555a000), uintptr_t(0x7ffff7e02000), uintptr_t(0x7ffff8003000)})
    EXPECT_FALSE(plan.is_shared(address)) << std::hex << address;
  EXPECT_FALSE(plan_with(3, {}).is_shared(some_globals[0].begin));
}

TEST(AddressPlan, PublishedPiecesHoldTheirPageAndStayInTheSegment) {
  const AddressPlan plan = plan_with(2, some_globals);
  const auto check = [&](uintptr_t address, const Segment& segment) {
    const Segment piece = plan.publish_piece(plan.page_of(address));
    EXPECT_TRUE(piece.contains(address));
    EXPECT_LE(piece.bytes(), publish_bytes);
    EXPECT_GE(piece.begin, segment.begin);
    EXPECT_LE(piece.end, segment.end);
    // Every page of the piece belongs to the same one: pieces are published once.
    for (uintptr_t other : {piece.begin, piece.end - page_bytes}) {
      const Segment same = plan.publish_piece(plan.page_of(other));
      EXPECT_EQ(same.begin, piece.begin);
      EXPECT_EQ(same.end, piece.end);
    }
    EXPECT_EQ(plan.page_of(piece.end - 1) - plan.page_of(piece.begin) + 1, piece.bytes() >> page_shift);
  };
  for (const Segment& segment : some_globals)
    for (uintptr_t address = segment.begin; address < segment.end; address += page_bytes)
      check(address, segment);
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const uint32_t node = uint32_t(random() % 2);
    check(AddressPlan::slice(node).begin + random() % slice_bytes, AddressPlan::slice(node));
  }
}

TEST(AddressPlan, RoundsToPages) {
  EXPECT_EQ(page_down(4095), 0u);
  EXPECT_EQ(page_down(4096), 4096u);
  EXPECT_EQ(page_up(0), 0u);
  EXPECT_EQ(page_up(1), 4096u);
  EXPECT_EQ(page_up(4096), 4096u);
}

} // namespace
} // namespace hetmp::dsm
