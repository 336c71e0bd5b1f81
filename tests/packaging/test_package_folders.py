"""The package list of pyproject.toml is a table of contents: it must name what is on disk, no more and no less."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
SETUPTOOLS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]


def folder_of(package: str) -> Path:
    """Where a package of the list lies in the checkout."""
    table = SETUPTOOLS["package-dir"]
    return CHECKOUT / (table[package] if package in table else package.replace(".", "/"))


def test_every_room_is_in_the_list() -> None:
    rooms = {"symdyn"} | {
        f"symdyn.{path.parent.relative_to(CHECKOUT / 'symdyn').as_posix().replace('/', '.')}"
        for path in (CHECKOUT / "symdyn").rglob("*.py")
        if path.parent != CHECKOUT / "symdyn" and "__pycache__" not in path.parts
    }
    assert rooms | {"symdyn.cli", "symdyn.templates"} == set(SETUPTOOLS["packages"])


@pytest.mark.parametrize("package", SETUPTOOLS["packages"])
def test_every_listed_package_says_what_it_is(package: str) -> None:
    first = (folder_of(package) / "__init__.py").read_text(encoding="utf-8").lstrip()
    assert first.startswith('"""') and not first.startswith('""""""')


@pytest.mark.parametrize("name", ["cli", "templates", "generated", "tests"])
def test_folders_beside_the_package_do_not_stand_inside_it(name: str) -> None:
    # A folder symdyn/cli would hide the real one in an editable install and double it in a wheel.
    assert not (CHECKOUT / "symdyn" / name).exists()


def test_tests_are_no_packages_and_their_names_are_unique() -> None:
    # With importlib's import mode two files of one name in two folders would be reported as one.
    tests = CHECKOUT / "tests"
    helpers = [path.parent for path in (tests / "support").rglob("*.py")]
    assert {path.parent for path in tests.rglob("__init__.py")} == set(helpers)
    assert list((tests / "support").rglob("test_*.py")) == []
    names = [path.name for path in tests.rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("path", ["symdyn/**/*.py", "cli/**/*.py", "templates/**/*.jinja"])
def test_files_stay_short(path: str) -> None:
    long = [
        f"{file.relative_to(CHECKOUT)}: {count} lines"
        for file in sorted(CHECKOUT.glob(path))
        if (count := len(file.read_text(encoding="utf-8").splitlines())) > 600
    ]
    assert long == []
