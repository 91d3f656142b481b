"""Calibration: the threshold it finds, and whether that tells the kernels that gain from two nodes from the others."""
import json
import math
import os
import statistics
import subprocess
import tempfile

from .runs import (RunFailed, compare_in_turn, field, paired_ratios, print_comparison, run, shown, spread,
                   with_report)

ONE_CPU = ["taskset", "-c", "0"]
LONGEST = 600  # seconds calibration may take
KERNELS = {
    "EP A": ("ep", ["A"]),
    "CG A": ("cg", ["A"]),
    "Black-Scholes": ("blackscholes", ["--repeats", "4", "--visits", "15"]),
    "irregular, 0 % compute-bound": ("irregular", ["--compute", "0", "--visits", "4"]),
    "irregular, 100 % compute-bound": ("irregular", ["--compute", "100", "--visits", "4"]),
}


def _calibrate(context, profile):
    """Returns the threshold between nodes 0 and 1."""
    tool = context.tool()
    settings = {"HETMP_PROFILE": profile}
    print(f"   {shown(settings, [tool, 'calibrate'])}")
    done = subprocess.run([tool, "calibrate"], env={**os.environ, **settings}, timeout=LONGEST, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RunFailed(f"hetmp calibrate: {(done.stderr or done.stdout)[-300:].strip()!r}")
    for line in done.stdout.splitlines():
        print(f"      {line}")
    try:
        with open(profile, encoding="utf-8") as file:
            entries = json.load(file)["entries"]
        found = [entry for entry in entries if {entry["from"], entry["to"]} == {0, 1}]
        context.keep("profile", entries)
        return float(found[0]["threshold_us"])
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise RunFailed(f"the profile has no threshold between nodes 0 and 1: {error!r}") from None


def _gain(context, name, words):
    """Time on node 0 alone by time on two nodes, static."""
    contenders = [
        ("one node", context.hetmp(threads=1, OMP_SCHEDULE="static"), ONE_CPU + words),
        ("two nodes", context.hetmp("proc:2", OMP_SCHEDULE="static"), words),
    ]
    values = compare_in_turn(context, contenders, lambda output: field(output, "time"), context.rounds(3))
    print(f"   -- {name}")
    print_comparison(contenders, values, "s")
    context.keep(name, values)
    return statistics.median(paired_ratios(values, "one node", "two nodes"))


def _fault_period(context, words, profile):
    """Of the loop with the most iterations, as HetProbe measures it; infinity without faults."""
    settings = context.hetmp("proc:2", OMP_SCHEDULE="hetprobe", HETMP_PROFILE=profile)
    _, regions = with_report(lambda more: run(context, more, words), settings)
    measured = [region for region in regions if region["probed_visits"] > 0]
    if not measured:
        raise RunFailed(f"{shown(settings, words)}: no loop was probed")
    main = max(measured, key=lambda region: region["trips"] * region["visits"])
    periods = [region["fault_period_us"] for region in measured if region["fault_period_us"] is not None]
    if main["fault_period_us"] is None:
        return math.inf, periods, main
    return main["fault_period_us"], periods, main


def calibration(context):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile.json")
        threshold = _calibrate(context, profile)
        for name, (kernel, arguments) in KERNELS.items():
            words = [context.kernel(kernel), *arguments]
            gain = _gain(context, name, words)
            period, periods, main = _fault_period(context, words, profile)
            print(f"   one node / two nodes: {gain:.3f}; main loop at {main['address']:#x}: fault period "
                  f"{period:.1f} us, threshold in use {main['threshold_us']:g} us, {main['decision']}", flush=True)
            if len(periods) > 1:
                print(f"   fault periods of its {len(periods)} loops that fault: {spread(periods)} us, "
                      f"{min(periods):.4g} to {max(periods):.4g}")
            rows.append((name, gain, period))
            context.keep(name + ", fault period", period if math.isfinite(period) else None)
    _print_table(rows, threshold)
    context.keep("threshold", threshold)


def _print_table(rows, threshold):
    print(f"   threshold {threshold:.4g} us\n   {'kernel':32} {'gain':>6} {'fault period':>13}  side   ")
    wrong = []
    for name, gain, period in sorted(rows, key=lambda row: row[2]):
        gains, above = gain > 1, period >= threshold
        right = gains == above
        print(f"   {name:32} {gain:6.3f} {period:10.1f} us  {'above' if above else 'below'}, "
              f"{'gains' if gains else 'does not gain'}{'' if right else ': WRONG SIDE'}")
        if not right:
            wrong.append(name)
    kinds = {gain > 1 for _, gain, _ in rows}
    verdict = "met" if not wrong and len(kinds) == 2 else "MISSED (" + (", ".join(wrong) or "all on one side") + ")"
    print(f"   the threshold separates the kernels that gain from those that do not: {verdict}")
