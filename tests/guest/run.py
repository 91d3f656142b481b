#!/usr/bin/env python3
"""Whether the runtime is a good guest in somebody's process: its threads, its waiting, forks, libraries that come and go, the end.

    run.py --build BUILD [--case NAME] [--list]

Exit codes: 0 passed, 1 failed, 77 skipped (the machine does not allow the case).
"""
import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from cases import Cases, main  # noqa: E402
from modes import environment_for  # noqa: E402
from outcome import Failure, Skip, check  # noqa: E402
from processes import complaints, run_limited  # noqa: E402
from toolchain import COMPILERS, compile_program  # noqa: E402
import core_kinds  # noqa: E402
import offloading  # noqa: E402
import privileged  # noqa: E402
import hostile_place  # noqa: E402
import interposers  # noqa: E402
import dumps  # noqa: E402
import forking  # noqa: E402
import interpreters  # noqa: E402
import openacc  # noqa: E402
import second_runtime  # noqa: E402
import stacks  # noqa: E402

CASES = Cases()
SECONDS = 60
CPU_GROUPS = Path("/sys/fs/cgroup/cpu")


class Site:
    def __init__(self, build):
        self.build = build
        self.programs = [str(compile_program(HERE / "guest.c", name, build))
                         for name in COMPILERS if shutil.which(name)]
        if not self.programs:
            raise Failure("no compiler found; run scripts/install-deps")

    def run(self, command, **settings):
        environment = environment_for("one", settings, self.build, stock=False)
        for name in [name for name, value in settings.items() if value is None]:
            del environment[name]
        code, out, err = run_limited(command, environment, SECONDS)
        check(code is not None, f"{command}: still running after {SECONDS} s; said {err!r}")
        return code, out, err

    def expect(self, arguments, output, before=(), code=0, **settings):
        """Of the program by each compiler; nothing on standard error."""
        for program in self.programs:
            got, out, err = self.run([*before, program, *arguments], **settings)
            check(got == code and out == output and err == "", f"{program} {arguments}: {got}, {out!r}, said {err!r}")

    def outputs(self, arguments, **settings):
        for program in self.programs:
            code, out, err = self.run([program, *arguments], **settings)
            check(code == 0 and err == "", f"{program} {arguments}: exit code {code}, said {err!r}")
            yield out

    def library(self, name="plugin"):
        """plugin.c, linked with the runtime by libomp's name."""
        folder = self.build / "guest"
        folder.mkdir(exist_ok=True)
        made = folder / f"lib{name}.so"
        self.compile([next(name for name in COMPILERS if name.startswith("clang") and shutil.which(name)), "-O1",
                       "-fopenmp=libomp", "-shared", "-fPIC", str(HERE / "plugin.c"), f"-L{self.build / 'lib' / 'omp'}",
                       f"-Wl,-rpath,{self.build / 'lib' / 'omp'}"], made)
        return str(made)

    def host(self):
        made = self.build / "guest" / "host"
        made.parent.mkdir(exist_ok=True)
        self.compile(["cc", "-O1", str(HERE / "host.c"), "-ldl"], made)
        return str(made)

    def tls_library(self, number):
        """A library that takes of the static TLS space that late ones have to share."""
        folder = self.build / "guest"
        folder.mkdir(exist_ok=True)
        source = folder / "tls.c"
        source.write_text('__thread char taken[256] __attribute__((tls_model("initial-exec")));\n'
                          "int plugin_sum(int n) { taken[0] = (char)n; return n * (n + 1) / 2; }\n")
        made = folder / f"libtls{number}.so"
        self.compile(["cc", "-O1", "-shared", "-fPIC", str(source)], made)
        return str(made)

    @staticmethod
    def compile(command, output):
        temporary = output.with_name(f".{output.name}.{os.getpid()}")
        done = subprocess.run([*command, "-o", str(temporary)], capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"{command}: {done.stderr}")
        temporary.replace(output)


def two_cpus():
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise Skip("needs two CPUs")
    return cpus


@contextlib.contextmanager
def quota(cpus):
    """The command in front of one that shall run with so many CPUs' worth of time."""
    group = CPU_GROUPS / f"hetmp-guest-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        raise Skip(f"no control group of version 1 can be made: {error.strerror}") from None
    try:
        (group / "cpu.cfs_period_us").write_text("100000")
        (group / "cpu.cfs_quota_us").write_text(str(round(cpus * 100000)))
        yield ["sh", "-c", f'echo $$ > {group / "cgroup.procs"}; exec "$@"', "sh"]
    finally:
        group.rmdir()


@CASES.add
def team_follows_the_affinity_mask(site):
    cpus = two_cpus()
    site.expect(["team"], f"{len(cpus)} {len(cpus)}\n", OMP_NUM_THREADS=None)
    site.expect(["team"], "1 1\n", before=["taskset", "-c", str(cpus[1])], OMP_NUM_THREADS=None)


