"""The recipe for conda-forge says what pyproject.toml says."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from ruamel.yaml import YAML

from symdyn.interface.version import VERSION

_ROOT = Path(__file__).resolve().parents[2]
_ORDER = ("schema_version", "context", "package", "source", "build", "requirements", "tests", "about")


@pytest.fixture(scope="module")
def recipe() -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe").load(_ROOT / "recipe/recipe.yaml")
    return found


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _bounds(texts: list[str]) -> dict[str, str]:
    """Bounds by name; a marker is left out, because a package for all systems has no conditions."""
    found = [Requirement(text) for text in texts]
    assert len({own.name for own in found}) == len(found)
    return {own.name.lower(): str(own.specifier) for own in found}


def test_dependencies_and_bounds_are_those_of_the_wheel(recipe: dict[str, Any], project: dict[str, Any]) -> None:
    python, *others = recipe["requirements"]["run"]
    assert python == "python >=${{ python_min }}"
    assert project["project"]["requires-python"] == f">={recipe['context']['python_min']}"
    assert _bounds(others) == _bounds(project["project"]["dependencies"])


def test_build_requirements_are_those_of_the_wheel(recipe: dict[str, Any], project: dict[str, Any]) -> None:
    python, pip, *others = recipe["requirements"]["host"]
    assert (python, pip) == ("python ${{ python_min }}.*", "pip")
    assert _bounds(others) == _bounds(project["build-system"]["requires"])


def test_name_version_command_and_licence_are_those_of_the_project(
    recipe: dict[str, Any], project: dict[str, Any]
) -> None:
    own = project["project"]
    assert recipe["context"]["name"] == own["name"]
    assert recipe["context"]["version"] == own["version"] == VERSION
    scripts = [f"{name} = {place}" for name, place in own["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts
    assert recipe["about"]["summary"] == own["description"]
    assert recipe["about"]["license"] == own["license"]
    assert [recipe["about"]["license_file"]] == own["license-files"]


def test_sections_have_the_order_that_conda_forge_asks_for(recipe: dict[str, Any]) -> None:
    assert tuple(recipe) == _ORDER
