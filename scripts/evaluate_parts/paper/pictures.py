"""The page's pictures, drawn by matplotlib into SVG that stands in the page."""
import io
import math
import re

from .schedules import BARS, HETPROBE, ORIGIN

COLOURS = ("#4c6a92", "#a8b8cc", "#d9a441", "#c46a4a", "#3f8f6b", "#8fbf9f", "#c9d8a5", "#6b5b95", "#a996c9")


def library():
    """matplotlib, or nothing where it is not installed."""
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    matplotlib.use("svg")
    matplotlib.rcParams.update({"font.family": "sans-serif", "font.size": 9, "svg.fonttype": "none", "axes.spines.top": False,
                                "axes.spines.right": False, "svg.hashsalt": "hetmp"})
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
    return pyplot


def _svg(pyplot, figure):
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    return re.sub(r"^.*?(?=<svg)", "", text.getvalue(), flags=re.S)


def speed_ups(pyplot, rows, means):
    """As the paper's figure 7: bars over node 0 alone, an asterisk on the best."""
    labels = [label for label in BARS if label != ORIGIN]
    groups = [(row.title, row.speed_up) for row in rows] + [("geometric\nmean", means)]
    figure, axes = pyplot.subplots(figsize=(11, 3.4))
    width = 0.8 / len(labels)
    for at, label in enumerate(labels):
        places = [group + (at - (len(labels) - 1) / 2) * width for group in range(len(groups))]
        axes.bar(places, [values.get(label, math.nan) for _, values in groups], width, label=label, color=COLOURS[BARS.index(label)])
        for place, (_, values) in zip(places, groups):
            if label in values and values[label] == max(values[other] for other in labels if other in values):
                axes.annotate("*", (place, values[label]), ha="center", fontsize=12)
    axes.axhline(1, color="#555555", linewidth=0.8)
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_ylabel("times as fast as node 0 alone")
    axes.set_xticks(range(len(groups)), [title for title, _ in groups])
    axes.legend(ncol=len(labels), loc="upper center", bbox_to_anchor=(0.5, 1.17), frameon=False)
    return _svg(pyplot, figure)


def fault_periods(pyplot, rows):
    """As the paper's figure 8: on a logarithmic axis, and the threshold."""
    known = sorted((row for row in rows if row.period_us), key=lambda row: row.period_us)
    figure, axes = pyplot.subplots(figsize=(8, 2.8))
    axes.bar([row.title for row in known], [row.period_us for row in known],
             color=[COLOURS[BARS.index(HETPROBE)] if row.wins else COLOURS[1] for row in known])
    axes.set_yscale("log")
    axes.set_ylabel("us of execution for each fault")
    for threshold in {row.threshold_us for row in known}:
        axes.axhline(threshold, color="#b03a2e", linewidth=1, linestyle="--")
        axes.annotate(f"threshold {threshold:g} us", (len(known) - 0.6, threshold), ha="right", va="bottom", color="#b03a2e")
    return _svg(pyplot, figure)


def lines(pyplot, series, x_label, y_label, level=None, logarithmic=False):
    """`series`: points by label."""
    figure, axes = pyplot.subplots(figsize=(7, 2.8))
    for at, (label, points) in enumerate(series.items()):
        axes.plot(*zip(*sorted(points)), marker="o", label=label, color=COLOURS[at % len(COLOURS)])
    if level is not None:
        axes.axhline(level, color="#555555", linewidth=0.8)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    if len(series) > 1:
        axes.legend(frameon=False)
    return _svg(pyplot, figure)
