"""What a user meets when a node or a link is lost, or memory must not be locked: one line, the same as over TCP, and nothing stays."""
import re

from between_machines import HOSTS
from machine import Machine, environment, failure_program, judge_all, words_with  # it finds the modules of tests/common
from outcome import check

TRANSPORTS = ("tcp", "verbs")
WHAT = ("spin", "work")
SPIN = 90   # seconds that the program would run
LIMIT = 45  # for what should have ended: emulation beside other work is slow, and how soon it ends is not judged here
KILL_HERE = "blow kill -9 $(node_here hetmp-node-1)"


def losses_on_one_machine(site):
    machine, program = spinning(site)
    for transport in TRANSPORTS:
        settings = environment(site.build, HETMP_NODES="proc:2", HETMP_TRANSPORT=transport, HETMP_PATIENCE="2")
        begin(machine, f"killed-{transport}", words_with(settings, program, "spin", SPIN), KILL_HERE)
        begin(machine, f"killed-at-work-{transport}", words_with(settings, program, "work", SPIN), KILL_HERE)
        # There its processes can be looked at, so it is known to be stopped, and is waited for.
        begin(machine, f"stopped-{transport}", words_with(settings, program, "work", 8), "node=$(node_here hetmp-node-1)", "blow kill -STOP $node",
              "sleep 5", "kill -CONT $node")
    runs = machine.boot(150)

    def judge(run):
        if run.name.startswith("stopped"):
            run.check_passed()
            check(run.err == "", run)
        else:
            check_lost(run, "node 1")
    judge_with_tcp(runs, judge)


def losses_between_two_machines(site):
    """Over TCP once each: what they say does not depend on what the program does."""
    machine, program = spinning(site, machines=2)
    for transport in TRANSPORTS:
        for what in WHAT if transport == "verbs" else WHAT[:1]:
            words = [*HOSTS, "--transport", transport, "--", program, what, SPIN]
            for way, signal in (("killed", "-9"), ("stopped", "-STOP")):
                name = f"{way}-{what}-{transport}"
                begin(machine, name, machine.launched(name, *words, HETMP_PATIENCE="2"), "node=$(node_on_two hetmp-node-1)",
                      f"blow on two kill {signal} $node")
            name = f"first-killed-{what}-{transport}"
            begin(machine, name, machine.launched(name, *words, HETMP_PATIENCE="2"), f"blow kill -9 $(node_here {program.name})")
    runs = machine.boot(280)

    def judge(run):
        check_lost(run, *(["node 0", "one"] if "first" in run.name else ["node 1", "two"]))
    judge_with_tcp(runs, judge)


def a_link_that_is_down(site):
    """A device may notice that by itself, with words of its own."""
    machine, program = spinning(site, machines=2)
    down_there = "on two 'for way in down up; do sleep 1; ip link set eth0 $way; sleep 6; done >/dev/null 2>&1 &'"
    ends = {"here": ("mend='ip link set eth0 up'", "blow ip link set eth0 down"),
            "there": ("mend='await on two true'", down_there, "sleep 0.9", "blow true")}
    for where, blows in ends.items():
        for what in ("spin", "work"):
            name = f"{where}-{what}"
            words = machine.launched(name, *HOSTS, "--transport", "verbs", "--", program, what, SPIN, HETMP_PATIENCE="2")
            begin(machine, name, words, *blows)
    runs = machine.boot(200)
    judge_all(runs.values(), lambda run: check_lost(run, "node 1", "two"))


def a_completion_queue_that_overflows(site):
    """On one of two machines, by a plugin that asks for too small a one. Only the origin speaks, so of the other one's device nothing is told."""
    machine, program = spinning(site, machines=2)
    small = site.build / "tests" / "rdma" / "small_queue" / site.plugin.name
    machine.put(small)
    for where, shell in (("here", ""), ("there", "on two ")):
        machine.add(f"{shell}mv {site.plugin} /usual", f"{shell}cp {small} {site.plugin} || failed 'no other plugin'")
        machine.run(where, *machine.launched(where, *HOSTS, "--transport", "verbs", "--", program, "work", SPIN), seconds=LIMIT)
        machine.add(f"{shell}mv /usual {site.plugin}")
    runs = machine.boot(150)

    def judge(run):
        run.check_one_line("node 1", "two", "rxe0: CQ error" if run.name == "here" else "its connection was closed")
        check(run.out in ("", "ready\n"), run)
    judge_all(runs.values(), judge)


def little_memory_to_lock(site):
    machine, program = spinning(site, memlock=64)
    for transport in ("verbs", "auto"):
        settings = environment(site.build, HETMP_NODES="proc:2", HETMP_TRANSPORT=transport)
        machine.run(transport, *words_with(settings, program, "sum"))
    runs = machine.boot(60)

    def judge(run):
        if run.name == "verbs":
            run.check_one_line("node ", "ulimit -l")
        else:
            run.check_passed()
            check(run.err == "" and run.packets == 0, run)
    judge_all(runs.values(), judge)


def spinning(site, **settings):
    machine, program = Machine(site.build, **settings), failure_program(site.build)
    machine.put(program)
    return machine, program


def begin(machine, name, words, *blows):
    machine.begin(name, *words)
    machine.add("ready", *blows, f"finish {LIMIT}")


def check_lost(run, *words):
    run.check_one_line(*words)
    check(run.out == "ready\n", run)


def judge_with_tcp(runs, judge):
    """Each; and the words of a run over RDMA are those of the one over TCP."""
    judge_all(runs.values(), judge)
    for name, run in runs.items():
        if not name.endswith("-tcp"):
            over_tcp = name.removesuffix("verbs") + "tcp"
            same = runs.get(over_tcp) or runs[over_tcp.replace(*reversed(WHAT))]
            has_place = "work" not in name
            check(comparable(run, has_place) == comparable(same, has_place), f"{run}\nover TCP:\n{same}")


def comparable(run, has_place):
    """Without numbers; and where the program begins region after region, the blow may fall between two, which have no place."""
    words = re.sub(r"\bprocess \d+|\b\d+ s\b", "N", run.err)
    return run.code, words if has_place else re.sub(r", in the parallel region at [^ ;:]+", "", words)


CASES = [losses_on_one_machine, losses_between_two_machines, a_link_that_is_down, a_completion_queue_that_overflows, little_memory_to_lock]
