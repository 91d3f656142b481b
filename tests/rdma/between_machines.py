"""hetmp run --hosts between two machines, of which one may have no RDMA device."""
from machine import Machine, judge_all  # it finds the modules of tests/common
from outcome import check
from programs import judge_programs, program_of, rounds, seconds_for, variables_of

HOSTS = ["--hosts", "one,two", "--remote-shell", "on"]
WAYS = {"open": [], "encrypted": ["--encrypt"]}
FEW = ["ep", "false_sharing", "critical.c", "demo"]  # of a single round


def runs_between_two_machines(site):
    machine, named = Machine(site.build, machines=2), {}
    for run, program in rounds(site, FEW).items():
        machine.put(program.words[0])
        for way, options in WAYS.items():
            for transport in ("verbs", "auto") if run.startswith("ep-") else ("verbs",):
                name = f"{run}-{transport}-{way}"
                named[name] = program
                words = [*HOSTS, *options, "--transport", transport, "--", *program.words]
                machine.launch(name, *words, seconds=program.seconds, **variables_of(run, program))
    judge_programs(machine.boot(seconds_for(named)), named)


def a_machine_without_a_device(site):
    program = program_of(site.build, "ep")
    machine = Machine(site.build, machines=2)
    machine.put(program.words[0])
    machine.add("on two rdma link delete rxe0 || failed 'cannot remove the device of machine two'")
    for way, options in WAYS.items():
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


CASES = [runs_between_two_machines, a_machine_without_a_device]
