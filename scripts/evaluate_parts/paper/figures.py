"""What the rounds say, as figures: medians of ratios within rounds, choices, and how they stand to what is asked for."""
import dataclasses
import math
import statistics

from . import links, misses, mixtures, probing, programs, schedules
from .schedules import BARS, CHOSEN_FROM, DEFAULT, DYNAMIC, HETPROBE, HETPROBE_I, IDEAL, LATER, ORIGIN, OTHER, SINGLE, seconds

SPREAD_BARS = (IDEAL, DYNAMIC)
OF_FIGURE_12 = ("bt", "streamcluster", "blackscholes", "lavamd")  # the others there are SPEC's, and licensed


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
    speed_up: dict      # without the bars that rounds of an earlier version lack
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
    speed_up = {label: median_ratio(records, ORIGIN, label) for label in BARS if all(label in record for record in records)}
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


def more_bytes(row):
    """What HetProbe-I moves between nodes, by what HetProbe moves; None where nothing is known."""
    ratios = []
    for record in row.records:
        moved = [sum(node["bytes_received"] for node in record[label].get("totals", [])) for label in (HETPROBE_I, HETPROBE)]
        if all(moved):
            ratios.append(moved[0] / moved[1])
    return statistics.median(ratios) if ratios else None


def gain_of_irregular(row):
    return row.speed_up[HETPROBE_I] / row.speed_up[HETPROBE]


def _of_schedules(rows):
    winners, losers = [row for row in rows if row.wins], [row for row in rows if not row.wins]
    right = sum(row.is_right for row in rows)
    found = [Verdict("E2", f"HetProbe's choice is right in {right} of {len(rows)}", right == len(rows))]
    for label, limit in ((HETPROBE, 0.97), (DEFAULT, 0.95), (LATER, 0.95)):
        parts = [row.speed_up[label] / row.oracle_speed_up for row in rows if label in row.speed_up]
        if parts:
            part = geometric_mean(parts)
            found.append(Verdict("E2", f"{label} / oracle, geometric mean of {len(parts)}: {part:.2f}, target >= {limit}", part >= limit))
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
            best = max(row.speed_up[label] for label in CHOSEN_FROM)
            part = best / row.speed_up[HETPROBE]
            found.append(Verdict("E6", f"cfd, hetprobe / the best configuration: {part:.2f}, target <= 1.02", part <= 1.02))
    return found + _of_hetprobe_i([row for row in rows if row.name in OF_FIGURE_12])


def _of_hetprobe_i(rows):
    if not rows:
        return []
    gains = {row.title: gain_of_irregular(row) for row in rows}
    worst, best = min(gains, key=gains.get), max(gains, key=gains.get)
    found = [Verdict("E10", f"hetprobe / hetprobe-i: {gains[worst]:.2f} at worst ({worst}), target >= 0.98", gains[worst] >= 0.98),
             Verdict("E10", f"the same at best: {gains[best]:.2f} ({best}), target >= 1.24", gains[best] >= 1.24)]
    for row in rows:
        moved = more_bytes(row)
        if row.name == "blackscholes":
            part = row.speed_up[HETPROBE_I] / row.speed_up[IDEAL]
            found.append(Verdict("E10", f"Black-Scholes, ideal CSR / hetprobe-i: {part:.2f}, target >= 1", part >= 1))
        if moved and gain_of_irregular(row) <= 1:
            found.append(Verdict("E11", f"{row.title}, bytes moved by hetprobe-i / hetprobe: {moved:.2f}, target <= 1.1", moved <= 1.1))
    return found


def _of_links(experiments):
    found = []
    periods = [record["threshold_us"] for record in links.calibrated(experiments).values()]
    if len(periods) > 1:
        rises = all(a < b for a, b in zip(periods, periods[1:]))
        found.append(Verdict("E1", "the break-even fault period rises from link to slower link: "
                             + ", ".join(f"{period:.0f} us" for period in periods), rises))
    records = links.visits(experiments)
    if records:
        losses = [record["hetprobe"] / record["one node"] for record in records if record["decision"] != "all nodes"]
        gains = [record["hetprobe"] / record["one node"] for record in records if record["decision"] == "all nodes"]
        worst = max(losses + gains)
        found.append(Verdict("E8", f"the chosen side / one node: {worst:.2f} at worst, target <= 1.03", worst <= 1.03))
    return found


def _of_others(experiments):
    found = _of_links(experiments)
    counted = misses.per_kilo_instruction(experiments)
    if len(counted) == len(misses.SIZES):
        found.append(Verdict("E5", "cache misses separate CG, SP and streamcluster from BT, lud and cfd", misses.are_separated(counted)))
    costs = probing.costs(experiments)
    if costs:
        worst = max(costs, key=lambda name: statistics.median(costs[name]))
        most, mean = statistics.median(costs[worst]), probing.mean(costs)
        found.append(Verdict("E7", f"hetprobe / one thread beside an idle node: {most:.3f} at most ({programs.PROGRAMS[worst].title}), target "
                             f"<= {probing.EACH}", most <= probing.EACH))
        found.append(Verdict("E7", f"the same, mean: {mean:.3f}, target <= {probing.MEAN}", mean <= probing.MEAN))
    gains = mixtures.gains(experiments)
    if gains:
        least, most = mixtures.worst_and_best(gains)
        found.append(Verdict("E9", f"hetprobe / hetprobe-i: {least:.2f} at worst, target >= {mixtures.LEAST}", least >= mixtures.LEAST))
        found.append(Verdict("E9", f"the same at best: {most:.2f}, target >= {mixtures.LEAST_AT_BEST}", most >= mixtures.LEAST_AT_BEST))
    return found


def verdicts(experiments, rows):
    """In the order of the experiments."""
    found = (_of_schedules(rows) if rows else []) + _of_others(experiments)
    return sorted(found, key=lambda verdict: int(verdict.experiment[1:]))
