"""What runs learn for the next one: where it is kept, who believes it, and `hetmp knowledge`."""
import contextlib
import json
import re
import tempfile
from pathlib import Path

from outcome import check
from processes import finish, start
from programs import CASES, SUM, run_tool

VISITS = 5  # of each region, and one more


class Runs:
    """Runs of a program whose cache folder nobody else uses."""

    def __init__(self, site, folder):
        self.site, self.folder = site, Path(folder)
        self.report = self.folder / "report.json"

    def settings(self, **more):
        return {"OMP_NUM_THREADS": "16", "HETMP_PLACEMENT": "auto", "HETMP_KNOWLEDGE": "", "XDG_CACHE_HOME": str(self.folder),
                "HETMP_REPORT": str(self.report)} | more

    def run(self, what="sums", visits=VISITS, code=0, mode="proc2", **settings):
        """What it said, once it was right."""
        found, out, err = self.site.run(what, str(visits), mode=mode, **self.settings(**settings))
        check(found == code and (code != 0 or out in (SUM, "")), f"{what}: exit code {found}, output {out!r}, said {err!r}")
        return err

    def files(self):
        return sorted(self.folder.glob("hetmp/*"))

    def known(self):
        files = self.files()
        check(len(files) == 1, f"files {files}")
        return json.loads(files[0].read_text())

    def change(self, change):
        """Of each region that is known."""
        known = self.known()
        for region in known["layouts"][0]["regions"]:
            change(region)
        self.files()[0].write_text(json.dumps(known))

    def visits(self):
        """(at home, on several nodes) of each region, in the last run."""
        return [(region["home_visits"], region["spread_visits"]) for region in json.loads(self.report.read_text())["placement"]["regions"]]

    def began_at_home(self):
        """Whether both regions were learned anew: a trial comes after three visits."""
        return [home >= 3 for home, _ in self.visits()] == [True, True]


@contextlib.contextmanager
def runs_of(site):
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        yield Runs(site, folder)


def gains(region):
    region.update(gains=True, lost=False, home_us=1e6, spread_us=0)
    for visits in region["visits"]:
        visits.update(home_us=1e6, spread_us=0)


@CASES.add
def knowledge_lasts(site):
    with runs_of(site) as runs:
        err = runs.run()
        check(err == "" and runs.began_at_home(), f"said {err!r}, visits {runs.visits()}")
        known = runs.known()
        layout, = known["layouts"]
        check(known["format"] == "hetmp-knowledge" and known["program"] == str(Path(site.program).resolve()) and known["build"],
              f"{known}")
        check(len(layout["cpus"]) == 2 and layout["interconnect"] == "shared-memory" and len(layout["regions"]) == 2, f"{layout}")
        for region in layout["regions"]:
            check(region["name"] and region["home_us"] > 0 and region["age"] == 0, f"{region}")
        runs.change(gains)
        err = runs.run()
        check(err == "" and runs.visits() == 2 * [(0, VISITS + 1)], f"said {err!r}, visits {runs.visits()}")
        regions = runs.known()["layouts"][0]["regions"]
        check([(region["gains"], region["age"], region["home_us"]) for region in regions] == 2 * [(True, 1, 1e6)], f"{regions}")


@CASES.add
def knowledge_of_other_builds_and_nodes_is_ignored(site):
    with runs_of(site) as runs:
        runs.run()
        runs.change(gains)
        runs.run(mode="proc4")
        check(runs.began_at_home(), f"other nodes: visits {runs.visits()}")
        check(len(runs.known()["layouts"]) == 2, f"{runs.known()}")
        known = runs.known()
        known["build"] = "build id 1234"
        runs.files()[0].write_text(json.dumps(known))
        err = runs.run()
        check(err == "" and runs.began_at_home(), f"said {err!r}, visits {runs.visits()}")
        check(runs.known()["build"] != "build id 1234" and len(runs.known()["layouts"]) == 1, f"{runs.known()}")


