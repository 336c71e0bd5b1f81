"""What ``import symdyn`` and ``symdyn --help`` may load: heavy packages only when they are used."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import symdyn

HEAVY = (
    *("casadi", "sympy", "mpmath", "lxml", "pydantic_xml", "jinja2", "matplotlib", "jax", "rich.markdown"),
    *("scipy", "trimesh", "PIL", "symdyn.analysis.view.notebook", "symdyn.compiler.emit.c"),
)
OPTIONAL = (
    *("scipy", "sksundae", "matplotlib", "trimesh", "collada", "imageio_ffmpeg", "PIL"),
    *("mujoco", "xacro", "cvxpy", "jax", "torch", "fmpy"),
)
"""What extras of pyproject.toml bring. They are loaded where they are called, which says how to install them."""
LOADED = f"import sys; print([name for name in {HEAVY!r} if name in sys.modules])"


def loaded_by(statement: str) -> str:
    """The heavy packages that a statement loads in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"{statement}; {LOADED}"], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("statement", ["import symdyn", "import symdyn.cli.main", "import symdyn.toolchain.opened"])
def test_importing_loads_nothing_heavy(statement: str) -> None:
    assert loaded_by(statement) == "[]"


def test_no_module_loads_an_optional_package_when_imported() -> None:
    package = Path(symdyn.__file__).parent
    heads = re.compile(rf"^(?:import|from) (?:{'|'.join(OPTIONAL)})\b", re.MULTILINE)
    found = [
        file.relative_to(package).as_posix() for file in package.rglob("*.py") if heads.search(file.read_text("utf-8"))
    ]
    assert found == []


def test_help_loads_nothing_heavy() -> None:
    assert loaded_by("from symdyn.cli.main import main; assert main(['generate', '--help']) == 0") == "[]"
