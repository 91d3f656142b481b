"""Variables and profiles that cannot be used: one line, and the program runs."""
import json
import re
import tempfile
from pathlib import Path

from outcome import check
from programs import CASES, SUM


def check_complaint(site, variable, value, mode, **settings):
    code, out, err = site.run("sum", mode=mode, **{variable: value}, **settings)
    check(code == 0 and out == SUM, f"{variable}={value}: exit code {code}, output {out!r}")
    lines = err.splitlines()
    form = rf"hetmp: {variable}={re.escape(value)}: .+; using .+"
    check(len(lines) == 1 and re.fullmatch(form, lines[0]), f"{variable}={value}: expected one complaint, not {err!r}")


@CASES.add
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
        "KMP_AFFINITY": ["tight", "compact,scatter", "explicit", "granularity=tile,compact", "explicit,proclist=[4095]"],
        "KMP_HW_SUBSET": ["2", "1l2", "4096c", "1c:eff0"],
        "KMP_LIBRARY": ["fast"],
        "KMP_TEAMS_PROC_BIND": ["far"],
        "OMP_PLACES": ["invalid", "{0"],
    }.items():
        for value in values:
            check_complaint(site, variable, value, "one")


@CASES.add
def malformed_variables_on_nodes(site):
    """One line from the program, not one from each of its processes."""
    check_complaint(site, "OMP_SCHEDULE", "statik", "proc2")
    check_complaint(site, "HETMP_FAULT_PERIOD_US", "soon", "proc2")
    check_complaint(site, "HETMP_CSR", "fast", "proc2")
    check_complaint(site, "HETMP_COUNTERS", "NO_SUCH_EVENT", "proc2", OMP_SCHEDULE="hetprobe")


@CASES.add
def mistyped_variables(site):
    """One line with the name that was meant, however many processes there are; none for names that are like no other."""
    for mode in ("one", "proc2"):
        code, out, err = site.run("sum", mode=mode, HETMP_SHEDULE="static", HETMP_ROOT="/opt/hetmp")
        check(code == 0 and out == SUM, f"{mode}: exit code {code}, output {out!r}")
        check(err == "hetmp: HETMP_SHEDULE is unknown; did you mean HETMP_SCHEDULE?\n", f"{mode}: said {err!r}")
    code, out, err = site.run("sum", mode="one", HETMP_SHEDULE="static", KMP_WARNINGS="0")
    check(code == 0 and out == SUM and err == "", f"exit code {code}, output {out!r}, said {err!r}")
    code, out, err = site.run("sum", mode="one", HETMP_ROOT="/opt/hetmp", KMP_SETTINGS="1")
    check(code == 0 and "\nUnknown settings:\n\n   HETMP_ROOT=/opt/hetmp\n" in err, f"exit code {code}, said {err!r}")


@CASES.add
def settings_on_request(site):
    """Without KMP_SETTINGS nothing is said of variables that are not followed; with it, each is named once as that."""
    unfollowed = {"KMP_LOCK_KIND": "tas", "KMP_BLOKTIME": "1"}
    code, out, err = site.run("sum", mode="one", **unfollowed)
    check(code == 0 and out == SUM and err == "", f"exit code {code}, output {out!r}, said {err!r}")
    for mode in ("one", "proc2"):
        code, out, err = site.run("sum", mode=mode, KMP_SETTINGS="1", OMP_DISPLAY_ENV="verbose", **unfollowed)
        check(code == 0 and out == SUM, f"{mode}: exit code {code}, output {out!r}")
        lists = err.split("\nEffective settings:\n", 1)[1] if "\nEffective settings:\n" in err else ""
        check(lists.count("KMP_LOCK_KIND") == 1 and lists.count("KMP_BLOKTIME") == 1 and err.count("User settings:") == 1,
              f"{mode}: said {err!r}")
        ignored, unknown = lists.find("\nIgnored settings"), lists.find("\nUnknown settings:")
        check(0 <= ignored < lists.find("KMP_LOCK_KIND=tas") < unknown < lists.find("KMP_BLOKTIME=1"), f"{mode}: said {err!r}")


PROFILE = {"format": "hetmp-profile", "version": 1, "entries": [
    {"interconnect": "shared-memory", "from": 0, "to": 1, "threshold_us": 77.5, "fault_us": 60, "machine": "m",
     "date": "2025-01-31T12:00:00Z", "points": []}]}


@CASES.add
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
