"""How well HetProbe divides a loop: against the division by the known core speed ratio, against cross-node dynamic with
its best chunk, and against static where nodes are equal."""
import statistics
import threading

from .quota import CpuQuota
from .runs import RunFailed, field, known, measured_csr, met, paired_ratios, run, shown, spread, take_turns, with_report

SHARES = {"1/2": 1 / 2, "1/3": 1 / 3, "1/4": 1 / 4}
# Each with its arguments, those of short runs for measuring the truth, those for the search of the best chunk, and chunks
# to try: from about 1/1000 to 1/16 of the loop, and for EP, whose data is small, none. 100 visits are what the Black-Scholes
# of PARSEC makes. In 15 visits learning is a greater part of the run. The first visit also makes the pages, which is nothing of the
# loop's: 10 visits outweigh that in a truth.
KERNELS = {
    "EP A": ("ep", ["A"], ["W"], ["A"], [None, 4, 16, 64]),
    "Black-Scholes": ("blackscholes", ["--repeats", "4", "--visits", "100"], ["--repeats", "4", "--visits", "10"],
                      ["--repeats", "4", "--visits", "8"], [1024, 4096, 16384, 65536]),
    "Black-Scholes, 15 visits": ("blackscholes", ["--repeats", "4", "--visits", "15"], ["--repeats", "4", "--visits", "10"],
                                 ["--repeats", "4", "--visits", "8"], [65536]),
}
LONGEST_TRIAL = 40  # seconds
TRUTHS_BEFORE = 3  # the runs; the ideal division needs one
NODE_0 = ["taskset", "-c", "0"]  # proc:2 binds its nodes to CPUs 0 and 1
NODE_1 = ["taskset", "-c", "1"]


class _Case:
    """A kernel, node 1 slowed by a quota or not."""

    def __init__(self, context, words, quota=None):
        self.context = context
        self.words = words
        self.quota = quota
        self.ratios = []

    def settings(self, schedule, **more):
        return self.context.hetmp("proc:2", OMP_SCHEDULE=schedule, **more)

    def seconds(self, settings, timeout=None):
        """With a report that nobody reads: hetprobe's runs have one, and what pages do is written down for it."""
        output, _ = with_report(lambda more: self._output(more, timeout), settings)
        return field(output, "time")

    def hetprobe_seconds(self):
        output, regions = with_report(self._output, self.settings("hetprobe"))
        self.ratios.append(measured_csr(regions))
        return field(output, "time")

    def _output(self, settings, timeout=None):
        if self.quota:
            return self.quota.run_slow_node(self.context, settings, self.words, timeout)
        return run(self.context, settings, self.words, timeout)


class _Repeated(threading.Thread):
    """Runs a program again and again until told to stop; `seconds` has the times of its complete runs."""

    def __init__(self, context, settings, words):
        super().__init__()
        self.task = lambda: field(run(context, settings, words), "time")
        self.stopped = threading.Event()
        self.seconds = []

    def run(self):
        while not self.stopped.is_set():
            seconds = self.task()
            if not self.stopped.is_set():
                self.seconds.append(seconds)


def _true_ratio(context, quota, settings, words):
    """How much longer the kernel takes on one thread of node 1's CPU, under the quota, than on one of node 0's at the same
    time. At the same time, because the CPUs of one core are the faster the less the other one does."""
    other = _Repeated(context, settings, NODE_0 + words)
    other.start()
    try:
        held = field(quota.run_inside(context, settings, NODE_1 + words), "time")
    finally:
        other.stopped.set()
        other.join()
    if not other.seconds:
        raise RunFailed("the run without a quota did not end before the one with it")
    return held / statistics.median(other.seconds)


def _best_chunk(case, chunks):
    """The dynamic schedule that was fastest in two runs each. One that fails, or takes too long, is out."""
    best = {}
    for schedule in ["dynamic" if chunk is None else f"dynamic,{chunk}" for chunk in chunks]:
        try:
            best[schedule] = min(case.seconds(case.settings(schedule), LONGEST_TRIAL) for _ in range(2))
        except RunFailed as failure:
            print(f"   out: {failure}")
    if not best:
        raise RunFailed("no dynamic schedule worked")
    print("   search of the best chunk, the better of 2 runs: "
          + ", ".join(f"{schedule} {seconds:.4g} s" for schedule, seconds in best.items()), flush=True)
    return min(best, key=best.get)


