"""Pages that nodes write in turns, as the report names them."""
import re

from outcome import check
from programs import CASES, Sharing


def check_bouncing(name, report, thing, region, words):
    found = [entry for entry in report["bouncing"] if any(re.fullmatch(thing, held) for held in entry["holds"])]
    check(len(found) == 1, f"{name}: no {thing} among {report['bouncing']}")
    entry = found[0]
    check(len(entry["holds"]) == 1, f"{name}: names what was not written: {entry['holds']}")
    check([writer["node"] for writer in entry["writers"]] == list(range(report["nodes"])), f"{name}: writers of {entry}")
    # A node that has the turn gets some pages back before a thread faults on them.
    check(entry["turns"] >= 100 and entry["faults"] >= entry["turns"] // 2 and entry["waited_us"] > 0, f"{name}: cost of {entry}")
    check(region in entry["regions"][0]["region"] and entry["regions"][0]["turns"] * 2 > entry["turns"],
          f"{name}: regions of {entry}")
    check(entry["words"] == words, f"{name}: words of {entry}")
    check(report["bouncing"][0] == entry, f"{name}: something else costs more: {report['bouncing']}")


@CASES.add
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


@CASES.add
def false_sharing_in_text(site):
    sharing = Sharing(site)
    for name, program in sharing.programs:
        lines = sharing.run(program, "global", 1).splitlines()
        check(all(line.startswith("hetmp: ") for line in lines), f"{name}: {lines}")
        said = [line for line in lines if line.startswith("hetmp: bouncing: planted::counters (32 bytes): ")]
        check(len(said) == 1 and "; false sharing: " in said[0] and "count_in_turns" in said[0], f"{name}: {lines}")


@CASES.add
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
