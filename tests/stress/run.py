#!/usr/bin/env python3
"""Runs one stress program on one layout of nodes.

    run.py --build BUILD [--programs FOLDER] [--source NAME] [--mode MODE] [--seed N] [--times N] [--set VAR=VALUE]

A program is any .cpp of programs/ with a main(); its comments say more:
    // library: FILE.cpp              a shared object of the program's own, built from this
    // loads: FILE.cpp                the same, not linked with: the program loads it, as libFILE.so
    // run: VAR=VALUE ...             one run with these variables (none given: one run with none)
    // run with hetmp: VAR=VALUE ...  the same, left out under another runtime
    // exit: N                        the exit code (without: 0)
    // exit on several nodes: N       the same, where there are several
    // stdout: N lines of REGEX       what standard output must consist of
    // said on several nodes: REGEX   a line on standard error, exactly one for each such comment, in this order
It passes if it does that within its time and says nothing else on standard error. Mode stock is a stock libomp: a program that
fails there is wrong itself. --seed gives other random decisions (STRESS_SEED). With --set STRESS_PERCENT=N random_programs,
random_phases, heap and containers do that much of what they usually do.
Exit codes: 0 passed, 1 failed, 77 skipped (the machine does not allow the mode).
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import modes  # noqa: E402
import toolchain  # noqa: E402
from modes import check_machine  # noqa: E402
from outcome import Failure, count_failures, exit_with  # noqa: E402
from processes import run_limited  # noqa: E402
from toolchain import check_stdout, omp_header_folder, stock_libomp_folder  # noqa: E402

PROGRAMS = HERE / "programs"
SECONDS = 60  # a hang; programs run beside others that keep the CPUs busy
MODES = {"stock": None, "one": None, "proc2": "proc:2", "proc3": "proc:3", "proc4": "proc:4", "tcp2": "proc:2", "tcp4": "proc:4",
         "lent2": "proc:2", "sealed2": "proc:2", "sealed4": "proc:4"}  # sealed: tcp, encrypted
COMPILERS = ["clang-16", "clang-19", "clang-14"]


def directives(source):
    text = source.read_text()
    exit_code = re.search(r"^// exit: (\d+)$", text, re.M)
    exit_of_several = re.search(r"^// exit on several nodes: (\d+)$", text, re.M) or exit_code
    library = re.search(r"^// library: (\S+)$", text, re.M)
    return dict(toolchain.directives(source), exit_code=int(exit_code[1]) if exit_code else 0,
                exit_of_several=int(exit_of_several[1]) if exit_of_several else 0,
                library=PROGRAMS / library[1] if library else None,
                loads=[PROGRAMS / name for name in re.findall(r"^// loads: (\S+)$", text, re.M)],
                said=re.findall(r"^// said on several nodes: (.*)$", text, re.M))


def programs():
    return sorted(path for path in PROGRAMS.glob("*.cpp") if not path.stem.endswith("_part"))


def compile_program(source, build):
    compiler = next((name for name in COMPILERS if shutil.which(name)), None)
    if not compiler:
        raise Failure(f"none of {', '.join(COMPILERS)} found; run scripts/install-deps")
    folder = build / "stress"
    folder.mkdir(parents=True, exist_ok=True)
    newest = max(path.stat().st_mtime for path in [Path(__file__), *PROGRAMS.iterdir()])
    omp = stock_libomp_folder(compiler) or build / "lib" / "omp"
    command = [compiler, "--driver-mode=g++", "-std=c++17", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-fopenmp",
               "-isystem", str(omp_header_folder(build)), f"-L{omp}", f"-Wl,-rpath,{omp}"]

    def link(output, *arguments):
        if output.exists() and output.stat().st_mtime > newest:
            return output
        temporary = tempfile.mktemp(dir=folder)  # moved into place when complete: other modes' runs may be looking
        done = subprocess.run([*command, *map(str, arguments), "-o", temporary], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{compiler} cannot compile {source.name}:\n{done.stderr}")
        os.replace(temporary, output)
        return output

    def link_library(part):
        soname = f"lib{part.stem}.so"
        return link(folder / soname, "-fPIC", "-shared", f"-Wl,-soname,{soname}", f"-Wl,-rpath,{folder}", part)

    wanted = directives(source)
    for part in wanted["loads"]:
        link_library(part)
    libraries = [link_library(wanted["library"])] if wanted["library"] else []
    return link(folder / source.stem, source, *libraries, *wanted["flags"], f"-Wl,-rpath,{folder}")


def environment_for(mode, settings, build, seed):
    settings = {"HETMP_PLACEMENT": modes.PLACEMENT.get(mode, "all")} | settings
    environment = modes.environment_for("one", settings, build, mode == "stock")
    if MODES[mode]:
        environment["HETMP_NODES"] = MODES[mode]
    if mode.startswith(("tcp", "sealed")):
        environment["HETMP_TRANSPORT"] = "tcp"
    if mode.startswith("sealed"):
        environment["HETMP_ENCRYPT"] = "1"
    if seed is not None:
        environment["STRESS_SEED"] = str(seed)
    return environment


def check_outcome(wanted, mode, code, out, err):
    wanted_code = wanted["exit_of_several" if MODES[mode] else "exit_code"]
    if code != wanted_code:
        raise Failure(f"exit code {code}, not {wanted_code}\n{err}")
    said = wanted["said"] if MODES[mode] else []
    lines = err.splitlines()
    if len(lines) != len(said) or not all(map(re.fullmatch, said, lines)):
        raise Failure(f"on standard error, where {said or 'nothing'} should be:\n{err}")
    check_stdout(wanted["stdout"], out)


def run_program(source, mode, build, compiled, seed, more_settings):
    wanted = directives(source)
    program = compile_program(source, compiled)
    for settings in wanted["runs"] + (wanted["hetmp_runs"] if mode != "stock" else []):
        began = time.monotonic()
        code, out, err = run_limited([str(program)], environment_for(mode, settings | more_settings, build, seed),
                                                 SECONDS)
        what = f"{source.name}, {mode}{''.join(f', {name}={value}' for name, value in settings.items())}"
        if code is None:
            raise Failure(f"{what}: still running after {SECONDS} s\n{err}")
        try:
            check_outcome(wanted, mode, code, out, err)
        except Failure as failure:
            raise Failure(f"{what}: {failure}") from None
        print(f"passed in {time.monotonic() - began:.2f} s: {what}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", required=True, type=Path, help="the build folder")
    arguments.add_argument("--programs", type=Path, help="the build folder that has the compiled programs, or gets them (default: BUILD)")
    arguments.add_argument("--source", help="a program's file name (default: all)")
    arguments.add_argument("--mode", choices=MODES, default="proc2")
    arguments.add_argument("--seed", type=int)
    arguments.add_argument("--times", type=int, default=1)
    arguments.add_argument("--set", action="append", default=[], metavar="VAR=VALUE", help="one more variable, for every run")
    given = arguments.parse_args()
    build = given.build.resolve()
    compiled = (given.programs or build).resolve()
    check_machine(given.mode, build)
    more = dict(pair.split("=", 1) for pair in given.set)
    sources = [PROGRAMS / given.source] if given.source else programs()
    return min(1, count_failures(lambda source: run_program(source, given.mode, build, compiled, given.seed, more), sources * given.times))


if __name__ == "__main__":
    exit_with(main)
