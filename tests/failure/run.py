#!/usr/bin/env python3
"""Failures a user meets: a node that dies, Ctrl-C, malformed variables, exits from anywhere, a shell in between.

    run.py --build BUILD [--case NAME] [--list]

Exit codes: 0 passed, 1 failed, 77 skipped (the machine does not allow node processes).
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
import run as conformance  # noqa: E402  (its toolchain, its environment, its process groups)

SECONDS = 30      # for what should take one
PATIENCE = 2.0    # within which the program must have ended after a node is lost
SUM = "11994\n"
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def check(condition, message):
    if not condition:
        raise conformance.Failure(message)


class Site:
    """The program, as built, and how to start it."""

    def __init__(self, build):
        self.build = build
        compiler = next(name for name in conformance.COMPILERS if conformance.shutil.which(name))
        self.program = str(conformance.compile_program(HERE / "program.c", compiler, build))

    def environment(self, mode="proc2", **settings):
        return conformance.environment_for(mode, settings, self.build, stock=False)

    def run(self, *arguments, mode="proc2", before=(), **settings):
        """(exit code, stdout, stderr)"""
        code, out, err = conformance.run_limited([*before, self.program, *arguments],
                                                 self.environment(mode, **settings), SECONDS)
        check(code is not None, f"still running after {SECONDS} s; standard error: {err!r}")
        return code, out, err

    def start_spinning(self, shell_script=None):
        command = [self.program, "spin", str(SECONDS)]
        process = subprocess.Popen(["sh", "-c", shell_script, "sh", *command] if shell_script else command,
                                   env=self.environment(), text=True, start_new_session=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                   # A background job starts with the interrupt ignored, and children inherit that.
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        check(process.stdout.readline() == "ready\n", "the program did not come to its region")
        return process


def children(pid):
    """{pid: name} of the processes below `pid`, from /proc."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue  # ended meanwhile
            name, fields = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found[int(entry.name)] = name
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until_gone(pids, seconds):
    end = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        check(time.monotonic() < end, f"processes still alive: {[pid for pid in pids if alive(pid)]}")
        time.sleep(0.01)


def finish(process):
    """(exit code, stderr) of a process that should end by itself; whatever happens, nothing of its group stays."""
    try:
        _, err = process.communicate(timeout=SECONDS)
        return process.returncode, err
    except subprocess.TimeoutExpired:
        raise conformance.Failure(f"still running after {SECONDS} s") from None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def complaints(err):
    return [line for line in err.splitlines() if line.startswith("hetmp: ")]


@case
def node_processes_are_named(site):
    process = site.start_spinning()
    names = sorted(children(process.pid).values())
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    check(names == ["hetmp-node-1"], f"the children are {names}")


@case
def killed_node_ends_the_program(site):
    process = site.start_spinning()
    nodes = children(process.pid)
    try:
        check(len(nodes) == 1, f"expected one node process, found {nodes}")
        os.kill(next(iter(nodes)), signal.SIGKILL)
        begin = time.monotonic()
        process.wait(timeout=SECONDS)
        took = time.monotonic() - begin
    finally:
        code, err = finish(process)
    check(code != 0, "exit code 0 although a node was lost")
    check(took < PATIENCE, f"the program ended {took:.1f} s after its node")
    lines = complaints(err)
    check(len(lines) == 1 and re.search(r"\bnode 1\b", lines[0]), f"expected one line that names node 1: {err!r}")
    wait_until_gone(nodes, PATIENCE)


@case
def killed_origin_ends_the_nodes(site):
    process = site.start_spinning()
    nodes = children(process.pid)
    process.kill()
    process.wait()
    try:
        wait_until_gone(nodes, PATIENCE)
    finally:
        finish(process)


