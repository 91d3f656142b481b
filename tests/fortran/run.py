#!/usr/bin/env python3
"""Runs one Fortran program on one layout of nodes.

    run.py --build BUILD [--source NAME] [--mode MODE] [--times N] [--compiler NAME]

The programs are compiled by LLVM's flang, whose code calls the same entry points as clang's (gfortran's: tests/install). A
program passes if it exits with 0 within its time, says nothing on standard error, and the last line of its standard output is "done". Mode stock is a stock libomp.
Exit codes: 0 passed, 1 failed, 77 skipped (no flang, or the machine does not allow the mode).
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
import run as conformance  # noqa: E402  (libraries, environments, process groups)
from run import Failure, Skip  # noqa: E402

PROGRAMS = HERE / "programs"
SECONDS = 60  # a hang; programs run beside others that keep the CPUs busy
MODES = {"stock": None, "one": None, "proc2": "proc:2", "proc3": "proc:3", "proc4": "proc:4"}
COMPILERS = ["flang-new-19", "flang-19"]


def compile_program(source, build, compiler):
    folder = build / "fortran"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / source.stem
    if program.exists() and program.stat().st_mtime > max(source.stat().st_mtime, Path(__file__).stat().st_mtime):
        return program
    omp = conformance.stock_libomp_folder("clang-19") or build / "lib" / "omp"
    temporary = tempfile.mktemp(dir=folder)  # moved into place when complete: other modes' runs may be looking
    with tempfile.TemporaryDirectory(dir=folder) as modules:
        done = subprocess.run([compiler, "-O2", "-fopenmp", str(source), "-o", temporary, f"-L{omp}", f"-Wl,-rpath,{omp}"],
                              capture_output=True, text=True, cwd=modules)
    if done.returncode != 0:
        raise Failure(f"{compiler} cannot compile {source.name}:\n{done.stderr}")
    os.replace(temporary, program)
    return program


def run_program(source, mode, build, compiler):
    program = compile_program(source, build, compiler)
    environment = conformance.environment_for("one", {}, build, mode == "stock")
    if MODES[mode]:
        environment["HETMP_NODES"] = MODES[mode]
    code, out, err = conformance.run_limited([str(program)], environment, SECONDS)
    what = f"{source.name}, {mode}"
    if code is None:
        raise Failure(f"{what}: still running after {SECONDS} s\n{out}{err}")
    if code != 0 or err or out.splitlines()[-1:] != ["done"]:
        raise Failure(f"{what}: exit code {code}\n{out}{err}")
    print(f"passed: {what}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", required=True, type=Path, help="the build folder")
    arguments.add_argument("--source", help="a program's file name (default: all)")
    arguments.add_argument("--mode", choices=MODES, default="proc2")
    arguments.add_argument("--times", type=int, default=1)
    arguments.add_argument("--compiler", default=next(filter(shutil.which, COMPILERS), None))
    given = arguments.parse_args()
    build = given.build.resolve()
    failed = 0
    try:
        if not given.compiler:
            raise Skip(f"none of {', '.join(COMPILERS)} found; run scripts/install-deps all")
        conformance.check_machine(given.mode, build)
        for source in [PROGRAMS / given.source] if given.source else sorted(PROGRAMS.glob("*.f90")):
            for turn in range(given.times):
                try:
                    run_program(source, given.mode, build, given.compiler)
                except Failure as failure:
                    print(f"FAILED: {failure}", flush=True)
                    failed += 1
    except Skip as reason:
        print(f"skipped: {reason}")
        return conformance.SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
