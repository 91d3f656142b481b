"""Against libomp: on one node, and on two node processes once the pages are where they belong."""
import statistics

from .runs import RunFailed, compare_in_turn, field, met, paired_ratios, print_comparison, spread, visit_times


def _print_ratios(values, label, baselines, limit):
    for baseline in baselines:
        ratios = paired_ratios(values, label, baseline)
        print(f"   {label} / {baseline}, paired: {spread(ratios)}; {met(statistics.median(ratios), limit)}")


def one_node(context):
    for kernel in ("ep", "cg"):
        words = [context.kernel(kernel), "A"]
        contenders = [
            ("hetmp", context.hetmp(), words),
            ("release libomp", context.release_libomp(), words),
            ("system's libomp", context.system_libomp(), words),
        ]
        values = compare_in_turn(context, contenders, lambda output: field(output, "time"), context.rounds(7))
        print_comparison(contenders, values, "s")
        _print_ratios(values, "hetmp", ["release libomp", "system's libomp"], 1.03)
        context.keep(kernel, values)


def _visit_times(output):
    """Milliseconds: the medians of visits 2 to 20, and of visits 11 to 20, when HetProbe has stopped probing."""
    times = [1e3 * seconds for seconds in visit_times(output)]
    if len(times) != 20:
        raise RunFailed(f"{len(times)} visits in the output, not 20")
    return statistics.median(times[1:]), statistics.median(times[10:])


def visits(context):
    words = [context.kernel("blackscholes")]
    contenders = [
        ("hetmp, static", context.hetmp("proc:2", OMP_SCHEDULE="static"), words),
        ("hetmp, hetprobe", context.hetmp("proc:2", OMP_SCHEDULE="hetprobe"), words),
        ("release libomp", context.release_libomp(OMP_SCHEDULE="static"), words),
        ("system's libomp", context.system_libomp(OMP_SCHEDULE="static"), words),
    ]
    times = compare_in_turn(context, contenders, _visit_times, context.rounds(7))
    for index, which in enumerate(("2 to 20", "11 to 20")):
        values = {label: [pair[index] for pair in pairs] for label, pairs in times.items()}
        print(f"   median of visits {which} of each run:")
        print_comparison(contenders, values, "ms")
        for label in ("hetmp, static", "hetmp, hetprobe"):
            _print_ratios(values, label, ["release libomp", "system's libomp"], 1.05)
        context.keep(f"milliseconds, visits {which}", values)
