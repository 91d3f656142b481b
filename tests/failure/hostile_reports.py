"""`hetmp report` of files that are not as programs write them."""
import json
import os
import tempfile
import threading
from pathlib import Path

from outcome import check
from processes import complaints
from programs import CASES, run_tool

ORDERS = "\u001b]0;title\u0007\u001b[2J\u009b31m\u202e\u007f\r\nhetmp: forged"


@CASES.add
def reports_that_would_command_the_terminal(site):
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        file, page = Path(folder) / "report.json", Path(folder) / "page.html"
        region = {"file": ORDERS, "line": 3, "function": "grün" + ORDERS, "policy": ORDERS, "reason": ORDERS, "visits": 1}
        file.write_text(json.dumps({"version": 1, "nodes": 2, "counters": ORDERS, "regions": [region, {"place": ORDERS}],
                                    "placement": {"asked_for": ORDERS, "others": [{"why": ORDERS, "visits": 1}],
                                                  "regions": [{"function": ORDERS, "line": 3, "because": ORDERS}, {"place": ORDERS}]},
                                    "bouncing": [{"holds": [ORDERS], "regions": [{"region": ORDERS}]}]}))
        code, out, err = run_tool(site, "report", str(file))
        check(code == 0 and err == "" and "grün" in out and "\\x1b]0;title" in out, f"exit code {code}, {out!r}, said {err!r}")
        code, _, err = run_tool(site, "report", str(file), "--html", str(page))
        check(code == 0 and err == "", f"exit code {code}, said {err!r}")
        for shown in out, page.read_text():
            odd = {c for c in shown if ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 or c == "\u202e"}
            check(not odd, f"{odd} in {shown[:200]!r}")
        check("\nhetmp: forged" not in out, f"a name makes lines: {out!r}")
        profile = Path(folder) / "profile.json"
        entry = {"interconnect": "tcp" + ORDERS, "from": 0, "to": 1, "threshold_us": 1, "fault_us": 1, "machine": ORDERS, "date": ORDERS,
                 "points": []}
        profile.write_text(json.dumps({"format": "hetmp-profile", "version": 1, "entries": [entry]}))
        code, out, err = run_tool(site, "info", HETMP_PROFILE=str(profile))
        check(code == 0 and "\u001b" not in out and "\\x1b]0;title" in out and "\nhetmp: forged" not in out, f"exit code {code}, {out!r}, said {err!r}")


@CASES.add
def reports_without_end(site):
    def check_refused(name, what):
        code, out, err = run_tool(site, "report", name)
        check(code == 1 and out == "" and len(complaints(err)) == len(err.splitlines()) == 1 and what in err,
              f"{name}: exit code {code}, output {out[:100]!r}, said {err[:300]!r}")

    def feed(name):
        try:
            with open(name, "wb") as pipe:
                while True:
                    pipe.write(b'[{"version":' * 1000)
        except BrokenPipeError:
            pass

    check_refused("/dev/zero", "larger than 16 MiB")
    with tempfile.TemporaryDirectory(prefix="hetmp-failure-") as folder:
        pipe, deep = os.path.join(folder, "pipe.json"), Path(folder) / "deep.json"
        os.mkfifo(pipe)
        writer = threading.Thread(target=feed, args=[pipe], daemon=True)
        writer.start()
        check_refused(pipe, "larger than 16 MiB")
        writer.join()
        deep.write_text('{"version":1,"regions":' + "[" * 1_000_000 + "]" * 1_000_000 + "}")
        check_refused(str(deep), "nested more deeply")
