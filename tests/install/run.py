#!/usr/bin/env python3
"""Installs to a temporary prefix, moves that elsewhere, and uses what is there in every way docs/using.md names.

    run.py --build BUILD
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from outcome import Failure, exit_with  # noqa: E402
from toolchain import COMPILERS, omp_header_folder, stock_libomp_folder  # noqa: E402

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "KMP_", "HETMP_", "LD_"))}
NAMES = ("libomp.so", "libomp.so.5", "libiomp5.so", "libgomp.so", "libgomp.so.1")


def call(*command, **variables):
    done = subprocess.run([str(word) for word in command], env=CLEAN | variables, capture_output=True, text=True,
                          timeout=300)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_runs_on(library, program, *before, **variables):
    owner, total = call(*before, program, **variables).splitlines()
    if Path(owner).resolve() != library or total != "6":
        raise Failure(f"{program} {variables}: ran on {owner}, not {library}; sum {total}")


def find_one(prefix, name):
    found = [path for path in prefix.rglob(name) if not path.is_symlink()]
    if len(found) != 1:
        raise Failure(f"{name} installed {len(found)} times: {found}")
    return found[0].resolve()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", type=Path, required=True)
    build = arguments.parse_args().build.resolve()
    compiler = next(name for name in COMPILERS if shutil.which(name))
    header = omp_header_folder(build)
    source = HERE / "consumer" / "program.c"
    with tempfile.TemporaryDirectory(prefix="hetmp-install-") as temporary:
        scratch = Path(temporary)
        call("cmake", "--install", build, "--prefix", scratch / "first")
        prefix = (scratch / "first").rename(scratch / "moved")
        library = find_one(prefix, "libhetmp.so")
        find_one(prefix, "libhetmp_dsm.so")
        for page in ("hetmp.1", "hetmp-run.1", "hetmp-calibrate.1", "hetmp-report.1", "hetmp.7"):
            if ".SH NAME" not in find_one(prefix, page).read_text():
                raise Failure(f"{page} is no manual page")
        for plugin in ("libhetmp_papi.so", "libhetmp_topology.so", "libhetmp_verbs.so"):
            if (build / "lib" / plugin).exists() and find_one(prefix, plugin).parent != library.parent:
                raise Failure(f"{plugin} is not beside libhetmp.so")
        if (build / "lib" / "libhetmp_seal.so").exists() and find_one(prefix, "libhetmp_seal.so").parent != library.parent:
            raise Failure("libhetmp_seal.so is not beside libhetmp.so")
        links = library.parent / "omp"
        for name in NAMES:
            if (links / name).resolve() != library:
                raise Failure(f"{links / name} does not lead to {library}")

        call("cmake", "-S", HERE / "consumer", "-B", scratch / "cmake", f"-DCMAKE_PREFIX_PATH={prefix}",
             f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_C_FLAGS=-isystem {header}")
        call("cmake", "--build", scratch / "cmake")
        check_runs_on(library, scratch / "cmake" / "consumer")
        check_runs_on(library, scratch / "cmake" / "with_header")
        print("passed: CMake package")

        flags = call("pkg-config", "--cflags", "--libs", "hetmp", PKG_CONFIG_PATH=str(library.parent / "pkgconfig"))
        for name in (source, HERE / "consumer" / "with_header.c"):
            call(compiler, "-isystem", header, name, "-o", scratch / "by-pkg-config", *flags.split())
            check_runs_on(library, scratch / "by-pkg-config")
        print("passed: pkg-config")

        stock = stock_libomp_folder(compiler) or links
        call(compiler, "-fopenmp", "-isystem", header, source, "-o", scratch / "stock", f"-L{stock}")
        check_runs_on(library, scratch / "stock", LD_PRELOAD=str(library))
        print("passed: LD_PRELOAD")
        check_runs_on(library, scratch / "stock", LD_LIBRARY_PATH=str(links))
        print("passed: LD_LIBRARY_PATH")
        check_runs_on(library, scratch / "stock", prefix / "bin" / "hetmp", "run")
        print("passed: hetmp run")
    return 0


if __name__ == "__main__":
    exit_with(main)
