"""Experiments E1 and E8: from when on a second node pays on links of different speed, and one program over a slow link, visit by visit."""
import json
import os
import re
import tempfile

from ..network import TwoNamespaces
from ..runs import Missing, RunFailed, field, finish, start, with_report

RATES = {"Ethernet between namespaces": (None,), "1 Gbit/s": ("1gbit", "64kb"), "100 Mbit/s": ("100mbit", "16kb"), "10 Mbit/s": ("10mbit", "4kb")}  # and bursts
MEMORY = "shared memory"
LINKS = [MEMORY, *RATES]  # each slower than the one before
SECONDS = 900             # a calibration over the slowest link
BREAK_EVEN = re.compile(r"^node 1: break-even at (\S+) operations/byte", re.M)

SLOW_LINK = "10 Mbit/s"
VISITS = (1, 3, 10, 30, 100, 300)
QUICK_VISITS = (1, 10, 100)
OPTIONS = 16384  # of Black-Scholes: 900 KiB, a second over that link
REPEATS = 20


def _calibrated(context, link, network, quick):
    """What `hetmp calibrate` finds there: the entry of its profile, and from how many operations a byte a second node pays."""
    words = [context.tool(), "calibrate", *(["--quick"] if quick else [])]
    if link != MEMORY:
        network.limit(*RATES[link])
        words = [*network.inside(0), *words, *network.hosts()]
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile.json")
        output = finish(start({"HETMP_PROFILE": profile}, words), SECONDS)
        with open(profile, encoding="utf-8") as file:
            entry, = json.load(file)["entries"]
    found = BREAK_EVEN.search(output)
    if not found:
        raise RunFailed(f"the calibration over {link} did not say all: {output[-200:]!r}")
    return {name: entry[name] for name in ("points", "threshold_us", "fault_us")} | {"operations_per_byte": float(found[1])}


def calibrate(experiments, _, go_on):
    """E1: once for each link."""
    with TwoNamespaces() as network:
        for link in LINKS:
            key = experiments.key("links", link)
            if not experiments.done(key) and go_on():
                experiments.add(key, _calibrated(experiments.context, link, network, experiments.quick))


def calibrated(experiments):
    """The record of each link that was measured."""
    kept = {link: experiments.shown(experiments.key("links", link)) for link in LINKS}
    return {link: records[-1] for link, records in kept.items() if records}


def threshold(experiments, link):
    """None where E1 has not measured it."""
    found = calibrated(experiments).get(link)
    return found["threshold_us"] if found else None


def along_visits(experiments, _, go_on):
    """E8: Black-Scholes on one node, and by HetProbe on two hosts, for so many visits."""
    threshold_us = threshold(experiments, SLOW_LINK)
    if threshold_us is None:
        raise Missing(f"E1 has found no threshold over {SLOW_LINK}")
    context = experiments.context
    with TwoNamespaces() as network:
        network.limit(*RATES[SLOW_LINK])
        for visits in QUICK_VISITS if experiments.quick else VISITS:
            key = experiments.key("visits", str(visits))
            if experiments.done(key) or not go_on():
                continue
            words = [context.kernel("blackscholes"), "--options", str(OPTIONS), "--repeats", str(REPEATS), "--visits", str(visits)]
            settings = {"HETMP_PROFILE": "none", "HETMP_KNOWLEDGE": "none", "OMP_NUM_THREADS": "2", "OMP_SCHEDULE": "hetprobe",
                        "HETMP_FAULT_PERIOD_US": f"{threshold_us:.0f}"}
            output, loops = with_report(lambda more, words=words: finish(start(more, network.hetmp_run(context, *words)), SECONDS), settings)
            alone = finish(start(context.hetmp(threads=1), ["taskset", "-c", "0", *words]), SECONDS)
            main = max(loops, key=lambda loop: loop["trips"] * loop["visits"])
            experiments.add(key, {"visits": visits, "one node": field(alone, "time"), "hetprobe": field(output, "time"),
                                  "fault_period_us": main["fault_period_us"], "decision": main["decision"], "threshold_us": threshold_us})


def visits(experiments):
    """The records of E8, by visits."""
    kept = (experiments.shown(experiments.key("visits", str(count))) for count in sorted({*VISITS, *QUICK_VISITS}))
    return [records[-1] for records in kept if records]