@case
def interrupt_ends_everything(site):
    process = site.start_spinning()
    nodes = children(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # what a terminal does on Ctrl-C
    code, err = finish(process)
    check(code == -signal.SIGINT, f"ended with {code}, not by the interrupt")
    check(err == "", f"words on standard error: {err!r}")
    wait_until_gone(nodes, PATIENCE)


def check_complaint(site, variable, value, mode, **settings):
    code, out, err = site.run("sum", mode=mode, **{variable: value}, **settings)
    check(code == 0 and out == SUM, f"{variable}={value}: exit code {code}, output {out!r}")
    lines = err.splitlines()
    form = rf"hetmp: {variable}={re.escape(value)}: .+; using .+"
    check(len(lines) == 1 and re.fullmatch(form, lines[0]), f"{variable}={value}: expected one complaint, not {err!r}")


@case
def malformed_variables(site):
    for variable, values in {
        "HETMP_NODES": ["proc", "proc:0", "proc:65", "proc:x", "cores:", "cores:0;x", "hosts:a", "-1"],
        "OMP_SCHEDULE": ["statik", "static,0", "dynamic,x", "hetprobe,0", "hetprobe,101", "hetprobe-i,-1", "hetprobe-j"],
        "HETMP_SCHEDULE": ["statik", "hetprobe-i,0"],
        "HETMP_CSR": ["x", "0,0", "-1,2", "1,", "nan,1"],
        "HETMP_DECISION": ["guess"],
        "HETMP_LOOPS": ["most"],
        "HETMP_MISS_THRESHOLD": ["few", "-1"],
        "HETMP_NODE_SCHEDULE": ["hetprobe", "dynamic,0"],
        "HETMP_PROBES": ["0", "1.5"],
        "OMP_HET_PTG": ["101", "-1", "x"],
        "HETMP_FAULT_PERIOD_US": ["x", "-5", "1e"],
    }.items():
        for value in values:
            check_complaint(site, variable, value, "one")


@case
def malformed_variables_on_nodes(site):
    """One line from the program, not one from each of its processes."""
    check_complaint(site, "OMP_SCHEDULE", "statik", "proc2")
    check_complaint(site, "HETMP_FAULT_PERIOD_US", "soon", "proc2")
    check_complaint(site, "HETMP_CSR", "fast", "proc2")
    check_complaint(site, "HETMP_COUNTERS", "NO_SUCH_EVENT", "proc2", OMP_SCHEDULE="hetprobe")


@case
def exit_codes(site):
    for mode in ("one", "proc2", "proc4"):
        for how in ("return", "exit", "exit-in-region"):
            for number in (0, 1, 42, 255):
                code, _, err = site.run(how, str(number), mode=mode)
                check(code == number and err == "", f"mode {mode}, {how} {number}: exit code {code}, said {err!r}")


@case
def fault_on_another_node(site):
    """The program ends as a crashed one does: not successfully, and not by hanging."""
    for mode in ("one", "proc2"):
        code, _, _ = site.run("segv", mode=mode)
        check(code in (-signal.SIGSEGV, 128 + signal.SIGSEGV), f"mode {mode}: exit code {code}")


@case
def no_process_stays_behind(site):
    process = subprocess.Popen([site.program, "sum"], env=site.environment("proc4"), start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    group = process.pid
    out, _ = process.communicate(timeout=SECONDS)
    check(process.returncode == 0 and out == SUM, f"exit code {process.returncode}, output {out!r}")
    end = time.monotonic() + PATIENCE
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        check(time.monotonic() < end, "processes of the program's group are still there")
        time.sleep(0.01)


@case
def shell_in_between(site):
    """A preloaded shell is an ordinary shell, with no nodes and no words; the program below it has its nodes."""
    code, out, err = conformance.run_limited(["sh", "-c", '"$@"; exit 3', "sh", site.program, "sum"],
                                             site.environment(), SECONDS)
    check(code == 3 and out == SUM and err == "", f"exit code {code}, output {out!r}, said {err!r}")
    shell = site.start_spinning(shell_script='"$@"; exit 3')
    try:
        below = children(shell.pid)
        check(len(below) == 1 and "hetmp" not in "".join(below.values()), f"below the shell: {below}")
        nodes = children(next(iter(below)))
        check(list(nodes.values()) == ["hetmp-node-1"], f"below the program: {nodes}")
        maps = Path(f"/proc/{shell.pid}/maps").read_text()
        check("libhetmp_dsm" not in maps, "the shell carries the DSM")
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.communicate()


@case
def programs_it_starts_are_left_alone(site):
    """What a program on several nodes executes inherits the user's environment, not what started the nodes."""
    wanted = site.environment()
    code, out, err = site.run("system", "cat /proc/self/environ | tr '\\0' '\\n'; ls")
    check(code == 0 and err == "", f"exit code {code}, said {err!r}")
    seen = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
    for name in ("LD_PRELOAD", "HETMP_NODES", "GLIBC_TUNABLES", "HETMP_DSM_PLAN", "HETMP_LAUNCH"):
        check(seen.get(name) == wanted.get(name), f"{name} is {seen.get(name)!r}, not {wanted.get(name)!r}")


@case
def tool_runs_a_program_on_nodes(site):
    tool = str(site.build / "bin" / "hetmp")
    environment = {name: value for name, value in site.environment("one").items() if name != "LD_PRELOAD"}
    code, out, err = conformance.run_limited([tool, "run", "--nodes", "2", site.program, "sum"], environment, SECONDS)
    check(code == 0 and out == SUM and err == "", f"exit code {code}, output {out!r}, said {err!r}")
    for arguments, expected in ((["--nodes", "0"], 2), (["--nodes", "65"], 2), (["--nodes", "x"], 2),
                                (["--schedule", "statik"], 2), (["--nodes", "2", "--", "/nonexistent/program"], 127)):
        code, out, err = conformance.run_limited([tool, "run", *arguments, site.program], environment, SECONDS)
        check(code == expected and out == "" and len(complaints(err)) == len(err.splitlines()) == 1,
              f"{arguments}: exit code {code}, output {out!r}, said {err!r}")


PROFILE = {"format": "hetmp-profile", "version": 1, "entries": [
    {"interconnect": "shared-memory", "from": 0, "to": 1, "threshold_us": 77.5, "fault_us": 60, "machine": "m",
     "date": "2025-01-31T12:00:00Z", "points": []}]}


@case
def unusable_profiles(site):
    """One line that names the file, from a program on several nodes; nothing from others."""
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        profile = Path(folder) / "profile.json"
        newer = json.dumps(PROFILE | {"version": 2})
        absurd = json.dumps(PROFILE).replace("77.5", "-1")
        for text in ("", "{", json.dumps(PROFILE)[:-9], "[]", newer, absurd, json.dumps(PROFILE) + " " * (1 << 20)):
            profile.write_text(text)
            code, out, err = site.run("sum", HETMP_PROFILE=str(profile))
            check(code == 0 and out == SUM, f"{text[:40]!r}: exit code {code}, output {out!r}")
            form = rf"hetmp: profile {re.escape(str(profile))} .+; using a threshold of 100 us"
            check(len(err.splitlines()) == 1 and re.fullmatch(form, err.strip()), f"{text[:40]!r}: said {err!r}")
            code, out, err = site.run("sum", mode="one", HETMP_PROFILE=str(profile))
            check(code == 0 and out == SUM and err == "", f"one node: exit code {code}, output {out!r}, said {err!r}")
        profile.write_text(json.dumps(PROFILE))
        code, out, err = site.run("sum", HETMP_PROFILE=str(profile))
        check(code == 0 and out == SUM and err == "", f"a good profile: exit code {code}, output {out!r}, said {err!r}")


def run_tool(site, *arguments, seconds=SECONDS, **settings):
    environment = {name: value for name, value in site.environment("one").items() if name != "LD_PRELOAD"} | settings
    return conformance.run_limited([str(site.build / "bin" / "hetmp"), *arguments], environment, seconds)


def calibrate_quickly(site, *arguments, **settings):
    """Whether two nodes gain depends on what else runs here: a busy machine gets another try, with other luck."""
    for _ in range(4):
        code, out, err = run_tool(site, "calibrate", "--quick", *arguments, seconds=300, **settings)
        if "never faster" not in err:
            break
    check(code == 0 and err == "", f"exit code {code}, said {err!r}, output {out}")
    return out


@case
def calibration_writes_a_profile(site):
    if len(os.sched_getaffinity(0)) < 2:
        raise conformance.Skip("two nodes gain nothing on one CPU")
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        profile = Path(folder) / "new" / "profile.json"
        picture = Path(folder) / "picture.svg"
        # What a user has set for programs must not bend the calibration.
        settings = {"HETMP_PROFILE": str(profile), "OMP_NUM_THREADS": "1", "HETMP_REPORT": "1", "OMP_SCHEDULE": "statik"}
        for arguments, drawn in ((["--svg", str(picture)], picture), ([], profile.with_suffix(".svg"))):
            out = calibrate_quickly(site, *arguments, **settings)
            check(f"profile: {profile}\n" in out and f"picture: {drawn}\n" in out, f"output {out}")
            written = json.loads(profile.read_text())
            check(written["format"] == "hetmp-profile" and written["version"] == 1, f"head of the profile: {written}")
            check(len(written["entries"]) == 1, "the same pair is there twice")
            entry = written["entries"][0]
            check((entry["interconnect"], entry["from"], entry["to"]) == ("shared-memory", 0, 1), f"entry {entry}")
            check(entry["threshold_us"] > 0 and entry["fault_us"] > 0 and len(entry["points"]) > 5, f"entry {entry}")
            check(all(point["fault_period_us"] > 0 for point in entry["points"]), "a point without faults")
            check(ElementTree.parse(drawn).getroot().tag.endswith("svg"), "the picture is not SVG")
        code, out, err = run_tool(site, "info", HETMP_PROFILE=str(profile))
        check(code == 0 and f"threshold {entry['threshold_us']:.4g} us" in out, f"hetmp info does not show it: {out}")
        code, out, err = site.run("sum", HETMP_PROFILE=str(profile))
        check(code == 0 and out == SUM and err == "", f"a program: exit code {code}, output {out!r}, said {err!r}")


@case
def calibration_that_cannot_be(site):
    """One line, no measuring, and what is there stays as it is."""
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        profile = Path(folder) / "profile.json"
        for text, arguments, expected in (("{", [], 1), (json.dumps(PROFILE | {"version": 2}), [], 1),
                                          ("{", ["--transport", "pigeon"], 2), ("{", ["--nodes", "1"], 2)):
            profile.write_text(text)
            code, out, err = run_tool(site, "calibrate", *arguments, HETMP_PROFILE=str(profile))
            check(code == expected and out == "" and len(complaints(err)) == len(err.splitlines()) == 1,
                  f"{arguments}: exit code {code}, output {out!r}, said {err!r}")
            check(profile.read_text() == text, "the profile was changed")


class Sharing:
    """Programs that count on shared pages or not (sharing.cpp), by each compiler: with and without source locations."""

    def __init__(self, site, mode="proc2"):
        self.site, self.mode = site, mode
        self.programs = [(name, str(conformance.compile_program(HERE / "sharing.cpp", name, site.build)))
                         for name in conformance.COMPILERS if conformance.shutil.which(name)]

    def run(self, program, where, report):
        code, out, err = conformance.run_limited([program, where],
                                                 self.site.environment(self.mode, HETMP_REPORT=str(report)), SECONDS)
        check(code == 0 and out == "", f"{where}: exit code {code}, output {out!r}, said {err!r}")
        return err

    def reports(self, where):
        """(compiler, report) of each compiler's program."""
        with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
            for name, program in self.programs:
                file = Path(folder) / f"{name}.json"
                err = self.run(program, where, file)
                check(err == "", f"{where} by {name}: said {err!r}")
                yield name, json.loads(file.read_text())


def check_bouncing(name, report, thing, region, words):
    found = [entry for entry in report["bouncing"] if any(re.fullmatch(thing, held) for held in entry["holds"])]
    check(len(found) == 1, f"{name}: no {thing} among {report['bouncing']}")
    entry = found[0]
    check(len(entry["holds"]) == 1, f"{name}: names what was not written: {entry['holds']}")
    check([writer["node"] for writer in entry["writers"]] == list(range(report["nodes"])), f"{name}: writers of {entry}")
    check(entry["turns"] >= 100 and entry["faults"] >= entry["turns"] and entry["waited_us"] > 0, f"{name}: cost of {entry}")
    check(region in entry["regions"][0]["region"] and entry["regions"][0]["turns"] * 2 > entry["turns"],
          f"{name}: regions of {entry}")
    check(entry["words"] == words, f"{name}: words of {entry}")
    check(report["bouncing"][0] == entry, f"{name}: something else costs more: {report['bouncing']}")


@case
def false_sharing_is_named(site):
    for mode in ("proc2", "proc4"):
        sharing = Sharing(site, mode)
        for name, report in sharing.reports("global"):
            check_bouncing(name, report, r"planted::counters \(32 bytes\)", "count_in_turns", "different")
        for name, report in sharing.reports("heap"):
            check_bouncing(name, report, r"heap block of 512 bytes at 0x\w+, allocated in make_tally\(\), sharing\+0x\w+",
                           "count_in_turns", "different")
        for name, report in sharing.reports("common"):
            check_bouncing(name, report, r"planted::common \(8 bytes\)", "count_together", "same")


@case
def false_sharing_in_text(site):
    sharing = Sharing(site)
    for name, program in sharing.programs:
        lines = sharing.run(program, "global", 1).splitlines()
        check(all(line.startswith("hetmp: ") for line in lines), f"{name}: {lines}")
        said = [line for line in lines if line.startswith("hetmp: bouncing: planted::counters (32 bytes): ")]
        check(len(said) == 1 and "; false sharing: " in said[0] and "count_in_turns" in said[0], f"{name}: {lines}")


@case
def no_false_sharing_no_word(site):
    for mode in ("proc2", "proc4"):
        sharing = Sharing(site, mode)
        for name, report in sharing.reports("padded"):
            check(report["bouncing"] == [], f"{name}: {report['bouncing']}")
            writes = [node["write_misses"] + node["write_upgrades"] for node in report["totals"]]
            check(len(writes) == report["nodes"] and writes[1] > 0, f"{name}: no faults in {report['totals']}")
            check(report["pages"], f"{name}: no pages")
        for name, program in sharing.programs:
            check("bouncing" not in sharing.run(program, "padded", 1), f"{name}: speaks of bouncing")


STOP_OTHER_NODES = """for folder in /proc/[0-9]*; do
  if grep -qs "^PPid:[[:space:]]*$PPID$" $folder/status && grep -qs ^hetmp-node- $folder/comm; then
    kill -STOP ${folder#/proc/}
  fi
done"""


@case
def silent_node_does_not_hold_up_the_report(site):
    code, out, err = site.run("system", STOP_OTHER_NODES, HETMP_REPORT="1")
    check(code == 0 and out == "", f"exit code {code}, output {out!r}, said {err!r}")
    check("hetmp: faults of node 1: not told in time" in err.splitlines() and "hetmp: faults of node 0: read" in err,
          f"said {err!r}")


@case
def report_of_a_program_that_exits_anywhere(site):
    for how in ("return", "exit", "exit-in-region"):
        code, _, err = site.run(how, "3", mode="proc4", HETMP_REPORT="1")
        check(code == 3 and "hetmp: faults of node 3: read" in err, f"{how}: exit code {code}, said {err!r}")


def check_page(file, *wanted):
    """A report in HTML: well formed, with nothing to load or to run, and with these texts."""
    text = file.read_text()
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/1999/xhtml}"
    check(root.tag == space + "html", f"the root is {root.tag}")
    tags = {element.tag.split("}")[1] for element in root.iter()}
    check(not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}, f"elements {tags}")
    check("svg" in tags and "table" in tags, f"no pictures: {tags}")
    for element in root.iter():
        for attribute, value in element.attrib.items():
            check(not attribute.startswith("on") and attribute not in ("src", "href", "style") or
                  attribute == "style" and "url" not in value, f"attribute {attribute}={value!r}")
    check("@import" not in text and "url(" not in text, "the style loads something")
    content = "".join(root.itertext())
    for part in wanted:
        check(part in content, f"{part!r} is not in the page")


