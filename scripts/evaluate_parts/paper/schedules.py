"""The rounds of experiments E2 to E4, E6, E10 and E11: each program on the slow origin and the fast other node, by each way to share its loops."""
import os
import statistics
import tempfile

from . import links, programs
from .nodes import ORIGINS_CPU, SlowOrigin

ROUNDS, QUICK_ROUNDS = 5, 1
CHUNKS = (None, 1, 16, 256)  # None: batches of the runtime's choice
LEAST_PATIENCE, PATIENCE = 20, 4  # a run may take so many seconds, and so many times the time of node 0
NODES = {"HETMP_NODES": "proc:2", "OMP_NUM_THREADS": "2"}
SPREAD = NODES | {"HETMP_PLACEMENT": "all"}

# The bars of the paper's figure 7, HetProbe-I of its figure 12, and three more: the last two set nothing but the nodes, and the last one knows what an earlier run has found,
# as every run but the first one does. Its "HetProbe (force Xeon)" is not one of them: no setting of hetmp's overrides which node it
# chooses.
ORIGIN, OTHER, IDEAL, DYNAMIC, HETPROBE, HETPROBE_I, PREDICT, DEFAULT, LATER = BARS = (
    "node 0", "node 1", "ideal CSR", "dynamic", "hetprobe", "hetprobe-i", "predict", "HETMP_NODES alone", "the same, later runs")
SINGLE = (ORIGIN, OTHER)
CHOSEN_FROM = BARS[:-2]  # by the oracle


def dynamic(chunk):
    return "dynamic" if chunk is None else f"dynamic,{chunk}"


class Comparison:
    """One program; `size` is its arguments. `folder`: for what its runs know of each other."""

    def __init__(self, context, nodes, name, quick, threshold_us, folder):
        program = programs.PROGRAMS[name]
        self.nodes, self.context = nodes, context
        self.knowledge = os.path.join(folder, "knowledge.json")
        self.figures = {"HETMP_FAULT_PERIOD_US": f"{threshold_us:g}"} if threshold_us else {}  # as in the paper, what the microbenchmark has found
        self.words = [programs.compiled(name, context.build_folder), *(program.quick if quick else program.arguments).split()]

    def on_origin(self, limit):
        return self.nodes.run({"OMP_NUM_THREADS": "1"}, ["taskset", "-c", ORIGINS_CPU, *self.words], limit)

    def truth(self, origin):
        """How much faster node 0 is than node 1: the measured core speed ratio that makes a static division ideal."""
        other = self.nodes.run_on_other({"OMP_NUM_THREADS": "1"}, self.words, self.context.options.timeout)
        return other["seconds"] / origin["seconds"]

    def best_chunk(self, limit):
        """The schedule whose one run was fastest, and all of them. What takes longer than the fastest so far is ended."""
        tried, best = {}, dynamic(CHUNKS[0])
        for schedule in map(dynamic, CHUNKS):
            tried[schedule] = self.nodes.run(SPREAD | {"OMP_SCHEDULE": schedule}, self.words, limit)["seconds"]
            if tried[schedule] and tried[schedule] < limit:
                best, limit = schedule, tried[schedule]
        return best, tried

    def settings(self, label, ratio, chunked):
        return {
            OTHER: SPREAD | {"OMP_SCHEDULE": "static", "HETMP_CSR": "0,1"},
            IDEAL: SPREAD | {"OMP_SCHEDULE": "static", "HETMP_CSR": f"{ratio:.4g},1"},
            DYNAMIC: SPREAD | {"OMP_SCHEDULE": chunked},
            HETPROBE: NODES | self.figures | {"OMP_SCHEDULE": "hetprobe"},
            HETPROBE_I: NODES | self.figures | {"OMP_SCHEDULE": "hetprobe-i"},
            PREDICT: NODES | self.figures | {"OMP_SCHEDULE": "hetprobe", "HETMP_DECISION": "predict"},
            DEFAULT: {"HETMP_NODES": "proc:2"},
            LATER: {"HETMP_NODES": "proc:2", "HETMP_KNOWLEDGE": self.knowledge},
        }[label]

    def run_round(self, so_far):
        """All bars once, each round beginning with another one; the first round also chooses the chunk."""
        origin = self.on_origin(self.context.options.timeout)
        limit = max(LEAST_PATIENCE, PATIENCE * origin["seconds"])
        record = {"arguments": " ".join(self.words[1:]), "ratio": self.truth(origin), ORIGIN: origin}
        if so_far:
            chunked = so_far[0]["chunk"]
        else:
            chunked, record["chunks"] = self.best_chunk(limit)
        record["chunk"] = chunked
        ratio = statistics.median([earlier["ratio"] for earlier in so_far] + [record["ratio"]])
        if not os.path.exists(self.knowledge):
            self.nodes.run(self.settings(LATER, ratio, chunked), self.words, limit)  # the first run, which is the bar before
        labels = [label for label in BARS if label != ORIGIN]
        first = len(so_far) % len(labels)
        for label in labels[first:] + labels[:first]:
            record[label] = self.nodes.run(self.settings(label, ratio, chunked), self.words, limit)
        return record


def measure(experiments, name, wanted, go_on):
    """Rounds of a program until there are so many, or `go_on()` says no."""
    key = experiments.key("schedules", name)
    with SlowOrigin(experiments.context, programs.PROGRAMS[name].share) as nodes, tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(experiments.context, nodes, name, experiments.quick, links.threshold(experiments, links.MEMORY), folder)
        while len(experiments.done(key)) < wanted and go_on():
            experiments.add(key, comparison.run_round(experiments.done(key)))
            done = experiments.done(key)
            print(f"   {name}: round {len(done)}: " + ", ".join(f"{label} {done[-1][label]['seconds'] or '-'}" for label in BARS), flush=True)


def seconds(record, label):
    """What the run took; where it was ended or failed, at least its limit."""
    return record[label]["seconds"] or record[label].get("limit") or float("inf")


def main_loop(record, label=HETPROBE):
    """The loop with most iterations that was probed."""
    probed = [loop for loop in record[label].get("loops", []) if loop["probed_visits"]]
    return max(probed, key=lambda loop: loop["trips"] * loop["visits"], default=None)


def oracle(records):
    """The bar that odd rounds find fastest (with a single round, that one), by its median."""
    odd = records[::2]
    return min(CHOSEN_FROM, key=lambda label: statistics.median(seconds(record, label) for record in odd))


def timed(records):
    """The rounds that the oracle's choice did not see, as far as there are any."""
    return records[1::2] or records
