"""Writing a generated folder: whole files, nothing left over, nothing outside, and nothing of anybody else's lost."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import InternalError, RequestError, SymdynWarning
from symdyn.interface.manifest import Manifest, text_digest
from symdyn.toolchain import claims
from symdyn.toolchain import folder as folder_room
from symdyn.toolchain.folder import write_folder


def files(toy: Any, *dropped: str, note: str = "") -> list[SourceFile]:
    kept = [source for source in toy.sources if source.path not in dropped]
    kept = [*(SourceFile(file.path, file.text + note) for file in kept), SourceFile("python/toy_arm.py", "é\n")]
    names = tuple(name for name in toy.manifest.sources if name not in dropped)
    hashes = {file.path: text_digest(file.text) for file in kept}
    return [
        SourceFile("manifest.json", dataclasses.replace(toy.manifest, sources=names, files=hashes).to_json()),
        *kept,
    ]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def expected(written: list[SourceFile]) -> dict[str, bytes]:
    return {file.path: file.text.encode() for file in written}


def test_files_are_written_below_the_folder(toy: Any, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / ("down" * 60)
    write_folder(folder, files(toy))
    assert contents(folder) == expected(files(toy))
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    (tmp_path / "made").mkdir()
    assert folder.stat().st_mode == (tmp_path / "made").stat().st_mode


def test_what_an_earlier_run_wrote_and_this_one_does_not_is_removed(toy: Any, tmp_path: Path) -> None:
    write_folder(tmp_path, files(toy))
    (tmp_path / "notes.c").write_text("mine")
    write_folder(tmp_path, files(toy, "toy_arm_scaled.c"))
    assert contents(tmp_path) == {**expected(files(toy, "toy_arm_scaled.c")), "notes.c": b"mine"}


def test_a_generated_file_that_somebody_changed_is_kept(toy: Any, tmp_path: Path) -> None:
    for name in ("README.md.kept", "README.md.kept1"):
        write_folder(tmp_path, files(toy))
        (tmp_path / "README.md").write_text(f"my notes before {name}")
        with pytest.warns(SymdynWarning, match=f"changed since they were generated are kept: {name}$") as told:
            write_folder(tmp_path, files(toy))
        assert [warning.filename for warning in told] == [__file__]
        assert (tmp_path / name).read_text() == f"my notes before {name}"
    (tmp_path / "toy_arm_scaled.c").write_text("my own version")
    with pytest.warns(SymdynWarning, match=r"are kept: toy_arm_scaled\.c$"):
        write_folder(tmp_path, files(toy, "toy_arm_scaled.c"))
    assert (tmp_path / "toy_arm_scaled.c").read_text() == "my own version"


def test_files_that_stay_as_they_are_are_not_touched(toy: Any, tmp_path: Path) -> None:
    write_folder(tmp_path, files(toy))
    os.utime(tmp_path / "toy_arm.h", (1, 1))
    write_folder(tmp_path, files(toy))
    assert (tmp_path / "toy_arm.h").stat().st_mtime == 1  # nobody's build does more than it must


def manipulated(folder: Path, **changes: Any) -> None:
    """Change a manifest so that its own hash holds."""
    data = json.loads((folder / "manifest.json").read_text()) | changes
    del data["content_hash"]
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    (folder / "manifest.json").write_text(
        json.dumps({**data, "content_hash": hashlib.sha256(text.encode()).hexdigest()})
    )


@pytest.mark.parametrize(
    ("victim", "known"),
    [
        *((victim, known) for victim in ("../victim.c", "victim.c", "below/victim.c") for known in (False, True)),
        ("toy_arm_mine.c", False),  # a name that may be generated, and not the contents
    ],
)
def test_a_manipulated_manifest_has_no_other_files_removed(toy: Any, tmp_path: Path, victim: str, known: bool) -> None:
    folder = tmp_path / "folder"
    write_folder(folder, files(toy))
    mine = folder / victim
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    digest = text_digest("mine" if known else "what was generated")
    manipulated(folder, files={victim: digest}, sources=[victim], header=victim)
    with pytest.warns(SymdynWarning, match="are kept"):
        write_folder(folder, files(toy))
    assert mine.read_text() == "mine"
    assert expected(files(toy)).items() <= contents(folder).items()


def test_files_that_no_manifest_lists_are_not_overwritten(toy: Any, tmp_path: Path) -> None:
    write_folder(tmp_path, files(toy, "toy_arm_scaled.c"))
    (tmp_path / "toy_arm_scaled.c").write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(
        RequestError, match=r"holds toy_arm_scaled\.c, which would be overwritten and which no manifest"
    ):
        write_folder(tmp_path, files(toy))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("path", ["../evil.c", "/evil.c", "a/../../evil.c"])
def test_paths_out_of_the_folder_are_our_fault(tmp_path: Path, path: str) -> None:
    with pytest.raises(InternalError, match="would leave its folder"):
        write_folder(tmp_path / "folder", [SourceFile(path, "")])


@pytest.mark.parametrize("name", ["file", "file/below", "dangling", "loop", "nul\0", "half\udcff\ud800", "n" * 300])
def test_a_folder_that_cannot_be_made(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(RequestError, match="cannot write to the output folder") as caught:
        write_folder(tmp_path / name, [SourceFile("a.c", "")])
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", "file", "loop"]


@pytest.mark.parametrize("link", [False, True])
def test_what_is_no_folder_inside_leaves_no_remains(tmp_path: Path, link: bool) -> None:
    (tmp_path / "elsewhere").mkdir()
    out = tmp_path / "out"
    out.mkdir()
    if link:
        (out / "python").symlink_to(tmp_path / "elsewhere")
    else:
        (out / "python").write_text("a file where the folder should be")
    with pytest.raises(RequestError, match=r"cannot write to the output folder.*'python' in it is no folder"):
        write_folder(out, [SourceFile("python/a.py", "")])
    assert [path.name for path in out.iterdir()] == ["python"]
    assert not any((tmp_path / "elsewhere").iterdir())


def test_a_link_is_not_written_through(toy: Any, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    out = tmp_path / "out"
    write_folder(out, files(toy))
    (out / "README.md").unlink()
    (out / "README.md").symlink_to(tmp_path / "mine")
    with pytest.warns(SymdynWarning, match=r"are kept: README\.md\.kept"):
        write_folder(out, files(toy))
    assert (tmp_path / "mine").read_text() == "mine" and not (out / "README.md").is_symlink()
    (tmp_path / "link").symlink_to(out)
    write_folder(tmp_path / "link", files(toy, note="/* new */"))
    assert (tmp_path / "link").is_symlink() and (out / "README.md").read_text() == "A toy./* new */"


def test_files_of_someone_else_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine too")
    with pytest.raises(RequestError, match=r"holds README\.md, which would be overwritten and which no manifest"):
        write_folder(tmp_path, [SourceFile("a.c", ""), SourceFile("README.md", "")])
    assert {path.name for path in tmp_path.iterdir()} == {"README.md", "notes.txt"}
    write_folder(tmp_path, [SourceFile("a.c", "")])
    assert (tmp_path / "a.c").exists() and (tmp_path / "README.md").read_text() == "mine"


@pytest.mark.parametrize("text", ["{}", "[1]", "[" * 100_000, "no JSON", '{"format": 1, "name": "of a web page"}'])
def test_a_manifest_of_something_else_is_not_overwritten(toy: Any, tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(RequestError, match=r"holds manifest\.json, which"):
        write_folder(tmp_path, files(toy))
    assert (tmp_path / "manifest.json").read_text() == text


class Killed(BaseException):
    """Stands for what ends a process between two of its steps."""


class Steps:
    """Counts what changes the disk, and ends the run at one of these steps, removing nothing behind it."""

    def __init__(self, patch: pytest.MonkeyPatch, end: int) -> None:
        self.count, self.end = 0, end
        for step in ("mkdir", "write_text", "replace", "rename", "unlink"):
            patch.setattr(Path, step, self.counted(getattr(Path, step)))
        patch.setattr(claims.shutil, "rmtree", lambda *_, **__: None)

    def counted(self, run: Any) -> Any:
        def step(path: Path, *words: Any, **named: Any) -> Any:
            self.count += 1
            if self.count > self.end:
                raise Killed
            return run(path, *words, **named)

        return step


@pytest.mark.parametrize("new", [True, False])
def test_a_run_that_ends_anywhere_leaves_a_folder_that_the_next_one_takes(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: bool
) -> None:
    """Ended at every step that changes the disk; the next run writes other files, so that none is right by chance."""
    last = 0
    for end in range(200):
        out = tmp_path / f"{end}" / "out"
        if not new:
            write_folder(out, files(toy, note="/* old */"))
            (out / "mine.txt").write_text("mine")
        with monkeypatch.context() as patch:
            Steps(patch, end)
            try:
                write_folder(out, files(toy, "toy_arm_scaled.c"))
                last = end
            except Killed:
                pass
        write_folder(out, files(toy, "toy_arm_products.c", note="/* new */"))
        mine = {} if new else {"mine.txt": b"mine"}
        assert contents(out) == {**expected(files(toy, "toy_arm_products.c", note="/* new */")), **mine}
        assert [path.name for path in out.parent.iterdir()] == ["out"]
        if last:
            break
    assert last > 10


def test_two_runs_at_once_end_with_the_files_of_one(toy: Any, tmp_path: Path) -> None:
    out, ready = tmp_path / "out", tmp_path / "ready"
    script = (
        "import sys, time; from pathlib import Path\n"
        "from symdyn.compiler.emit.source import SourceFile\n"
        "from symdyn.interface.manifest import Manifest, text_digest\n"
        "from symdyn.toolchain.folder import write_folder\n"
        "def made(text):\n"
        "    files = [SourceFile(f'a_{i}.c', text) for i in range(20)]\n"
        "    hashes = {file.path: text_digest(file.text) for file in files}\n"
        "    manifest = Manifest('a', 'a', '1', 'c', 'float64', (), files=hashes)\n"
        "    return [*files, SourceFile('manifest.json', manifest.to_json())]\n"
        "sys.stdin.readline()\n"
        "for k in range(10): write_folder(Path(sys.argv[1]), made(f'{sys.argv[2]} {k}'))\n"
    )
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(out), name], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for name in ("first", "second")
    ]
    for run in runs:
        assert run.stdin is not None
        run.stdin.write("go\n")
        run.stdin.flush()
    assert [run.communicate(timeout=60)[1] for run in runs] == ["", ""]
    manifest = Manifest.from_json((out / "manifest.json").read_text())
    assert {path: text_digest((out / path).read_bytes()) for path in manifest.files} == manifest.files
    assert len({(out / path).read_text() for path in manifest.files}) == 1
    assert {path.name for path in out.iterdir()} == {*manifest.files, "manifest.json"}
    assert not ready.exists() and [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_another_run_holds_is_waited_for(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_room, "WAIT_S", 0.05)
    begin = time.monotonic()
    with claims.locked(tmp_path, 0), pytest.raises(RequestError, match="another process has been writing to it"):
        write_folder(tmp_path, files(toy))
    assert time.monotonic() - begin >= 0.05 and not any(tmp_path.iterdir())
    write_folder(tmp_path, files(toy))


def test_a_full_disk_leaves_the_folder_as_it_was(toy: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_folder(out, files(toy))
    before = contents(out)
    script = (
        "import resource, sys; from pathlib import Path\n"
        "from symdyn.compiler.emit.source import SourceFile; from symdyn.toolchain.folder import write_folder\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "for out in sys.argv[1:]:\n"
        "    try: write_folder(Path(out), [SourceFile('a.c', 'x'), SourceFile('b.c', 'x' * 5000)])\n"
        "    except Exception as failure: print(type(failure).__name__, failure)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(out), str(tmp_path / "new")], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and all("RequestError cannot write to the output folder" in line for line in lines)
    assert all("File too large" in line for line in lines)
    assert contents(out) == before and [path.name for path in tmp_path.iterdir()] == ["out"]