@case
def saved_reports_are_shown(site):
    sharing = Sharing(site)
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        saved, page = Path(folder) / "report.json", Path(folder) / "page.html"
        err = sharing.run(sharing.programs[0][1], "global", page)
        check(err == "", f"said {err!r}")
        check_page(page, "planted::counters (32 bytes)", "count_in_turns", "false sharing", "Heat of pages", "node 1")
        site.run("sum", HETMP_REPORT=str(saved), OMP_SCHEDULE="hetprobe")
        code, out, err = run_tool(site, "report", str(saved))
        check(code == 0 and err == "", f"exit code {code}, said {err!r}")
        lines = out.splitlines()
        check(lines[0].startswith("hetmp: report: 2 nodes, ") and any("program.c:" in line for line in lines) and
              all(line.startswith("hetmp: ") for line in lines) and "faults of node 1" in out, f"text {out}")
        code, out, err = run_tool(site, "report", str(saved), "--html", str(page))
        check(code == 0 and out == "" and err == "", f"exit code {code}, output {out!r}, said {err!r}")
        check_page(page, "program.c:", "sum_of_loop", "Loops and decisions", "Faults by kind")
        # What a source file may be called, and what JSON may hold.
        odd = json.loads(saved.read_text())
        odd["regions"][0] |= {"file": "a<b>&\"'.c", "line": 7, "function": "</td><script>\u0001\ufffe", "reason": "]]>"}
        odd["bouncing"] = [{"address": 4096, "pages": 2, "holds": ["<x>::y"], "turns": 40, "waited_us": 1e300, "words": "?",
                            "writers": [{"node": 0}, {"node": 1, "first": 0, "last": 7}], "regions": []}]
        saved.write_text(json.dumps(odd))
        code, out, err = run_tool(site, "report", str(saved), "--html", str(page))
        check(code == 0 and out == "" and err == "", f"exit code {code}, output {out!r}, said {err!r}")
        check_page(page, "a<b>&\"'.c:7 </td><script>\ufffd\ufffd", "]]>", "<x>::y")


