"""What checks of the whole tree have in common: their option, what they print, their exit code."""
import argparse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def run(description, problems, all_well):
    """problems(tree) yields a line for each place that is wrong; `all_well` is said if there is none. Returns the exit code."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=ROOT)
    found = list(problems(parser.parse_args().tree.resolve()))
    print("\n".join(found) if found else all_well)
    return 1 if found else 0
