"""Experiments E1 and E8: from when on a second node pays on links of different speed, and one program over a slow link, visit by visit."""
import math
import os
import re

from ..network import TwoNamespaces
from ..runs import Missing, RunFailed, field, finish, start, with_report

RATES = {"Ethernet between namespaces": None, "1 Gbit/s": "1gbit", "100 Mbit/s": "100mbit", "10 Mbit/s": "10mbit"}
MEMORY = "shared memory"
LINKS = [MEMORY, *RATES]  # each slower than the one before
SECONDS = 900             # a calibration over the slowest link
POINT = re.compile(r"^point 1 (\S+) (\S+) (\S+) (\S+) (\S+)$", re.M)
COLUMNS = ("operations_per_byte", "mops", "fault_period_us", "fault_us", "gain")

SLOW_LINK = "10 Mbit/s"
VISITS = (1, 3, 10, 30, 100, 300)
QUICK_VISITS = (1, 10, 100)
OPTIONS = 16384  # of Black-Scholes: 900 KiB, a second over that link
REPEATS = 20


def _program(context):
    path = os.path.join(context.build, "libexec", "hetmp", "hetmp-calibration")
    if not os.access(path, os.X_OK):
        raise Missing(f"{path} is not built")
    return path


def _calibrated(context, link, network, quick):
    words = [_program(context), *(["--quick"] if quick else [])]
    settings = {"HETMP_PROFILE": "none", "HETMP_KNOWLEDGE": "none", "HETMP_PLACEMENT": "all", "OMP_NUM_THREADS": "2"}
    if link == MEMORY:
        words = [os.path.join(context.build, "bin", "hetmp"), "run", "--nodes", "2", "--", *words]
    else:
        network.limit(RATES[link])
        words = network.hetmp_run(context, *words)
    output = finish(start(settings, words), SECONDS)
    points = [dict(zip(COLUMNS, map(float, found))) for found in POINT.findall(output)]
    if not output.rstrip().endswith("end") or not points:
        raise RunFailed(f"the calibration over {link} did not say all: {output[-200:]!r}")
    return points


def break_even(points):
    """(operations per byte, fault period in us) from where on two nodes gain, by logarithms; None: they never do."""
    last = max((at for at, point in enumerate(points) if point["gain"] < 1), default=None)
    if last is None:
        return points[0]["operations_per_byte"], points[0]["fault_period_us"]
    if last + 1 == len(points):
        return None
    below, above = points[last], points[last + 1]
    part = -math.log(below["gain"]) / (math.log(above["gain"]) - math.log(below["gain"]))
    return tuple(math.exp(math.log(below[name]) + part * (math.log(above[name]) - math.log(below[name])))
                 for name in ("operations_per_byte", "fault_period_us"))


def calibrate(experiments, _, go_on):
    """E1: once for each link."""
    with TwoNamespaces() as network:
        for link in LINKS:
            key = experiments.key("links", link)
            if not experiments.rounds.of(key) and go_on():
                points = _calibrated(experiments.context, link, network, experiments.quick)
                experiments.rounds.add(key, {"points": points} | experiments.conditions())


def curves(experiments):
    """The points of each link that was measured."""
    kept = {link: experiments.rounds.of(experiments.key("links", link)) for link in LINKS}
    return {link: records[-1]["points"] for link, records in kept.items() if records}


def threshold_of_slow_link(experiments):
    points = curves(experiments).get(SLOW_LINK)
    found = points and break_even(points)
    return found[1] if found else None


def along_visits(experiments, _, go_on):
    """E8: Black-Scholes on one node, and by HetProbe on two hosts, for so many visits."""
    threshold = threshold_of_slow_link(experiments)
    if threshold is None:
        raise Missing(f"E1 has found no threshold over {SLOW_LINK}")
    context = experiments.context
    with TwoNamespaces() as network:
        network.limit(RATES[SLOW_LINK])
        for visits in QUICK_VISITS if experiments.quick else VISITS:
            key = experiments.key("visits", str(visits))
            if experiments.rounds.of(key) or not go_on():
                continue
            words = [context.kernel("blackscholes"), "--options", str(OPTIONS), "--repeats", str(REPEATS), "--visits", str(visits)]
            settings = {"HETMP_PROFILE": "none", "HETMP_KNOWLEDGE": "none", "OMP_NUM_THREADS": "2", "OMP_SCHEDULE": "hetprobe",
                        "HETMP_FAULT_PERIOD_US": f"{threshold:.0f}"}
            output, loops = with_report(lambda more, words=words: finish(start(more, network.hetmp_run(context, *words)), SECONDS), settings)
            alone = finish(start(context.hetmp(threads=1), ["taskset", "-c", "0", *words]), SECONDS)
            main = max(loops, key=lambda loop: loop["trips"] * loop["visits"])
            experiments.rounds.add(key, {"visits": visits, "one node": field(alone, "time"), "hetprobe": field(output, "time"),
                                         "fault_period_us": main["fault_period_us"], "decision": main["decision"],
                                         "threshold_us": threshold} | experiments.conditions())


def visits(experiments):
    """The records of E8, by visits."""
    kept = (experiments.rounds.of(experiments.key("visits", str(count))) for count in sorted({*VISITS, *QUICK_VISITS}))
    return [records[-1] for records in kept if records]
