"""Programs on two node processes of a machine with an RDMA device: they say what they say on one node, and their pages move by RDMA."""
import importlib.util
import re
import subprocess

from machine import HERE, Machine, environment, judge_all, words_with  # it finds the modules of tests/common
from outcome import check
from toolchain import COMPILERS, REPOSITORY, check_stdout, compile_program, directives

STRESS = ["atomic_counters", "containers", "exceptions", "false_sharing", "heap", "loops", "random_phases", "random_programs",
          "random_tasks", "vectors_and_strings"]
CONSTRUCTS = ["barrier.c", "critical.c", "copyprivate.c", "for_doacross.c", "for_guided.cpp", "for_ordered.c", "nest_lock.c",
              "reduction_operators.c", "task_depend.c", "taskloop.cpp"]
ENCRYPTED = ["false_sharing", "random_phases", "random_tasks", "critical.c", "reduction_operators.c", "ep", "demo"]
# What differs between runs: times, and the last digits of sums, whose parts come in another order.
VARIES = re.compile(r"\b[0-9.e+-]+ s\b|(?<=\.\d{11})\d+")


def _load_stress():
    """The runner of the stress programs, whose name this folder's has too."""
    spec = importlib.util.spec_from_file_location("stress_run", HERE.parent / "stress" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


stress = _load_stress()


class Stress:
    def __init__(self, build, name):
        self.source = stress.PROGRAMS / f"{name}.cpp"
        self.wanted = stress.directives(self.source)
        self.words = [stress.compile_program(self.source, build)]

    def check(self, run):
        stress.check_outcome(self.wanted, "proc2", run.code, run.out, run.err)


class Construct:
    def __init__(self, build, name):
        self.source = HERE.parent / "conformance" / "programs" / name
        self.wanted = directives(self.source)
        self.words = [compile_program(self.source, _clang(), build)]

    def check(self, run):
        check(run.code == 0 and not run.err, run)
        check_stdout(self.wanted["stdout"], run.out)


class Benchmark:
    """Says on two nodes what it says on one, which is tried outside the machine."""

    wanted = {"runs": [{}]}

    def __init__(self, build, *words):
        self.words = list(words)
        done = subprocess.run(words_with(environment(build), *words), capture_output=True, text=True, check=True)
        self.expected = VARIES.sub("", done.stdout)

    def check(self, run):
        check(run.code == 0 and not run.err and VARIES.sub("", run.out) == self.expected, f"{run}\n  on one node: {self.expected}")


def _clang():
    return next(name for name in COMPILERS if name.startswith("clang"))


def reduced_demo(build):
    """scripts/demo-program.c on a plate that emulation can bear."""
    text = (REPOSITORY / "scripts" / "demo-program.c").read_text()
    for name, number in (("side", 128), ("sweeps", 10), ("harmonics", 10)):
        text, count = re.subn(rf"\b{name} = \d+", f"{name} = {number}", text)
        check(count == 1, f"scripts/demo-program.c has {count} constants {name}")
    source = build / "tests" / "rdma" / "reduced_demo.c"
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    return compile_program(source, _clang(), build)


def all_programs(build):
    """{name: program}"""
    benchmarks = build / "bin" / "microbench"
    return {name: Stress(build, name) for name in STRESS} | {name: Construct(build, name) for name in CONSTRUCTS} | {
        "ep": Benchmark(build, benchmarks / "ep", "S"),
        "blackscholes": Benchmark(build, benchmarks / "blackscholes", "--options", "4000", "--visits", "2"),
        "demo": Benchmark(build, reduced_demo(build)),
    }


def programs_in_the_open(site):
    run_programs(site, all_programs(site.build))


def encrypted_programs(site):
    programs = all_programs(site.build)
    run_programs(site, programs if site.times > 1 else {name: programs[name] for name in ENCRYPTED}, HETMP_ENCRYPT="1")


def run_programs(site, programs, **settings):
    """Each with the first variables that its comments give."""
    machine = Machine(site.build)
    named = {}
    for time in range(site.times):
        for name, program in programs.items():
            run = f"{name}-{time + 1}"
            named[run] = program
            machine.put(program.words[0])
            variables = environment(site.build, HETMP_NODES="proc:2", HETMP_TRANSPORT="verbs", HETMP_REPORT=f"/out/{run}/report.json",
                                    **program.wanted["runs"][0], **settings)
            machine.run(run, *words_with(variables, *program.words))
    runs = machine.boot(240 * site.times)
    print(f"{sum(run.seconds for run in runs.values()):.1f} s for {len(runs)} runs")
    judge_all(runs.values(), lambda run: check_run(named[run.name], run))


def check_run(program, run):
    check(not run.left and run.code is not None, run)
    program.check(run)
    run.check_spread(2)


CASES = [programs_in_the_open, encrypted_programs]
