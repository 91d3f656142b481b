#!/usr/bin/env python3
"""Runs one conformance program in one mode, as built by each clang found.

    run.py --build BUILD [--source NAME] [--mode MODE] [--stock] [--list]

A program is any file of programs/; its comments say how to run it:
    // run: VAR=VALUE ...             one run with these variables (none given: one run with none)
    // run with hetmp: VAR=VALUE ...  the same, left out under another runtime
    // flags: ...                     more flags for the compiler
    // clang flags: ...               the same for clang
    // clang only: REASON             gcc does not compile it, or calls what hetmp does not have
    // stdout: N lines of REGEX       what standard output must consist of
It passes if it exits with 0, keeps within its time, and says nothing on standard error. Programs are linked with a stock
libomp where there is one, and hetmp is preloaded: the binaries know nothing of it. --stock runs them without it.
Exit codes: 0 passed, 1 failed, 77 skipped (the machine does not allow the mode).
"""
import argparse
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
REPOSITORY = HERE.parent.parent
SECONDS = 60
SKIPPED = 77

MODES = {  # the value of HETMP_NODES
    "one": None,
    "cores2": "cores:0;1",
    "proc2": "proc:2",
    "proc4": "proc:4",
    "tcp2": "proc:2",
}
# Compilers with the flags that make their code differ most: with and without source locations, optimised or not.
COMPILERS = {"clang-14": "-O0 -g", "clang-16": "-O2 -g", "clang-19": "-O2", "gcc-12": "-O2 -g"}


class Skip(Exception):
    pass


class Failure(Exception):
    pass


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


def compile_program(source, compiler, build):
    """The executable; compiled at first use and whenever the sources are newer."""
    folder = build / "conformance" / compiler
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / source.stem
    inputs = [source, Path(__file__), *PROGRAMS.glob("*.h"), *PROGRAMS.glob("*.hpp")]
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


def run_limited(command, environment, seconds):
    """(exit code or None when out of time, stdout, stderr); nothing of the process group outlives the call."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        out, err = process.communicate(timeout=seconds)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        code = None
    try:
        os.killpg(process.pid, signal.SIGKILL)  # stragglers
    except ProcessLookupError:
        pass
    return code, out.decode(errors="replace"), err.decode(errors="replace")


def check_machine(mode, build):
    if mode == "cores2" and not {0, 1} <= os.sched_getaffinity(0):
        raise Skip("needs CPUs 0 and 1")
    if mode.startswith("proc"):
        tool = build / "bin" / "hetmp"
        if tool.exists():
            facts = subprocess.run([tool, "info"], capture_output=True, text=True).stdout
            if re.search(r"^node processes +not possible", facts, re.M):
                raise Skip("this machine does not allow node processes; see hetmp info")


def environment_for(mode, settings, build, stock):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "KMP_", "HETMP_", "LD_"))}
    environment["OMP_NUM_THREADS"] = "4"
    environment["HETMP_PROFILE"] = "none"  # what this machine's user has measured shall not decide
    if not stock:
        library = build / "lib" / "libhetmp.so"
        if not library.exists():
            raise Failure(f"{library} is not built")
        environment["LD_PRELOAD"] = str(library)
        environment["CONFORMANCE_RUNTIME"] = str(library)
        if MODES[mode]:
            environment["HETMP_NODES"] = MODES[mode]
        if mode.startswith("tcp"):
            environment["HETMP_TRANSPORT"] = "tcp"
    environment.update(settings)
    return environment


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


def run_program(source, mode, build, stock):
    wanted = directives(source)
    compilers = [name for name in COMPILERS
                 if shutil.which(name) and not (wanted["clang_only"] and not name.startswith("clang"))]
    if not compilers:
        raise Failure(f"none of {', '.join(COMPILERS)} found; run scripts/install-deps")
    failures = []
    for compiler in compilers:
        for settings in wanted["runs"] + ([] if stock else wanted["hetmp_runs"]):
            what = f"{source.name} by {compiler}, mode {mode} {settings or ''}"
            try:
                program = compile_program(source, compiler, build)
                environment = environment_for(mode, settings, build, stock)
                if compiler.startswith("gcc") and not stock:  # libgomp, once loaded, reads the environment, too, and complains
                    environment["LD_LIBRARY_PATH"] = str(build / "lib" / "omp")
                run_once(program, environment, wanted["stdout"])
                print(f"passed: {what}")
            except Failure as failure:
                failures.append(f"{what}: {failure}")
    if failures:
        raise Failure("\n".join(failures))


def run_once(program, environment, expected_stdout):
    code, out, err = run_limited([str(program)], environment, SECONDS)
    if code is None:
        raise Failure(f"still running after {SECONDS} s\n{err}")
    if code != 0:
        raise Failure(f"exit code {code}\n{out}{err}")
    if err:
        raise Failure(f"words on standard error:\n{err}")
    check_stdout(expected_stdout, out)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", required=True, type=Path, help="the build folder")
    arguments.add_argument("--source", help="a program's file name (default: all)")
    arguments.add_argument("--mode", choices=MODES, default="one")
    arguments.add_argument("--stock", action="store_true", help="without hetmp: does the program itself hold?")
    given = arguments.parse_args()
    build = given.build.resolve()
    sources = [PROGRAMS / given.source] if given.source else sorted([*PROGRAMS.glob("*.c"), *PROGRAMS.glob("*.cpp")])
    failed = 0
    try:
        if not given.stock:
            check_machine(given.mode, build)
        for source in sources:
            try:
                run_program(source, given.mode, build, given.stock)
            except Failure as failure:
                print(f"FAILED: {failure}")
                failed += 1
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
