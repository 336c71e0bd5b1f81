"""The page of functions is what its script writes now, and its C prototypes are those of the generated header."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import symdyn
from symdyn import api
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request

DOCS = Path(__file__).resolve().parents[2] / "docs"


def script() -> Any:
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("functions_page", DOCS / "functions.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = script()


def test_the_page_is_up_to_date() -> None:
    kept = (DOCS / "functions.md").read_text(encoding="utf-8")
    assert kept == SCRIPT.page(), "write it anew with: python docs/functions.py"


def test_every_function_has_a_section() -> None:
    sections = [line[3:] for line in SCRIPT.page().splitlines() if line.startswith("## ")]
    assert sections == list(CATALOGUE)


@pytest.mark.parametrize("function", ["inverse_dynamics", "center_of_mass_velocity", "forward_kinematics"])
def test_prototypes_are_the_headers(function: str) -> None:
    robot = symdyn.load_example(SCRIPT.ROBOT)
    files = {file.path: file.text for file in api.sources(robot, [function], layout="rolled")}
    signature = CATALOGUE[function].signature(robot.model, Request())
    declared = "".join(" ".join(SCRIPT.prototype(signature)).split())
    assert declared in "".join(files[f"{SCRIPT.ROBOT}.h"].split())
