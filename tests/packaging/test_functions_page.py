"""The pages of functions are what their script writes now, and C prototypes are those of the generated header."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

import symdyn
from symdyn import api
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request

DOCS = Path(__file__).resolve().parents[2] / "docs"


def script() -> Any:
    """The script that writes the pages; what it imports lies beside it."""
    spec = importlib.util.spec_from_file_location("functions_page", DOCS / "functions.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.append(str(DOCS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DOCS))
    return module


SCRIPT = script()
PAGES = SCRIPT.pages()


def test_the_pages_are_up_to_date() -> None:
    kept = {own.relative_to(DOCS).as_posix(): own.read_text(encoding="utf-8") for own in DOCS.glob("functions/*.md")}
    kept["functions.md"] = (DOCS / "functions.md").read_text(encoding="utf-8")
    assert kept == PAGES, "write them anew with: python docs/functions.py"


def test_every_function_has_a_section_and_a_link_to_it() -> None:
    place = {
        line[3:]: name
        for name, text in PAGES.items()
        if name != "functions.md"
        for line in text.splitlines()
        if line.startswith("## ")
    }
    assert sorted(place) == sorted(CATALOGUE)
    assert [name for name in CATALOGUE if f"[`{name}`]({place[name]}#{name})" not in PAGES["functions.md"]] == []


def test_a_function_of_no_family_is_refused() -> None:
    with pytest.raises(ValueError, match="'juggling' belongs to no family"):
        SCRIPT.functions_of(["inverse_dynamics", "juggling"])


@pytest.mark.parametrize("function", ["inverse_dynamics", "center_of_mass_velocity", "forward_kinematics"])
def test_prototypes_are_the_headers(function: str) -> None:
    robot = symdyn.load_example(SCRIPT.ROBOT)
    files = {file.path: file.text for file in api.sources(robot, [function], layout="rolled")}
    signature = CATALOGUE[function].signature(robot.model, Request())
    declared = "".join(" ".join(SCRIPT.prototype(signature)).split())
    assert declared in "".join(files[f"{SCRIPT.ROBOT}.h"].split())
