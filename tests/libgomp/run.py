#!/usr/bin/env python3
"""Runs the run-tests of gcc 12's libgomp on hetmp, as gcc-12, g++-12 and gfortran-12 build them.

    run.py --build BUILD [--path | --stock] [--filter REGEX] [--environment "NAME=VALUE ..."]

scripts/fetch-libgomp-tests gets the tests, scripts/install-deps the compilers. The programs know nothing of hetmp: it is preloaded,
or with --path found by LD_LIBRARY_PATH in libgomp's place; --stock runs them on libgomp itself. They are compiled once and kept beside
the suite, for all ways to run them.
expected-failures names the tests that do not pass, with the reasons: any other that fails makes the run fail, and so does one of
these that passes. With --path and with node processes (--environment HETMP_NODES=proc:2) the lists that end in .path and .nodes
count, too, and not-run has those that are not run. --stock believes in no list.
Exit codes: 0 as expected, 1 not, 77 skipped (the tests or a compiler are not here).
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "common"))
import directives  # noqa: E402
import lists  # noqa: E402
import programs  # noqa: E402
import processes  # noqa: E402
from outcome import SKIPPED, Failure, Skip  # noqa: E402

FETCHED = REPOSITORY / "build" / "gcc-tests"
SUITE = FETCHED / "12"
THREADS = "4"  # whatever the number of CPUs, where a test does not say


def check_tools():
    if not (SUITE / "libgomp" / "testsuite").exists():
        raise Skip("libgomp's tests are not here; scripts/fetch-libgomp-tests gets them")
    for compiler in programs.COMPILERS.values():
        if not shutil.which(compiler):
            raise Skip(f"no {compiler} on this machine; scripts/install-deps installs it")


def environment_of(given):
    """What programs find beside what the tests themselves set."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "GOMP_", "KMP_", "HETMP_", "LD_"))}
    environment |= {"LC_ALL": "C", "LANG": "C", "OMP_NUM_THREADS": THREADS, "HETMP_PLACEMENT": "all"}
    library = given.build / "lib" / "libhetmp.so"
    if not given.stock and not library.exists():
        raise Failure(f"{library} is not built")
    if given.path:
        environment["LD_LIBRARY_PATH"] = str(library.parent / "omp")
    elif not given.stock:
        environment["LD_PRELOAD"] = str(library)
    return environment | dict(word.split("=", 1) for word in given.environment.split())


def check_library(given, environment):
    """A program built and run as the tests are must find hetmp, not a libgomp that lies somewhere on the way."""
    source = REPOSITORY / "tests" / "install" / "consumer" / "program.c"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([programs.COMPILERS["c"], "-fopenmp", source, "-o", f"{folder}/program"], check=True)
        code, out, err = processes.finish(processes.start([f"{folder}/program"], environment))
    owner = os.path.realpath(out.split("\n")[0])
    if code or (owner == str(given.build / "lib" / "libhetmp.so")) == given.stock:
        raise Failure(f"programs run on {owner or 'nothing'}: {err}")


def configurations(given):
    """What the lists call the run."""
    nodes = re.findall(r"(?:^|\s)HETMP_NODES=(\S*)", given.environment)
    return ["path"] * given.path + ["nodes"] * bool(nodes and re.match("(proc|tcp):", nodes[-1]))


def what_failed(program, given, environment):
    """Nothing if the program passed, otherwise one line and what it printed."""
    with tempfile.TemporaryDirectory() as folder:  # tests write files
        process = processes.start([str(program.binary)], environment | program.test.environment, cwd=folder,
                                  stderr=subprocess.STDOUT, errors="replace")
        try:
            code, out, _ = processes.finish(process, given.seconds)
        except Failure as failure:
            return str(failure)
    if program.test.fails != bool(code):
        return f"exit code {code}\n{out}"
    if not re.search(program.test.output, out):
        return f"the output lacks what the test wants\n{out}"
    return None


def names(entry, test):
    """Whether an entry of a list, a test or a folder, is about the test."""
    return test == entry or (entry[-1] == "/" and test.startswith(entry))


def read_lists(given, tests):
    """(what is expected to fail, what is not to be run)"""
    if given.stock:
        return {}, {}
    return [lists.read(HERE, kind, configurations(given), lambda entry: any(names(entry, test) for test in tests))
            for kind in ("expected-failures", "not-run")]


def verdict(program, given, environment, left_out):
    """(name, what the run shows: passed, not run, not built or failed; more of it, seconds)"""
    began = time.monotonic()
    if any(names(entry, program.name) for entry in left_out):
        return program.name, "not run", None, 0
    if said := programs.compile_program(program):
        return program.name, "not built", said, 0
    reason = what_failed(program, given, environment)
    return program.name, "failed" if reason else "passed", reason, time.monotonic() - began


def report(name, listed, result, more):
    """Whether the result is the expected one; says it if not."""
    if result == "not run":
        return True
    if name in listed and result == "passed":
        print(f"PASSES: {name}: its line in tests/libgomp/{listed[name]} should go", flush=True)
        return False
    if name in listed or result == "passed":
        return True
    print(f"{result.upper()}: {name}: {more.strip()[:2000]}", flush=True)
    return False


def run(given):
    """Whether everything went as expected."""
    check_tools()
    environment = environment_of(given)
    check_library(given, environment)
    found = programs.find(SUITE, FETCHED / "programs")
    failures, left_out = read_lists(given, [program.name for program in found])
    chosen = [program for program in found if re.search(given.filter, program.name)]
    counts, good = {}, True
    with ThreadPoolExecutor(given.jobs) as pool:
        for name, result, more, seconds in pool.map(lambda each: verdict(each, given, environment, left_out), chosen):
            counts[result] = counts.get(result, 0) + 1
            good = report(name, failures, result, more) and good
            if given.verbose:
                print(f"{result}: {name} {seconds:.1f} s", flush=True)
    print(", ".join(f"{counts[result]} {result}" for result in sorted(counts)))
    return good


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=Path, help="the build folder")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--path", action="store_true", help="hetmp by LD_LIBRARY_PATH rather than preloaded")
    way.add_argument("--stock", action="store_true", help="libgomp itself")
    parser.add_argument("--filter", default="", metavar="REGEX", help="only tests whose names match, as in ^fortran/target")
    parser.add_argument("--environment", default="", help='more variables for all tests, as in "HETMP_NODES=proc:2"')
    parser.add_argument("--seconds", type=int, default=120, help="for one test (default 120)")
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)) + 1,
                        help="at a time (default: one more than there are CPUs)")
    parser.add_argument("-v", "--verbose", action="store_true", help="each test with its time")
    given = parser.parse_args()
    given.build = given.build.resolve()
    return given


def main():
    try:
        return 0 if run(parse_arguments()) else 1
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except (Failure, lists.Malformed, directives.Unknown) as reason:
        print(f"FAILED: {reason}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
