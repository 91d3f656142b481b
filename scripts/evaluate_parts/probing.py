"""What probing costs where it does not pay: CG, of which HetProbe is to run every long loop on one node."""
import statistics

from .runs import compare_in_turn, field, met, print_comparison, print_regions, run, shown, spread, with_report

CLASS = "B"  # long enough (half a minute on one core) that ten probed visits of each loop are a small part of it
LONGEST = 900  # seconds a run may take at least
ONE_CPU = ["taskset", "-c", "0"]
SINGLE = ("one thread", "two threads on its CPU")


def cg_probing(context):
    words = [context.kernel("cg"), CLASS]
    timeout = max(LONGEST, context.options.timeout)
    contenders = [
        (SINGLE[0], context.hetmp(threads=1, OMP_SCHEDULE="static"), ONE_CPU + words),
        (SINGLE[1], context.hetmp(threads=2, OMP_SCHEDULE="static"), ONE_CPU + words),
        ("node 0 by user's ratio", context.hetmp("proc:2", OMP_SCHEDULE="static", HETMP_CSR="1,0"), words),
        ("hetprobe", context.hetmp("proc:2", OMP_SCHEDULE="hetprobe"), words),
    ]
    settings = contenders[-1][1]
    output, regions = with_report(lambda more: run(context, more, words, timeout), settings)
    print(f"   decisions: {shown(settings, words)}: {field(output, 'time'):.3f} s")
    print_regions(regions)
    context.keep("regions", regions)

    rounds = context.rounds(3)
    print(f"   {rounds} rounds", flush=True)
    values = compare_in_turn(context, contenders, lambda output: field(output, "time"), rounds, warm_up=0,
                             timeout=timeout)
    print_comparison(contenders, values, "s")
    best = [min(times) for times in zip(*(values[label] for label in SINGLE))]
    ratios = [seconds / least for seconds, least in zip(values["hetprobe"], best)]
    print(f"   hetprobe / the better of the single-node runs, paired: {spread(ratios)}; "
          f"{met(statistics.median(ratios), 1.02)}")
    for label in [*SINGLE, "node 0 by user's ratio"]:
        print(f"   hetprobe / {label}, paired: "
              f"{spread([seconds / base for seconds, base in zip(values['hetprobe'], values[label])])}")
    context.keep("seconds", values)
