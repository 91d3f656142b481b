"""Programs whose loops have no schedule clause, placed by HETMP_LOOPS=all, against the same with schedule(runtime)."""
import statistics

from .quota import CpuQuota
from .runs import RunFailed, met, shown, spread, take_turns, visit_times

SHARE = 1 / 3
FIRST = 3  # visits that do not count: what is learnt in them shows in the next
KERNELS = {
    "EP W": ("ep", ["W", "--visits", "15"]),
    "Black-Scholes": ("blackscholes", ["--repeats", "4", "--visits", "15"]),
}


def _recovered(values):
    """For each round, the part of what hetprobe saves over plain static that HETMP_LOOPS=all saves."""
    saved = []
    for plain, placed, edited in zip(values["plain"], values["placed"], values["edited"]):
        if edited >= plain:
            raise RunFailed("hetprobe gains nothing over static: there is no gain to compare with")
        saved.append((plain - placed) / (plain - edited))
    return saved


def static_loops(context):
    for name, (kernel, arguments) in KERNELS.items():
        fixed = [context.kernel(kernel + "_static"), *arguments]
        commands = {
            "plain": (context.hetmp("proc:2"), fixed),
            "placed": (context.hetmp("proc:2", HETMP_LOOPS="all"), fixed),
            "edited": (context.hetmp("proc:2", OMP_SCHEDULE="hetprobe"), [context.kernel(kernel), *arguments]),
        }
        with CpuQuota(SHARE) as quota:
            def milliseconds(settings, words):
                times = visit_times(quota.run_slow_node(context, settings, words))
                return 1e3 * statistics.median(times[FIRST:])
            values = take_turns({label: lambda command=command: milliseconds(*command)
                                 for label, command in commands.items()}, context.rounds(5))
            quota.check()
        print(f"   -- {name}, node 1 on a third of a core: median of the visits from {FIRST + 1} on")
        for label, command in commands.items():
            print(f"   {label}: {shown(*command)}\n      {spread(values[label])} ms")
        context.keep(name, values)
        saved = _recovered(values)
        print(f"   saved by HETMP_LOOPS=all / saved by schedule(runtime) and hetprobe, paired: {spread(saved)}; "
              f"{met(statistics.median(saved), 0.9, at_least=True)}", flush=True)
