"""Examples without an optional package: a line says so, what they print elsewhere follows, and they exit by 0."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HIDING = """
import importlib.machinery as machinery

found = machinery.PathFinder.find_spec
hidden = {"scipy", "sksundae", "matplotlib", "mujoco", "jax", "fmpy", "acados_template"}
machinery.PathFinder.find_spec = staticmethod(
    lambda name, *given: None if name.partition(".")[0] in hidden else found(name, *given)
)
"""
SLOW = ("papers/", "ground/", "fmu_", "acados_")
"""They read robots, or write C, before they ask for a package."""


def _asking() -> list[str]:
    files = sorted(EXAMPLES.glob("**/*.py"))
    asking = [own for own in files if re.search(r"\bneeds\(__file__|^from runs import", own.read_text(), re.M)]
    return [own.relative_to(EXAMPLES).as_posix() for own in asking]


CASES = [pytest.param(own, marks=[pytest.mark.slow] if own.startswith(SLOW) else []) for own in _asking()]


@pytest.mark.parametrize("example", CASES)
def test_it_says_what_is_missing_and_what_it_would_print(example: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    env["PYTHONPATH"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, EXAMPLES / example], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    printed = EXAMPLES / "printed" / f"{example.removesuffix('.py').replace('/', '_')}.txt"
    said, _, shown = done.stdout.partition("on a machine that has it, it printed:\n\n")
    line = said.splitlines()[-1]
    assert re.fullmatch(r"this example needs \w+(, \w+)*, which is not installed: pip install .+", line)
    assert shown == (printed.read_text(encoding="utf-8") if printed.is_file() else "")
    assert shown or example == "papers/fin_ray_finger.py"  # it takes a quarter of an hour


def test_examples_that_import_optional_packages_ask_for_them_first() -> None:
    """scipy and others are imported at the top only of examples that ask before; notebooks come with their extra."""
    for file in sorted(set(EXAMPLES.glob("**/*.py")) - set(EXAMPLES.glob("notebooks/*"))):
        text = file.read_text()
        at = re.search(r"^(from|import) (scipy|matplotlib|mujoco|jax|fmpy|sksundae|cvxpy)\b", text, re.M)
        if at:
            assert "needs(__file__" in text[: at.start()], file.name
