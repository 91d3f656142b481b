#!/usr/bin/env python3
"""Runs two or more commands in turn, round after round, and compares what they report.

A machine's speed drifts with its load and its clock; commands that take turns meet the same drift. So the
sound figure is the median over rounds of the ratio within a round; the ratio of medians stands beside it as a
check.

  paired.py [options] 'libomp: ./cg A' 'hetmp: LD_PRELOAD=lib/libhetmp.so OMP_WAIT_POLICY=active ./cg A'

Each command is one argument: a label and a colon, NAME=VALUE settings for its environment alone, and the
command's words, quoted as for a shell (no shell runs them). The first is the baseline: ratios are the others'
values by its own, so below 1 means a smaller value. A command that fails, or does not print the field, ends
the comparison.
"""
import argparse
import json
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import time

NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"


class Failure(Exception):
    """One line for the user."""


class Contender:
    """A labelled command with its own environment, and the values it has reported, one a round."""

    def __init__(self, text):
        label, colon, rest = text.partition(":")
        words = shlex.split(rest)
        self.label = label.strip()
        self.settings = {}
        while words and re.match(r"[A-Za-z_]\w*=", words[0]):
            name, _, value = words.pop(0).partition("=")
            self.settings[name] = value
        if not colon or not self.label or not words:
            raise Failure(f"not of the form 'label: [NAME=VALUE ...] command': {text!r}")
        self.words = words
        self.values = []

    def run(self, field, timeout):
        """Runs the command once; returns the field's value, or the wall time in seconds without a field."""
        start = time.perf_counter()
        output = self._output(timeout)
        elapsed = time.perf_counter() - start
        if field is None:
            return elapsed
        found = field.findall(output)
        if not found:
            raise Failure(f"{self.label}: nothing in its output matches {field.pattern}")
        try:
            return float(found[-1])
        except ValueError:
            raise Failure(f"{self.label}: {found[-1]!r} is not a number") from None

    def _output(self, timeout):
        environment = {**os.environ, **self.settings}
        try:
            process = subprocess.Popen(self.words, env=environment, stdout=subprocess.PIPE, text=True,
                                       errors="replace", start_new_session=True)
        except OSError as error:
            raise Failure(f"{self.label}: {error}") from None
        try:
            output, _ = process.communicate(timeout=timeout)
        except BaseException as error:  # an interrupt must not leave the session's processes behind either
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise Failure(f"{self.label}: still running after {timeout:g} s") from None
            raise
        if process.returncode != 0:
            raise Failure(f"{self.label}: exit code {process.returncode}; its output ends: {output[-300:]!r}")
        return output


def field_pattern(text):
    """A regular expression with one group as it is; a name becomes that of a line 'name: number'."""
    if "(" not in text:
        text = rf"^{re.escape(text)}:\s*{NUMBER}"
    try:
        pattern = re.compile(text, re.MULTILINE)
    except re.error as error:
        raise Failure(f"--field: {error}: {text!r}") from None
    if pattern.groups != 1:
        raise Failure(f"--field: needs exactly one group: {text!r}")
    return pattern


def quartiles(values):
    if len(values) == 1:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def in_turn(contenders, turn):
    """Each round begins one further, so that nobody always runs first."""
    first = turn % len(contenders)
    return contenders[first:] + contenders[:first]


def measure(contenders, rounds, warm_up, field, timeout):
    for turn in range(-warm_up, rounds):
        for contender in in_turn(contenders, turn):
            value = contender.run(field, timeout)
            if turn >= 0:
                contender.values.append(value)


def compare(baseline, contender):
    """The paired ratios of one contender, None where the baseline reported zero."""
    if 0 in baseline.values:
        return None
    return [value / base for value, base in zip(contender.values, baseline.values)]


def report(contenders, name):
    baseline = contenders[0]
    print(f"{name}, {len(baseline.values)} rounds")
    width = max(len(contender.label) for contender in contenders)
    for contender in contenders:
        low, high = quartiles(contender.values)
        line = f"{contender.label:{width}}  median {statistics.median(contender.values):.6g}"
        line += f" (quartiles {low:.6g} .. {high:.6g})"
        ratios = compare(baseline, contender) if contender is not baseline else None
        if ratios is not None:
            low, high = quartiles(ratios)
            of_medians = statistics.median(contender.values) / statistics.median(baseline.values)
            line += f"  ratio of medians {of_medians:.4f}"
            line += f"  median of paired ratios {statistics.median(ratios):.4f}"
            line += f" (quartiles {low:.4f} .. {high:.4f})"
        print(line)


def save(path, contenders, name):
    runs = [{"label": contender.label, "settings": contender.settings, "command": contender.words,
             "values": contender.values} for contender in contenders]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"field": name, "runs": runs}, file, indent=1)
        file.write("\n")


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--rounds", type=int, default=11, help="rounds that count (default 11)")
    parser.add_argument("--warm-up", type=int, default=1, help="rounds before them that do not (default 1)")
    parser.add_argument("--field",
                        help="what to read in the output, its last occurrence counting: the name of a line "
                        "'name: number', or a regular expression with one group (default: wall time)")
    parser.add_argument("--timeout", type=float, default=600, help="seconds a run may take (default 600)")
    parser.add_argument("--save", metavar="FILE", help="write every value to FILE as JSON")
    parser.add_argument("command", nargs="+", help="'label: [NAME=VALUE ...] command'")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or options.warm_up < 0:
        parser.error("rounds must be at least 1, warm-up rounds at least 0")
    if len(options.command) < 2:
        parser.error("needs two commands or more")
    return options


def main(arguments):
    options = parse_arguments(arguments)
    name = options.field or "wall time, s"
    try:
        contenders = [Contender(text) for text in options.command]
        field = field_pattern(options.field) if options.field else None
        measure(contenders, options.rounds, options.warm_up, field, options.timeout)
        report(contenders, name)
        if options.save:
            save(options.save, contenders, name)
    except Failure as failure:
        print(f"paired.py: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
