"""The pages of the Python names and of the command line are what their script writes now, and leave nothing out."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from support.imports import import_file
from typer.main import get_command

import symdyn
from symdyn.cli.verbs import VERBS, app

pytestmark = pytest.mark.unit
DOCS = Path(__file__).resolve().parents[2] / "docs"
SCRIPT = import_file(DOCS / "reference.py", "reference_pages", beside=True)
PYTHON, COMMANDS = SCRIPT.python_page(), SCRIPT.command_page()
HEADS = re.findall(r"^###+ (.+)$", PYTHON, re.MULTILINE)


@pytest.mark.parametrize(
    ("page", "text"),
    [("python-api.md", PYTHON), ("command-line.md", COMMANDS), ("formats-and-targets.md", SCRIPT.targets_page())],
)
def test_the_pages_are_up_to_date(page: str, text: str) -> None:
    assert (DOCS / page).read_text(encoding="utf-8") == text, "write it anew with: python docs/reference.py"


def test_every_public_name_has_an_entry_with_a_sentence() -> None:
    names = [name for name in symdyn.__all__ if not name.startswith("__")]
    missing = [name for name in names if not any(head.endswith(f".{name}") for head in HEADS)]
    bare = [
        head
        for head, text in zip(HEADS, re.split(r"^###+ .+$", PYTHON, flags=re.MULTILINE)[1:], strict=True)
        if not re.search(r"^[A-Z].*\w", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    ]
    assert (missing, bare) == ([], [])


@pytest.mark.parametrize("kind", [symdyn.Robot, symdyn.Trajectory])
def test_every_public_member_has_an_entry(kind: type) -> None:
    members = [name for name in vars(kind) if not name.startswith("_")]
    told = [item.name for item in fields(kind)] if is_dataclass(kind) else []
    entries = {head.rpartition(".")[2] for head in HEADS if head.startswith(f"{kind.__name__}.")}
    assert set(members) - set(told) <= entries
    listed = re.findall(r"^\w+(?:, \w+)*$", inspect.getdoc(kind) or "", re.MULTILINE)
    assert set(told) <= {name for line in listed for name in line.split(", ")}


def test_every_option_that_the_help_shows_is_on_the_page() -> None:
    group = get_command(app)
    sections = dict(re.findall(r"^## symdyn (\S+)\n(.*?)(?=^## )", COMMANDS, re.MULTILINE | re.DOTALL))
    loading = COMMANDS.partition("## Loading a robot")[2]
    assert list(sections) == list(VERBS)
    for verb, command in group.commands.items():  # type: ignore[attr-defined]
        own_text, _, said = sections[verb].partition("And the options of")
        flags = {flag for own in command.params for flag in (*own.opts, *own.secondary_opts) if flag.startswith("-")}
        shown = _flags(own_text) | (_flags(loading) - _with_opposites(_flags(said)) if said else set())
        assert flags - {"--quiet"} == shown, verb  # told once, above all commands


def _flags(text: str) -> set[str]:
    return set(re.findall(r"`(-[\w-]+)`", text))


def _with_opposites(flags: set[str]) -> set[str]:
    opposites = {"--floating-base": "--fixed-base", "--joint-losses": "--no-joint-losses"}
    return flags | {opposites[flag] for flag in flags if flag in opposites}
