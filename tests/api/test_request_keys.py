"""All that decides what is generated is part of the address under which it is found again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import symdyn
from symdyn.generation import pipeline
from symdyn.interface import package_digest
from symdyn.interface.distribution import listed_versions
from symdyn.interface.options import GenerateOptions
from symdyn.toolchain import remembered

pytestmark = pytest.mark.unit

TEXT = """
name: arm
gravity: [0, 0, -9.81]
links:
  base:
  arm: {mass: 1.5, com: [0.1, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  hand: {mass: 0.5}
joints:
  slide: {type: prismatic, parent: arm, child: hand, axis: [1, 0, 0]}
  turn: {type: revolute, parent: base, child: arm, axis: [0, 0, 1], losses: {damping: 0.1}}
"""
OPTIONS = GenerateOptions.checked(["inverse_dynamics"])
OTHERS: dict[str, Any] = {
    "functions": ("inverse_dynamics", "gravity"),
    "target": "python",
    "layout": "rolled",
    "dtype": "float32",
    "order": 2,
    "steppers": ("rk4",),
    "solvers": ("statics",),
    "stabilisation": 0.5,
}
"""Other values of options than the default; options that are not here take a text or a list of texts."""


def address(text: str = TEXT, options: GenerateOptions = OPTIONS, lanes: bool = True, **load: Any) -> str:
    robot = symdyn.loads(text, format="yaml", **{"joint_losses": True, **load})
    return remembered.address(pipeline._asked(robot, options, lanes))


@pytest.fixture(scope="module")
def usual() -> str:
    return address()


def test_the_same_is_found_again(usual: str) -> None:
    assert address() == usual


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: arm", "name: leg"),
        ("mass: 1.5", "mass: 1.5000000000000002"),
        ("com: [0.1, 0, 0]", "com: [0.1, 0, 1e-300]"),
        ("axis: [0, 0, 1]", "axis: [0, 1, 0]"),
        ("revolute", "prismatic"),
        ("damping: 0.1", "damping: 0.2"),
        ("  turn:", "  bend:"),
        ("base", "root_link"),
    ],
)
def test_the_description_counts(usual: str, old: str, new: str) -> None:
    assert old in TEXT
    assert address(TEXT.replace(old, new)) != usual


@pytest.mark.filterwarnings("ignore:.* are left out of tau")
@pytest.mark.parametrize(
    "load",
    [
        {"gravity": (0.0, 0.0, -1.0)},
        {"runtime": ["arm.mass"]},
        {"joint_losses": False},
        {"convention": "spatial"},
        {"floating_base": True},
        {"locked_joints": {"turn": 0.25}},
    ],
)
def test_what_load_was_told_counts(usual: str, load: dict[str, Any]) -> None:
    assert address(**load) != usual


@pytest.mark.parametrize("name", [item.name for item in fields(GenerateOptions)])
def test_every_option_counts(usual: str, name: str) -> None:
    other = OTHERS.get(name, ("a",))
    assert address(options=replace(OPTIONS, **{name: other})) != usual


def test_lanes_count(usual: str) -> None:
    assert address(lanes=False) != usual


@pytest.mark.parametrize("package", remembered._SHAPING)
def test_versions_count(usual: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**listed_versions(), package.replace(".", "-"): "0.0.0"}
    assert _afresh(monkeypatch, lambda: monkeypatch.setattr(remembered, "listed_versions", lambda: other)) != usual


def test_python_counts(usual: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _afresh(monkeypatch, lambda: monkeypatch.setattr(remembered.sys, "version", "9.9")) != usual


@pytest.mark.parametrize("stamp", ["", "of other files"])
def test_the_text_of_symdyn_counts(usual: str, stamp: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where clocks and sizes of its files are unknown, or are others than those of which the digest is kept."""

    def change() -> None:
        monkeypatch.setattr(package_digest, "stamp", lambda: stamp)
        monkeypatch.setattr(package_digest, "digest", lambda: "another")

    monkeypatch.setattr(remembered, "remember_bytes", lambda *_: None)
    assert _afresh(monkeypatch, change) != usual


def test_the_digest_is_kept_by_clocks_and_sizes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SYMDYN_CACHE_DIR", str(tmp_path))
    kept = remembered._digest()
    monkeypatch.setattr(package_digest, "digest", lambda: "another")
    assert remembered._digest() == kept
    monkeypatch.setattr(package_digest, "stamp", lambda: "of other files")
    assert remembered._digest() == "another"


def _afresh(monkeypatch: pytest.MonkeyPatch, change: Callable[[], None]) -> str:
    """The address with something changed that is looked up once in a process."""
    change()
    monkeypatch.setattr(remembered, "_this_symdyn", remembered._this_symdyn.__wrapped__)
    return address()
