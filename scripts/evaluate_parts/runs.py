"""Running programs under one runtime or another, and saying what came out."""
import json
import math
import os
import re
import shlex
import signal
import statistics
import subprocess
import tempfile
import time

NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"


CONFIDENCE = 0.9  # with which a median is said to lie between two values


class Missing(Exception):
    """Something the part needs is not on this machine."""


class RunFailed(Exception):
    """A program did not do what it should."""


class Context:
    """The build under test, the rival, and the results so far."""

    def __init__(self, options):
        self.options = options
        self.build = os.path.realpath(options.build)
        self.rival = os.path.realpath(options.rival)
        self.results = {}
        self._part = None
        self._complaints = set()

    def begin(self, part):
        self._part = self.results.setdefault(part, {})
        self._complaints.clear()

    def keep(self, name, value):
        """For the JSON file."""
        self._part[name] = value

    def pass_on(self, errors):
        """Prints what hetmp complained of, once a part: a setting that it does not take makes figures void."""
        for line in errors.splitlines():
            if line.startswith("hetmp:") and line not in self._complaints:
                self._complaints.add(line)
                print(f"   COMPLAINT {line}", flush=True)

    def rounds(self, usual):
        return self.options.rounds or usual

    def precise(self, *pairs):
        """For take_turns(): whether it may stop. With --precision, once the median of each ratio of two labels' values is known that
        well, or --patience is over. How the ratios lie to their targets plays no part."""
        wanted = self.options.precision
        end = time.monotonic() + self.options.patience

        def enough(values):
            if wanted is None or time.monotonic() > end:
                return True
            return all(uncertainty(paired_ratios(values, *pair)) <= wanted for pair in pairs)
        return enough

    def tool(self):
        return self._executable("hetmp")

    def simulator(self):
        return self._executable("hetmp-simulate")

    def kernel(self, name):
        return self._executable("microbench", name)

    def _executable(self, *names):
        path = os.path.join(self.build, "bin", *names)
        if not os.access(path, os.X_OK):
            raise Missing(f"{path} is not built")
        return path

    def hetmp(self, nodes=None, threads=2, **settings):
        """The environment of a run with hetmp."""
        library = os.path.join(self.build, "lib", "libhetmp.so")
        if not os.path.exists(library):
            raise Missing(f"{library} is not built")
        environment = {"LD_PRELOAD": library, "OMP_NUM_THREADS": str(threads), "HETMP_PROFILE": "none", "HETMP_KNOWLEDGE": "none", "HETMP_PLACEMENT": "all"}
        if nodes:
            environment["HETMP_NODES"] = nodes
        return environment | settings

    def release_libomp(self, threads=2, **settings):
        if not os.path.exists(os.path.join(self.rival, "libomp.so.5")):
            raise Missing(f"no libomp.so.5 in {self.rival}: make it with scripts/build-release-libomp, or name it "
                          "with --rival")
        return {"LD_LIBRARY_PATH": self.rival, "OMP_NUM_THREADS": str(threads)} | settings

    @staticmethod
    def system_libomp(threads=2, **settings):
        """The libomp that the kernels were linked with."""
        return {"OMP_NUM_THREADS": str(threads)} | settings


def shown(settings, words):
    """The command as one would type it, without this machine's folders."""
    parts = []
    for name, value in settings.items():
        if (name, value) in (("HETMP_PROFILE", "none"), ("HETMP_KNOWLEDGE", "none")):
            continue
        if name == "LD_PRELOAD":
            value = "lib/libhetmp.so"
        elif name == "LD_LIBRARY_PATH" and os.path.exists(os.path.join(value, "libomp.so.5")):
            value = "RELEASE_LIBOMP/lib"
        elif name in ("HETMP_REPORT", "HETMP_PROFILE"):
            value = os.path.basename(value)
        parts.append(f"{name}={shlex.quote(value)}")
    parts += [os.path.basename(word) if os.path.isabs(word) else shlex.quote(word) for word in words]
    return " ".join(parts)


def start(settings, words, **more):
    return subprocess.Popen(words, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, errors="replace", start_new_session=True, **more)


def finish(process, timeout, context=None):
    """Waits for the program and returns its output; ends it and everything it started if it takes too long."""
    try:
        output, errors = process.communicate(timeout=timeout)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise RunFailed(f"still running after {timeout:g} s") from None
        raise
    if process.returncode != 0:
        raise RunFailed(f"exit code {process.returncode}: {(errors or output)[-300:].strip()!r}")
    if context:
        context.pass_on(errors)
    return output


def seconds_of(begin, timeout, context=None):
    """Of a whole process, which `begin()` starts."""
    begun = time.monotonic()
    finish(begin(), timeout, context)
    return round(time.monotonic() - begun, 4)


def run(context, settings, words, timeout=None):
    try:
        return finish(start(settings, words), timeout or context.options.timeout, context)
    except RunFailed as failure:
        raise RunFailed(f"{shown(settings, words)}: {failure}") from None


