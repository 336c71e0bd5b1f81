"""Builds through the cache: once per content, healed where damaged, by many processes at once."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symdyn.errors import SymdynWarning, ToolchainError
from symdyn.interface import processor
from symdyn.toolchain import cache
from symdyn.toolchain import compile as compile_room
from symdyn.toolchain.compile import compile_folder
from symdyn.toolchain.compile_and_load import build_into, compile_and_load
from symdyn.toolchain.find_compiler import Compiler
from symdyn.toolchain.load import load
from symdyn.toolchain.record import Entry


def of_one_function(toy: Any) -> Any:
    """The others of the hand-written module would only be compiled."""
    keep = ("toy_arm_reverse_sums.c", "toy_arm.h")
    entries = tuple(entry for entry in toy.manifest.functions if entry.python_name == "reverse_sums")
    manifest = dataclasses.replace(toy.manifest, functions=entries, sources=keep[:1])
    return type(toy)(tuple(source for source in toy.sources if source.path in keep), manifest)


@pytest.fixture(scope="module")
def small_toy(toy: Any) -> Any:
    return of_one_function(toy)


@pytest.mark.needs_cc
def test_the_same_build_is_compiled_once(empty_cache: Path, small_toy: Any) -> None:
    first = compile_folder(small_toy.sources, small_toy.manifest)
    second = compile_folder(tuple(reversed(small_toy.sources)), small_toy.manifest)
    assert (first.from_cache, second.from_cache) == (False, True)
    assert (second.path, second.seconds, second.text_bytes) == (first.path, first.seconds, first.text_bytes)
    assert 0 < first.text_bytes < first.path.stat().st_size


@pytest.mark.needs_cc
def test_what_shapes_the_result_changes_the_key(
    empty_cache: Path, small_toy: Any, toy_maker: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {compile_folder(small_toy.sources, small_toy.manifest).path.parent.name}
    changed = of_one_function(toy_maker(extra="/* one comment more */\n"))
    seen.add(compile_folder(changed.sources, changed.manifest).path.parent.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processor, "cpu_features", lambda: "another CPU")
        seen.add(compile_folder(small_toy.sources, small_toy.manifest).path.parent.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "__version__", "99.0")
        seen.add(compile_folder(small_toy.sources, small_toy.manifest).path.parent.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMDYN_NO_HEADERS", "1")
        with pytest.warns(SymdynWarning):
            seen.add(compile_folder(small_toy.sources, small_toy.manifest).path.parent.name)
    monkeypatch.setenv("CC", "cc -DANOTHER_COMMAND")
    seen.add(compile_folder(small_toy.sources, small_toy.manifest).path.parent.name)
    assert len(seen) == 6


def test_the_compiler_and_its_flags_change_the_key(
    empty_cache: Path, toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    usual = Compiler(("cc",), "gcc", "gcc 12", ("-march=native",))
    others: list[dict[str, Any]] = [{"command": ("cc", "-m32")}, {"kind": "zig"}, {"version": "gcc 13"}, {"native": ()}]
    entry = Entry(Path("m.so"), 1.0, "ctypes", 1, "", "", "")
    monkeypatch.setattr(cache, "lookup", lambda key: seen.append(key) or entry)
    for other in ({}, *others, {}):
        compiler = dataclasses.replace(usual, **other)
        monkeypatch.setattr(compile_room, "find_compiler", lambda compiler=compiler: compiler)
        compile_folder(toy.sources, toy.manifest)
    assert seen[0] == seen[-1]
    assert len(set(seen)) == 1 + len(others)


@pytest.mark.needs_cc
def test_a_damaged_module_is_compiled_anew(empty_cache: Path, small_toy: Any) -> None:
    built = compile_folder(small_toy.sources, small_toy.manifest)
    built.path.write_bytes(built.path.read_bytes()[:-100] + bytes(100))
    again = compile_folder(small_toy.sources, small_toy.manifest)
    assert (again.from_cache, again.path) == (False, built.path)
    assert load(again, small_toy.manifest).reverse_sums(np.ones(4))[0] == 4


# A linker that writes something else than a module the first times, as a full disk or a fault of its own makes it do.
FAULTY = """#!/bin/sh
case "$*" in *-shared*) case "$*" in *probe*) ;; *)
  count=$(cat "{count}" 2>/dev/null || echo 0); echo $((count + 1)) > "{count}"
  if [ "$count" -lt {faults} ]; then
    while [ "$1" != "-o" ]; do shift; done; out="$2"
    {fault}
    exit 0
  fi ;; esac ;; esac
