"""Programs on several nodes and nothing else set, against one node restricted to the origin's CPU: none may lose.

Rounds are kept under what they are rounds of (libraries, program, sizes, settings): after a change of the libraries they begin anew."""
import contextlib
import os
import pathlib
import re
import shutil
import statistics
import tempfile
import time

from . import placement_programs
from .kept import Rounds, identity
from .quota import NodeQuotas
from .runs import RunFailed, finish, start

ALLOWED_RATIO, ALLOWED_SECONDS = 1.05, 0.3  # what a program may take, of the time of one core and in seconds besides
ALLOWED_SPINNING = 3.0                      # for programs that spin on flags of their own
ROUNDS = 5
FIXED = ("origin", "all")                   # placements that decide nothing
LEAST_PATIENCE, PATIENCE = 20, 10           # a run may take so many seconds, and so many times the time of one core


def _origins_cpu():
    return min(os.sched_getaffinity(0))


class Comparison:
    """One program by one compiler, on nodes and on one core."""

    def __init__(self, context, name, compiler, quotas):
        options = context.options
        self.start = quotas.start if quotas else start
        build = pathlib.Path(context.build)
        self.context, self.name, self.compiler = context, name, compiler
        self.program = placement_programs.program_named(name)
        self.arguments = self.program.arguments(options.seconds)
        self.path = placement_programs.compiled(name, compiler, build, options.seconds)
        self.libraries = build / "lib"
        self.settings = dict(setting.split("=", 1) for setting in options.setting)
        library_identity = identity(self.libraries / "libhetmp.so", self.libraries / "libhetmp_dsm.so")
        self.key = " ".join([name, compiler, *self.arguments, *(["fixed"] if options.fixed else []),
                             *([f"quota {options.quota}"] if quotas else []), "on", options.nodes,
                             *sorted(options.setting), "libraries", library_identity, "program", identity(self.path)])

    def _run(self, settings, confine, limit):
        """(seconds of the whole process, its result if it was right, whether it was ended because it took too long). Nothing that an earlier
        run of a user has learned is known to it."""
        caches = tempfile.mkdtemp()
        environment = {"LD_PRELOAD": str(self.libraries / "libhetmp.so"), "HETMP_PROFILE": "none", "HETMP_KNOWLEDGE": "none",
                       "XDG_CACHE_HOME": caches} | settings
        if self.compiler.startswith("gcc"):  # libgomp, once loaded, reads the environment, too
            environment["LD_LIBRARY_PATH"] = str(self.libraries / "omp")
        words = (["taskset", "-c", str(_origins_cpu())] if confine else []) + [self.path, *self.arguments]
        begun = time.monotonic()
        try:
            output = finish(self.start(environment, words), limit, self.context)
            seconds = time.monotonic() - begun
            right = re.search("^verification: successful$", output, re.M)
            return seconds, re.findall("^checksum: .*$", output, re.M) if right else None, False
        except RunFailed as failure:
            seconds = time.monotonic() - begun
            return seconds, None, "still running" in str(failure)
        finally:
            shutil.rmtree(caches, ignore_errors=True)

    def run_round(self, rounds):
        one, wanted, over = self._run({}, True, self.context.options.timeout)
        if over or wanted is None:
            raise RunFailed(f"on one core {f'still running after {one:.0f} s' if over else 'not right'}")
        limit = min(self.context.options.timeout, max(LEAST_PATIENCE, PATIENCE * one))
        nodes, result, over = self._run({"HETMP_NODES": self.context.options.nodes} | self.settings, False, limit)
        record = {"one": one, "nodes": nodes, "right": result == wanted, "over": over}
        for placement in FIXED if self.context.options.fixed else ():
            record[placement], _, _ = self._run({"HETMP_NODES": self.context.options.nodes, "HETMP_PLACEMENT": placement} | self.settings,
                                                False, limit)
        rounds.add(self.key, record)

    def allowed(self, one):
        return max(ALLOWED_SPINNING * one if self.program.spins else 0, ALLOWED_RATIO * one + ALLOWED_SECONDS)


def _summary(comparison, records):
    """What the rounds say, for the table and the JSON file. A run that was ended or wrong has no ratio of its own but counts as what it
    took: the ratio is then a lower bound."""
    one = statistics.median(record["one"] for record in records)
    excess = statistics.median(record["nodes"] - comparison.allowed(record["one"]) for record in records)
    best = [min(record[placement] for placement in FIXED) / record["nodes"] for record in records if FIXED[0] in record]
    return {"program": comparison.name, "of_best": statistics.median(best) if best else None, "compiler": comparison.compiler, "one": one,
            "nodes": statistics.median(record["nodes"] for record in records),
            "ratio": statistics.median(record["nodes"] / record["one"] for record in records),
            "allowed": comparison.allowed(one), "kept": excess <= 0, "rounds": len(records),
            "right": sum(record["right"] for record in records), "over": sum(record["over"] for record in records)}


