#include "dsm/migration/functions/guest_functions.hpp"

#include <algorithm>
#include <iterator>

namespace hetmp::dsm {
namespace {

/// Of the C and C++ libraries, in the order of strcmp(): of the latter, what containers keep in order with, and clocks
/// on the wall.
constexpr std::string_view computing[] = {
    "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
    "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
    "_ZNSt6chrono3_V212steady_clock3nowEv",
    "_ZNSt6chrono3_V212system_clock3nowEv",
    "_ZNSt8__detail15_List_node_base10_M_reverseEv",
    "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
    "_ZNSt8__detail15_List_node_base4swapERS0_S1_",
    "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
    "_ZNSt8__detail15_List_node_base9_M_unhookEv",
    "_ZSt11_Hash_bytesPKvmm",
    "_ZSt15_Fnv_hash_bytesPKvmm",
    "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
    "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
    "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
    "__errno_location",
    "__memcpy_chk",
    "__memmove_chk",
    "__memset_chk",
    "__strcat_chk",
    "__strcpy_chk",
    "__strncpy_chk",
    "__strtok_r",
    "abs",
    "bcmp",
    "bcopy",
    "bsearch",
    "bzero",
    "div",
    "drand48_r",
    "erand48",
    "erand48_r",
    "ffs",
    "ffsl",
    "ffsll",
    "gettimeofday",
    "initstate_r",
    "jrand48",
    "jrand48_r",
    "labs",
    "lcong48_r",
    "ldiv",
    "llabs",
    "lldiv",
    "lrand48_r",
    "memccpy",
    "memchr",
    "memcmp",
    "memcpy",
    "memmem",
    "memmove",
    "mempcpy",
    "memrchr",
    "memset",
    "mrand48_r",
    "nrand48",
    "nrand48_r",
    "rand_r",
    "random_r",
    "rawmemchr",
    "seed48_r",
    "setstate_r",
    "srand48_r",
    "srandom_r",
    "stpcpy",
    "stpncpy",
    "strcat",
    "strchr",
    "strchrnul",
    "strcmp",
    "strcpy",
    "strcspn",
    "strlen",
    "strncat",
    "strncmp",
    "strncpy",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strsep",
    "strspn",
    "strstr",
    "strtok_r",
    "time",
};

/// Of the C library, in the order of strcmp().
constexpr std::string_view sorting[] = {"qsort", "qsort_r"};
constexpr std::string_view allocating[allocating_functions] = {"calloc", "free", "malloc", "realloc"};
constexpr std::string_view of_text[] = {
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__isoc23_strtol",
    "__isoc23_strtoll",
    "__isoc23_strtoul",
    "__isoc23_strtoull",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "isalnum",
    "isalpha",
    "isblank",
    "iscntrl",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "isxdigit",
    "strcasecmp",
    "strcasestr",
    "strncasecmp",
    "strtod",
    "strtof",
    "strtol",
    "strtold",
    "strtoll",
    "strtoul",
    "strtoull",
    "tolower",
    "toupper",
};

/// Of the runtime, in the order of strcmp(): what takes and releases a program's locks, and clang's question which
/// thread it is: that may be done for each few instructions of the program. The former call Fabric::come_home
/// themselves where the thread may be abroad, and cost a thread that is at home nothing
/// (runtime/sync/program_locks.hpp).
constexpr std::string_view coming_home[] = {
    "GOMP_atomic_end",
    "GOMP_atomic_start",
    "GOMP_critical_end",
    "GOMP_critical_name_end",
    "GOMP_critical_name_start",
    "GOMP_critical_start",
    "__kmpc_critical",
    "__kmpc_critical_with_hint",
    "__kmpc_end_critical",
    "__kmpc_global_thread_num",
    "__kmpc_set_lock",
    "__kmpc_test_lock",
    "__kmpc_unset_lock",
    "omp_set_lock",
    "omp_set_lock_",
    "omp_test_lock",
    "omp_test_lock_",
    "omp_unset_lock",
    "omp_unset_lock_",
};

template <class Names> bool has(const Names& names, std::string_view function) {
  return std::binary_search(std::begin(names), std::end(names), function);
}

} // namespace

bool comes_home_itself(std::string_view function) {
  static_assert(std::is_sorted(std::begin(coming_home), std::end(coming_home)));
  return has(coming_home, function);
}

bool only_computes(std::string_view function) {
  static_assert(std::is_sorted(std::begin(computing), std::end(computing)));
  return has(computing, function);
}

bool computes_in_memory(std::string_view function) { return has(sorting, function); }

bool works_on_text(std::string_view function) {
  static_assert(std::is_sorted(std::begin(of_text), std::end(of_text)));
  return has(of_text, function);
}

bool allocates(std::string_view function) { return has(allocating, function); }

bool changes_text(std::string_view function) { return function.starts_with("register_printf_"); }

} // namespace hetmp::dsm
