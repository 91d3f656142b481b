"""Programs on two node processes of a machine with an RDMA device: they say what they say on one node, and their pages move by RDMA."""
import functools
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
BENCHMARKS = {"ep": ["S"], "blackscholes": ["--options", "4000", "--visits", "2"], "cg": ["S"]}
NAMES = [*STRESS, *CONSTRUCTS, *BENCHMARKS, "demo"]
SLOW = {"cg": 2}  # takes minutes: in that many of the first rounds, and not in a single one
# Smaller than usual, as emulation is slow: each takes less than 5 s on an idle machine, and still has work for both nodes.
SIZES = {"random_programs": {"STRESS_PERCENT": "20"}, "heap": {"STRESS_PERCENT": "35"}, "containers": {"STRESS_PERCENT": "35"},
         "random_phases": {"STRESS_PERCENT": "50"}, "for_doacross.c": {"CONFORMANCE_ROUNDS": "1"}}
# What differs between runs: times, and the last digits of sums, whose parts come in another order.
VARIES = re.compile(r"\b[0-9.e+-]+ s\b|(?<=\.\d{11})\d+|(?<=^residual: ).*", re.M)


def _load_stress():
    """The runner of the stress programs, whose name this folder's has too."""
    spec = importlib.util.spec_from_file_location("stress_run", HERE.parent / "stress" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


stress = _load_stress()


class Program:
    """With the first variables that its comments give."""

    seconds = 180  # after which it hangs: emulation beside other work is slow

    def __init__(self, wanted, *words):
        self.wanted, self.words = wanted, list(words)
        self.variables = wanted["runs"][0]


class Stress(Program):
    def __init__(self, build, name):
        source = stress.PROGRAMS / f"{name}.cpp"
        super().__init__(stress.directives(source), stress.compile_program(source, build))

    def check(self, run):
        stress.check_outcome(self.wanted, "proc2", run.code, run.out, run.err)


class Construct(Program):
    def __init__(self, build, name):
        source = HERE.parent / "conformance" / "programs" / name
        super().__init__(directives(source), compile_program(source, _clang(), build))

    def check(self, run):
        check(run.code == 0 and not run.err, run)
        check_stdout(self.wanted["stdout"], run.out)


class Benchmark(Program):
    """Says on two nodes what it says on one, which is tried outside the machine."""

    def __init__(self, build, *words):
        super().__init__({"runs": [{}]}, *words)
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


@functools.cache
def program_of(build, name):
    benchmarks = build / "bin" / "microbench"
    if name in STRESS:
        return Stress(build, name)
    if name in CONSTRUCTS:
        return Construct(build, name)
    if name == "demo":
        return Benchmark(build, reduced_demo(build))
    program = Benchmark(build, benchmarks / name, *BENCHMARKS[name])
    if name in SLOW:
        program.seconds = 1200
    return program


def rounds(site, few=None):
    """{name of a run: its program}: all programs, or those asked for, in each round. A single one may be of a few."""
    once = len(site.rounds) == 1
    named = {}
    for number in site.rounds:
        for name in site.programs or (few if few and once else NAMES):
            if site.programs or name not in SLOW or (number <= SLOW[name] and not once):
                named[f"{name}-{number}"] = program_of(site.build, name)
    return named


def variables_of(run, program):
    """Random programs are others in each round, those of ordinary runs in the first."""
    name, _, number = run.rpartition("-")
    return program.variables | SIZES.get(name, {}) | {"STRESS_SEED": str(19 + int(number))}


def seconds_for(named):
    """In which all of them end, also if one hangs: most take much less than they may."""
    return 180 + sum(program.seconds // 12 for program in named.values())


def programs_in_the_open(site):
    run_programs(site, rounds(site))


def encrypted_programs(site):
    run_programs(site, rounds(site, ENCRYPTED), HETMP_ENCRYPT="1")


def run_programs(site, named, **settings):
    machine = Machine(site.build)
    for run, program in named.items():
        machine.put(program.words[0])
        variables = environment(site.build, HETMP_NODES="proc:2", HETMP_TRANSPORT="verbs", HETMP_REPORT=f"/out/{run}/report.json",
                                **variables_of(run, program), **settings)
        machine.run(run, *words_with(variables, *program.words), seconds=program.seconds)
    judge_programs(machine.boot(seconds_for(named)), named)


def judge_programs(runs, named):
    print(f"{sum(run.seconds for run in runs.values()):.1f} s for {len(runs)} runs")
    judge_all(runs.values(), lambda run: check_run(named[run.name], run))


def check_run(program, run):
    check(not run.left and run.code is not None, run)
    program.check(run)
    run.check_spread(2)


CASES = [programs_in_the_open, encrypted_programs]
