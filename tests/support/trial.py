"""A copy of the package on which an addition is made for trial, and used in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns
from textwrap import dedent

from support.places import CHECKOUT

PENDULUM = """
format: 1
name: two_joints
links:
  ground:
  upper: {mass: 1.0, com: [0, 0.1, -0.4], inertia: {xx: 0.06, yy: 0.055, zz: 0.012, xy: 0.002}}
  lower: {mass: 0.6, com: [0.05, 0, -0.3], inertia: {xx: 0.02, yy: 0.02, zz: 0.003}}
joints:
  shoulder: {type: revolute, parent: ground, child: upper, axis: [0, 1, 0]}
  elbow: {type: revolute, parent: upper, child: lower, translation: [0, 0, -0.8], axis: [0, 1, 0]}
"""

PRELUDE = """
from pathlib import Path
import symdyn
from symdyn import api
from symdyn.api import float_recursion, programs, sources
assert Path(symdyn.__file__).is_relative_to({package!r}), symdyn.__file__
PENDULUM = {robot!r}

def loads(text):
    return api.loads(text, 'yaml')

def near(found, wanted):
    found, wanted = list(found), list(wanted)
    assert len(found) == len(wanted), (found, wanted)
    assert all(abs(x - y) <= 1e-12 * (1.0 + abs(y)) for x, y in zip(found, wanted)), (found, wanted)
"""


class Trial:
    """A copy of the package as it is installed, and the files that an addition touches there."""

    def __init__(self, made: Path) -> None:
        self.package = made / "symdyn"
        self.touched: set[str] = set()
        for source, target in (("symdyn", self.package), ("cli", self.package / "cli")):
            copytree(CHECKOUT / source, target, ignore=ignore_patterns("__pycache__"))
        copytree(CHECKOUT / "templates", self.package / "templates", ignore=ignore_patterns("__pycache__"))

    def add(self, path: str, text: str) -> None:
        """A new file."""
        assert not (self.package / path).exists()
        (self.package / path).write_text(dedent(text).lstrip(), encoding="utf-8")
        self.touched.add(path)

    def change(self, path: str, old: str, new: str) -> None:
        """Other text in place of the first that is ``old``."""
        text = (self.package / path).read_text(encoding="utf-8")
        assert old in text, f"{path} lacks {old!r}"
        (self.package / path).write_text(text.replace(old, new, 1), encoding="utf-8")
        self.touched.add(path)

    def put(self, path: str, anchor: str, text: str) -> None:
        """Text before the first ``anchor``."""
        text = dedent(text).lstrip("\n") if text.startswith("\n") else text
        self.change(path, anchor, text + anchor)

    def run(self, code: str) -> None:
        """Run code that uses the addition."""
        prelude = PRELUDE.format(package=str(self.package), robot=PENDULUM)
        environment = {**os.environ, "PYTHONPATH": str(self.package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", prelude + dedent(code)]
        done = subprocess.run(
            command, cwd=self.package.parent, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr[-3000:]