@CASES.add
def knowledge_that_is_damaged_gets_a_line(site):
    with runs_of(site) as runs:
        runs.run()
        file, = runs.files()
        good = file.read_text()
        mine = runs.folder / "mine"
        for text, why in (("no knowledge", "is not what hetmp knows of a program"), ("[" * 100000, "is not what hetmp knows"),
                          (good.replace('"version":1', '"version":9'), "has version 9, newer than this hetmp"),
                          (good.replace('"home_us":', '"home_us":-'), "a figure in it makes no sense"),
                          (re.sub('"gains":[a-z]*', '"gains":3', good), "gains is not what belongs there"),
                          (good + " " * (1 << 20), "is larger than 1 MiB")):
            file.write_text(text)
            err = runs.run()
            check(len(err.splitlines()) == 1 and err.startswith(f"hetmp: {file} ") and why in err, f"{text[:30]!r}: said {err!r}")
            check(len(runs.known()["layouts"]) == 1, "it is not replaced")
            mine.write_text(text)  # the user may have meant another file
            err = runs.run(HETMP_KNOWLEDGE=str(mine))
            check(len(err.splitlines()) == 1 and why in err and mine.read_text() == text, f"{text[:30]!r}: said {err!r}")
        file.write_text("")
        check(runs.run() == "", "an empty file gets a line")


@CASES.add
def knowledge_is_kept_where_it_should_be(site):
    with runs_of(site) as runs:
        for what, settings in (("sums", {"HETMP_KNOWLEDGE": "none"}), ("sums", {"mode": "one"}), ("sums", {"mode": "cores2"}),
                               ("sums", {"HETMP_PLACEMENT": "all"}), ("sums", {"HETMP_PLACEMENT": "origin"}),
                               ("sums", {"visits": 1}), ("sums-segv", {"code": -11})):
            runs.run(what, **settings)
            check(runs.files() == [], f"{what} {settings}: files {runs.files()}")
        runs.run("sums-exit")
        check(len(runs.known()["layouts"][0]["regions"]) == 2, "exit() in a region")
        for nowhere in ({"XDG_CACHE_HOME": "/dev/null"}, {"XDG_CACHE_HOME": "/proc"}, {"XDG_CACHE_HOME": "", "HOME": ""},
                        {"XDG_CACHE_HOME": "", "HOME": "/proc/self/nonexistent"}):
            err = runs.run(**nowhere)
            check(err == "", f"{nowhere}: said {err!r}")
        err = runs.run(HETMP_KNOWLEDGE="/dev/null/file")
        check(err == "hetmp: HETMP_KNOWLEDGE=/dev/null/file: cannot be written: Not a directory\n", f"said {err!r}")
        mine = runs.folder / "a" / "mine"
        runs.run(HETMP_KNOWLEDGE=str(mine))
        check(json.loads(mine.read_text())["format"] == "hetmp-knowledge", "a file of the user's")


@CASES.add
def knowledge_is_not_kept_by_children(site):
    with runs_of(site) as runs:
        file = runs.folder / "file"
        err = runs.run("sums-fork", HETMP_KNOWLEDGE=str(file))
        regions = json.loads(file.read_text())["layouts"][0]["regions"]
        check(err == "" and [region["age"] for region in regions] == [0, 0], f"said {err!r}, {regions}")
        gained = json.loads(file.read_text())
        for region in gained["layouts"][0]["regions"]:
            gains(region)
        file.write_text(json.dumps(gained))
        err = runs.run("sums-fork", HETMP_KNOWLEDGE=str(file))  # each run that keeps makes it older
        regions = json.loads(file.read_text())["layouts"][0]["regions"]
        check(err == "" and [region["age"] for region in regions] == [1, 1], f"said {err!r}, visits {runs.visits()}, {file.read_text()}")


@CASES.add
def knowledge_of_runs_side_by_side_is_whole(site):
    with runs_of(site) as runs:
        environment = site.environment("proc2", **runs.settings(HETMP_REPORT="0"))
        for _ in range(3):
            side_by_side = [start([site.program, "sums", str(VISITS)], environment) for _ in range(4)]
            for process in side_by_side:
                code, out, err = finish(process)
                check((code, out, err) == (0, SUM, ""), f"exit code {code}, output {out!r}, said {err!r}")
            check(len(runs.known()["layouts"][0]["regions"]) == 2, f"{runs.known()}")


