"""Reports: at awkward ends, as pages, and those that cannot be shown."""
import json
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from outcome import check
from processes import complaints, run_limited
from programs import CASES, SECONDS, Sharing, run_tool


STOP_OTHER_NODES = """for folder in /proc/[0-9]*; do
  if grep -qs "^PPid:[[:space:]]*$PPID$" $folder/status && grep -qs ^hetmp-node- $folder/comm; then
    kill -STOP ${folder#/proc/}
  fi
done"""


@CASES.add
def silent_node_does_not_hold_up_the_report(site):
    code, out, err = site.run("system", STOP_OTHER_NODES, HETMP_REPORT="1")
    check(code == 0 and out == "", f"exit code {code}, output {out!r}, said {err!r}")
    check("hetmp: faults of node 1: not told in time" in err.splitlines() and "hetmp: faults of node 0: read" in err,
          f"said {err!r}")


@CASES.add
def report_of_a_program_that_exits_anywhere(site):
    for how in ("return", "exit", "exit-in-region"):
        code, _, err = site.run(how, "3", mode="proc4", HETMP_REPORT="1")
        check(code == 3 and "hetmp: faults of node 3: read" in err, f"{how}: exit code {code}, said {err!r}")


@CASES.add
def where_regions_ran(site):
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        file = Path(folder) / "report.json"

        def placement_of(**settings):
            code, _, err = site.run("sum", HETMP_REPORT=str(file), **({"OMP_NUM_THREADS": "16"} | settings))
            check(code == 0 and err == "", f"exit code {code}, said {err!r}")
            return json.loads(file.read_text())["placement"]

        learned = placement_of(HETMP_PLACEMENT="auto")
        check(learned["asked_for"] == "auto" and learned["others"] == [] and learned["trials"] == 0, f"{learned}")
        check(len(learned["regions"]) == 2, f"{learned}")
        for region in learned["regions"]:
            check((region["home_visits"], region["spread_visits"], region["spread"]) == (1, 0, False) and region["place"]
                  and "3 visits" in region["because"] and 0 < region["total_us"] < learned["run_us"], f"{learned}")
        code, out, err = run_tool(site, "report", str(file))
        check(code == 0 and err == "" and "\nhetmp: placement: HETMP_PLACEMENT=auto; 0 trials" in out
              and "\nhetmp: parallel region " in out, f"text {out!r}, said {err!r}")
        for settings, why in (({"HETMP_PLACEMENT": "origin"}, "at home, as HETMP_PLACEMENT asks"),
                              ({"HETMP_PLACEMENT": "all"}, "as HETMP_PLACEMENT asks"),
                              ({"HETMP_PLACEMENT": "auto", "OMP_SCHEDULE": "hetprobe"}, "as OMP_SCHEDULE")):
            placement = placement_of(**settings)
            check(placement["regions"] == [] and len(placement["others"]) == 1 and placement["others"][0]["visits"] == 2
                  and why in placement["others"][0]["why"], f"{settings}: {placement}")


@CASES.add
def schedules_concern_regions_with_such_loops(site):
    """A schedule that was asked for says nothing of regions without loops that it is for, nor of programs without any."""
    sharing = Sharing(site)
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        file = Path(folder) / "report.json"
        settings = {"HETMP_PLACEMENT": "auto", "HETMP_SCHEDULE": "hetprobe", "HETMP_REPORT": str(file)}
        # sum_of_loop has a region with a schedule(runtime) loop and one without; the first visit has to show which is which.
        visits = 10
        code, _, err = site.run("sums", str(visits - 1), **settings)
        check(code == 0 and err == "", f"exit code {code}, said {err!r}")
        placement = json.loads(file.read_text())["placement"]
        check([other["visits"] for other in placement["others"] if "as OMP_SCHEDULE" in other["why"]] == [visits + 1] and
              [region["home_visits"] + region["spread_visits"] for region in placement["regions"]] == [visits - 1], f"{placement}")
        for name, program in sharing.programs:
            code, _, err = run_limited([program, "global"], site.environment("proc2", **settings), SECONDS)
            check(code == 0 and err == "", f"{name}: exit code {code}, said {err!r}")
            placement = json.loads(file.read_text())["placement"]
            check(placement["regions"] and not [other for other in placement["others"] if "OMP_SCHEDULE" in other["why"]]
                  and "no region that could run on several nodes had one" in placement["unheeded"], f"{name}: {placement}")


@CASES.add
def regions_last_until_their_own_end(site):
    """A region inside another one is over before that."""
    visits, least_us = 6, 5000  # it sleeps so long behind the inner one
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        file = Path(folder) / "report.json"
        code, _, err = site.run("around", str(visits), HETMP_REPORT=str(file), HETMP_PLACEMENT="auto", OMP_NUM_THREADS="4")
        check(code == 0 and err == "", f"exit code {code}, said {err!r}")
        placement = json.loads(file.read_text())["placement"]
        around = [region for region in placement["regions"] if region["home_visits"] == visits]
        check(len(around) == 1 and around[0]["total_us"] >= visits * least_us, f"{placement}")


@CASES.add
def regions_that_would_be_messages(site):
    """Threads that wait for each other's iterations would ask other nodes: such a region is not tried there."""
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        file = Path(folder) / "report.json"
        code, _, err = site.run("rows", "40", HETMP_REPORT=str(file), HETMP_PLACEMENT="auto", OMP_NUM_THREADS="2",
                                HETMP_MIGRATION="false")  # so that its visits take the same time each
        check(code == 0 and err == "", f"exit code {code}, said {err!r}")
        placement = json.loads(file.read_text())["placement"]
        rows = [region for region in placement["regions"] if region["home_visits"] == 40]
        check(len(rows) == 1 and "barriers, loops and locks a visit would each be a message" in rows[0]["because"] and
              placement["trials"] == 0, f"{placement}")


@CASES.add
def what_became_of_tasks(site):
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        file = Path(folder) / "report.json"
        settings = {"OMP_NUM_THREADS": "2", "HETMP_REPORT": str(file)}
        code, out, err = site.run("tasks", "2", **settings)
        check(code == 0 and out == "" and err == "", f"exit code {code}, output {out!r}, said {err!r}")
        tasks = json.loads(file.read_text())["tasks"]
        check(0 < tasks["executed_elsewhere"] <= tasks["offered"] and tasks["kept_because"] == "" and
              tasks["elsewhere_us"] >= 1000 * tasks["executed_elsewhere"], f"{tasks}")
        code, out, err = run_tool(site, "report", str(file))
        check(code == 0 and f"hetmp: tasks: offered to other nodes {tasks['offered']}, executed there" in out, f"text {out}")
        # Both threads are on one node: nobody waits for tasks.
        site.run("tasks", "2", mode="one", **settings)
        check(json.loads(file.read_text())["tasks"]["offered"] == 0, "offered on one node")
        site.run("tasks", "1", OMP_CANCELLATION="true", **settings)
        tasks = json.loads(file.read_text())["tasks"]
        check(tasks["offered"] == 0 and "cancelled" in tasks["kept_because"], f"{tasks}")


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


@CASES.add
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


@CASES.add
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
