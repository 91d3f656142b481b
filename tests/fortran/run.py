#!/usr/bin/env python3
"""Runs one Fortran program on one layout of nodes.

    run.py --build BUILD [--source NAME] [--mode MODE] [--times N] [--compiler NAME]

The programs are compiled by LLVM's flang, whose code calls the same entry points as clang's, and by gfortran. On several
nodes they run with each kind of placement. A program passes if it exits with 0 within its time, says nothing on standard
error, and the last line of its standard output is "done". Mode stock is a stock runtime.
Exit codes: 0 passed, 1 failed, 77 skipped (no compiler, or the machine does not allow the mode).
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
from modes import check_machine, environment_for  # noqa: E402
from outcome import Failure, Skip, count_failures, exit_with  # noqa: E402
from processes import run_limited  # noqa: E402
from toolchain import stock_libomp_folder  # noqa: E402

PROGRAMS = HERE / "programs"
SECONDS = 60  # a hang; programs run beside others that keep the CPUs busy
MODES = {"stock": None, "one": None, "proc2": "proc:2", "proc3": "proc:3", "proc4": "proc:4"}
FLANGS = ["flang-new-19", "flang-19"]
PLACEMENTS = ["auto", "all", "random:1", "journeys:1"]


def compile_program(source, build, compiler):
    folder = build / "fortran"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"{source.stem}.{compiler}"
    if program.exists() and program.stat().st_mtime > max(source.stat().st_mtime, Path(__file__).stat().st_mtime):
        return program
    omp = stock_libomp_folder("clang-19") or build / "lib" / "omp"
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
    environment = environment_for("one", {}, build, mode == "stock")
    placements = [None]
    if MODES[mode]:
        environment["HETMP_NODES"] = MODES[mode]
        placements = PLACEMENTS
    for placement in placements:
        if placement:
            environment["HETMP_PLACEMENT"] = placement
        code, out, err = run_limited([str(program)], environment, SECONDS)
        what = f"{source.name}, {compiler}, {mode}" + (f", {placement}" if placement else "")
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
    arguments.add_argument("--compiler", help="(default: a flang, and gfortran)")
    given = arguments.parse_args()
    build = given.build.resolve()
    flang = next(filter(shutil.which, FLANGS), None)
    compilers = [given.compiler] if given.compiler else [one for one in (flang, "gfortran") if one and shutil.which(one)]
    if not compilers:
        raise Skip(f"none of {', '.join(FLANGS)}, gfortran found; run scripts/install-deps all")
    check_machine(given.mode, build)
    sources = [PROGRAMS / given.source] if given.source else sorted(PROGRAMS.glob("*.f90"))
    runs = [(source, compiler) for source in sources for compiler in compilers] * given.times
    return min(1, count_failures(lambda run: run_program(run[0], given.mode, build, run[1]), runs))


if __name__ == "__main__":
    exit_with(main)
