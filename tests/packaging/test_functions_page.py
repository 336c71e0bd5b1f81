"""The pages of functions are what their script writes now, and C prototypes are those of the generated header."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.imports import import_file

import symdyn
from symdyn import api
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCRIPT = import_file(DOCS / "functions.py", "functions_page", beside=True)
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