@case
def reports_that_cannot_be_shown(site):
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        file = Path(folder) / "report.json"
        site.run("sum", HETMP_REPORT=str(file), OMP_SCHEDULE="hetprobe")
        good = json.loads(file.read_text())
        for text in ("", "{", "[]", "{}", "null", json.dumps(good)[:-2], json.dumps(good | {"version": 2}),
                     json.dumps(good | {"version": "1"}), json.dumps(good | {"nodes": -1}),
                     json.dumps(good | {"regions": [1]}), json.dumps(good | {"regions": [{"visits": "many"}]}),
                     json.dumps(good | {"pages": {}}), json.dumps(good | {"bouncing": [{"holds": [1]}]})):
            file.write_text(text)
            code, out, err = run_tool(site, "report", str(file))
            check(code == 1 and out == "" and len(complaints(err)) == len(err.splitlines()) == 1 and str(file) in err,
                  f"{text[:60]!r}: exit code {code}, output {out!r}, said {err!r}")
        file.write_text(json.dumps(good))
        for arguments, expected in (([], 2), ([str(file) + ".not"], 1), ([folder], 1),
                                    ([str(file), "--html", folder + "/no/such/folder.html"], 1)):
            code, out, err = run_tool(site, "report", *arguments)
            check(code == expected and out == "" and len(complaints(err)) == len(err.splitlines()) == 1,
                  f"{arguments}: exit code {code}, output {out!r}, said {err!r}")


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


