"""What was generated before is found again, and nothing else in its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import SymdynWarning
from symdyn.generation import pipeline
from symdyn.interface import package_digest
from symdyn.interface.options import GenerateOptions
from symdyn.toolchain import cache, remembered
from symdyn.warning import warn


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    monkeypatch.setattr(
        package_digest, "changed", lambda: False
    )  # whoever edits symdyn meanwhile tests it all the same
    yield folder


def _refuse(*_: object) -> tuple[SourceFile, ...]:
    raise AssertionError("generated again")


def _gravity(robot: symdyn.Robot, **asked: str) -> float:
    return float(symdyn.compile(robot, ["gravity"], lanes=False, **asked).gravity(np.array([0.3]))[0])


@pytest.mark.needs_cc
def test_the_same_request_is_not_generated_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = symdyn.load_example("pendulum")
    first = _gravity(robot)
    monkeypatch.setattr(pipeline, "generated", _refuse)
    assert _gravity(symdyn.load_example("pendulum")) == first


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("options", "asked"), [({"gravity": (0.0, 0.0, -1.0)}, {}), ({}, {"layout": "rolled"}), ({}, {"dtype": "float32"})]
)
def test_another_request_is_generated(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, tuple[float, ...]], asked: dict[str, str]
) -> None:
    _gravity(symdyn.load_example("pendulum"))
    monkeypatch.setattr(pipeline, "generated", _refuse)
    with pytest.raises(AssertionError, match="generated again"):
        _gravity(symdyn.load_example("pendulum", **options), **asked)


@pytest.mark.unit
def test_another_symdyn_has_other_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    before = remembered.address(["a"])
    monkeypatch.setattr(remembered, "_this_symdyn", lambda: ("another",))
    assert remembered.address(["a"]) != before


@pytest.mark.unit
@pytest.mark.parametrize("damage", [b"", b"nothing of ours", b"\xff\xfe", None])
def test_damaged_files_count_as_absent(own_cache: Path, damage: bytes | None) -> None:
    sources = (SourceFile("a.c", "int a;\n"), SourceFile("b/c.h", "\u00fc"))
    address = remembered.address(["request"])
    assert remembered.recall(address) is None
    remembered.remember(address, sources)
    assert remembered.recall(address) == sources
    file = own_cache / "sources" / address
    file.write_bytes(file.read_bytes()[:-1] if damage is None else damage)
    assert remembered.recall(address) is None
    remembered.remember(address, sources)
    assert remembered.recall(address) == sources
    assert [path.name for path in file.parent.iterdir()] == [address]


@pytest.mark.unit
def test_what_cannot_be_kept_leaves_nothing(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", refuse)
    remembered.remember(remembered.address(["request"]), ())
    assert list((own_cache / "sources").iterdir()) == []


@pytest.mark.unit
def test_what_came_with_a_warning_comes_with_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(*_: object) -> tuple[SourceFile, ...]:
        warn("that is odd")
        return ()

    monkeypatch.setattr(pipeline, "generated", odd)
    robot, options = symdyn.load_example("pendulum"), GenerateOptions.checked(["gravity"], target="python")
    for _ in range(2):
        with pytest.warns(SymdynWarning, match="that is odd"):
            pipeline._to_build(robot, options, lanes=False)
