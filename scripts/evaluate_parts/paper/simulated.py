"""What two CPUs cannot show (F2): the paper's pair of nodes and 64 nodes, in `hetmp-simulate`, which runs hetmp's own policies in virtual time."""
import dataclasses
import re
import subprocess

THREADS = (16, 96)  # of the Xeon and of the ThunderX
VISITS, VISIT_MS, TRIPS = 100, 300, 100000
SCHEDULES = ("static", "dynamic", "hetprobe", "hetprobe-i")
MANY = 64


@dataclasses.dataclass
class Loop:
    """`csr`: of a thread of the Xeon to one of the ThunderX. `period_us`: between two faults of the ThunderX; None: pages settle."""
    csr: float
    period_us: float = None


# The paper's core speed ratios of its four winners, and the fault period of the one that keeps faulting. Not its losers: here, threads that fault do not
# wait for each other, as they do where one link and one home serve all of them, so a short fault period costs too little.
LOOPS = {"Black-Scholes": Loop(3), "EP": Loop(2.5), "kmeans": Loop(1, 130), "lavaMD": Loop(3.666)}
LINE = re.compile(r"^(\S+)\s+([\d.]+)\s+([\d.]+)\s+\d+\s+(.*)$", re.M)


def _simulated(context, *words):
    """What each schedule takes, as a multiple of the optimum, and what it decided."""
    done = subprocess.run([context.simulator(), *words, "--policies", ",".join(SCHEDULES)], capture_output=True,
                          text=True, check=True)
    return {name: {"ms": float(taken), "of_optimum": float(part), "decision": decision.strip()}
            for name, taken, part, decision in LINE.findall(done.stdout) if name in SCHEDULES}


def _faults(loop):
    """Of an iteration, such that the ThunderX has the loop's period."""
    work_us = 1000 * VISIT_MS * (THREADS[0] * loop.csr + THREADS[1]) / TRIPS
    return work_us / (loop.period_us * THREADS[1])


def run(context):
    """The same on every machine: rows of the page, by loop; `best` and `alone` in milliseconds, of both nodes and of each."""
    found = {}
    for name, loop in LOOPS.items():
        words = ["--threads", ",".join(map(str, THREADS)), "--speeds", f"{loop.csr},1", "--visits", str(VISITS), "--ms", str(VISIT_MS), "--trips", str(TRIPS)]
        words += ["--common-faults", f"{_faults(loop):.6g}"] if loop.period_us else ["--faults", "0.001"]
        speed = (THREADS[0] * loop.csr, THREADS[1])
        best = VISITS * VISIT_MS
        found[name] = {"best": best, "alone": [best * sum(speed) / one for one in speed]} | _simulated(context, *words)
    return found


def run_many(context):
    """64 nodes of 16 threads, one of which is half as fast."""
    return _simulated(context, "--nodes", str(MANY), "--threads", "16", "--speeds", "0.5,1", "--visits", "20", "--ms", str(VISIT_MS), "--faults", "0.001")
