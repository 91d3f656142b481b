"""Experiment E7: what probing costs programs that one node is best for, on two equal nodes."""
import statistics

from ..runs import seconds_of, start
from . import programs

NAMES = ("cg", "sp", "streamcluster", "bt", "lud")
ROUNDS, QUICK_ROUNDS = 5, 1
UNPROBED, PROBED = "one thread beside an idle node", "hetprobe"
EACH, MEAN = 1.02, 1.01


def _settings(context):
    # Two threads on two nodes; a loop that HetProbe keeps on node 0 has one of them, as the other contender.
    return {UNPROBED: context.hetmp("proc:2", threads=1, OMP_SCHEDULE="static"),
            PROBED: context.hetmp("proc:2", OMP_SCHEDULE="hetprobe", HETMP_PLACEMENT="auto")}


def measure(experiments, wanted, go_on):
    context = experiments.context
    for name in NAMES:
        key = experiments.key("probing", name)
        program = programs.PROGRAMS[name]
        words = [programs.compiled(name, context.build_folder), *(program.quick if experiments.quick else program.arguments).split()]
        while len(experiments.done(key)) < wanted and go_on():
            labels = (UNPROBED, PROBED)[::1 if len(experiments.done(key)) % 2 else -1]
            record = {}
            for label in labels:
                record[label] = seconds_of(lambda label=label: start(_settings(context)[label], words), context.options.timeout, context)
            experiments.add(key, record)


def costs(experiments):
    """Of each program: the ratio of each round."""
    found = {}
    for name in NAMES:
        records = experiments.shown(experiments.key("probing", name))
        if records:
            found[name] = [record[PROBED] / record[UNPROBED] for record in records]
    return found


def mean(found):
    return statistics.mean(statistics.median(ratios) for ratios in found.values())
