"""Models of robots that deform are recalled from the cache: as they were built, and without SymPy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import sys, symdyn
robot = symdyn.load_example({name!r})
loaded = "sympy" in sys.modules
from symdyn.robot.built_model import built_model
settled, model = built_model(robot.description, robot.options)
assert (settled, model) == (robot.description, robot.model)
gravity = symdyn.load_example({name!r}, gravity=[0, 0, -1.62])
assert gravity.model != robot.model
print(loaded)
"""


@pytest.mark.parametrize(
    "name", ["soft_serial_robot", *(pytest.param(name, marks=pytest.mark.slow) for name in ("canadarm", "bulging_arm"))]
)
def test_a_second_process_loads_without_sympy(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "SYMDYN_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-W", "ignore", "-c", CODE.format(name=name)]
    said = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120).stdout.strip()
        for _ in range(2)
    ]
    assert said == ["True", "False"]