def with_report(measure, settings):
    """Calls `measure` with the settings and a file for the report; returns its value and the report's regions."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        value = measure(settings | {"HETMP_REPORT": path})
        try:
            with open(path, encoding="utf-8") as file:
                return value, json.load(file)["regions"]
        except (OSError, ValueError, KeyError) as error:
            raise RunFailed(f"the report cannot be read: {error}") from None


def measured_csr(regions):
    """How much faster a core of node 0 is than one of node 1, in the longest loop on two nodes."""
    spread_out = [region for region in regions if len(region["nodes"]) == 2]
    if not spread_out:
        raise RunFailed("the report has no region on two nodes")
    speed = [node["speed"] for node in max(spread_out, key=lambda region: region["total_us"])["nodes"]]
    if not speed[0] or not speed[1]:
        raise RunFailed("the report has no core speed ratio")
    return speed[0] / speed[1]


def print_regions(regions):
    """Every loop's decision, and the share of iterations in loops that were decided for one node."""
    scattered = 0.0
    for region in regions:
        iterations = region["trips"] * region["visits"]
        if region["decision"] == "all nodes":
            scattered += iterations
        period = region["fault_period_us"]
        period = "none" if period is None else f"{period:.1f} us"
        print(f"   loop at {region['address']:#x}: {region['trips']} trips, {region['visits']} visits "
              f"({region['probed_visits']} probed): {region['decision']}; fault period {period}, threshold "
              f"{region['threshold_us']:g} us; {region['reason']}")
    total = sum(region["trips"] * region["visits"] for region in regions)
    if total == 0:
        raise RunFailed("no loop was recorded")
    print(f"   iterations in loops decided for one node: {1 - scattered / total:.1%}; target: all")


def field(output, name):
    """The number on the line 'name: number'."""
    found = re.findall(rf"^{re.escape(name)}:\s*{NUMBER}", output, re.MULTILINE)
    if not found:
        raise RunFailed(f"no line {name!r} in {output[-300:]!r}")
    return float(found[-1])


def visit_times(output):
    """Seconds of each visit, as kernels print them."""
    times = [float(text) for text in re.findall(rf"^visit \d+: {NUMBER} s", output, re.MULTILINE)]
    if not times:
        raise RunFailed(f"no visits in {output[-300:]!r}")
    return times


def quartiles(values):
    if len(values) == 1:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def spread(values, form=".4g"):
    low, high = quartiles(values)
    return f"median {statistics.median(values):{form}} (quartiles {low:{form}} .. {high:{form}})"


def median_interval(values):
    """Two of the values between which the median of what they are samples of lies with CONFIDENCE (by the sign test, which asks
    nothing of the distribution); None if there are too few."""
    ordered = sorted(values)
    count = len(ordered)
    for rank in range(count // 2, 0, -1):
        outside = 2 * sum(math.comb(count, i) for i in range(rank)) / 2 ** count
        if 1 - outside >= CONFIDENCE:
            return ordered[rank - 1], ordered[count - rank]
    return None


def uncertainty(values):
    """Half the width of that interval, as a part of the median."""
    interval = median_interval(values)
    return (interval[1] - interval[0]) / 2 / abs(statistics.median(values)) if interval else math.inf


def known(values, form=".4g"):
    """As spread(), and how well the median is known."""
    interval = median_interval(values)
    sure = f"{interval[0]:{form}} .. {interval[1]:{form}}" if interval else "unknown"
    return f"{spread(values, form)[:-1]}; {CONFIDENCE:.0%} sure: {sure}; {len(values)} rounds)"


def met(value, limit, at_least=False):
    """How a figure stands to its target."""
    ok = value >= limit if at_least else value <= limit
    text = "met" if ok else f"MISSED by {abs(value / limit - 1):.1%}"
    return f"target {'>=' if at_least else '<='} {limit:g}: {text}"


def take_turns(contenders, rounds, warm_up=1, enough=None):
    """Calls the functions {label: function} in turn, after `warm_up` rounds that do not count; returns {label: values}. At least
    `rounds` rounds, and further ones until `enough(values)`.

    The machine's speed drifts; what takes turns meets the same drift, so what counts is the ratio within a round. Each
    round begins with another one."""
    values = {label: [] for label in contenders}
    labels = list(contenders)
    turn = -warm_up
    while turn < rounds or (enough and not enough(values)):
        first = turn % len(labels)
        for label in labels[first:] + labels[:first]:
            value = contenders[label]()
            if turn >= 0:
                values[label].append(value)
        turn += 1
    return values


def compare_in_turn(context, contenders, value_of, rounds, warm_up=1, timeout=None, enough=None):
    """Runs (label, settings, words) in turn; see take_turns."""
    def measurement(settings, words):
        return lambda: value_of(run(context, settings, words, timeout))
    return take_turns({label: measurement(settings, words) for label, settings, words in contenders}, rounds, warm_up,
                      enough)


def print_comparison(contenders, values, unit):
    for label, settings, words in contenders:
        print(f"   {label}: {shown(settings, words)}\n      {spread(values[label])} {unit}")


def paired_ratios(values, label, baseline):
    return [value / base for value, base in zip(values[label], values[baseline])]