@case
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


@case
def timeline_of_barriers_and_faults(site):
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        file = Path(folder) / "timeline.json"
        sharing = Sharing(site)
        for name, program in sharing.programs:
            environment = site.environment("proc2", HETMP_TRACE=str(file))
            code, out, err = conformance.run_limited([program, "global"], environment, SECONDS)
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


@case
def timeline_that_cannot_be_written(site):
    for mode in ("one", "proc2"):
        code, out, err = site.run("sum", mode=mode, HETMP_TRACE="/no/such/folder/timeline.json")
        check(code == 0 and out == SUM and len(complaints(err)) == len(err.splitlines()) == 1 and "HETMP_TRACE=/no" in err,
              f"{mode}: exit code {code}, output {out!r}, said {err!r}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", type=Path, help="the build folder")
    arguments.add_argument("--case", choices=CASES)
    arguments.add_argument("--list", action="store_true")
    given = arguments.parse_args()
    if given.list:
        print("\n".join(CASES))
        return 0
    failed = 0
    try:
        conformance.check_machine("proc2", given.build.resolve())
        site = Site(given.build.resolve())
        for name, function in CASES.items():
            if given.case in (None, name):
                try:
                    function(site)
                    print(f"passed: {name}")
                except conformance.Failure as failure:
                    print(f"FAILED: {name}: {failure}")
                    failed += 1
    except conformance.Skip as reason:
        print(f"skipped: {reason}")
        return conformance.SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
