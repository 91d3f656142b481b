"""Pages that come one after the other, and pages over TCP, each against the most direct means there are."""
import json
import shutil
import statistics
import time

from .network import ADDRESSES, TwoNamespaces
from .runs import Missing, RunFailed, field, finish, met, paired_ratios, run, shown, spread, start, take_turns

GIB = float(1 << 30)
PASSES = {"pages": "sequential, a word of each page", "words": "sequential, every word",
          "home": "sequential, every word, by the home", "zeros": "sequential, a word of each page, zeros"}
COMPARED = ("pages", "words", "home")
PORT = 5317


def in_turn(contenders, rounds):
    """Runs {label: function that returns several figures} in turn: {figure: values}."""
    gathered = {}
    for outcomes in take_turns(contenders, rounds).values():
        for outcome in outcomes:
            for name, value in outcome.items():
                gathered.setdefault(name, []).append(value)
    return gathered


def fields(output, *names, prefix=""):
    return {prefix + name: field(output, name) for name in names}


def passing(program, name, prefix=""):
    """A contender: a sequential pass; `program` runs dsm_faults with further words and returns its output."""
    return lambda: fields(program("--sequential", name), PASSES[name], prefix=prefix)


def say(context, values, unit):
    for name, figures in values.items():
        print(f"   {name}: {spread(figures)} {unit}")
        context.keep(name, figures)


def say_ratio(context, values, label, baseline, limit, at_least):
    ratios = paired_ratios(values, label, baseline)
    print(f"   {label} / {baseline}: {spread(ratios)}; {met(statistics.median(ratios), limit, at_least)}")
    context.keep(f"{label} / {baseline}", ratios)


def shared_memory(context):
    program = context.kernel("dsm_faults")
    ring = ("pages through a ring, into present memory", "pages through a ring, into fresh memory")
    settings = context.hetmp("proc:2")
    print(f"   {shown(settings, [program, '--sequential', 'PASS'])}\n   {shown({}, [program, '--ring'])}")
    contenders = {name: passing(lambda *words: run(context, settings, [program, *words]), name) for name in PASSES}
    contenders["ring"] = lambda: fields(run(context, {}, [program, "--ring"]), *ring)
    values = in_turn(contenders, context.rounds(7))
    say(context, values, "GiB/s")
    for name in COMPARED:
        for baseline in ring:
            say_ratio(context, values, PASSES[name], baseline, 0.6, True)


def tcp_misses(context, where, dsm, sockets):
    """`dsm` and `sockets` return the outputs of dsm_faults and of its exchange."""
    program = context.kernel("dsm_faults")
    fault, exchange = "fault, missing, read", "request and 4 KiB reply over TCP"
    values = in_turn({
        "dsm": lambda: fields(dsm(), "read miss", prefix=f"{where}: "),
        "exchange": lambda: fields(sockets(), exchange, prefix=f"{where}: "),
        "fault": lambda: fields(run(context, {}, [program, "--primitives"]), fault, prefix=f"{where}: "),
    }, context.rounds(7))
    parts = f"{where}: its parts"
    values[parts] = [a + b for a, b in zip(values[f"{where}: {fault}"], values[f"{where}: {exchange}"])]
    say(context, values, "us")
    say_ratio(context, values, f"{where}: read miss", parts, 1.3, False)


def loopback(context):
    program = context.kernel("dsm_faults")
    single = (context.hetmp("proc:2", HETMP_TRANSPORT="tcp", HETMP_PREFETCH="0"), [program])
    print(f"   {shown(*single)}\n   {shown({}, [program, '--sockets'])}")
    tcp_misses(context, "loopback", lambda: run(context, *single), lambda: run(context, {}, [program, "--sockets"]))


def exchange_between(context, network):
    program = context.kernel("dsm_faults")
    address = f"{ADDRESSES[0]}:{PORT}"
    server = start({}, [*network.inside(0), program, "--serve", address, "--cpus", "0,1"])
    try:
        if server.stdout.readline() != "listening\n":
            raise RunFailed("the answering side of the exchange does not listen")
        return run(context, {}, [*network.inside(1), program, "--ask", address, "--cpus", "0,1"])
    finally:
        finish(server, 10)


def iperf(context, network):
    """GiB/s that TCP carries from the first namespace to the second."""
    server = start({}, [*network.inside(1), "iperf3", "--server", "--one-off", "--port", str(PORT + 1)])
    try:
        for _ in range(50):
            client = start({}, [*network.inside(0), "iperf3", "--client", ADDRESSES[1], "--port", str(PORT + 1), "--time", "2",
                                "--json"])
            output = client.communicate(timeout=context.options.timeout)[0]
            received = json.loads(output).get("end", {}).get("sum_received") if client.returncode == 0 else None
            if received:
                return received["bits_per_second"] / 8 / GIB
            time.sleep(0.1)  # the server does not listen yet
        raise RunFailed("iperf3 does not reach its server")
    finally:
        server.kill()
        server.wait()


def veth(context):
    program = context.kernel("dsm_faults")
    settings = {"OMP_NUM_THREADS": "2", "HETMP_PROFILE": "none", "HETMP_KNOWLEDGE": "none", "HETMP_PLACEMENT": "all"}
    with TwoNamespaces() as network:
        def dsm(*words, **more):
            return run(context, {**settings, **more}, network.hetmp_run(context, program, *words))
        print("   HETMP_PREFETCH=0 hetmp run --hosts A,B -- dsm_faults; dsm_faults --serve A:PORT in A, --ask A:PORT in B")
        tcp_misses(context, "veth", lambda: dsm(HETMP_PREFETCH="0"), lambda: exchange_between(context, network))
        if not shutil.which("iperf3"):
            raise Missing("no iperf3 to compare with; scripts/install-deps all installs it")
        print("   hetmp run --hosts A,B -- dsm_faults --sequential PASS; iperf3 --client B --time 2 in A")
        contenders = {name: passing(dsm, name, "veth: ") for name in PASSES}
        contenders["iperf3"] = lambda: {"veth: iperf3": iperf(context, network)}
        values = in_turn(contenders, context.rounds(7))
        say(context, values, "GiB/s")
        for name in COMPARED:
            say_ratio(context, values, f"veth: {PASSES[name]}", "veth: iperf3", 0.7, True)


def streams(context):
    shared_memory(context)
    loopback(context)
    veth(context)
