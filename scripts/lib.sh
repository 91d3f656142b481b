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

configure_and_build() { # preset
  cmake --preset "$1" -S "$repository" >/dev/null || cmake --preset "$1" -S "$repository"
  cmake --build "$repository/build/$1" -j "$(nproc)"
}
