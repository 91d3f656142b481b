"""What pages brought ahead save: visits of loops, small regions, reductions and tables, with and without."""
import statistics

from .runs import compare_in_turn, field, paired_ratios, print_comparison, spread

REGIONS = ("empty region", "region with arguments", "region with a sum", "sum in a region")
TABLE = ("table written", "table read")


def _compare(context, values, figure, with_label, without):
    """Times and faults of one figure of dsm_ahead, the ratio within rounds."""
    for label in values:
        times = [output[figure] for output in values[label]]
        faults = [output[figure + ", faults"] for output in values[label]]
        print(f"   {figure}, {label}: {spread(times)} us, {statistics.median(faults):.2f} faults")
        context.keep(f"{figure}, {label}", times)
        context.keep(f"{figure}, {label}, faults", faults)
    times = {label: [output[figure] for output in outputs] for label, outputs in values.items()}
    print(f"   {figure}, {with_label} / {without}, paired: {spread(paired_ratios(times, with_label, without))}")


def _figures(names):
    return lambda output: {line: field(output, line) for name in names for line in (name, name + ", faults")}


def ahead(context):
    program = [context.kernel("dsm_ahead")]
    rounds = context.rounds(7)
    contenders = [(choice, context.hetmp("proc:2", HETMP_PREFETCH=choice), program)
                  for choice in ("false", "streams", "pushes", "true")]
    values = compare_in_turn(context, contenders, _figures(("visit",) + REGIONS + TABLE), rounds)
    _compare(context, values, "visit", "true", "streams")
    for name in REGIONS:
        _compare(context, values, name, "true", "streams")
    for name in TABLE:
        _compare(context, values, name, "streams", "false")
    cg = [context.kernel("cg"), "W"]
    contenders = [(choice, context.hetmp("proc:2", HETMP_PREFETCH=choice, OMP_SCHEDULE="static"), cg)
                  for choice in ("false", "streams", "true")]
    values = compare_in_turn(context, contenders, lambda output: field(output, "time"), rounds)
    print_comparison(contenders, values, "s")
    for baseline in ("false", "streams"):
        print(f"   true / {baseline}, paired: {spread(paired_ratios(values, 'true', baseline))}")
    context.keep("cg W, static, s", values)
