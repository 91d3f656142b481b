"""What HetProbe measures and decides: a slow node, and a loop that does not pay on two nodes."""
import json
import os
import statistics
import tempfile

from .quota import CpuQuota, find_node
from .runs import RunFailed, field, finish, met, paired_ratios, run, shown, spread, start

SHARE = 1 / 3


def _read_report(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["regions"]
    except (OSError, ValueError, KeyError) as error:
        raise RunFailed(f"the report cannot be read: {error}") from None


def _slow_node_run(context, quota, schedule, report):
    settings = context.hetmp("proc:2", OMP_SCHEDULE=schedule, HETMP_REPORT=report)
    process = start(settings, [context.kernel("ep"), "A"])
    try:
        quota.add(find_node(process.pid, 1))
    finally:
        output = finish(process, context.options.timeout)
    return field(output, "time")


def ep_with_quota(context):
    schedules = ["static", "hetprobe"]
    values = {schedule: [] for schedule in schedules}
    ratios = []
    with CpuQuota(SHARE) as quota, tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        for turn in range(context.rounds(5)):
            for schedule in schedules if turn % 2 == 0 else schedules[::-1]:
                values[schedule].append(_slow_node_run(context, quota, schedule, report))
                if schedule == "hetprobe":
                    regions = [region for region in _read_report(report) if len(region["nodes"]) == 2]
                    if not regions:
                        raise RunFailed("the report has no region on two nodes")
                    speed = [node["speed"] for node in max(regions, key=lambda region: region["trips"])["nodes"]]
                    ratios.append(speed[0] / speed[1])
        throttled = quota.throttled_periods()
    if throttled == 0:
        raise RunFailed("the quota never held node 1 back: the measurement is void")
    for schedule in schedules:
        print(f"   {shown(context.hetmp('proc:2', OMP_SCHEDULE=schedule), ['ep', 'A'])}, node 1 on a third of a core\n"
              f"      {spread(values[schedule])} s")
    gains = paired_ratios(values, "static", "hetprobe")
    print(f"   static / hetprobe, paired: {spread(gains)}; {met(statistics.median(gains), 1.6, at_least=True)}")
    csr = statistics.median(ratios)
    verdict = "met" if abs(csr / 3 - 1) <= 0.15 else "MISSED"
    print(f"   core speed ratio measured: {spread(ratios)}; off 3 by {csr / 3 - 1:+.1%}, target 15 %: {verdict}")
    context.keep("seconds", values)
    context.keep("core_speed_ratios", ratios)


def cg_decision(context):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        settings = context.hetmp("proc:2", OMP_SCHEDULE="hetprobe", HETMP_FAULT_PERIOD_US="100")
        words = [context.kernel("cg"), "S"]
        print(f"   {shown(settings, words)}")
        output = run(context, settings | {"HETMP_REPORT": report}, words)
        regions = _read_report(report)
    one = run(context, context.hetmp(), words)
    print(f"   time {field(output, 'time'):.3f} s with HetProbe, {field(one, 'time'):.3f} s on one node; "
          f"{len(regions)} loops")
    scattered = 0.0
    for region in regions:
        iterations = region["trips"] * region["visits"]
        if region["decision"] == "all nodes":
            scattered += iterations
        period = region["fault_period_us"]
        period = "none" if period is None else f"{period:.1f} us"
        print(f"   loop at {region['address']:#x}: {region['trips']} trips, {region['visits']} visits "
              f"({region['probed_visits']} probed): {region['decision']}; fault period {period}, threshold "
              f"{region['threshold_us']:g} us; {region['reason']}")
    total = sum(region["trips"] * region["visits"] for region in regions)
    if total == 0:
        raise RunFailed("no loop was recorded")
    print(f"   iterations in loops decided for one node: {1 - scattered / total:.1%}; target: all")
    context.keep("regions", regions)