def _print_row(row):
    of_best = f", {row['of_best']:.2f} of the best fixed placement" if row["of_best"] else ""
    print(f"   {row['program']:20} {row['compiler']:9} {row['one']:8.2f} {'>' if row['over'] else ' '}{row['nodes']:8.2f} "
          f"{row['ratio']:7.2f} {row['allowed']:8.2f} {'kept' if row['kept'] else 'ABOVE':6} {row['right']} of {row['rounds']}{of_best}",
          flush=True)


def _seeds(text):
    """Of `3`, `1-30`, or nothing."""
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text or "")
    if text and not found:
        raise RunFailed(f"--seeds {text}: not a number, nor two with a - between them")
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else ()


def _chosen(options, known):
    names = options.programs.split(",") if options.programs else [] if options.seeds else list(known)
    unknown = [name for name in names if not placement_programs.program_named(name)]
    names += [f"{placement_programs.GENERATED}{seed}" for seed in _seeds(options.seeds)]
    if unknown:
        raise RunFailed(f"no such program: {', '.join(unknown)}; there are: {', '.join(known)}")
    compilers = options.compilers.split(",") if options.compilers else placement_programs.found_compilers()
    return [(name, compiler) for name in names for compiler in compilers]


def _quotas(options):
    """Of each node, or nothing."""
    if options.quota is None:
        return contextlib.nullcontext()
    nodes = re.fullmatch(r"proc:(\d+)", options.nodes)
    if not nodes:
        raise RunFailed(f"--quota is for --nodes proc:N, not {options.nodes}")
    try:
        parts = [float(part) for part in options.quota.split(",")]
    except ValueError as error:
        raise RunFailed(f"--quota {options.quota}: expected parts of a CPU with commas between them") from error
    parts = parts * int(nodes[1]) if len(parts) == 1 else parts
    if len(parts) != int(nodes[1]) or not all(0 < part <= 1 for part in parts):
        raise RunFailed(f"--quota {options.quota}: expected one part of a CPU, or one for each of {nodes[1]} nodes, above 0 and at most 1")
    return NodeQuotas([part if part < 1 else None for part in parts])


def placement(context, known=placement_programs.PROGRAMS):
    with _quotas(context.options) as quotas:
        _compare(context, quotas, known)


def constructs(context):
    placement(context, placement_programs.CONSTRUCTS)


def _compare(context, quotas, known):
    """Of these programs those that are asked for."""
    options = context.options
    path = pathlib.Path(options.kept) if options.kept else pathlib.Path(context.build) / "placement" / "rounds.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    rounds = Rounds(path)
    held = f", nodes with {options.quota} of a CPU at most" if quotas else ""
    print(f"   HETMP_NODES={options.nodes} {' '.join(options.setting)}, and taskset -c {_origins_cpu()} without it{held}; seconds, medians of "
          f"paired rounds\n   {'program':20} {'compiler':9} {'one core':>8} {'nodes':>9} {'ratio':>7} {'allowed':>8} {'':6} right", flush=True)
    rows, failed = [], []
    for name, compiler in _chosen(options, known):
        try:
            comparison = Comparison(context, name, compiler, quotas)
            while len(rounds.of(comparison.key)) < context.rounds(ROUNDS):
                comparison.run_round(rounds)
            rows.append(_summary(comparison, rounds.of(comparison.key)))
            _print_row(rows[-1])
        except RunFailed as failure:
            print(f"   {name} {compiler}: FAILED, {failure}", flush=True)
            failed.append(f"{name} {compiler}")
    context.keep("programs", rows)
    above = [f"{row['program']} {row['compiler']}" for row in rows if not row["kept"]]
    wrong = [f"{row['program']} {row['compiler']}" for row in rows if row["right"] < row["rounds"]]
    print(f"   {len(rows)} programs: {len(above)} take more than is allowed, {len(wrong)} were wrong or not finished at least once",
          flush=True)
    if options.fixed and rows:
        print(f"   mean of the best fixed placement: {statistics.mean(row['of_best'] for row in rows):.2f}", flush=True)
    if failed or wrong:
        raise RunFailed(", ".join(failed + wrong))
