"""What HetProbe measures and decides: a slow node, and a loop that does not pay on two nodes."""
import statistics

from .quota import CpuQuota
from .runs import field, measured_csr, met, paired_ratios, print_regions, run, shown, spread, take_turns, with_report

SHARE = 1 / 3


def ep_with_quota(context):
    words = [context.kernel("ep"), "A"]
    settings = {schedule: context.hetmp("proc:2", OMP_SCHEDULE=schedule) for schedule in ("static", "hetprobe")}
    ratios = []

    def with_static():
        return field(quota.run_slow_node(context, settings["static"], words), "time")

    def with_hetprobe():
        output, regions = with_report(lambda more: quota.run_slow_node(context, more, words), settings["hetprobe"])
        ratios.append(measured_csr(regions))
        return field(output, "time")

    with CpuQuota(SHARE) as quota:
        values = take_turns({"static": with_static, "hetprobe": with_hetprobe}, context.rounds(5), warm_up=0)
        quota.check()
    for schedule, times in values.items():
        print(f"   {shown(settings[schedule], words)}, node 1 on a third of a core\n      {spread(times)} s")
    gains = paired_ratios(values, "static", "hetprobe")
    print(f"   static / hetprobe, paired: {spread(gains)}; {met(statistics.median(gains), 1.6, at_least=True)}")
    csr = statistics.median(ratios)
    verdict = "met" if abs(csr / 3 - 1) <= 0.15 else "MISSED"
    print(f"   core speed ratio measured: {spread(ratios)}; off 3 by {csr / 3 - 1:+.1%}, target 15 %: {verdict}")
    context.keep("seconds", values)
    context.keep("core_speed_ratios", ratios)


def cg_decision(context):
    settings = context.hetmp("proc:2", OMP_SCHEDULE="hetprobe", HETMP_FAULT_PERIOD_US="100")
    words = [context.kernel("cg"), "S"]
    print(f"   {shown(settings, words)}")
    output, regions = with_report(lambda more: run(context, more, words), settings)
    one = run(context, context.hetmp(), words)
    print(f"   time {field(output, 'time'):.3f} s with HetProbe, {field(one, 'time'):.3f} s on one node; "
          f"{len(regions)} loops")
    print_regions(regions)
    context.keep("regions", regions)
