#!/usr/bin/env python3
"""Runs the tests of an LLVM release's OpenMP runtime on hetmp, in libomp's place on one node, by LLVM's own lit.

    run.py --build BUILD [--llvm VERSION] [--filter REGEX] [--environment "NAME=VALUE ..."]

scripts/fetch-llvm-openmp-tests gets the tests, scripts/install-deps the rest.
They run with four threads, whatever the number of CPUs, and sleep a tenth of what they say (--sleep-scale).
expected-failures names the tests that do not pass, with the reasons: any other that fails makes the run fail, and so does one of
these that passes; but for affinity/, whose tests may pass on one machine and not on another, that is only said.
With gcc (--compiler gcc-12), with node processes (--environment HETMP_NODES=proc:2) and for another release (--llvm 16) the lists that end
in .gcc, .nodes and .16 count, too: more that do not pass, and those that are not run.
Exit codes: 0 as expected, 1 not, 77 skipped (the tests or a tool are not here).
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "common"))
import lists  # noqa: E402
from outcome import Failure, Skip, exit_with  # noqa: E402

LISTED = "19"  # the release whose tests the lists name; other releases have most of them
UNPACKED = REPOSITORY / "build" / "unpacked"  # where scripts/install-deps puts what it does not install
COMPILERS = ["clang-19", "clang-16", "clang-14", "clang"]
# Some tests use half of the threads and want more than one.
ENVIRONMENT = "OMP_NUM_THREADS=4 HETMP_PLACEMENT=all"


def configurations(version, compiler, environment):
    """What the lists call the run: its release; "gcc", whose programs come by libgomp's entry points; "nodes", which are processes."""
    nodes = re.findall(r"(?:^|\s)HETMP_NODES=(\S*)", environment)
    return [version] + ["gcc"] * is_gcc(compiler) + ["nodes"] * bool(nodes and re.match("(proc|tcp):", nodes[-1]))


def llvm_version(path):
    return int(re.search(r"/llvm-(\d+)/", str(path))[1])


def newest(pattern):
    """What matches below the folders of installed and unpacked LLVM releases, the newest release first."""
    found = [*Path("/usr/lib").glob(f"llvm-*/{pattern}"), *UNPACKED.glob(f"usr/lib/llvm-*/{pattern}")]
    return sorted(found, key=llvm_version, reverse=True)


def find_tests(version):
    tests = REPOSITORY / "build" / "llvm-tests" / version / "openmp" / "runtime" / "test"
    if not (tests / "lit.cfg").exists():
        raise Skip(f"the OpenMP tests of LLVM {version} are not here; scripts/fetch-llvm-openmp-tests {version} gets them")
    return tests


def find_lit():
    """(lit, the folder of FileCheck and not), of one release."""
    for lit in newest("build/utils/lit/lit.py"):
        tools = lit.parents[3] / "bin"
        if (tools / "FileCheck").exists() and (tools / "not").exists():
            break
    else:
        raise Skip("LLVM's lit is not here; scripts/install-deps installs llvm-19-tools")
    return lit, tools


def find_python():
    """One that has psutil, with which lit ends tests that hang: the distribution's has it if the one that runs this has not."""
    for python in (sys.executable, "/usr/bin/python3"):
        if shutil.which(python) and subprocess.run([python, "-c", "import psutil"], capture_output=True).returncode == 0:
            return python
    raise Skip("lit cannot end tests that hang without psutil; scripts/install-deps installs python3-psutil")


def find_compiler(wanted):
    if wanted and not shutil.which(wanted):
        raise Skip(f"{wanted} is not here")
    compiler = wanted or next(filter(shutil.which, COMPILERS), None)
    if not compiler:
        raise Skip(f"none of {', '.join(COMPILERS)} found; scripts/install-deps installs clang-19")
    return compiler


def is_gcc(compiler):
    return os.path.basename(compiler).startswith("gcc")


def link_libraries(library, compiler, work):
    """(the folder where programs find hetmp, the flags that link them). clang's programs are linked with it as with a libomp. gcc's
    get their entry points from gcc's own libgomp, with its versions, as programs do that know nothing of hetmp, and libomp's own
    functions, which some tests call by name, from hetmp; when they run hetmp is both."""
    given = library.parent / "omp"
    if not is_gcc(compiler):
        return given, "-fopenmp"
    folder = work / "lib"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("libgomp.so.1", "libomp.so", "libhetmp.so"):  # and no libgomp.so, which the linker would take
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(library)
    return folder, "-fopenmp -Wl,--push-state,--no-as-needed -lgomp -lomp -Wl,--pop-state"


