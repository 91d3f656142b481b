"""What probing costs where it does not pay: CG, of which HetProbe is to run every long loop on one node."""
import json
import os
import statistics
import tempfile

from .runs import (RunFailed, compare_in_turn, field, known, met, print_comparison, print_regions, run, shown, spread,
                   with_report)

CLASS = "B"  # long enough (half a minute on one core) that ten probed visits of each loop are a small part of it
LONGEST = 900  # seconds a run may take at least
ONE_CPU = ["taskset", "-c", "0"]
SINGLE = ("one thread", "two threads on its CPU")
# The single-node run in the very surroundings of the probing one: memory where nodes share it, the other node's process there,
# and no team ever on it. What this one needs more than one thread alone is not what probing costs.
UNPROBED = "one thread beside an idle node"


def _excess_of_probed_calls(path):
    """Seconds by which those calls of the solver that ran on all nodes took longer than the median of all its calls: what probing
    and audits cost, whatever else makes one program slower than another."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    regions = [event for event in events if event.get("cat") == "region"]
    if not regions:
        raise RunFailed("the timeline has no regions")
    origin = min(event["pid"] for event in regions)
    primary = min(event["tid"] for event in regions if event["pid"] == origin)
    longest = max({event["name"] for event in regions}, key=lambda name: sum(e["dur"] for e in regions if e["name"] == name))
    calls = [event for event in regions if event["name"] == longest]
    times = {event["ts"]: event["dur"] / 1e6 for event in calls if (event["pid"], event["tid"]) == (origin, primary)}
    usual = statistics.median(times.values())
    elsewhere = [event["ts"] for event in calls if event["pid"] != origin]
    return sum(seconds - usual for begin, seconds in times.items()
               if any(begin <= ts <= begin + seconds * 1e6 for ts in elsewhere))


def _print_timeline(context, settings, words, timeout):
    parts = []
    for _ in range(context.rounds(3)):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "timeline.json")
            seconds = field(run(context, settings | {"HETMP_TRACE": path}, words, timeout), "time")
            parts.append(_excess_of_probed_calls(path) / seconds)
    print(f"   by a timeline: calls of the solver on all nodes, beyond the usual call, of the run: {spread(parts)}; "
          f"{met(statistics.median(parts), 0.02)}")
    context.keep("probing by timeline", parts)


def cg_probing(context):
    words = [context.kernel("cg"), CLASS]
    timeout = max(LONGEST, context.options.timeout)
    contenders = [
        (SINGLE[0], context.hetmp(threads=1, OMP_SCHEDULE="static"), ONE_CPU + words),
        (SINGLE[1], context.hetmp(threads=2, OMP_SCHEDULE="static"), ONE_CPU + words),
        (UNPROBED, context.hetmp("proc:2", threads=1, OMP_SCHEDULE="static"), words),
        ("node 0 by user's ratio", context.hetmp("proc:2", OMP_SCHEDULE="static", HETMP_CSR="1,0"), words),
        ("hetprobe", context.hetmp("proc:2", OMP_SCHEDULE="hetprobe"), words),
    ]
    settings = contenders[-1][1]
    output, regions = with_report(lambda more: run(context, more, words, timeout), settings)
    print(f"   decisions: {shown(settings, words)}: {field(output, 'time'):.3f} s")
    print_regions(regions)
    context.keep("regions", regions)

    _print_timeline(context, settings, words, timeout)

    rounds = context.rounds(3)
    print(f"   {rounds} rounds", flush=True)
    values = compare_in_turn(context, contenders, lambda output: field(output, "time"), rounds, warm_up=0,
                             timeout=timeout, enough=context.precise(("hetprobe", UNPROBED)))
    print_comparison(contenders, values, "s")
    best = [min(times) for times in zip(*(values[label] for label in SINGLE))]
    for label, base in ((UNPROBED, values[UNPROBED]), ("the better of the single-node runs", best)):
        ratios = [seconds / least for seconds, least in zip(values["hetprobe"], base)]
        print(f"   hetprobe / {label}, paired: {known(ratios)}; {met(statistics.median(ratios), 1.02)}")
    for label in [*SINGLE, "node 0 by user's ratio"]:
        print(f"   hetprobe / {label}, paired: "
              f"{spread([seconds / base for seconds, base in zip(values['hetprobe'], values[label])])}")
    context.keep("seconds", values)
