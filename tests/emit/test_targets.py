"""Every target tells truly of itself: what it writes, which names it takes, how it may be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.resources import files

import pytest

import symdyn
from symdyn.compiler.emit.names import WORDS
from symdyn.errors import InternalError, RequestError
from symdyn.generation import pipeline
from symdyn.interface import targets
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.interface.options import GenerateOptions
from symdyn.interface.targets import COMMON, PYTHON, TARGETS, Target


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_what_a_target_names_is_there(target: Target) -> None:
    assert all(callable(import_module(f"symdyn.compiler.emit.{name}").emit) for name in target.back_ends)
    assert all(files("symdyn.templates").joinpath(page).is_file() for page in target.pages)
    assert target.words <= WORDS and set(target.layouts) <= set(targets.LAYOUTS)


@pytest.mark.parametrize("name", TARGETS)
def test_a_folder_holds_what_its_target_tells_of(name: str) -> None:
    target, robot = TARGETS[name], symdyn.load_example("pendulum")
    made = {file.path: file.text for file in pipeline.sources(robot, ["gravity"], target=name)}
    manifest = Manifest.from_json(made.pop(FILE_NAME))
    assert made.keys() == manifest.files.keys()
    own = made.keys() - set(COMMON)
    assert own and all(target.may_write(path, "pendulum") for path in own)
    assert not any(target.may_write(path, "rod") for path in own - set(target.files))
    assert f"arrays are {target.arrays}." in made["README.md"]
    assert f"({target.title})" in made["README.md"] and bool(manifest.sources) is target.is_compiled


def test_names_of_files_are_the_robots_own() -> None:
    assert PYTHON.may_write("python/arm.py", "arm") and PYTHON.may_write("python/arm_2.pyi", "arm")
    refused = (
        "arm.py",
        "python/army.py",
        "python/arm.pyc",
        "python/arm_é.py",
        "python/arm_\n.py",
        "../arm.py",
        "arm.c",
    )
    assert not any(PYTHON.may_write(path, "arm") for path in refused)


def with_target(monkeypatch: pytest.MonkeyPatch, target: Target) -> None:
    monkeypatch.setattr(targets, "TARGETS", {**TARGETS, target.name: target})


def test_functions_beside_those_that_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def partials(options: GenerateOptions) -> Sequence[str]:
        return [f"{name}_partials" for name in options.functions if name == "inverse_dynamics"]

    with_target(monkeypatch, replace(PYTHON, beside=partials))
    made = pipeline.sources(symdyn.load_example("pendulum"), ["inverse_dynamics", "gravity"], target="python")
    manifest = Manifest.from_json(next(file.text for file in made if file.path == FILE_NAME))
    names = [entry.python_name for entry in manifest.functions]
    assert names == ["inverse_dynamics", "gravity", "inverse_dynamics_partials"]
    assert manifest.asked["functions"] == ["inverse_dynamics", "gravity"]


def test_layouts_that_a_target_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    with_target(monkeypatch, replace(PYTHON, layouts=("auto", "unrolled")))
    with pytest.raises(RequestError, match="layout 'rolled' is not there for target 'python'; choose one of auto, unr"):
        pipeline.sources(symdyn.load_example("pendulum"), ["gravity"], target="python", layout="rolled")


def test_files_that_a_target_does_not_tell_of(monkeypatch: pytest.MonkeyPatch) -> None:
    with_target(monkeypatch, replace(PYTHON, files=("python/*.py",)))
    with pytest.raises(InternalError, match="target 'python' does not tell of its file"):
        pipeline.sources(symdyn.load_example("pendulum"), ["gravity"], target="python")
