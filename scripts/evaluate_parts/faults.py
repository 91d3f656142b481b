"""DSM faults against the sum of what they cannot do without."""
import statistics

from .runs import field, met, run, shown, spread

# A fault is at least: a userfaultfd fault resolved by another thread, and an exchange between two processes.
CASES = {
    "read miss": ("fault, missing, read", "request and 4 KiB reply"),
    "write miss": ("fault, missing, write", "request and 4 KiB reply"),
    "write upgrade": ("fault, write-protected", "request and empty reply"),
}


def dsm_faults(context):
    program = context.kernel("dsm_faults")
    parts = ({}, [program, "--primitives"])
    whole = (context.hetmp("proc:2", HETMP_PREFETCH="0"), [program])
    rounds = context.rounds(7)
    outputs = []
    for turn in range(rounds):  # the parts before and after the whole: the same conditions on average
        order = (parts, whole) if turn % 2 == 0 else (whole, parts)
        outputs.append("".join(run(context, *command) for command in order))
    print(f"   {shown(*whole)}\n   {shown(*parts)}\n   {rounds} rounds in turn; each figure of a round is the median of "
          "3000 events")
    for name in sorted({part for pair in CASES.values() for part in pair}):
        values = [field(output, name) for output in outputs]
        print(f"   {name}: {spread(values)} us")
        context.keep(name, values)
    for name, pair in CASES.items():
        values = [field(output, name) for output in outputs]
        sums = [sum(field(output, part) for part in pair) for output in outputs]
        ratios = [value / total for value, total in zip(values, sums)]
        print(f"   {name}: {spread(values)} us; its parts {spread(sums)} us; ratio {spread(ratios)}; "
              f"{met(statistics.median(ratios), 1.25)}")
        context.keep(name, values)
        context.keep(name + ", ratio", ratios)