@CASES.add
def team_follows_the_quota(site):
    cpus = two_cpus()
    with quota(1) as inside:
        site.expect(["team"], "1 1\n", before=inside, OMP_NUM_THREADS=None)
        site.expect(["team"], "3 3\n", before=inside, OMP_NUM_THREADS="3")  # who asks gets
        code, out, err = site.run([*inside, str(site.build / "bin" / "hetmp"), "info"], LD_PRELOAD=None)
        check(code == 0 and "1.00 CPUs (control group)" in out, f"hetmp info: {code}, {out!r}, said {err!r}")
        check(any(line.split() == ["threads", "of", "a", "team", "1,", "unless", "told"] for line in out.splitlines()), out)
    with quota(1.5) as inside:  # rounded up
        site.expect(["team"], "2 2\n", before=inside, OMP_NUM_THREADS=None)
    with quota(len(cpus) + 1) as inside:
        site.expect(["team"], f"{len(cpus)} {len(cpus)}\n", before=inside, OMP_NUM_THREADS=None)


@CASES.add
def idle_threads_use_no_cpu(site):
    """Not more than what the measurement itself needs, whatever the team's size; an active wait is told from it."""
    for settings in ({}, {"OMP_NUM_THREADS": "2"}, {"OMP_NUM_THREADS": "16"}, {"OMP_WAIT_POLICY": "passive"},
                     {"KMP_BLOCKTIME": "0"}, {"KMP_LIBRARY": "throughput"}):
        for out in site.outputs(["idle", "500", "1500"], **settings):
            check(int(out) < 10000, f"{settings}: {out.strip()} us of CPU time while idle")
    # Long enough for it to have some of a CPU beside other tests.
    for out in site.outputs(["idle", "100", "1500"], OMP_NUM_THREADS="2", OMP_WAIT_POLICY="active"):
        check(int(out) > 20000, f"an active wait used {out.strip()} us of CPU time only: nothing is measured")


@CASES.add
def forked_children_use_it_again(site):
    site.expect(["forks"], "0 4 0\n")


@CASES.add
def team_sizes_come_and_go(site):
    site.expect(["sizes", "2000"], "0 wrong, 8 threads\n")


@CASES.add
def nested_regions_reuse_threads(site):
    for out in site.outputs(["nested", "500"]):
        regions, threads = out.split(" in all, ")
        check(regions == "3000", out)
        check(int(threads.split()[0]) <= 6, out)


@CASES.add
def exit_from_anywhere(site):
    for who in "0", "2":
        for others in "compute", "wait":
            site.expect(["leave", who, others], "", code=7)


@CASES.add
def threads_that_cannot_be_made(site):
    for program in site.programs:
        code, out, err = site.run([program, "limited"], OMP_NUM_THREADS="32", OMP_STACKSIZE="128M")
        check(code == 0 and out == "smaller, the same again\n", f"{program}: exit code {code}, {out!r}, said {err!r}")
        check(len(complaints(err)) == len(err.splitlines()) == 1 and "thread" in err, f"{program}: said {err!r}")


@CASES.add
def libraries_come_and_go(site):
    """Two that use OpenMP, loaded by a program that does not, and closed in both orders; the runtime came with them."""
    libraries = [site.library("plugin-one"), site.library("plugin-two")]
    code, out, err = site.run([site.host(), "20", *libraries], LD_PRELOAD=None)
    check(code == 0 and out == "40 right\n" and err == "", f"exit code {code}, {out!r}, said {err!r}")
    code, out, err = site.run([site.host(), "20", *libraries])  # preloaded as well
    check(code == 0 and out == "40 right\n" and err == "", f"preloaded: exit code {code}, {out!r}, said {err!r}")


@CASES.add
def comes_when_static_tls_is_short(site):
    """Other libraries have taken the space for thread-local variables that late libraries share."""
    taken = [site.tls_library(number) for number in range(12)]
    code, out, err = site.run([site.host(), "1", *taken[:5], site.library("plugin-late")], LD_PRELOAD=None)
    check(code == 0 and out == "6 right\n" and err == "", f"exit code {code}, {out!r}, said {err!r}")


@CASES.add
def memcheck_finds_nothing(site):
    """Whoever looks for mistakes of his own program is not shown any of the runtime."""
    if not shutil.which("valgrind"):
        raise Skip("no valgrind")
    ran = 0
    for name in COMPILERS:
        if not shutil.which(name):
            continue
        program = str(compile_program(HERE / "every_construct.c", name, site.build))
        for threads in "1", "3":
            settings = {"OMP_NUM_THREADS": threads, "OMP_MAX_ACTIVE_LEVELS": "2", "LD_LIBRARY_PATH": str(site.build / "lib" / "omp")}
            wanted = site.run([program], **settings)[1]
            code, out, err = site.run(["valgrind", "-q", "--error-exitcode=99", program], **settings)
            errors = [line for line in err.splitlines() if line.startswith("==")]  # it also complains of clang's debug information
            check(code == 0 and out == wanted and errors == [], f"{program}: exit code {code}, {out!r}, said " + "\n".join(errors[:30]))
            ran += 1
    check(ran > 0, "no compiler")


CASES.update(second_runtime.CASES)
CASES.update(core_kinds.CASES)
CASES.update(offloading.CASES)
CASES.update(privileged.CASES)
CASES.update(stacks.CASES)
CASES.update(hostile_place.CASES)
CASES.update(interposers.CASES)
CASES.update(forking.CASES)
CASES.update(dumps.CASES)
CASES.update(interpreters.CASES)
CASES.update(openacc.CASES)

if __name__ == "__main__":
    sys.exit(main(__doc__, CASES, Site))