def _print_times(case, settings, values):
    for label, times in values.items():
        print(f"   {label}: {shown(settings[label], case.words)}\n      {spread(times)} s")


def _print_ratio(values, label, baseline, limit):
    ratios = paired_ratios(values, label, baseline)
    print(f"   {label} / {baseline}, paired: {known(ratios)}; {met(statistics.median(ratios), limit)}", flush=True)


def _print_csr(ratios, truth, nominal):
    measured = statistics.median(ratios)
    off = measured / truth - 1
    print(f"   core speed ratio measured: {known(ratios)}; off the truth of {truth:.3f} by {off:+.1%}, off the "
          f"nominal {nominal:g} by {measured / nominal - 1:+.1%}; target 10 % of the truth: "
          f"{'met' if abs(off) <= 0.1 else 'MISSED'}")


def _slowed(context, kernel, name):
    """The truth is measured in turn with the runs, as it drifts as they do; the ideal division is by all truths so far."""
    program, arguments, short, search, chunks = KERNELS[kernel]
    words = [context.kernel(program)]
    alone = context.hetmp(threads=1, OMP_SCHEDULE="static")
    print(f"   -- {kernel}, node 1 held to {name} of a core")
    with CpuQuota(SHARES[name]) as quota:
        case = _Case(context, words + arguments, quota)
        best = _best_chunk(_Case(context, words + search, quota), chunks)
        truths = []

        def measure_truth():
            truths.append(_true_ratio(context, quota, alone, words + short))

        def ideal():
            return case.settings("static", HETMP_CSR=f"{statistics.median(truths):.3f},1")

        for _ in range(TRUTHS_BEFORE):
            measure_truth()
        settings = {"hetprobe": case.settings("hetprobe"), "best dynamic": case.settings(best)}
        values = take_turns({"hetprobe": case.hetprobe_seconds,
                             "truth": measure_truth,
                             "ideal": lambda: case.seconds(ideal()),
                             "best dynamic": lambda: case.seconds(settings["best dynamic"])},
                            context.rounds(5), warm_up=0,
                            enough=context.precise(("hetprobe", "ideal"), ("hetprobe", "best dynamic")))
        del values["truth"]
        quota.check()
    print(f"   truth: {shown(alone, NODE_1 + words + short)}, under the quota / the same on CPU 0 meanwhile, "
          f"{len(truths)} times, before and between the runs: {known(truths)}")
    _print_times(case, settings | {"ideal": ideal()}, values)
    _print_csr(case.ratios, statistics.median(truths), 1 / SHARES[name])
    _print_ratio(values, "hetprobe", "ideal", 1.05)
    _print_ratio(values, "hetprobe", "best dynamic", 1.10)
    context.keep(f"{kernel}, {name}", {"truths": truths, "ratios": case.ratios, "seconds": values, "best": best})


def _equal(context, kernel):
    program, arguments, *_ = KERNELS[kernel]
    print(f"   -- {kernel}, equal nodes")
    case = _Case(context, [context.kernel(program)] + arguments)
    settings = {schedule: case.settings(schedule) for schedule in ("hetprobe", "static")}
    values = take_turns({"hetprobe": case.hetprobe_seconds, "static": lambda: case.seconds(settings["static"])},
                        context.rounds(7), enough=context.precise(("hetprobe", "static")))
    _print_times(case, settings, values)
    print(f"   core speed ratio measured: {spread(case.ratios)}")
    _print_ratio(values, "hetprobe", "static", 1.03)
    context.keep(f"{kernel}, equal", {"ratios": case.ratios, "seconds": values})


def shares(context):
    for kernel in KERNELS:
        for name in SHARES:
            _slowed(context, kernel, name)
        _equal(context, kernel)
