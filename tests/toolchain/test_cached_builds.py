"""Builds through the cache: once per content, healed where damaged, by many processes at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symdyn.errors import SymdynWarning
from symdyn.toolchain import cache
from symdyn.toolchain import compile as compile_room
from symdyn.toolchain.compile import compile_folder
from symdyn.toolchain.load import load


@pytest.mark.needs_cc
def test_the_same_build_is_compiled_once(empty_cache: Path, toy: Any) -> None:
    first = compile_folder(toy.sources, toy.manifest)
    second = compile_folder(tuple(reversed(toy.sources)), toy.manifest)
    assert (first.from_cache, second.from_cache) == (False, True)
    assert (second.path, second.seconds, second.text_bytes) == (first.path, first.seconds, first.text_bytes)
    assert 0 < first.text_bytes < first.path.stat().st_size


@pytest.mark.needs_cc
def test_what_shapes_the_result_changes_the_key(
    empty_cache: Path, toy: Any, toy_maker: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {compile_folder(toy.sources, toy.manifest).path.parent.name}
    changed = toy_maker(extra="/* one comment more */\n")
    seen.add(compile_folder(changed.sources, changed.manifest).path.parent.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "cpu_features", lambda: "another CPU")
        seen.add(compile_folder(toy.sources, toy.manifest).path.parent.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "__version__", "99.0")
        seen.add(compile_folder(toy.sources, toy.manifest).path.parent.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMDYN_NO_HEADERS", "1")
        with pytest.warns(SymdynWarning):
            seen.add(compile_folder(toy.sources, toy.manifest).path.parent.name)
    monkeypatch.setenv("CC", "cc -DANOTHER_COMMAND")
    seen.add(compile_folder(toy.sources, toy.manifest).path.parent.name)
    assert len(seen) == 6


@pytest.mark.needs_cc
def test_a_damaged_module_is_compiled_anew(empty_cache: Path, toy: Any) -> None:
    built = compile_folder(toy.sources, toy.manifest)
    built.path.write_bytes(built.path.read_bytes()[:-100] + bytes(100))
    again = compile_folder(toy.sources, toy.manifest)
    assert (again.from_cache, again.path) == (False, built.path)
    assert load(again, toy.manifest).reverse_sums(np.ones(4))[0] == 4


@pytest.mark.needs_cc
def test_many_processes_fill_one_empty_cache(empty_cache: Path, toy: Any, tmp_path: Path) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    toy.write(folder)
    script = (
        "import sys; from pathlib import Path; import numpy as np\n"
        "from symdyn.toolchain.compile import compile_folder, read_manifest\n"
        "from symdyn.toolchain.load import load\nfrom symdyn.emit.source import SourceFile\n"
        "folder = Path(sys.argv[1]); manifest = read_manifest(folder)\n"
        "sources = [SourceFile(p.name, p.read_text()) for p in folder.glob('*.[ch]')]\n"
        "sys.stdin.readline()\n"
        "print(load(compile_folder(sources, manifest), manifest).reverse_sums(np.ones(4)).tolist())\n"
    )
    command = [sys.executable, "-c", script, str(folder)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for process in processes:  # all imports are done by then, so that the builds overlap
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        output, errors = process.communicate(timeout=120)
        assert (process.returncode, output, errors) == (0, "[4.0, 3.0, 2.0, 1.0]\n", "")
    assert len(list((empty_cache / "entries").iterdir())) == 1
    assert not any((empty_cache / "builds").iterdir())


@pytest.mark.needs_cc
def test_a_builder_that_lost_the_race_takes_the_winners_entry(
    empty_cache: Path, toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = compile_folder(toy.sources, toy.manifest)
    monkeypatch.setattr(compile_room.cache, "lookup", lambda address: None)
    second = compile_folder(toy.sources, toy.manifest)
    assert second.path == first.path
    assert not second.from_cache
