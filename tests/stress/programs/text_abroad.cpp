// Text and numbers in memory, and sorting, by the C library's functions: a thread that is executed elsewhere calls them
// there, what they allocate meanwhile comes from where it is, a locale that the program has set holds on all nodes, and
// who has one of his own goes home.
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7
#include "stress.hpp"

#include <cctype>
#include <cerrno>
#include <clocale>
#include <cwchar>
#include <omp.h>

namespace {

using stress::is_abroad;
using stress::mix;

/// Of some work.
struct Calls {
  std::atomic<long> begun_abroad{0}, ended_abroad{0}; ///< the latter: of those that had begun there
};
Calls short_texts, long_texts, sorts, texts_with_own_locale;

template <class Work> void note_where(Calls& calls, Work work) {
  const bool before = is_abroad();
  work();
  calls.begun_abroad += before;
  calls.ended_abroad += before && is_abroad();
}

void write_and_read(uint64_t seed) {
  const auto number = int32_t(mix(seed, 1));
  const double fraction = double(int64_t(mix(seed, 2)) % 1'000'000) / 4096;
  char text[200], word[8] = {}, two[64];
  for (int i = 0; i < 6; ++i)
    word[i] = char('a' + mix(seed, 3, uint64_t(i)) % 26);
  const int length = snprintf(text, sizeof text, "%d %.17g %s", number, fraction, word);
  CHECK_EQUAL(strlen(text), length);
  char* behind = nullptr;
  errno = 0;
  CHECK_EQUAL(strtol(text, &behind, 10), number);
  CHECK_EQUAL(errno, 0);
  CHECK(strtod(behind, &behind) == fraction);
  CHECK_EQUAL(strcasecmp(behind + 1, word), 0);
  int read = 0;
  double read_fraction = 0;
  char read_word[8];
  CHECK_EQUAL(sscanf(text, "%d %lf %7s", &read, &read_fraction, read_word), 3);
  CHECK(read == number && read_fraction == fraction && strcmp(read_word, word) == 0);
  for (char& letter : read_word)
    letter = char(toupper(letter));
  CHECK(isupper(read_word[0]) && !isupper(word[0]) && isdigit('7') && !isalpha('7'));
  CHECK_EQUAL(sprintf(two, "%2$s-%1$d", 7, read_word), 8); // by place: the C library may want memory
  CHECK(strcmp(two + 6, "-7") == 0 && two[0] == read_word[0]);
  CHECK_EQUAL(strtol("99999999999999999999", nullptr, 10), INT64_MAX);
  CHECK_EQUAL(errno, ERANGE);
}

/// For which the C library wants memory, and gives it back.
void write_much(uint64_t seed) {
  char text[5000];
  const auto digit = int(mix(seed) % 9 + 1);
  CHECK_EQUAL(snprintf(text, sizeof text, "%.4000f", digit / 8.0), 4002);
  CHECK(strtod(text, nullptr) == digit / 8.0);
  CHECK_EQUAL(snprintf(text, sizeof text, "%0*d|%s", 3000, digit, "end"), 3004);
  CHECK(text[2999] == '0' + digit && strcmp(text + 3001, "end") == 0);
}

int compare(const void* a, const void* b) {
  const uint64_t first = *static_cast<const uint64_t*>(a), second = *static_cast<const uint64_t*>(b);
  return first < second ? -1 : first > second;
}

void sort(uint64_t seed) {
  constexpr size_t few = 40, many = 3000;
  static_assert(many * sizeof(uint64_t) > 1024); // what qsort() does on the stack
  for (const size_t count : {few, many}) {
    std::vector<uint64_t> values(count);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
      sum += values[i] = mix(seed, i);
    qsort(values.data(), count, sizeof values[0], compare);
    for (size_t i = 1; i < count; ++i)
      CHECK(values[i - 1] <= values[i]);
    for (const uint64_t value : values)
      sum -= value;
    CHECK_EQUAL(sum, 0);
  }
}

void many_words(uint64_t seeds) {
#pragma omp parallel
  for (uint64_t i = 0; i < 12; ++i) {
    const uint64_t seed = mix(seeds, uint64_t(omp_get_thread_num()), i);
    stress::computes_abroad();
    note_where(short_texts, [&] { write_and_read(seed); });
    note_where(long_texts, [&] { write_much(seed); });
    note_where(sorts, [&] { sort(seed); });
  }
}

/// What the C library makes of letters that are none in the locale "C". What it needs for them it loads when it is
/// first asked, so this is done at home.
bool knows_letters() {
  char text[16];
  const int length = snprintf(text, sizeof text, "%ls", L"\u00e9\u00df");
  CHECK(length == -1 || length == 4);
  return length == 4;
}

void in_each_locale() {
  static std::atomic<int> other_than_wanted{0};
  for (const char* const name : {"C.UTF-8", "C", "C.UTF-8", "POSIX"}) {
    CHECK(setlocale(LC_ALL, name) != nullptr);
    const bool wanted = knows_letters();
    CHECK_EQUAL(wanted, strcmp(name, "C.UTF-8") == 0);
#pragma omp parallel
    for (int i = 0; i < 6; ++i) {
      stress::computes_abroad();
      other_than_wanted += knows_letters() != wanted;
    }
    CHECK_EQUAL(other_than_wanted, 0);
  }
  const locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", locale_t{});
  CHECK(own != locale_t{});
#pragma omp parallel
  {
    const bool has_own = omp_get_thread_num() % 2 == 1;
    const locale_t before = has_own ? uselocale(own) : locale_t{};
    for (int i = 0; i < 6; ++i) {
      stress::computes_abroad();
      other_than_wanted += knows_letters() != has_own;
      stress::computes_abroad();
      char text[8];
      const auto writes = [&] { CHECK_EQUAL(snprintf(text, sizeof text, "%d", i), 1); };
      has_own ? note_where(texts_with_own_locale, writes) : writes();
    }
    if (has_own)
      uselocale(before);
  }
  CHECK_EQUAL(other_than_wanted, 0);
  freelocale(own);
}

} // namespace

int main() {
  many_words(1);
  in_each_locale();
  if (!stress::threads_must_travel())
    return 0;
  for (uint64_t more = 0; short_texts.ended_abroad == 0 || long_texts.ended_abroad == 0 || sorts.ended_abroad == 0;
       ++more) {
    CHECK(more < 100);
    many_words(2 + more);
  }
  // Who has come home may have left again at once.
  for (int more = 0; texts_with_own_locale.ended_abroad == texts_with_own_locale.begun_abroad; ++more) {
    CHECK(more < 100);
    in_each_locale();
  }
}