def link_headers(version, work):
    """A folder with omp.h and omp-tools.h, of the tests' release if they are here, and the tests' sleeping routine."""
    headers = newest("lib/clang/*/include/omp.h")
    if not headers:
        raise Skip("no LLVM omp.h found; scripts/install-deps gets one")
    of_release = [header for header in headers if llvm_version(header) == int(version)]
    folder = work / "include"
    folder.mkdir(parents=True, exist_ok=True)
    of_openmp = (of_release or headers)[0]
    for target in (of_openmp, of_openmp.with_name("omp-tools.h"), HERE / "omp_my_sleep.h"):
        link = folder / target.name
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    return folder


def check_expected(listed, results):
    """Lets no name stay in a list whose test passes. Debian's lit does not count that as a failure."""
    passed = [test["name"].split(" :: ")[1] for test in json.loads(results.read_text())["tests"] if test["code"] == "XPASS"]
    stale = [name for name in listed if name in passed]
    for name in stale:
        print(f"{name} passes: its line in tests/llvm/{listed[name]} should go")
    return all(name.startswith("affinity/") for name in stale)


def lit_command(given, compiler, library, tests, work):
    """With what lit.site.cfg.py wants to know."""
    lit, tools = find_lit()
    libraries, flags = link_libraries(library, compiler, work)
    parameters = {
        "version": given.llvm, "tests": tests, "work": work, "library": library, "libraries": libraries, "tools": tools,
        "compiler": compiler, "flags": flags, "headers": link_headers(given.llvm, work),
        "environment": f"{ENVIRONMENT} {given.environment}", "sleep_scale": given.sleep_scale, "seconds": given.seconds,
        "which_library": REPOSITORY / "tests" / "install" / "consumer" / "program.c",
    }
    command = [find_python(), str(lit), "-sv", "-j", str(given.jobs)]
    for name, value in parameters.items():
        command += ["--param", f"{name}={value}"]
    if given.filter:
        command += ["--filter", given.filter]
    return command


def with_lists(command, failures, left_out):
    """The command that knows which tests fail and which are not to be run."""
    command = [*command]
    if failures:
        command += ["--xfail", ";".join(failures)]
    if left_out:
        command += ["--filter-out", " :: (" + "|".join(re.escape(name) + "$" * (name[-1] != "/") for name in left_out) + ")"]
    return command


def run_lit(given, build):
    """Whether everything went as expected."""
    tests = find_tests(given.llvm)
    library = build / "lib" / "libhetmp.so"
    if not library.exists():
        raise Failure(f"{library} is not built")
    compiler = find_compiler(given.compiler)
    ends = configurations(given.llvm, compiler, given.environment)
    work = build / "tests" / "llvm" / "-".join(ends)
    try:
        failures, left_out = (lists.read(HERE, kind, ends, lambda name: (tests / name).exists(), given.llvm == LISTED)
                              for kind in ("expected-failures", "not-run"))
    except lists.Malformed as reason:
        raise Failure(reason) from None
    command = with_lists(lit_command(given, compiler, library, tests, work), failures, left_out)
    results = work / "results.json"
    results.unlink(missing_ok=True)
    code = subprocess.run([*command, "--output", str(results), str(HERE)]).returncode
    return code == 0 and check_expected(failures, results)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=Path, help="the build folder")
    parser.add_argument("--llvm", default=LISTED, metavar="VERSION", help=f"whose tests (default {LISTED})")
    parser.add_argument("--compiler", help=f"a clang or gcc (default: the first of {', '.join(COMPILERS)} that is here)")
    parser.add_argument("--filter", metavar="REGEX", help="only tests whose names match, as in tasking/.*depend")
    parser.add_argument("--environment", default="", help='more variables for all tests, as in "HETMP_NODES=proc:2"')
    parser.add_argument("--sleep-scale", type=float, default=0.1, help="1: the tests sleep as they are written")
    parser.add_argument("--seconds", type=int, default=180, help="for one test (default 180; the longest takes 30 on two CPUs)")
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)), help="at a time (default: one a CPU)")
    return parser.parse_args()


def main():
    given = parse_arguments()
    return 0 if run_lit(given, given.build.resolve()) else 1


if __name__ == "__main__":
    exit_with(main)
