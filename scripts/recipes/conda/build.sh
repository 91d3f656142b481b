#!/bin/sh
# Called by conda build, which sets PREFIX, SRC_DIR and CPU_COUNT.
set -eu
cmake -S "$SRC_DIR" -B "$SRC_DIR/build/conda" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$PREFIX" -DHETMP_BUILD_TESTS=OFF -DHETMP_BUILD_MICROBENCH=OFF
cmake --build "$SRC_DIR/build/conda" --parallel "${CPU_COUNT:-1}" --target hetmp_complete
cmake --install "$SRC_DIR/build/conda"
