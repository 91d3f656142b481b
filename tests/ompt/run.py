#!/usr/bin/env python3
"""Whether tools that look into OpenMP programs (OMPT) see what happens: Archer's races, and two small tools.

    run.py --build BUILD [--case NAME] [--list]

Cases `races.NAME` compile races/NAME.c twice, for ThreadSanitizer with Archer: with RACE it must find one, without it none.
LLVM's own tests of OMPT are tests/llvm's. Exit codes: 0 passed, 1 failed, 77 skipped (there is no ThreadSanitizer, Archer or omp-tools.h here).
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from cases import Cases, main  # noqa: E402
from modes import environment_for  # noqa: E402
from outcome import Failure, Skip, check  # noqa: E402
from processes import complaints, run_limited  # noqa: E402
from toolchain import COMPILERS, REPOSITORY, first_of, omp_header_folder, replace_link, stock_libomp_folder  # noqa: E402

CASES = Cases()
SECONDS = 60
LLVM_FOLDERS = ("/usr/lib", f"{REPOSITORY}/build/unpacked/usr/lib")
RACE_FOUND = 66  # ThreadSanitizer's exit code


def of_llvm(path):
    return first_of(*(f"{folder}/llvm-*/{path}" for folder in LLVM_FOLDERS))


class Site:
    def __init__(self, build):
        self.build = build
        self.folder = build / "ompt"
        self.folder.mkdir(exist_ok=True)

    def compile(self, command, name):
        made = self.folder / name
        temporary = Path(tempfile.mktemp(dir=self.folder))
        done = subprocess.run([*command, "-o", str(temporary)], capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"{command}: {done.stderr}")
        temporary.replace(made)
        return str(made)

    def tool(self, source, flags=(), name=None):
        (self.folder / "include").mkdir(exist_ok=True)
        for file in ("omp-tools.h", "ompt-multiplex.h"):
            header = first_of(*(f"{folder}/llvm-*/{place}/{file}" for folder in reversed(LLVM_FOLDERS) for place in ("lib/clang/*/include", "include")))
            if not header:
                raise Skip(f"no LLVM {file} found; run scripts/install-deps")
            replace_link(self.folder / "include" / file, header)
        driver = ["c++", "-std=c++20"] if source.suffix == ".cpp" else ["cc", "-std=c11", "-D_GNU_SOURCE"]
        return self.compile([*driver, "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-isystem", str(self.folder / "include"), *flags, str(source)],
                            f"lib{name or source.stem}.so")

    def programs(self):
        """profiled.c by each compiler."""
        for compiler in filter(shutil.which, COMPILERS):
            where = []
            if compiler.startswith("clang"):
                library = stock_libomp_folder(compiler) or self.build / "lib" / "omp"
                where = ["-isystem", str(omp_header_folder(self.build)), f"-L{library}", f"-Wl,-rpath,{library}"]
            yield self.compile([compiler, "-g", "-O1", "-fopenmp", "-D_GNU_SOURCE", str(HERE / "profiled.c"), *where], f"profiled-{compiler}")

    def run(self, command, mode="one", **settings):
        code, out, err = run_limited(command, environment_for(mode, settings, self.build, stock=False), SECONDS)
        check(code is not None, f"{command}: still running after {SECONDS} s; said {err!r}")
        check(not complaints(err), f"{command}: {err}")
        return code, out, err


def thread_sanitizer(site):
    """(a compiler that has it, Archer)."""
    archer = of_llvm("lib/libarcher.so")
    if not archer:
        raise Skip("no libarcher.so found; run scripts/install-deps")
    for compiler in filter(shutil.which, ("clang-14", "clang-16", "clang-19", "clang")):
        probe = subprocess.run([compiler, "-fsanitize=thread", "-x", "c", "-", "-o", str(site.folder / "probe")], input="int main(void) { return 0; }",
                               capture_output=True, text=True, check=False)
        if probe.returncode == 0:
            return compiler, archer
    raise Skip("no clang here has ThreadSanitizer")


def race(name):
    def case(site):
        compiler, archer = thread_sanitizer(site)
        library = site.build / "lib" / "omp"
        for variant, expected in (("race", RACE_FOUND), ("clean", 0)):
            program = site.compile([compiler, "-g", "-O1", "-fsanitize=thread", "-fopenmp", *(["-DRACE"] if variant == "race" else []),
                                    "-isystem", str(omp_header_folder(site.build)), str(HERE / "races" / f"{name}.c"), f"-L{library}",
                                    f"-Wl,-rpath,{library}"], f"{name}-{variant}")
            environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
            environment |= {"OMP_TOOL_LIBRARIES": str(archer), "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 atexit_sleep_ms=0"}
            code, out, err = run_limited([program], environment, SECONDS)
            check(code == expected, f"{name}, {variant}: exit code {code}, not {expected}; {out}{err}")
            check(("WARNING: ThreadSanitizer: data race" in err) == (variant == "race"), f"{name}, {variant}: {err}")
    return case


for source in sorted((HERE / "races").glob("*.c")):
    CASES[f"races.{source.stem}"] = race(source.stem)


def visits_of(err):
    """What region_profile has printed: {visits: threads}."""
    lines = err.strip().splitlines()
    check(lines and lines[0].split() == ["region", "visits", "threads", "seconds", "waited"], f"no table: {err!r}")
    return {int(fields[1]): int(fields[2]) for fields in map(str.split, lines[1:])}


@CASES.add
def region_profile(site):
    """Of each region its visits, by each compiler's programs."""
    tool = site.tool(REPOSITORY / "microbench" / "region_profile" / "region_profile.cpp")
    for program in site.programs():
        code, out, err = site.run([program], OMP_TOOL_LIBRARIES=tool)
        check((code, out) == (0, "done\n"), f"{program}: {code}, {out!r}, {err!r}")
        check(visits_of(err) == {5: 2, 3: 2}, f"{program}: {err}")


