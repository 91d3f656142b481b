#!/usr/bin/env python3
"""Whether the pictures of the documents belong to their sources (scripts/draw-pictures --check)."""
import subprocess
import sys
from pathlib import Path

sys.exit(subprocess.run([sys.executable, str(Path(__file__).resolve().parents[1] / "draw-pictures"), "--check"]).returncode)
