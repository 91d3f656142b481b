"""Beyond the paper (F1): more nodes, two hosts over TCP, no pages ahead; HetProbe on nodes of equal speed against the program on one CPU without nodes."""
from ..network import TwoNamespaces
from ..runs import RunFailed, seconds_of, start
from . import programs

NAMES = ("blackscholes", "ep", "lavamd", "cfd", "bt", "cg")
ROUNDS, QUICK_ROUNDS = 3, 1
ALONE = "one CPU"
SETTINGS = {
    "2 nodes": {"HETMP_NODES": "proc:2", "OMP_NUM_THREADS": "2"},
    "4 nodes": {"HETMP_NODES": "proc:4", "OMP_NUM_THREADS": "4"},
    "8 nodes": {"HETMP_NODES": "proc:8", "OMP_NUM_THREADS": "8"},
    "2 nodes, no pages ahead": {"HETMP_NODES": "proc:2", "OMP_NUM_THREADS": "2", "HETMP_PREFETCH": "false"},
}
HOSTS = "2 hosts over TCP"
LABELS = (ALONE, *SETTINGS, HOSTS)


def _seconds(context, settings, words):
    """None where the run failed or was ended."""
    common = {"HETMP_PROFILE": "none", "HETMP_KNOWLEDGE": "none"}
    try:
        return seconds_of(lambda: start(common | settings, words), context.options.timeout, context)
    except RunFailed:
        return None


def measure(experiments, wanted, go_on):
    """One more round of each program until there are so many."""
    context = experiments.context
    preloaded = {"LD_PRELOAD": context.hetmp()["LD_PRELOAD"]}
    with TwoNamespaces() as network:
        for name in NAMES:
            key = experiments.key("further", name)
            program = programs.PROGRAMS[name]
            words = [programs.compiled(name, context.build_folder), *(program.quick if experiments.quick else program.arguments).split()]
            while len(experiments.done(key)) < wanted and go_on():
                record = {ALONE: _seconds(context, preloaded | {"OMP_NUM_THREADS": "1"}, ["taskset", "-c", "0", *words])}
                for label, settings in SETTINGS.items():
                    record[label] = _seconds(context, preloaded | settings | {"OMP_SCHEDULE": "hetprobe"}, words)
                record[HOSTS] = _seconds(context, {"OMP_NUM_THREADS": "2", "OMP_SCHEDULE": "hetprobe"}, network.hetmp_run(context, *words))
                experiments.add(key, record)


def measured(experiments):
    """The rounds of each program."""
    kept = {name: experiments.shown(experiments.key("further", name)) for name in NAMES}
    return {name: records for name, records in kept.items() if records}
