"""The wheel holds every module, template and shipped robot, under one top-level name."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = {"symdyn": "symdyn", "cli": "symdyn/cli", "templates": "symdyn/templates"}
KEPT = {".py", ".yaml", ".jinja", ".typed"}


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names inside a wheel built from a copy of the checkout."""
    copy = tmp_path_factory.mktemp("source") / "symdyn"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, copy)
    for name in SOURCES:
        shutil.copytree(CHECKOUT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = "import setuptools.build_meta as backend; backend.build_wheel('dist')"
    done = subprocess.run([sys.executable, "-c", build], cwd=copy, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (wheel,) = (copy / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_nothing_is_missing_or_added(wheel_names: set[str]) -> None:
    expected = {
        f"{target}/{path.relative_to(CHECKOUT / source).as_posix()}"
        for source, target in SOURCES.items()
        for path in (CHECKOUT / source).rglob("*")
        if path.suffix in KEPT and "__pycache__" not in path.parts
    }
    assert {name for name in wheel_names if ".dist-info/" not in name} == expected


def test_one_top_level_name(wheel_names: set[str]) -> None:
    roots = {name.split("/")[0] for name in wheel_names}
    assert {root for root in roots if not root.endswith(".dist-info")} == {"symdyn"}


def test_licence_and_type_marker_travel_along(wheel_names: set[str]) -> None:
    assert "symdyn/py.typed" in wheel_names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in wheel_names)
