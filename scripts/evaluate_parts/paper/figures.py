"""What the rounds say, as figures: medians of ratios within rounds, choices, and how they stand to what is asked for."""
import dataclasses
import math
import statistics

from . import programs, schedules
from .schedules import BARS, DEFAULT, DYNAMIC, HETPROBE, IDEAL, ORIGIN, OTHER, SINGLE, seconds

SPREAD_BARS = (IDEAL, DYNAMIC)


def median_ratio(records, over, under):
    """Of the times of two bars."""
    return statistics.median(seconds(record, over) / seconds(record, under) for record in records)


def geometric_mean(values):
    values = list(values)
    return math.exp(statistics.mean(map(math.log, values)))


@dataclasses.dataclass
class Row:
    """One program. `speed_up`: of each bar over node 0 alone."""
    name: str
    records: list
    speed_up: dict
    best_single: str
    best_spread: str
    wins: bool          # whether several nodes are worth it here
    oracle: str
    oracle_speed_up: float
    choice: str         # HetProbe's, of the loop with most iterations
    ratio: float        # the true core speed ratio, node 0 : node 1
    measured: float     # by HetProbe; None where it does not tell
    period_us: float    # of its main loop; None without faults
    threshold_us: float

    @property
    def title(self):
        return programs.PROGRAMS[self.name].title

    @property
    def is_right(self):
        wanted = "all nodes" if self.wins else {ORIGIN: "node 0", OTHER: "node 1"}[self.best_single]
        return wanted in self.choice


def row_of(name, records):
    speed_up = {label: median_ratio(records, ORIGIN, label) for label in BARS}
    best_single, best_spread = max(SINGLE, key=speed_up.get), max(SPREAD_BARS, key=speed_up.get)
    oracle = schedules.oracle(records)
    loops = [loop for loop in map(schedules.main_loop, records) if loop]
    last = loops[-1] if loops else None
    speeds = [loop["speeds"][0] / loop["speeds"][1] for loop in loops if len(loop["speeds"]) == 2 and all(loop["speeds"])]
    periods = [loop["fault_period_us"] for loop in loops if loop["fault_period_us"] is not None]
    return Row(name, records, speed_up, best_single, best_spread, speed_up[best_spread] > speed_up[best_single], oracle,
               median_ratio(schedules.timed(records), ORIGIN, oracle), last["decision"] if last else "none: no loop was probed",
               statistics.median(record["ratio"] for record in records), statistics.median(speeds) if speeds else None,
               statistics.median(periods) if periods else None, last["threshold_us"] if last else None)


@dataclasses.dataclass
class Verdict:
    experiment: str
    text: str
    met: bool

    def __str__(self):
        return f"{self.experiment}: {self.text}: {'met' if self.met else 'MISSED'}"


def _each(rows, what, value, limit, at_least):
    """A verdict on the worst of the rows; nothing if there are none."""
    if not rows:
        return []
    worst = (min if at_least else max)(rows, key=value)
    found = value(worst)
    return [Verdict("E2", f"{what}: {found:.2f} at worst ({worst.title}), target {'>=' if at_least else '<='} {limit}",
                    found >= limit if at_least else found <= limit)]


def verdicts(rows):
    winners, losers = [row for row in rows if row.wins], [row for row in rows if not row.wins]
    right = sum(row.is_right for row in rows)
    oracle = geometric_mean(row.oracle_speed_up for row in rows)
    found = [Verdict("E2", f"HetProbe's choice is right in {right} of {len(rows)}", right == len(rows))]
    for label, limit in ((HETPROBE, 0.97), (DEFAULT, 0.95)):
        part = geometric_mean(row.speed_up[label] for row in rows) / oracle
        found.append(Verdict("E2", f"{label} / oracle, geometric mean: {part:.2f}, target >= {limit}", part >= limit))
    found += _each(winners, "winners, hetprobe / ideal CSR", lambda row: row.speed_up[HETPROBE] / row.speed_up[IDEAL], 0.95, True)
    found += _each(losers, "losers, time of hetprobe / the better node", lambda row: row.speed_up[row.best_single] / row.speed_up[HETPROBE],
                   1.02, False)
    off = [abs(row.measured / row.ratio - 1) for row in winners if row.measured]
    if off:
        found.append(Verdict("E3", f"core speed ratios of winners are off by {max(off):.0%} at most, target 10 %", max(off) <= 0.1))
    wrong = [row for row in rows if row.threshold_us and (row.period_us or math.inf) / row.threshold_us <= (0.9 if row.wins else math.inf)
             and (row.wins or (row.period_us or math.inf) > 1.1 * row.threshold_us)]
    found.append(Verdict("E4", "fault periods on the wrong side of the threshold by more than 10 %: "
                         + (", ".join(row.title for row in wrong) or "none"), not wrong))
    for row in rows:
        if row.name == "cfd":
            best = max(row.speed_up[label] for label in BARS[:-1])
            part = best / row.speed_up[HETPROBE]
            found.append(Verdict("E6", f"cfd, hetprobe / the best configuration: {part:.2f}, target <= 1.02", part <= 1.02))
    return found