exec cc "$@"
"""
FAULTS = {
    "garbage": 'echo garbage > "$out"',
    "empty": ': > "$out"',
    "cut off": 'cc -shared -o "$out.whole" *.o -lm && head -c 9000 "$out.whole" > "$out"',
    "a header alone": 'cc -shared -o "$out.whole" *.o -lm && head -c 40 "$out.whole" > "$out"',
    "without the module": "echo 'int f(void) { return 1; }' > odd.c && cc -shared -fPIC -o \"$out\" odd.c",
    "an object": "echo 'int f(void) { return 1; }' > odd.c && cc -c -fPIC -o \"$out\" odd.c",
    "of another machine": 'cc -shared -o "$out" *.o -lm && printf "\\267" | dd of="$out" bs=1 seek=18 conv=notrunc',
}


def faulty(folder: Path, fault: str, faults: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = folder / "faulty-cc"
    compiler.write_text(FAULTY.format(count=folder / "count", faults=faults, fault=fault))
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("fault", "headers"), [*((fault, "1") for fault in FAULTS), ("garbage", "0"), ("without the module", "0")]
)
@pytest.mark.filterwarnings("ignore:calls go through ctypes")
def test_a_module_that_cannot_be_loaded_is_built_once_more(
    empty_cache: Path, small_toy: Any, tmp_path: Path, fault: str, headers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMDYN_NO_HEADERS", headers)
    faulty(tmp_path, FAULTS[fault], 1, monkeypatch)
    built, module = compile_and_load(small_toy.sources, small_toy.manifest)
    assert module.reverse_sums(np.ones(4))[0] == 4
    assert (tmp_path / "count").read_text() == "2\n"
    again, module = compile_and_load(small_toy.sources, small_toy.manifest)
    assert again.from_cache and again.path == built.path


@pytest.mark.needs_cc
def test_a_compiler_that_never_makes_a_module_is_named(
    empty_cache: Path, small_toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty(tmp_path, FAULTS["garbage"], 2, monkeypatch)
    with pytest.raises(ToolchainError, match=r"cannot be loaded.*a second build gave the same: point \$CC") as caught:
        compile_and_load(small_toy.sources, small_toy.manifest)
    assert "\n" not in str(caught.value)
    assert not any((empty_cache / "entries").iterdir())
    assert compile_and_load(small_toy.sources, small_toy.manifest)[1].reverse_sums(np.ones(4))[0] == 4


@pytest.mark.needs_cc
def test_a_folder_gets_no_module_that_cannot_be_loaded(
    empty_cache: Path, small_toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty(tmp_path, FAULTS["garbage"], 1, monkeypatch)
    (tmp_path / "toy").mkdir()
    assert build_into(small_toy.write(tmp_path / "toy")).read_bytes()[:4] == b"\x7fELF"


@pytest.mark.needs_cc
@pytest.mark.parametrize(("step", "made"), [("-shared", r"toy_arm_\w+\S*\.so"), ("-c", r"\d+\.o")])
def test_a_compiler_that_makes_nothing_is_named(
    empty_cache: Path, small_toy: Any, tmp_path: Path, step: str, made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "idle-cc"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *probe*) ;; *{step}\\ *) exit 0;; esac\nexec cc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    with pytest.raises(ToolchainError, match=rf"ended with exit code 0 and made no '{made}'; point \$CC") as caught:
        compile_and_load(small_toy.sources, small_toy.manifest)
    assert "\n" not in str(caught.value)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("kill -9 $$", "it was ended by signal 9"),
        ("echo 'as: BFD: final close failed: No space left on device' >&2; exit 1", "No space left on device"),
        ("echo 'gcc: fatal error: Killed signal terminated program cc1' >&2; exit 1", "Killed signal terminated"),
    ],
)
def test_a_machine_that_is_full_is_not_our_fault(
    empty_cache: Path, small_toy: Any, tmp_path: Path, fault: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "full-cc"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *probe*|*version*) ;; *) {fault};; esac\nexec cc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    with pytest.raises(ToolchainError, match=f"compiling was cut short .*{said}.*make room"):
        compile_and_load(small_toy.sources, small_toy.manifest)


@pytest.mark.needs_cc
def test_many_processes_fill_one_empty_cache(empty_cache: Path, small_toy: Any, tmp_path: Path) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    small_toy.write(folder)
    script = (
        "import sys; from pathlib import Path; import numpy as np\n"
        "from symdyn.toolchain.compile import compile_folder\nfrom symdyn.toolchain.folder import read_manifest\n"
        "from symdyn.toolchain.load import load\nfrom symdyn.compiler.emit.source import SourceFile\n"
        "folder = Path(sys.argv[1]); manifest = read_manifest(folder)\n"
        "sources = [SourceFile(p.name, p.read_text()) for p in folder.glob('*.[ch]')]\n"
        "sys.stdin.readline()\n"
        "print(load(compile_folder(sources, manifest), manifest).reverse_sums(np.ones(4)).tolist())\n"
    )
    command = [sys.executable, "-c", script, str(folder)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
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
    empty_cache: Path, small_toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = compile_folder(small_toy.sources, small_toy.manifest)
    monkeypatch.setattr(compile_room.cache, "lookup", lambda address: None)
    second = compile_folder(small_toy.sources, small_toy.manifest)
    assert second.path == first.path
    assert not second.from_cache
