"""The paper's pair of nodes, as two cores can have it: a slow origin, and a node that is faster for everything."""
import json
import os
import shutil
import tempfile

from ..quota import NodeQuotas
from ..runs import RunFailed, seconds_of, start

ORIGINS_CPU, OTHERS_CPU = "0", "1"  # proc:2 binds its nodes to them
KEPT_OF_A_LOOP = ("place", "trips", "visits", "probed_visits", "decision", "reason", "fault_period_us", "threshold_us")
MOST_LOOPS = 12  # of a report: those with most iterations


class SlowOrigin:
    """Use as a context. Node 0 gets `share` of its CPU, node 1 all of its own."""

    def __init__(self, context, share):
        self.context, self.quotas = context, NodeQuotas([share, None])

    def __enter__(self):
        self.quotas.__enter__()
        return self

    def __exit__(self, *problem):
        self.quotas.__exit__(*problem)

    def run(self, settings, words, limit):
        """Seconds of the whole process, and of a run on nodes what its report says of loops and of regions."""
        folder = tempfile.mkdtemp()
        report = os.path.join(folder, "report.json")
        environment = {"LD_PRELOAD": os.path.join(self.context.build, "lib", "libhetmp.so"), "HETMP_PROFILE": "none",
                       "HETMP_KNOWLEDGE": "none", "XDG_CACHE_HOME": folder} | settings
        if "HETMP_NODES" in settings:
            environment["HETMP_REPORT"] = report
        try:
            seconds = seconds_of(lambda: self.quotas.start(environment, words), limit, self.context)
            return {"seconds": seconds} | (_told(report) if "HETMP_NODES" in settings else {})
        except RunFailed as failure:
            return {"seconds": None, "failure": str(failure)[:300], "over": "still running" in str(failure), "limit": limit}
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run_on_other(self, settings, words, limit):
        """On node 1's CPU alone, without nodes."""
        environment = {"LD_PRELOAD": os.path.join(self.context.build, "lib", "libhetmp.so"), "HETMP_PROFILE": "none"} | settings
        return {"seconds": seconds_of(lambda: start(environment, ["taskset", "-c", OTHERS_CPU, *words]), limit, self.context)}


def _told(report):
    try:
        with open(report, encoding="utf-8") as file:
            told = json.load(file)
    except (OSError, ValueError) as error:
        return {"report": f"cannot be read: {error}"}
    loops = sorted(told["regions"], key=lambda loop: -loop["trips"] * loop["visits"])[:MOST_LOOPS]
    return {"loops": [{name: loop[name] for name in KEPT_OF_A_LOOP} | {"speeds": [node["speed"] for node in loop["nodes"]]} for loop in loops],
            "totals": told["totals"]}
