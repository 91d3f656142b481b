"""Running programs under one runtime or another, and saying what came out."""
import os
import re
import shlex
import signal
import statistics
import subprocess

NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"


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

    def begin(self, part):
        self._part = self.results.setdefault(part, {})

    def keep(self, name, value):
        """For the JSON file."""
        self._part[name] = value

    def rounds(self, usual):
        return self.options.rounds or usual

    def kernel(self, name):
        path = os.path.join(self.build, "bin", "microbench", name)
        if not os.access(path, os.X_OK):
            raise Missing(f"{path} is not built")
        return path

    def hetmp(self, nodes=None, threads=2, **settings):
        """The environment of a run with hetmp."""
        library = os.path.join(self.build, "lib", "libhetmp.so")
        if not os.path.exists(library):
            raise Missing(f"{library} is not built")
        environment = {"LD_PRELOAD": library, "OMP_NUM_THREADS": str(threads)}
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
        if name == "LD_PRELOAD":
            value = "lib/libhetmp.so"
        elif name == "LD_LIBRARY_PATH":
            value = "RELEASE_LIBOMP/lib"
        parts.append(f"{name}={shlex.quote(value)}")
    parts += [os.path.basename(words[0])] + [shlex.quote(word) for word in words[1:]]
    return " ".join(parts)


def start(settings, words, **more):
    return subprocess.Popen(words, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, errors="replace", start_new_session=True, **more)


def finish(process, timeout):
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
    return output


def run(context, settings, words):
    try:
        return finish(start(settings, words), context.options.timeout)
    except RunFailed as failure:
        raise RunFailed(f"{shown(settings, words)}: {failure}") from None


def field(output, name):
    """The number on the line 'name: number'."""
    found = re.findall(rf"^{re.escape(name)}:\s*{NUMBER}", output, re.MULTILINE)
    if not found:
        raise RunFailed(f"no line {name!r} in {output[-300:]!r}")
    return float(found[-1])


def quartiles(values):
    if len(values) == 1:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def spread(values, form=".4g"):
    low, high = quartiles(values)
    return f"median {statistics.median(values):{form}} (quartiles {low:{form}} .. {high:{form}})"


def met(value, limit, at_least=False):
    """How a figure stands to its target."""
    ok = value >= limit if at_least else value <= limit
    text = "met" if ok else f"MISSED by {abs(value / limit - 1):.1%}"
    return f"target {'>=' if at_least else '<='} {limit:g}: {text}"


def compare_in_turn(context, contenders, value_of, rounds):
    """Runs (label, settings, words) in turn, after one round that does not count; returns {label: values}.

    The machine's speed drifts; commands that take turns meet the same drift, so what counts is the ratio within a
    round. Each round begins with another contender."""
    values = {label: [] for label, _, _ in contenders}
    for turn in range(-1, rounds):
        first = turn % len(contenders)
        for label, settings, words in contenders[first:] + contenders[:first]:
            value = value_of(run(context, settings, words))
            if turn >= 0:
                values[label].append(value)
    return values


def print_comparison(contenders, values, unit):
    for label, settings, words in contenders:
        print(f"   {label}: {shown(settings, words)}\n      {spread(values[label])} {unit}")


def paired_ratios(values, label, baseline):
    return [value / base for value, base in zip(values[label], values[baseline])]
