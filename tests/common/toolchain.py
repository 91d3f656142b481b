"""The compilers whose output is tested, LLVM's header and libraries for them, and programs whose comments say how to build and run them."""
import glob
import os
import re
import subprocess
import tempfile
from pathlib import Path

from outcome import Failure

REPOSITORY = Path(__file__).resolve().parents[2]

# Compilers with the flags that make their code differ most: with and without source locations, optimised or not.
COMPILERS = {"clang-14": "-O0 -g", "clang-16": "-O2 -g", "clang-19": "-O2", "gcc-12": "-O2 -g"}


def first_of(*patterns):
    found = [path for pattern in patterns for path in sorted(glob.glob(pattern))]
    return Path(found[0]) if found else None


def omp_header_folder(build):
    """A folder with LLVM's omp.h and nothing else, so that any clang can use it."""
    unpacked = REPOSITORY / "build" / "unpacked"
    header = first_of("/usr/lib/llvm-*/lib/clang/*/include/omp.h", f"{unpacked}/usr/lib/llvm-*/lib/clang/*/include/omp.h")
    if not header:
        raise Failure("no LLVM omp.h found; run scripts/install-deps")
    folder = build / "conformance" / "omp-header"
    folder.mkdir(parents=True, exist_ok=True)
    replace_link(folder / "omp.h", header)
    return folder


def replace_link(link, target):
    temporary = Path(tempfile.mktemp(dir=link.parent))
    temporary.symlink_to(target)
    temporary.replace(link)


def stock_libomp_folder(compiler):
    """Where a libomp lies that is at least as new as the compiler, which may ask for entries older ones lack."""
    version = int(compiler.split("-")[1])
    unpacked = REPOSITORY / "build" / "unpacked"
    found = {}
    for library in glob.glob("/usr/lib/llvm-*/lib/libomp.so") + glob.glob(f"{unpacked}/usr/lib/llvm-*/lib/libomp.so"):
        found[int(re.search(r"llvm-(\d+)", library)[1])] = Path(library).parent
    fitting = [number for number in found if number >= version]
    return found[min(fitting)] if fitting else None


def directives(source):
    text = source.read_text()
    return {
        "runs": [dict(pair.split("=", 1) for pair in line.split())
                 for line in re.findall(r"^// run:(.*)$", text, re.M)] or [{}],
        "hetmp_runs": [dict(pair.split("=", 1) for pair in line.split())
                       for line in re.findall(r"^// run with hetmp:(.*)$", text, re.M)],
        "clang_only": bool(re.search(r"^// clang only: ", text, re.M)),
        "flags": " ".join(re.findall(r"^// flags:(.*)$", text, re.M)).split(),
        "clang_flags": " ".join(re.findall(r"^// clang flags:(.*)$", text, re.M)).split(),
        "stdout": re.search(r"^// stdout: (\d+) lines of (.*)$", text, re.M),
    }


def sources_of(source):
    """The source and all files that it includes by their path from where it lies."""
    found = {source}
    for name in re.findall(r'^#include "([^"]+)"', source.read_text(), re.M):
        path = (source.parent / name).resolve()
        found |= sources_of(path) if path.exists() else set()
    return found


def compile_program(source, compiler, build):
    """The executable; compiled at first use and whenever the sources are newer."""
    folder = build / "conformance" / compiler
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / source.stem
    inputs = [Path(__file__), *sources_of(source)]
    if program.exists() and program.stat().st_mtime > max(path.stat().st_mtime for path in inputs):
        return program
    temporary = tempfile.mktemp(dir=folder)  # moved into place when complete: other modes' runs may be looking
    language = ["-std=c++17"] if source.suffix == ".cpp" else ["-std=c11", "-D_GNU_SOURCE"]
    if compiler.startswith("gcc"):  # with its own header, linked to libgomp
        driver = [compiler.replace("gcc", "g++") if source.suffix == ".cpp" else compiler]
        where = []
    else:
        library = stock_libomp_folder(compiler) or build / "lib" / "omp"
        driver = [compiler, *(["--driver-mode=g++"] if source.suffix == ".cpp" else [])]
        where = ["-isystem", str(omp_header_folder(build)), f"-L{library}", f"-Wl,-rpath,{library}"]
    wanted = directives(source)
    flags = wanted["flags"] + ([] if compiler.startswith("gcc") else wanted["clang_flags"])
    command = [*driver, *language, *COMPILERS[compiler].split(), "-Wall", "-Werror", "-fopenmp", str(source), "-o", temporary,
               *where, "-lm", "-ldl", "-lpthread", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{compiler} cannot compile {source.name}:\n{done.stderr}")
    os.replace(temporary, program)
    return program


def check_stdout(expected, out):
    if not expected:
        return
    lines = out.split("\n")
    if lines[-1] != "":
        raise Failure("standard output does not end with a newline")
    lines.pop()
    odd = [line for line in lines if not re.fullmatch(expected[2], line)]
    if odd:
        raise Failure(f"{len(odd)} mangled lines on standard output, the first: {odd[0]!r}")
    if len(lines) != int(expected[1]):
        raise Failure(f"{len(lines)} lines on standard output, not {expected[1]}")
    if len(set(lines)) != len(lines):
        raise Failure("a line came twice")
