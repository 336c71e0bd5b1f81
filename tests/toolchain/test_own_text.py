"""The hash of symdyn's own files: of their names and contents, and of a state that is known."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from symdyn.errors import ToolchainError
from symdyn.interface import package_digest

pytestmark = pytest.mark.unit


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stands for symdyn's folder."""
    folder = tmp_path / "symdyn"
    (folder / "room").mkdir(parents=True)
    (folder / "room" / "code.py").write_text("x = 1\n")
    (folder / "robot.yaml").write_text("name: a\n")
    monkeypatch.setattr(package_digest, "_files", lambda: package_digest._below(str(folder), "symdyn"))
    monkeypatch.setattr(package_digest, "_STARTED", float("inf"))
    package_digest.digest.cache_clear()
    yield folder
    package_digest.digest.cache_clear()


def now() -> str:
    package_digest.digest.cache_clear()
    return package_digest.digest()


def edit_and_keep_the_time(folder: Path) -> None:
    file = folder / "room" / "code.py"
    before = file.stat()
    file.write_text("x = 2\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "an edit of the same size and time": edit_and_keep_the_time,
    "another name": lambda folder: (folder / "room" / "code.py").rename(folder / "room" / "other.py"),
    "another folder": lambda folder: (folder / "room").rename(folder / "hall"),
    "a file more": lambda folder: (folder / "room" / "more.jinja").write_text(""),
    "a file less": lambda folder: (folder / "robot.yaml").unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_another_text(package: Path, change: str) -> None:
    before = now()
    assert now() == before
    CHANGES[change](package)
    assert now() != before


@pytest.mark.parametrize("change", CHANGES)
def test_a_folder_that_was_listed_before_is_listed_again_where_it_changed(package: Path, change: str) -> None:
    for path in (package, package / "room"):
        while path.stat().st_ctime > time.time() - 2 * package_digest._LAG:
            time.sleep(package_digest._LAG)
    before = list(package_digest._files())
    assert package_digest._LISTED[str(package), "symdyn"][1] == [("symdyn/robot.yaml", str(package / "robot.yaml"))]
    CHANGES[change](package)
    present = {path for path in package.rglob("*") if path.is_file()}
    assert {Path(path) for _, path in package_digest._files()} == present
    assert (set(package_digest._files()) == set(before)) == change.startswith("an edit")


def test_what_python_leaves_there_is_no_text(package: Path) -> None:
    before = now()
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "code.py").write_text("")
    (package / "notes.txt").write_text("")
    assert now() == before


def test_a_text_that_changes_under_a_process_is_nobodys(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not package_digest.changed()
    known = now()
    monkeypatch.setattr(package_digest, "_STARTED", 0.0)
    assert package_digest.changed()
    assert len({known, now(), now()}) == 3


@pytest.mark.usefixtures("package")
def test_code_that_was_loaded_and_is_gone_counts_as_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("symdyn.passing")
    module.__file__ = str(tmp_path / "passing.py")
    (tmp_path / "passing.py").write_text("")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert not package_digest.changed()
    (tmp_path / "passing.py").unlink()
    assert package_digest.changed()


def test_the_time_is_noted_before_anything_else_is_imported() -> None:
    script = "import sys, symdyn; print(*(name for name in sys.modules if name.startswith('symdyn.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split()[:2] == ["symdyn.interface", "symdyn.interface.package_digest"]


def test_the_files_are_those_of_the_package() -> None:
    names = {name for name, _ in package_digest._files()}
    assert {
        "symdyn/interface/package_digest.py",
        "symdyn/robot/shipped/pendulum.yaml",
        "symdyn/compiler/tape/tape.py",
    } <= names
    assert any(name.startswith("symdyn") and name.endswith(".c.jinja") for name in names)


def test_sources_without_their_templates_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python in a checkout finds ``symdyn/`` before the package that is installed, and its templates lie elsewhere."""
    monkeypatch.setattr(package_digest, "_PACKAGES", ("symdyn.no_such_room",))
    with pytest.raises(ToolchainError, match="start it in another folder, or install them by pip install -e"):
        list(package_digest._files())
