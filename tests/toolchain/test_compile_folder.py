"""Compiling generated folders: the good case, what is refused, and what is reported when a compiler fails."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import InternalError, SymdynWarning, ToolchainError, VerificationError
from symdyn.toolchain import build as build_room
from symdyn.toolchain import build_plan, python_development
from symdyn.toolchain import compile as compile_room
from symdyn.toolchain.compile import compile_folder
from symdyn.toolchain.compile_and_load import build_into
from symdyn.toolchain.folder import read_manifest
from symdyn.toolchain.load import load

needs_cc = pytest.mark.needs_cc
_link_command = build_plan.link_command


def _with_a_missing_library(*given: Any, **named: Any) -> tuple[str, ...]:
    return (*_link_command(*given, **named), "-lno_such_library_anywhere")


@needs_cc
def test_build_into_makes_an_importable_module(toy: Any, tmp_path: Path) -> None:
    folder = toy.write(tmp_path)
    path = build_into(folder)
    assert path.parent == folder / "python"
    stub = path.name.partition(".")[0] + ".pyi"
    assert {found.name for found in path.parent.iterdir()} == {path.name, f"{path.name}.json", stub}
    name = path.name.split(".")[0]
    script = f"import numpy as np, {name} as toy; print(toy.scaled(np.ones(3), [2, 1]).tolist())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=os.environ | {"PYTHONPATH": str(path.parent)},
    )
    assert done.stdout == "[3.0, 3.0, 3.0]\n"
    stale = path.with_name(name[:-12] + "0" * 12 + path.name.removeprefix(name))
    kept = [path.with_name("toy_arm.py"), path.with_name(f"other_{'0' * 12}.so"), path.with_name("toy_arm_000.so")]
    lone = path.with_name(f"{name[:-12]}{'0' * 12}.pyi")
    others = f"{name[:-12]}{'1' * 12}"
    kept += [path.with_name(f"{others}.cpython-399-other.so"), path.with_name(f"{others}.pyi")]
    for file in (stale, stale.with_name(f"{stale.name}.json"), lone, *kept):
        file.write_text("")
    assert build_into(folder) == path
    assert not stale.exists() and not stale.with_name(f"{stale.name}.json").exists()
    assert not lone.exists()
    assert all(file.exists() for file in (path, path.with_name(stub), *kept))


@needs_cc
def test_without_headers_it_is_a_plain_library(toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDYN_NO_HEADERS", "1")
    with pytest.warns(SymdynWarning, match=r"ctypes.*SYMDYN_NO_HEADERS") as told:
        path = build_into(toy.write(tmp_path))
    assert [warning.filename for warning in told] == [__file__]
    output = (ctypes.c_double * 4)()
    ctypes.CDLL(str(path)).toy_arm_reverse_sums((ctypes.c_double * 4)(1, 1, 1, 1), output, (ctypes.c_double * 4)())
    assert list(output) == [4, 3, 2, 1]


def test_missing_headers_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert not isinstance(python_development.extension_includes(), str)
    monkeypatch.setenv("SYMDYN_NO_HEADERS", "0")
    assert not isinstance(python_development.extension_includes(), str)
    monkeypatch.setattr(python_development.np, "get_include", lambda: str(tmp_path))
    assert "NumPy's headers" in python_development.extension_includes()
    monkeypatch.setattr(python_development.sysconfig, "get_path", lambda name: str(tmp_path))
    assert "apt install python3-dev" in python_development.extension_includes()


@needs_cc
def test_only_the_extension_is_exported(toy: Any) -> None:
    library = ctypes.CDLL(str(compile_folder(toy.sources, toy.manifest).path))
    with pytest.raises(AttributeError):
        _ = library.toy_arm_reverse_sums


def test_sources_that_the_manifest_lists_must_be_there(toy: Any) -> None:
    for name in ("toy_arm_scaled.c", "toy_arm.h"):
        sources = [source for source in toy.sources if source.path != name]
        with pytest.raises(VerificationError, match=f"lists '{name}', which is not among the sources"):
            compile_folder(sources, toy.manifest)


@pytest.mark.parametrize(
    "name", ["../evil.c", "/elsewhere/evil.c", "a/../../evil.c", "..\\evil.c", "C:evil.c", "-o.c", "--plugin=evil.c"]
)
def test_paths_out_of_the_folder_are_refused(toy: Any, name: str, tmp_path: Path) -> None:
    manifest = dataclasses.replace(toy.manifest, sources=(name,))
    with pytest.raises(VerificationError, match="expected a path inside the folder"):
        compile_folder([*toy.sources, SourceFile(name, "")], manifest)
    folder = toy.write(tmp_path)
    (folder / "manifest.json").write_text(manifest.to_json())
    with pytest.raises(VerificationError, match="expected a path inside the folder"):
        build_into(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"identifier": "a b"},
        {"identifier": "a;system(1)"},
        {"identifier": "../a"},
        {"identifier": "a\n"},
        {"dtype": "float16"},
        {"header": "../evil.h"},
        {"header": 'a.h"\n#include "/etc/passwd'},
        {"header": ""},
    ],
)
def test_names_that_are_no_identifiers_are_refused(toy: Any, change: dict[str, str]) -> None:
    with pytest.raises(VerificationError, match=r"the manifest (names|has)"):
        compile_folder(toy.sources, dataclasses.replace(toy.manifest, **change))


@pytest.mark.parametrize("field", ["c_name", "python_name"])
def test_function_names_that_are_no_identifiers_are_refused(toy: Any, field: str) -> None:
    entry = dataclasses.replace(toy.manifest.functions[0], **{field: "f(); system"})
    with pytest.raises(VerificationError, match="expected a C identifier"):
        compile_folder(toy.sources, dataclasses.replace(toy.manifest, functions=(entry,)))


def test_a_folder_without_a_manifest(tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match=r"not a generated folder: manifest.json cannot be read"):
        build_into(tmp_path)
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(VerificationError, match="not a manifest"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(VerificationError, match="cannot be read"):
        read_manifest(tmp_path)


def test_a_folder_that_lost_a_file(toy: Any, tmp_path: Path) -> None:
    folder = toy.write(tmp_path)
    (folder / "toy_arm_scaled.c").unlink()
    with pytest.raises(VerificationError, match=r"not a complete generated folder.*toy_arm_scaled\.c"):
        build_into(folder)


@needs_cc
def test_a_folder_that_cannot_be_written(toy: Any, tmp_path: Path) -> None:
    folder = toy.write(tmp_path)
    (folder / "python").write_text("a file, not a folder")
    with pytest.raises(ToolchainError, match="cannot write the compiled module into"):
        build_into(folder)


@needs_cc
def test_code_that_does_not_compile_is_our_fault_and_kept(empty_cache: Path, toy_maker: Callable[..., Any]) -> None:
    broken = toy_maker(extra="int f(void) { return missing_name; }\n")
    with pytest.raises(InternalError) as caught:
        compile_folder(broken.sources, broken.manifest)
    text = str(caught.value)
    assert "exit code 1" in text
    assert "missing_name" in text
    assert "-std=c99" in text
    kept = Path(text.split("kept in ")[1].split(";")[0])
    assert kept.parent.parent == empty_cache
    assert "missing_name" in (kept / "toy_arm_scaled.c").read_text()


@needs_cc
def test_code_that_does_not_link_is_our_fault(empty_cache: Path, toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_plan, "link_command", _with_a_missing_library)
    with pytest.raises(InternalError, match="no_such_library_anywhere"):
        compile_folder(toy.sources, toy.manifest)


@needs_cc
def test_compiling_has_a_time_limit(empty_cache: Path, toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_room, "TIMEOUT_S", 0.001)
    with pytest.raises(ToolchainError, match=r"did not end within 0.001 s.*layout='rolled'.*kept in"):
        compile_folder(toy.sources, toy.manifest)


@needs_cc
def test_a_compiler_that_vanished(empty_cache: Path, toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = compile_room.find_compiler()
    gone = dataclasses.replace(found, command=("/no/such/compiler",))
    monkeypatch.setattr(compile_room, "find_compiler", lambda: gone)
    with pytest.raises(ToolchainError, match=r"cannot run /no/such/compiler.*No such file"):
        compile_folder(toy.sources, toy.manifest)


@needs_cc
@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_other_compilers_give_the_same_numbers(
    toy: Any, extension: Any, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(command) is None:
        assert shutil.which("cc") is not None
        command = "cc"
    monkeypatch.setenv("CC", f"{command} -DSYMDYN_TEST")
    other = load(compile_folder(toy.sources, toy.manifest), toy.manifest)
    q, v, a = np.random.default_rng(3).normal(size=(3, 20, 7))
    np.testing.assert_allclose(
        other.inverse_dynamics(q, v, a), extension.inverse_dynamics(q, v, a), rtol=1e-11, atol=1e-14
    )


@needs_cc
@pytest.mark.slow
def test_the_ziglang_wheel_compiles(toy: Any, extension: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", f"{sys.executable} -m ziglang cc")
    built = compile_folder(toy.sources, toy.manifest)
    assert compile_room.find_compiler().kind == "zig"
    q, v, a = np.random.default_rng(3).normal(size=(3, 20, 7))
    tau = load(built, toy.manifest).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(tau, extension.inverse_dynamics(q, v, a), rtol=1e-11, atol=1e-14)
    monkeypatch.setenv("SYMDYN_NO_HEADERS", "1")
    with pytest.warns(SymdynWarning):
        built = compile_folder(toy.sources, toy.manifest)
    assert built.kind == "ctypes"
    np.testing.assert_array_equal(load(built, toy.manifest).inverse_dynamics(q, v, a), tau)


@needs_cc
def test_compilers_fuse_nothing_of_their_own(toy_maker: Callable[..., Any]) -> None:
    """y = q p0 + p1 with a product that is not exact: fused, the rest survives; unfused, it is rounded away."""
    made = toy_maker()
    module = load(compile_folder(made.sources, made.manifest), made.manifest)
    x = 1.0 + 2.0**-30
    assert module.scaled(np.full(3, x), np.array([x, -(x * x)])).tolist() == [0.0, 0.0, 0.0]


@needs_cc
def test_progress_counts_the_files_that_are_compiled(toy: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SYMDYN_CACHE_DIR", str(tmp_path / "fresh"))
    told: list[tuple[int, int]] = []
    built = compile_folder(toy.sources, toy.manifest, lambda done, files: told.append((done, files)))
    files = 2 + len(toy.manifest.sources) + len(toy.manifest.lane_sources)  # the two of the extension first
    assert not built.from_cache and told == [(done, files) for done in range(files + 1)]
    told.clear()
    again = compile_folder(toy.sources, toy.manifest, lambda done, files: told.append((done, files)))
    assert again.from_cache and told == []


@needs_cc
def test_builds_are_logged(empty_cache: Path, toy: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="symdyn"):
        compile_folder(toy.sources, toy.manifest)
        first = [record.getMessage() for record in caplog.records]
        compile_folder(toy.sources, toy.manifest)
    told = re.fullmatch(r"compiling (\d+) files of \S+ by \S+", first[0])
    assert told and int(told[1]) >= len(toy.manifest.sources)
    assert f"{told[1]} of {told[1]} files are compiled" in first
    assert len(caplog.records) == len(first)  # the cache had it
