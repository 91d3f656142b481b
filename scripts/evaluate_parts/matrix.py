"""Every kernel in every layout, many times: what counts is that each run ends and verifies."""
from .runs import RunFailed, run

LAYOUTS = {
    "one node": {},
    "cores:0;1": {"nodes": "cores:0;1"},
    "proc:2": {"nodes": "proc:2"},
    "proc:4": {"nodes": "proc:4", "threads": 4},
}
KERNELS = {
    "EP S": ("ep", ["S"]),
    "CG S": ("cg", ["S"]),
    "Black-Scholes": ("blackscholes", ["--options", "65536", "--visits", "3"]),
}


def _count_good(context, settings, words):
    """How many of the runs verified, and what the first that did not said."""
    good, complaint = 0, None
    for _ in range(context.options.runs):
        try:
            output = run(context, settings, words)
            if "verification: successful" not in output:
                raise RunFailed("no 'verification: successful' in the output")
            good += 1
        except RunFailed as failure:
            complaint = complaint or str(failure)
    return good, complaint


def verification(context):
    runs = context.options.runs
    layouts = {"libomp": context.system_libomp()}
    layouts |= {name: context.hetmp(**layout) for name, layout in LAYOUTS.items()}
    print(f"   runs that verified, of {runs}; a run that takes more than {context.options.timeout:g} s counts as a hang")
    complaints = []
    for kernel, (program, arguments) in KERNELS.items():
        cells = []
        for layout, settings in layouts.items():
            good, complaint = _count_good(context, settings, [context.kernel(program), *arguments])
            cells.append(f"{layout} {good}")
            context.keep(f"{kernel}, {layout}", good)
            if complaint:
                complaints.append(complaint)
        print(f"   {kernel}: {', '.join(cells)}", flush=True)
    for complaint in complaints:
        print(f"   {complaint}")
    if complaints:
        raise RunFailed("not every run verified")
