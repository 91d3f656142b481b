// The __kmpc_atomic_* entries of the built library, one or more of every family, alone and under contention.
#include <atomic>
#include <cstdint>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

__extension__ typedef float _Complex Complex4;
__extension__ typedef double _Complex Complex8;
__extension__ typedef long double _Complex Complex10;

namespace {

/// The entry's address, as a function of the given type. Missing entries fail the test that asks.
template <class Function> Function* entry(const std::string& name) {
  void* address = dlsym(RTLD_DEFAULT, ("__kmpc_atomic_" + name).c_str());
  if (!address)
    ADD_FAILURE() << "no " << name;
  return reinterpret_cast<Function*>(address);
}

template <class T> T updated(const std::string& name, T x, T e) {
  entry<void(void*, int, T*, T)>(name)(nullptr, 0, &x, e);
  return x;
}

/// Captures with the flag set and unset: must be the new and the old value; returns the new one.
template <class T> T captured(const std::string& name, T start, T e) {
  auto* capture = entry<T(void*, int, T*, T, int)>(name);
  T x = start;
  EXPECT_EQ(capture(nullptr, 0, &x, e, 0), start) << name;
  const T after = x;
  x = start;
  EXPECT_EQ(capture(nullptr, 0, &x, e, 1), after) << name;
  EXPECT_EQ(x, after) << name;
  return after;
}

template <class T> void expect_op(const std::string& name, T x, T e, T result) {
  EXPECT_EQ(updated<T>(name, x, e), result) << name;
  EXPECT_EQ(captured<T>(name + "_cpt", x, e), result) << name;
}

template <class T> void expect_reversed(const std::string& name, T x, T e, T result) {
  EXPECT_EQ(updated<T>(name + "_rev", x, e), result) << name;
  EXPECT_EQ(captured<T>(name + "_cpt_rev", x, e), result) << name;
}

template <class T> void expect_read_write_swap(const std::string& type, T first, T second) {
  T x = first;
  EXPECT_EQ((entry<T(void*, int, T*)>(type + "_rd")(nullptr, 0, &x)), first) << type;
  entry<void(void*, int, T*, T)>(type + "_wr")(nullptr, 0, &x, second);
  EXPECT_EQ(x, second) << type;
  EXPECT_EQ((entry<T(void*, int, T*, T)>(type + "_swp")(nullptr, 0, &x, first)), second) << type;
  EXPECT_EQ(x, first) << type;
}

template <class T> class Fixed : public testing::Test {
 protected:
  std::string type = "fixed" + std::to_string(sizeof(T));
};
using FixedTypes = testing::Types<int8_t, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(Fixed, FixedTypes);

TYPED_TEST(Fixed, Operations) {
  using T = TypeParam;
  const std::string& type = this->type;
  expect_op<T>(type + "_add", 100, -58, 42);
  expect_op<T>(type + "_sub", -3, 4, -7);
  expect_op<T>(type + "_mul", -7, 6, -42);
  expect_op<T>(type + "_div", -43, 4, -10);
  expect_op<T>(type + "_andb", 0b1100, 0b1010, 0b1000);
  expect_op<T>(type + "_orb", 0b1100, 0b1010, 0b1110);
  expect_op<T>(type + "_xor", 0b1100, 0b1010, 0b0110);
  expect_op<T>(type + "_neqv", 0b1100, 0b1010, 0b0110);
  expect_op<T>(type + "_eqv", 0b1100, 0b1010, T(~0b0110));
  expect_op<T>(type + "_andl", 2, 4, 1);
  expect_op<T>(type + "_andl", 2, 0, 0);
  expect_op<T>(type + "_orl", 0, 4, 1);
  expect_op<T>(type + "_orl", 0, 0, 0);
  expect_op<T>(type + "_min", 3, -4, -4);
  expect_op<T>(type + "_min", -4, 3, -4);
  expect_op<T>(type + "_max", 3, -4, 3);
  expect_op<T>(type + "_max", -4, 3, 3);
  expect_op<T>(type + "_shl", 3, 4, 48);
  expect_op<T>(type + "_shr", -64, 3, -8);
  const T highest = T(~(uint64_t(1) << (8 * sizeof(T) - 1)));
  expect_op<T>(type + "_add", highest, 1, T(highest + uint64_t(1)));
}

TYPED_TEST(Fixed, Reversed) {
  using T = TypeParam;
  expect_reversed<T>(this->type + "_sub", 3, 10, 7);
  expect_reversed<T>(this->type + "_div", 4, 43, 10);
  expect_reversed<T>(this->type + "_shl", 4, 3, 48);
  expect_reversed<T>(this->type + "_shr", 3, -64, -8);
}

TYPED_TEST(Fixed, Unsigned) {
  using U = std::make_unsigned_t<TypeParam>;
  const std::string type = this->type + "u";
  const U high = U(~U(0)); // as a signed number this were -1
  expect_op<U>(type + "_div", high, 2, U(high / 2));
  expect_op<U>(type + "_shr", high, 1, U(high / 2));
  expect_reversed<U>(type + "_div", 2, high, U(high / 2));
  expect_reversed<U>(type + "_shr", 1, high, U(high / 2));
}

TYPED_TEST(Fixed, MixedAndPlain) {
  using T = TypeParam;
  T x = 10;
  entry<void(void*, int, T*, double)>(this->type + "_mul_float8")(nullptr, 0, &x, 2.55);
  EXPECT_EQ(x, 25);
  entry<void(void*, int, T*, double)>(this->type + "_div_float8")(nullptr, 0, &x, 0.5);
  EXPECT_EQ(x, 50);
  expect_read_write_swap<T>(this->type, 5, -6);
}

TYPED_TEST(Fixed, CompareAndSwap) {
  using T = TypeParam;
  const std::string size = std::to_string(sizeof(T));
  auto* exchanged = entry<bool(void*, int, T*, T, T)>("bool_" + size + "_cas");
  auto* old_value = entry<T(void*, int, T*, T, T)>("val_" + size + "_cas");
  auto* exchanged_or_old = entry<bool(void*, int, T*, T, T, T*)>("bool_" + size + "_cas_cpt");
  auto* final_value = entry<T(void*, int, T*, T, T, T*)>("val_" + size + "_cas_cpt");
  T x = 1, seen = 99;
  EXPECT_FALSE(exchanged(nullptr, 0, &x, 7, 2));
  EXPECT_TRUE(exchanged(nullptr, 0, &x, 1, 2));
  EXPECT_EQ(x, 2);
  EXPECT_EQ(old_value(nullptr, 0, &x, 7, 3), 2);
  EXPECT_EQ(old_value(nullptr, 0, &x, 2, 3), 2);
  EXPECT_EQ(x, 3);
  EXPECT_TRUE(exchanged_or_old(nullptr, 0, &x, 3, 4, &seen));
  EXPECT_EQ(seen, 99) << "nothing is captured when the exchange happens";
  EXPECT_FALSE(exchanged_or_old(nullptr, 0, &x, 3, 5, &seen));
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(final_value(nullptr, 0, &x, 4, 5, &seen), 4);
  EXPECT_EQ(seen, 5);
  EXPECT_EQ(final_value(nullptr, 0, &x, 4, 6, &seen), 5);
  EXPECT_EQ(seen, 5);
  EXPECT_EQ(x, 5);
}

template <class T> void expect_real(const std::string& type) {
  expect_op<T>(type + "_add", T(1.5), T(2.25), T(3.75));
  expect_op<T>(type + "_sub", T(1.5), T(2.25), T(-0.75));
  expect_op<T>(type + "_mul", T(1.5), T(-2), T(-3));
  expect_op<T>(type + "_div", T(3), T(8), T(0.375));
  expect_op<T>(type + "_min", T(3), T(-8), T(-8));
  expect_op<T>(type + "_max", T(3), T(-8), T(3));
  expect_reversed<T>(type + "_sub", T(1.5), T(2.25), T(0.75));
  expect_reversed<T>(type + "_div", T(8), T(3), T(0.375));
  expect_read_write_swap<T>(type, T(0.5), T(-7));
}

TEST(Real, Operations) {
  expect_real<float>("float4");
  expect_real<double>("float8");
  expect_real<long double>("float10");
}

TEST(Real, MixedWithDouble) {
  float x = 1;
  const std::pair<const char*, float> steps[] = {{"add", 1.5f}, {"mul", 0.75f}, {"sub", 0.25f}, {"div", 0.5f}};
  for (const auto& [op, result] : steps) {
    entry<void(void*, int, float*, double)>(std::string("float4_") + op + "_float8")(nullptr, 0, &x, 0.5);
    EXPECT_EQ(x, result) << op;
  }
}

template <class C> C complex(double re, double im) {
  C value;
  __real__ value = re;
  __imag__ value = im;
  return value;
}

template <class C> void expect_complex_update(const std::string& type) {
  const C a = complex<C>(1, 2), b = complex<C>(3, -1);
  EXPECT_TRUE((updated<C>(type + "_add", a, b) == complex<C>(4, 1))) << type;
  EXPECT_TRUE((updated<C>(type + "_sub", a, b) == complex<C>(-2, 3))) << type;
  EXPECT_TRUE((updated<C>(type + "_mul", a, b) == complex<C>(5, 5))) << type;
  EXPECT_TRUE((updated<C>(type + "_div", complex<C>(-2, 6), complex<C>(2, 2)) == a)) << type; // exact quotients
  EXPECT_TRUE((updated<C>(type + "_sub_rev", a, b) == complex<C>(2, -3))) << type;
  EXPECT_TRUE((updated<C>(type + "_div_rev", complex<C>(2, 2), complex<C>(-2, 6)) == a)) << type;
}

template <class C> void expect_complex_capture(const std::string& type) {
  const C a = complex<C>(1, 2), b = complex<C>(3, -1);
  const auto capture = [&](const char* op, C x, C e, C result) {
    auto* function = entry<C(void*, int, C*, C, int)>(type + op);
    const C start = x;
    EXPECT_TRUE((function(nullptr, 0, &x, e, 0) == start)) << type << op;
    EXPECT_TRUE((x == result)) << type << op;
    x = start;
    EXPECT_TRUE((function(nullptr, 0, &x, e, 1) == result)) << type << op;
  };
  capture("_add_cpt", a, b, complex<C>(4, 1));
  capture("_sub_cpt", a, b, complex<C>(-2, 3));
  capture("_mul_cpt", a, b, complex<C>(5, 5));
  capture("_div_cpt", complex<C>(-2, 6), complex<C>(2, 2), a);
  capture("_sub_cpt_rev", a, b, complex<C>(2, -3));
  capture("_div_cpt_rev", complex<C>(2, 2), complex<C>(-2, 6), a);
  C x = a;
  EXPECT_TRUE((entry<C(void*, int, C*)>(type + "_rd")(nullptr, 0, &x) == a)) << type;
  entry<void(void*, int, C*, C)>(type + "_wr")(nullptr, 0, &x, b);
  EXPECT_TRUE((entry<C(void*, int, C*, C)>(type + "_swp")(nullptr, 0, &x, a) == b)) << type;
  EXPECT_TRUE((x == a)) << type;
}

TEST(Complex, Operations) {
  expect_complex_update<Complex4>("cmplx4");
  expect_complex_update<Complex8>("cmplx8");
  expect_complex_update<Complex10>("cmplx10");
  expect_complex_capture<Complex8>("cmplx8");
  expect_complex_capture<Complex10>("cmplx10");
}

TEST(Complex, FloatComplexCapturesThroughAnArgument) {
  using C = Complex4;
  const C a = complex<C>(1, 2), b = complex<C>(3, -1);
  const auto capture = [&](const char* op, C x, C e, C result) {
    auto* function = entry<void(void*, int, C*, C, C*, int)>(std::string("cmplx4") + op);
    const C start = x;
    C out;
    function(nullptr, 0, &x, e, &out, 0);
    EXPECT_TRUE((out == start && x == result)) << op;
    x = start;
    function(nullptr, 0, &x, e, &out, 1);
    EXPECT_TRUE((out == result && x == result)) << op;
  };
  capture("_add_cpt", a, b, complex<C>(4, 1));
  capture("_sub_cpt", a, b, complex<C>(-2, 3));
  capture("_mul_cpt", a, b, complex<C>(5, 5));
  capture("_div_cpt", complex<C>(-2, 6), complex<C>(2, 2), a);
  capture("_sub_cpt_rev", a, b, complex<C>(2, -3));
  capture("_div_cpt_rev", complex<C>(2, 2), complex<C>(-2, 6), a);
  C x = a, out;
  EXPECT_TRUE((entry<C(void*, int, C*)>("cmplx4_rd")(nullptr, 0, &x) == a));
  entry<void(void*, int, C*, C)>("cmplx4_wr")(nullptr, 0, &x, b);
  entry<void(void*, int, C*, C, C*)>("cmplx4_swp")(nullptr, 0, &x, a, &out);
  EXPECT_TRUE((out == b && x == a));
}

TEST(Complex, MixedWithDouble) {
  Complex4 x = complex<Complex4>(1, 2);
  const Complex8 e = complex<Complex8>(2, 2);
  const auto step = [&](const char* op, double re, double im) {
    entry<void(void*, int, Complex4*, Complex8)>(std::string("cmplx4_") + op + "_cmplx8")(nullptr, 0, &x, e);
    EXPECT_TRUE((x == complex<Complex4>(re, im))) << op;
  };
  step("add", 3, 4);
  step("sub", 1, 2);
  step("mul", -2, 6);
  step("div", 1, 2);
}

// ---- under contention

constexpr int threads = 4;
constexpr int rounds = 400000;

template <class Body> void on_threads(Body body) {
  std::vector<std::thread> team;
  std::atomic<int> started{0};
  for (int number = 0; number < threads; ++number)
    team.emplace_back([&, number] {
      started.fetch_add(1);
      while (started.load() < threads) // all at once, or the first is done before the last begins
        std::this_thread::yield();
      for (int round = 0; round < rounds; ++round)
        body(number);
    });
  for (std::thread& thread : team)
    thread.join();
}

using Combine = void(void*, void*, void*);

template <class T> void add_into(void* result, void* left, void* right) {
  *static_cast<T*>(result) = *static_cast<T*>(left) + *static_cast<T*>(right);
}

TEST(Contention, WordsLoseNoUpdate) {
  int64_t eight = 0;
  int16_t neighbours[2] = {0, 0};
  auto* add8 = entry<void(void*, int, int64_t*, int64_t)>("fixed8_add");
  auto* add2 = entry<void(void*, int, int16_t*, int16_t)>("fixed2_add");
  on_threads([&](int number) {
    add8(nullptr, 0, &eight, 3);
    add2(nullptr, 0, &neighbours[number % 2], 1);
  });
  EXPECT_EQ(eight, int64_t(3) * threads * rounds);
  EXPECT_EQ(neighbours[0], int16_t(threads / 2 * rounds));
  EXPECT_EQ(neighbours[1], int16_t(threads / 2 * rounds));
}

TEST(Contention, RealsOfAllLengthsLoseNoUpdate) {
  float f4 = 0;
  double f8 = 0;
  long double f10 = 0;
  Complex8 c8 = 0;
  auto* add4 = entry<void(void*, int, float*, float)>("float4_add");
  auto* add8 = entry<void(void*, int, double*, double)>("float8_add");
  auto* add10 = entry<void(void*, int, long double*, long double)>("float10_add");
  auto* add_complex = entry<void(void*, int, Complex8*, Complex8)>("cmplx8_add");
  on_threads([&](int) {
    add4(nullptr, 0, &f4, 1);
    add8(nullptr, 0, &f8, 1);
    add10(nullptr, 0, &f10, 1);
    add_complex(nullptr, 0, &c8, complex<Complex8>(1, -1));
  });
  EXPECT_EQ(f4, threads * rounds);
  EXPECT_EQ(f8, threads * rounds);
  EXPECT_EQ(f10, threads * rounds);
  EXPECT_EQ((__real__ c8), threads * rounds);
  EXPECT_EQ((__imag__ c8), -threads * rounds);
}

TEST(Contention, MisalignedOperandLosesNoUpdate) {
  struct __attribute__((packed)) {
    char shift;
    int64_t value;
  } packed = {0, 0};
  auto* add = entry<void(void*, int, void*, int64_t)>("fixed8_add");
  char* place = reinterpret_cast<char*>(&packed) + 1;
  on_threads([&](int) { add(nullptr, 0, place, 1); });
  EXPECT_EQ(packed.value, int64_t(threads) * rounds);
}

TEST(Contention, SizedUpdatesLoseNoUpdate) {
  uint8_t one = 0;
  uint16_t two = 0;
  uint32_t four = 0;
  uint64_t eight = 0;
  long double ten = 0;
  Complex8 sixteen = 0;
  Complex10 thirtytwo = 0;
  const auto sized = [](const char* name) { return entry<void(void*, int, void*, void*, Combine*)>(name); };
  auto *a1 = sized("1"), *a2 = sized("2"), *a4 = sized("4"), *a8 = sized("8"), *a10 = sized("10"), *a16 = sized("16"),
       *a20 = sized("20"), *a32 = sized("32");
  long double twenty = 0; // the size is in the name only; the function knows the type
  on_threads([&](int) {
    uint8_t e1 = 1;
    uint16_t e2 = 1;
    uint32_t e4 = 1;
    uint64_t e8 = 1;
    long double e10 = 1;
    Complex8 e16 = 1;
    Complex10 e32 = 1;
    a1(nullptr, 0, &one, &e1, add_into<uint8_t>);
    a2(nullptr, 0, &two, &e2, add_into<uint16_t>);
    a4(nullptr, 0, &four, &e4, add_into<uint32_t>);
    a8(nullptr, 0, &eight, &e8, add_into<uint64_t>);
    a10(nullptr, 0, &ten, &e10, add_into<long double>);
    a16(nullptr, 0, &sixteen, &e16, add_into<Complex8>);
    a20(nullptr, 0, &twenty, &e10, add_into<long double>);
    a32(nullptr, 0, &thirtytwo, &e32, add_into<Complex10>);
  });
  const int total = threads * rounds;
  EXPECT_EQ(one, uint8_t(total));
  EXPECT_EQ(two, uint16_t(total));
  EXPECT_EQ(four, uint32_t(total));
  EXPECT_EQ(eight, uint64_t(total));
  EXPECT_EQ(ten, total);
  EXPECT_EQ(twenty, total);
  EXPECT_EQ((__real__ sixteen), total);
  EXPECT_EQ((__real__ thirtytwo), total);
}

TEST(Contention, StartAndEndExcludeTheLockedEntries) {
  long double sum = 0;
  auto* start = entry<void()>("start");
  auto* end = entry<void()>("end");
  auto* add = entry<void(void*, int, long double*, long double)>("float10_add");
  on_threads([&](int number) {
    if (number % 2 == 0) {
      start();
      sum += 1;
      end();
    } else {
      add(nullptr, 0, &sum, 1);
    }
  });
  EXPECT_EQ(sum, threads * rounds);
}

TEST(Completeness, EveryListedEntryExists) {
  std::ifstream list(EXPORTS_FILE);
  std::string line;
  int found = 0;
  while (std::getline(list, line)) {
    const std::string name = line.substr(0, line.find(' '));
    if (!name.starts_with("__kmpc_atomic_"))
      continue;
    EXPECT_NE(dlsym(RTLD_DEFAULT, name.c_str()), nullptr) << name;
    ++found;
  }
  EXPECT_EQ(found, 340);
}

} // namespace