@CASES.add
def what_begins_ends(site):
    """As a tool in a library, preloaded, and not at all."""
    tool = site.tool(HERE / "counting.c")
    expected = "done\nopen: 0 threads, 0 implicit tasks, 0 tasks, 0 waits; regions: 8, tasks: 12\n"
    for program in site.programs():
        code, out, err = site.run([program], OMP_TOOL_LIBRARIES=tool)
        check((code, out, err) == (0, expected, ""), f"{program}: {code}, {out!r}, {err!r}")
        code, out, err = site.run([program], OMP_TOOL_LIBRARIES=tool, OMP_TOOL="disabled")
        check((code, out, err) == (0, "done\n", ""), f"{program} without a tool: {code}, {out!r}, {err!r}")


@CASES.add
def many_times(site):
    """Ends of threads and of regions meet in any order."""
    tool = site.tool(HERE / "counting.c")
    program = next(site.programs())
    for _ in range(50):
        code, out, err = site.run([program], OMP_TOOL_LIBRARIES=tool)
        check(code == 0 and "open: 0 threads, 0 implicit tasks, 0 tasks, 0 waits" in out and err == "", f"{program}: {code}, {out!r}, {err!r}")


@CASES.add
def a_child_of_fork_tells_nothing(site):
    tool = site.tool(HERE / "counting.c")
    for program in site.programs():
        code, out, err = site.run([program, "fork"], OMP_TOOL_LIBRARIES=tool)
        check(code == 0 and out.count("open:") == 1 and "regions: 8," in out and err == "", f"{program}: {code}, {out!r}, {err!r}")


@CASES.add
def exit_inside_a_region(site):
    tool = site.tool(HERE / "counting.c")
    for program in site.programs():
        code, out, err = site.run([program, "exit"], OMP_TOOL_LIBRARIES=tool)
        check(code == 0 and "regions: 9, tasks: 12" in out and err == "", f"{program}: {code}, {out!r}, {err!r}")


@CASES.add
def on_several_nodes(site):
    """Processes, or sets of CPUs. The tool sees the origin; results are right, and nothing is complained about."""
    tool = site.tool(REPOSITORY / "microbench" / "region_profile" / "region_profile.cpp")
    for program in site.programs():
        for placement in ("auto", "all", "origin", "random:1"):
            code, out, err = site.run([program], mode="proc2", OMP_TOOL_LIBRARIES=tool, HETMP_PLACEMENT=placement)
            check((code, out) == (0, "done\n"), f"{program}, {placement}: {code}, {out!r}, {err!r}")
            check(set(visits_of(err)) == {5, 3}, f"{program}, {placement}: {err}")
        code, out, err = site.run([program], OMP_TOOL_LIBRARIES=tool, HETMP_NODES="cores:0;1")
        check((code, out) == (0, "done\n") and set(visits_of(err)) == {5, 3}, f"{program}, nodes inside one process: {code}, {out!r}, {err!r}")


@CASES.add
def two_tools(site):
    """By LLVM's ompt-multiplex.h: both see all."""
    first = site.tool(HERE / "counting.c", ["-DMULTIPLEX"], "multiplex")
    second = site.tool(REPOSITORY / "microbench" / "region_profile" / "region_profile.cpp")
    for program in site.programs():
        code, out, err = site.run([program], OMP_TOOL_LIBRARIES=first, SECOND_TOOL_LIBRARIES=second)
        check(code == 0 and "open: 0 threads, 0 implicit tasks, 0 tasks, 0 waits; regions: 8, tasks: 12" in out, f"{program}: {code}, {out!r}, {err!r}")
        check(visits_of(err) == {5: 2, 3: 2}, f"{program}: {err}")


@CASES.add
def a_tool_that_ends_itself(site):
    """Inside of a callback, whatever it is about."""
    tool = site.tool(HERE / "ending.c")
    for program in site.programs():
        for when in range(1, 7):
            code, out, err = site.run([program], OMP_TOOL_LIBRARIES=tool, WHEN=str(when))
            check((code, out, err) == (0, "ended\ndone\n", ""), f"{program}, {when}: {code}, {out!r}, {err!r}")


@CASES.add
def a_tool_that_is_not_there(site):
    for program in site.programs():
        code, out, err = site.run([program], OMP_TOOL_LIBRARIES="/nowhere/tool.so", OMP_TOOL_VERBOSE_INIT="stderr")
        check((code, out) == (0, "done\n") and "Opening /nowhere/tool.so... Failed: " in err, f"{program}: {code}, {out!r}, {err!r}")


if __name__ == "__main__":
    sys.exit(main(__doc__, CASES, Site))