def tool(site, runs, *words, code=0, **settings):
    found, out, err = run_tool(site, "knowledge", *words, **({"HETMP_KNOWLEDGE": "", "XDG_CACHE_HOME": str(runs.folder)} | settings))
    check(found == code and len(err.splitlines()) == (0 if code == 0 else 1), f"{words}: exit code {found}, said {err!r}")
    return out + err


@CASES.add
def knowledge_is_shown_and_forgotten(site):
    with runs_of(site) as runs:
        check(tool(site, runs, "show") == "", "nothing is known")
        check(tool(site, runs, "forget", "--all") == "", "nothing is forgotten")
        check("No such file" in tool(site, runs, "show", site.program, code=1), "shown although there is none")
        check("No such file" in tool(site, runs, "forget", site.program, code=1), "forgotten although there is none")
        check("name a program, or --all" in tool(site, runs, "forget", code=2), "forgets nothing in particular")
        check("name a program, or --all" in tool(site, runs, "forget", "--all", site.program, code=2), "forgets both")
        tool(site, runs, code=2)
        tool(site, runs, "show", "a", "b", code=2)
        for words in ((), ("show",), ("forget",)):
            check("PROGRAM" in tool(site, runs, *words, "--help") or words == (), f"{words}: no help")
        check("HETMP_KNOWLEDGE=none" in tool(site, runs, "show", site.program, code=1, HETMP_KNOWLEDGE="none"), "shown although off")
        runs.run()
        runs.change(lambda region: region.update(name="\033[2Jred", gains=False, lost=True, lost_until_us=3e6, journeys_rest_us=5e4, journeys_gain_us=-2e3))
        for words in (("show",), ("show", site.program)):
            out = tool(site, runs, *words)
            check(str(Path(site.program).resolve()) in out and str(runs.files()[0]) in out and "2 nodes of " in out and "\033" not in out
                  and out.count("red: lost on several nodes, not tried again before a run takes 3.00 s; usually ") == 2
                  and "journeys of its threads lost, 2.00 ms a visit; they rest for 50 ms" in out, f"{words}: {out!r}")
        name = Path(site.program).name
        check(tool(site, runs, "show", name, PATH=str(Path(site.program).parent)) == out, "not found in PATH")
        tool(site, runs, "forget", site.program)
        check(runs.files() == [], "not forgotten")
        runs.run()
        tool(site, runs, "forget", "--all")
        check(runs.files() == [], "not all forgotten")
        mine = runs.folder / "mine"
        mine.write_text("precious")
        check("is not what hetmp knows" in tool(site, runs, "forget", "x", code=1, HETMP_KNOWLEDGE=str(mine)) and mine.exists(), "removed")


@CASES.add
def explanation_has_three_sentences(site):
    for mode in ("proc2", "one"):
        for visits in (1, 30):
            code, out, err = site.run("sums", str(visits), mode=mode, OMP_NUM_THREADS="16", HETMP_PLACEMENT="auto", HETMP_EXPLAIN="yes")
            lines = err.splitlines()
            check(code == 0 and out == SUM and len(lines) == 3 and all(line.startswith("hetmp: ") and line.endswith(".") for line in lines)
                  and "one node" in lines[2], f"{mode}: exit code {code}, output {out!r}, said {err!r}")
    code, out, err = site.run("sums", "1", HETMP_EXPLAIN="perhaps")
    check(code == 0 and "HETMP_EXPLAIN=perhaps: neither true nor false; using false" in err and len(err.splitlines()) == 1, f"said {err!r}")
    code, out, err = run_tool(site, "run", "--explain", site.program, "sum", OMP_NUM_THREADS="2")
    check(code == 0 and out == SUM and len(err.splitlines()) == 3 and "ran on one node" in err, f"said {err!r}")
