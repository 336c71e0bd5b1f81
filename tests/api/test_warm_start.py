"""A new process that asks for what was made before loads neither what reads robots nor what generates code."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import symdyn
from symdyn.description.read import read_robot
from symdyn.robot import reading
from symdyn.robot.shipped.catalogue import SHIPPED, example_path
from symdyn.toolchain import cache

HEAVY = (
    "casadi", "sympy", "jinja2", "pydantic", "ruamel.yaml", "lxml", "mpmath",
    "symdyn.tracing.layout", "symdyn.compiler.passes.pipeline", "symdyn.functions.catalogue",
    "symdyn.compiler.emit.module", "symdyn.model.model", "symdyn.description.robot", "symdyn.toolchain.run_commands",
)  # fmt: skip
SCRIPT = """
import json, sys, numpy, symdyn
robot = symdyn.load_example("pendulum")
module = symdyn.compile(robot, ["gravity"], target=sys.argv[1], lanes=False)
found = [name for name in sys.argv[2:] if name in sys.modules]
print(json.dumps([module.gravity([0.3]).tolist(), found]))
"""


def _in_a_new_process(target: str, folder: Path) -> tuple[list[float], list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, target, *HEAVY],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, cache.VARIABLE: str(folder)},
    )
    values, loaded = json.loads(done.stdout)
    return values, loaded


@pytest.mark.needs_cc
@pytest.mark.parametrize("target", ["c", "python"])
def test_what_is_in_the_cache_is_neither_read_nor_traced(tmp_path: Path, target: str) -> None:
    folder = tmp_path / "cache"
    first, loaded = _in_a_new_process(target, folder)
    assert {"casadi", "jinja2", "pydantic"} <= set(loaded)
    again, loaded = _in_a_new_process(target, folder)
    assert (again, loaded) == (first, [])


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(
        "symdyn.interface.package_digest.changed", lambda: False
    )  # whoever edits symdyn meanwhile tests it all the same
    return tmp_path / "cache"


def test_a_robot_is_read_once(own_cache: Path) -> None:
    with example_path("pendulum") as path:
        description = read_robot(path)
    calls = []

    def read() -> symdyn.Robot:
        calls.append(1)
        return description  # type: ignore[return-value]

    for said, read_so_often in (((b"a", b""), 1), ((b"a", b""), 1), ((b"b", b""), 2), ((b"", b"a"), 3)):
        assert reading.recalled(said, read) == description  # type: ignore[arg-type]
        assert len(calls) == read_so_often
    for file in (own_cache / "robots").iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    assert reading.recalled((b"a", b""), read) == description  # type: ignore[arg-type]
    assert len(calls) == 4


@pytest.mark.parametrize("name", [name for name in SHIPPED if name != "aerial_tree"])
def test_descriptions_come_back_as_they_were(name: str) -> None:
    with example_path(name) as path:
        description = read_robot(path)
    assert pickle.loads(pickle.dumps(description)) == description


def test_a_cache_that_cannot_be_used_is_not_missed(own_cache: Path) -> None:
    own_cache.mkdir(mode=0o700)
    own_cache.chmod(0o777)
    with example_path("pendulum") as path:
        description = read_robot(path)
    assert reading.recalled((b"a",), lambda: description) == description
    assert list(own_cache.iterdir()) == []
