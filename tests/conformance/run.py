#!/usr/bin/env python3
"""Runs one conformance program in one mode, as built by each compiler found; on nodes by gcc and by one of the clangs.

    run.py --build BUILD [--programs FOLDER] [--source NAME] [--mode MODE] [--every-compiler] [--stock]

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
import shutil
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from modes import MODES, check_machine, environment_for  # noqa: E402
from outcome import Failure, count_failures, exit_with  # noqa: E402
from processes import run_limited  # noqa: E402
from toolchain import COMPILERS, check_stdout, compile_program, directives  # noqa: E402

PROGRAMS = HERE / "programs"
SECONDS = 60


def choose(compilers, source, mode):
    """All on one node. On nodes the clangs take turns: which one it is differs from mode to mode and from program to program."""
    if mode == "one":
        return compilers
    clangs = [name for name in compilers if name.startswith("clang")]
    turn = zlib.crc32(source.name.encode()) + list(MODES).index(mode)
    return [name for name in compilers if name not in clangs or name == clangs[turn % len(clangs)]]


def run_program(source, mode, build, programs, stock, every_compiler):
    wanted = directives(source)
    compilers = [name for name in COMPILERS
                 if shutil.which(name) and not (wanted["clang_only"] and not name.startswith("clang"))]
    if not compilers:
        raise Failure(f"none of {', '.join(COMPILERS)} found; run scripts/install-deps")
    if not every_compiler:
        compilers = choose(compilers, source, mode)
    failures = []
    for compiler in compilers:
        for settings in wanted["runs"] + ([] if stock else wanted["hetmp_runs"]):
            what = f"{source.name} by {compiler}, mode {mode} {settings or ''}"
            try:
                program = compile_program(source, compiler, programs)
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
    arguments.add_argument("--programs", type=Path, help="the build folder that has the compiled programs, or gets them (default: BUILD)")
    arguments.add_argument("--source", help="a program's file name (default: all)")
    arguments.add_argument("--mode", choices=MODES, default="one")
    arguments.add_argument("--every-compiler", action="store_true", help="on nodes as well")
    arguments.add_argument("--stock", action="store_true", help="without hetmp: does the program itself hold?")
    given = arguments.parse_args()
    build = given.build.resolve()
    programs = (given.programs or build).resolve()
    sources = [PROGRAMS / given.source] if given.source else sorted([*PROGRAMS.glob("*.c"), *PROGRAMS.glob("*.cpp")])
    if not given.stock:
        check_machine(given.mode, build)
    return min(1, count_failures(lambda source: run_program(source, given.mode, build, programs, given.stock, given.every_compiler),
                                sources))


if __name__ == "__main__":
    exit_with(main)
