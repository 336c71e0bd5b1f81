"""Another project owns our import name on the package index: ours is installed under a name of its own."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import symdyn
from symdyn.interface import distribution as distribution_room
from symdyn.interface.distribution import DISTRIBUTION, broken_install, foreign_namesake, installing

CHECKOUT = Path(__file__).resolve().parents[2]
TEXTS = ("**/*.md", "symdyn/**/*.py", "cli/**/*.py", "templates/**/*.jinja", ".ci/run", "benchmarks/**/*.py")
SUMMARY = "Computer algebra for quantum systems"


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    for answer in (foreign_namesake, distribution_room.listed_versions):
        answer.cache_clear()
    yield
    for answer in (foreign_namesake, distribution_room.listed_versions):
        answer.cache_clear()


def install(folder: Path, name: str, files: dict[str, str], command: str = "", summary: str = SUMMARY) -> None:
    """What pip leaves behind in site-packages."""
    info = folder / f"{name.replace('-', '_')}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: 0.1.0\nSummary: {summary}\n")
    if command:
        (info / "entry_points.txt").write_text(f"[console_scripts]\nsymdyn = {command}\n")
    rows = []
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(text)}\n")
    (info / "RECORD").write_text("".join(rows))


def test_the_distribution_has_a_name_of_its_own() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION == "symdyn-codegen"
    assert project["scripts"] == {"symdyn": "symdyn.cli.main:main"}
    extras = [entry for extra in project["optional-dependencies"].values() for entry in extra]
    assert [entry for entry in extras if entry.startswith("symdyn")] == [f"{DISTRIBUTION}[peers]"]


def test_no_text_installs_what_the_index_calls_symdyn() -> None:
    files = {path for pattern in TEXTS for path in CHECKOUT.glob(pattern)}
    assert len(files) > 100
    named = re.compile(r"symdyn\[[a-z,]+\]|pip install symdyn|symdyn\.egg")
    wrong = [str(path) for path in files if named.search(path.read_text(encoding="utf-8"))]
    assert wrong == []


@pytest.mark.parametrize("command", ["", "elsewhere.shell:main"])
def test_a_foreign_namesake_is_named_where_a_robot_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    install(tmp_path, "symdyn", {"symdyn/algebra.py": ""}, command)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.warns(symdyn.SymdynWarning, match=r"another project's package 'symdyn' 0\.1\.0 \(Computer") as caught:
        robot = symdyn.load_example("pendulum")
    assert "breaks the other: pip uninstall -y symdyn, then pip install" in str(caught[0].message)
    assert not any("another project" in warning for warning in robot.warnings)


def test_an_earlier_install_of_ours_and_none_at_all_are_no_namesakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert foreign_namesake() is None
    install(tmp_path, "symdyn", {"symdyn/api.py": ""}, "symdyn.cli.main:main")
    monkeypatch.syspath_prepend(str(tmp_path))
    foreign_namesake.cache_clear()
    distribution_room.listed_versions.cache_clear()
    assert foreign_namesake() is None
    (tmp_path / "rest" / "symdyn-0.1.0.dist-info").mkdir(parents=True)
    (tmp_path / "rest" / "symdyn-0.1.0.dist-info" / "METADATA").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "rest"))
    foreign_namesake.cache_clear()
    distribution_room.listed_versions.cache_clear()
    assert foreign_namesake() is None


def test_replaced_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, DISTRIBUTION, {"symdyn/__init__.py": "ours", "symdyn/api.py": "ours", "symdyn/types.py": "ours"})
    install(tmp_path, "symdyn", {"symdyn/__init__.py": "theirs", "symdyn/types.py": "ours"}, summary="two\x1b[1m")
    monkeypatch.syspath_prepend(str(tmp_path))
    said = str(foreign_namesake())
    assert "it has replaced symdyn/__init__.py: pip uninstall" in said
    assert broken_install() == said
    assert said.isprintable()


@pytest.mark.parametrize("start", ["from .algebra import Algebra\n", None])
def test_the_command_tells_of_a_package_that_is_not_ours(tmp_path: Path, start: str | None) -> None:
    """The foreign package was installed over ours, or removed again and took our first file along."""
    (tmp_path / "symdyn").mkdir()
    origins = {"cli": "cli"} | {name: f"symdyn/{name}" for name in ("errors.py", "interface")}
    for name, origin in origins.items():
        (tmp_path / "symdyn" / name).symlink_to(CHECKOUT / origin)
    if start is not None:
        install(tmp_path, "symdyn", {"symdyn/__init__.py": start, "symdyn/algebra.py": "Algebra = object\n"})
    run = f"import sys, types; sys.path.insert(0, {str(tmp_path)!r})\n"
    if start is None:  # a folder without its first file is what Python finds where no whole package is
        run += "sys.modules['symdyn'] = found = types.ModuleType('symdyn')\n"
        run += f"found.__path__ = [{str(tmp_path / 'symdyn')!r}]\n"
    run += "from symdyn.cli.main import main; sys.exit(main([]))"
    done = subprocess.run([sys.executable, "-P", "-c", run], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: " + ("another project's package" if start else "files of symdyn-codegen are"))
    assert done.stderr.count("\n") == 1 and "pip uninstall -y symdyn" in done.stderr


def test_a_foreign_namesake_is_named_at_import_too(tmp_path: Path) -> None:
    """In a folder that holds both, as site-packages does."""
    (tmp_path / "symdyn").symlink_to(Path(symdyn.__file__).parent)
    install(tmp_path, "symdyn", {"elsewhere/algebra.py": ""})
    script = "import warnings; warnings.simplefilter('error'); import symdyn"
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {script}"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"another project's package 'symdyn' 0.1.0 ({SUMMARY})" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("told", "hint"),
    [
        ('{"dir_info": {"editable": true}, "url": "file:///home/me/symdyn"}', 'pip install ".[view]" in a checkout'),
        ('{"archive_info": {}, "url": "file:///wheels/symdyn.whl"}', 'pip install "symdyn-codegen[view]"'),
        ("", 'pip install "symdyn-codegen[view]"'),
        ("no JSON", 'pip install "symdyn-codegen[view]"'),
    ],
)
def test_extras_are_named_as_they_can_be_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, hint: str
) -> None:
    install(tmp_path, DISTRIBUTION, {})
    if told:
        (tmp_path / "symdyn_codegen-0.1.0.dist-info" / "direct_url.json").write_text(told)
    monkeypatch.syspath_prepend(str(tmp_path))
    distribution_room._from_a_checkout.cache_clear()
    try:
        assert installing("view").startswith(hint)
        assert ("a checkout" in distribution_room._remedy()) == ("dir_info" in told)
    finally:
        distribution_room._from_a_checkout.cache_clear()
