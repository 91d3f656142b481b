"""hetmp run --hosts between two machines, of which one may have no RDMA device."""
from machine import Machine, judge_all  # it finds the modules of tests/common
from outcome import check
from programs import Benchmark

HOSTS = ["--hosts", "one,two", "--remote-shell", "on"]


def runs_between_two_machines(site):
    program = ep(site)
    machine = Machine(site.build, machines=2)
    machine.put(program.words[0])
    for time in range(site.times):
        for transport in ("verbs", "auto"):
            for way, options in (("open", []), ("encrypted", ["--encrypt"])):
                machine.launch(f"{transport}-{way}-{time + 1}", *HOSTS, *options, "--transport", transport, "--", *program.words)
    runs = machine.boot(60 + 60 * site.times)

    def judge(run):
        run.check_passed()
        program.check(run)
        run.check_spread(2)
    judge_all(runs.values(), judge)


def a_machine_without_a_device(site):
    program = ep(site)
    machine = Machine(site.build, machines=2)
    machine.put(program.words[0])
    machine.add("on two rdma link delete rxe0 || failed 'cannot remove the device of machine two'")
    for way, options in (("open", []), ("encrypted", ["--encrypt"])):
        machine.launch(f"auto-{way}", *HOSTS, *options, "--transport", "auto", "--", *program.words)
        machine.launch(f"verbs-{way}", *HOSTS, *options, "--transport", "verbs", "--", *program.words)
    runs = machine.boot(120)

    def judge(run):
        check(run.packets == 0, run)
        if run.name.startswith("verbs"):
            run.check_one_line("node 1", "two", "no RDMA device")
            check(run.out == "", run)
        else:
            run.check_passed()
            program.check(run)
            check(run.report["interconnect"].startswith("tcp (not by RDMA: node 1 "), run.report)
    judge_all(runs.values(), judge)


def ep(site):
    return Benchmark(site.build, site.build / "bin" / "microbench" / "ep", "S")


CASES = [runs_between_two_machines, a_machine_without_a_device]
