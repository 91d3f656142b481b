"""Timelines (HETMP_TRACE): what is in them, and those that cannot be written."""
import json
import os
import tempfile
from pathlib import Path

from outcome import check
from processes import complaints, run_limited
from programs import CASES, SECONDS, SUM, Sharing


def read_timeline(file):
    """{node: {line: [event]}} of a timeline, with what holds for all of them checked."""
    trace = json.loads(file.read_text())
    check(trace["otherData"]["dropped"] == 0, f"dropped: {trace['otherData']}")
    processes, lines, waits, nodes = {}, {}, {}, {}
    for event in trace["traceEvents"]:
        place = (event["pid"], event["tid"])
        if event["ph"] == "M":
            (processes if event["name"] == "process_name" else lines)[
                event["pid"] if event["name"] == "process_name" else place] = event["args"]["name"]
            continue
        check(event["ts"] >= 0 and event.get("dur", 0) >= 0, f"time of {event}")
        if event["ph"] == "e":
            begin = waits.pop(event["id"])
            check(begin["name"] == event["name"] and begin["ts"] <= event["ts"], f"{begin} does not begin {event}")
            continue
        if event["ph"] == "b":
            check(event["id"] not in waits, f"twice: {event}")
            waits[event["id"]] = event
        else:
            check(event["ph"] == "X", f"an event of another kind: {event}")
        nodes.setdefault(processes[event["pid"]], {}).setdefault(lines[place], []).append(event)
    check(not waits, f"without an end: {waits}")
    for node, of_node in nodes.items():
        for line, events in of_node.items():
            check_nesting(f"{node}, {line}", [event for event in events if event["ph"] == "X"])
    return nodes


def check_nesting(line, events):
    """On one line an event lies within another or outside of it. Times have whole nanoseconds."""
    def span(event):
        begin = round(event["ts"] * 1000)
        return begin, begin + round(event["dur"] * 1000)
    ends = []
    for event in sorted(events, key=lambda event: (span(event)[0], -span(event)[1])):
        begin, end = span(event)
        while ends and ends[-1] <= begin:
            ends.pop()
        check(not ends or end <= ends[-1], f"{line}: {event} crosses the end of what it lies in")
        ends.append(end)


def events_of(nodes, category):
    return [event for lines in nodes.values() for events in lines.values() for event in events if event["cat"] == category]


@CASES.add
def timeline_of_loops(site):
    """Every iteration of each loop once, whoever ran it."""
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        file = Path(folder) / "timeline.json"
        for mode in ("one", "cores2", "proc2", "proc4"):
            if mode == "cores2" and not {0, 1} <= os.sched_getaffinity(0):
                continue
            for schedule in ("static", "dynamic,64", "hetprobe"):
                code, out, err = site.run("sum", mode=mode, OMP_SCHEDULE=schedule, HETMP_TRACE=str(file))
                check(code == 0 and out == SUM and err == "", f"{mode}: exit code {code}, output {out!r}, said {err!r}")
                nodes = read_timeline(file)
                count = {"one": 1, "cores2": 2, "proc2": 2, "proc4": 4}[mode]
                check(sorted(nodes) == [f"node {i}" for i in range(count)], f"{mode}: nodes {sorted(nodes)}")
                check(len(events_of(nodes, "region")) == 8, f"{mode}: two regions of four threads: {nodes}")
                loops = {}
                for event in events_of(nodes, "loop"):
                    first, iterations = event["args"]["first"], event["args"]["iterations"]
                    loops.setdefault(event["name"], []).extend(range(first, first + iterations))
                check(len(loops) == 2 and all(name.startswith("loop program.c:") for name in loops), f"loops {list(loops)}")
                for name, iterations in loops.items():
                    check(sorted(iterations) == list(range(4000)), f"{mode}, {schedule}, {name}: not each iteration once")
                measured = [event for event in events_of(nodes, "loop") if event["args"]["measured"]]
                check(bool(measured) == (schedule == "hetprobe" and mode != "one"), f"{mode}, {schedule}: measured {measured}")
                check(("page faults" in nodes["node 0"]) == mode.startswith("proc"), f"{mode}: lines {list(nodes['node 0'])}")


@CASES.add
def timeline_of_barriers_and_faults(site):
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        file = Path(folder) / "timeline.json"
        sharing = Sharing(site)
        for name, program in sharing.programs:
            environment = site.environment("proc2", HETMP_TRACE=str(file))
            code, out, err = run_limited([program, "global"], environment, SECONDS)
            check(code == 0 and out == "" and err == "", f"exit code {code}, output {out!r}, said {err!r}")
            nodes = read_timeline(file)
            check(sorted(nodes) == ["node 0", "node 1"], f"nodes {sorted(nodes)}")
            barriers = [event for event in events_of(nodes, "wait") if event["name"] == "barrier"]
            check(len(barriers) == 4 * 5 * 100, f"{name}: {len(barriers)} waits at barriers")
            regions = {event["name"] for event in events_of(nodes, "region")}
            check(len(regions) == 1 and "count_in_turns" in regions.pop(), f"{name}: regions {regions}")
            for node in nodes:
                faults = nodes[node]["page faults"]
                check(len(faults) >= 50 and {event["name"] for event in faults} <=
                      {"read miss", "write miss", "write upgrade"}, f"{name}: {len(faults)} faults on {node}")


@CASES.add
def timeline_that_cannot_be_written(site):
    for mode in ("one", "proc2"):
        code, out, err = site.run("sum", mode=mode, HETMP_TRACE="/no/such/folder/timeline.json")
        check(code == 0 and out == SUM and len(complaints(err)) == len(err.splitlines()) == 1 and "HETMP_TRACE=/no" in err,
              f"{mode}: exit code {code}, output {out!r}, said {err!r}")
