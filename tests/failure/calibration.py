"""`hetmp calibrate`: what it writes, and when it does not."""
import json
import os
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from outcome import Skip, check
from processes import complaints
from programs import CASES, SUM, run_tool
from settings import PROFILE


def calibrate_quickly(site, *arguments, **settings):
    """Whether two nodes gain depends on what else runs here: a busy machine gets another try, with other luck."""
    for _ in range(4):
        code, out, err = run_tool(site, "calibrate", "--quick", *arguments, seconds=300, **settings)
        if "never faster" not in err:
            break
    check(code == 0 and err == "", f"exit code {code}, said {err!r}, output {out}")
    return out


@CASES.add
def calibration_writes_a_profile(site):
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("two nodes gain nothing on one CPU")
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


@CASES.add
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
