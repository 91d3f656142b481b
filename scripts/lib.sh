# What the scripts share. Sourced, never run.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
release=$repository/build/release
unpacked=$repository/build/unpacked # Debian packages unpacked rather than installed

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Runs a command as root: directly, or through sudo where that exists.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "needs root (or sudo) for: $*"
  fi
}

# The first clang found, a versioned one before the distribution's default.
find_clang() {
  local candidate
  for candidate in clang-16 clang-19 clang-14 clang; do
    if command -v "$candidate" >/dev/null; then
      echo "$candidate"
      return
    fi
  done
  fail "no clang found; run scripts/install-deps"
}

# The folder of an LLVM omp.h with nothing else in it, so that any clang may take it from there.
omp_header_folder() {
  local folder=$repository/build/omp-header header
  header=$(ls -d /usr/lib/llvm-*/lib/clang/*/include/omp.h \
    "$unpacked"/usr/lib/llvm-*/lib/clang/*/include/omp.h 2>/dev/null | head -n 1) || true
  [ -n "$header" ] || fail "no LLVM omp.h found; run scripts/install-deps"
  mkdir -p "$folder"
  ln -sfn "$header" "$folder/omp.h"
  echo "$folder"
}

# The folder of the newest stock libomp, to link programs with that are to know nothing of hetmp.
stock_libomp_folder() {
  local library
  library=$({ ls -d /usr/lib/llvm-*/lib/libomp.so "$unpacked"/usr/lib/llvm-*/lib/libomp.so 2>/dev/null || true; } | sort -V | tail -n 1)
  [ -n "$library" ] || fail "no libomp found; run scripts/install-deps"
  dirname "$library"
}

configure_and_build() { # preset [target...]; everything if no target is named
  local preset=$1 target targets=()
  shift
  for target in "$@"; do
    targets+=(--target "$target")
  done
  local openmp
  openmp=$(stock_libomp_folder)
  cmake --preset "$preset" -S "$repository" \
    -DHETMP_OPENMP_FLAGS="-I$(omp_header_folder);-L$openmp;-Wl,-rpath,$openmp" >/dev/null
  cmake --build "$repository/build/$preset" -j "$(nproc)" "${targets[@]}"
}
