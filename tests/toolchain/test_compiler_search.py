"""Which compiler is taken, with which flags, and what is said where none works."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from symdyn.errors import SymdynWarning, ToolchainError
from symdyn.toolchain import find_compiler as search
from symdyn.toolchain.find_compiler import Compiler, find_compiler
from symdyn.toolchain.flags import extension_flags, function_flags, link_flags

Script = Callable[[str, str], Path]

GCC = Compiler(("gcc",), "gcc", "gcc 12", ("-march=native",))
ZIG = Compiler(("zig", "cc"), "zig", "clang version 20", ("-march=native",))


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No $CC, nothing on the path but what a test puts into tmp_path/bin, no ziglang wheel."""
    search._find.cache_clear()
    monkeypatch.delenv("CC", raising=False)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setitem(sys.modules, "ziglang", None)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    def write(name: str, text: str) -> Path:
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    return write


# Stands for a compiler: it makes the file after -o, and only knows the CPU flag that it is told to know.
WORKING = """
case "$*" in *--version*) echo "{version}"; exit 0;; {refused}) echo "unknown flag" >&2; exit 1;; esac
while [ "$1" != "-o" ]; do shift; done
: > "$2"
"""


def test_nothing_installed() -> None:
    with pytest.raises(ToolchainError) as caught:
        find_compiler()
    text = str(caught.value)
    for part in (
        "cc: not found",
        "gcc: not found",
        "clang: not found",
        "apt install gcc",
        'pip install ".[cc]" in a checkout of symdyn',
        "target='python'",
    ):
        assert part in text
    assert "$CC (" not in text
    assert "\n" not in text


def test_the_order_is_cc_gcc_clang(script: Script) -> None:
    for name in ("clang", "gcc", "cc"):
        script(name, WORKING.format(version=name, refused="-never"))
        search._find.cache_clear()
        assert Path(find_compiler().command[0]).name == name


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("gcc 12.2\nCopyright (C) Free Software Foundation, Inc.", "gcc"),
        ("Apple clang version 15.0.0", "clang"),
        ("chibicc 1.0", "other"),
        ("", "other"),
    ],
)
def test_families(script: Script, version: str, kind: str) -> None:
    script("cc", WORKING.format(version=version, refused="-never"))
    compiler = find_compiler()
    assert compiler.kind == kind
    assert compiler.version == (version.splitlines()[0] if version else "")


def test_a_program_called_zig_is_zig(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    script("zig", WORKING.format(version="clang version 20", refused="-never"))
    monkeypatch.setenv("CC", "zig cc")
    assert find_compiler().kind == "zig"


@pytest.mark.parametrize(
    ("refused", "native"),
    [("-never", ("-march=native",)), ("*-march=native*", ("-mcpu=native",)), ("*-m*=native*", ())],
)
def test_the_flag_for_this_cpu_is_tried_out(script: Script, refused: str, native: tuple[str, ...]) -> None:
    script("cc", WORKING.format(version="cc", refused=refused))
    assert find_compiler().native == native


def test_a_compiler_that_cannot_link_is_passed_over(script: Script) -> None:
    script("cc", 'case "$*" in *--version*) echo cc;; *) echo; echo "ld: cannot find crti.o" >&2; exit 1;; esac')
    script("gcc", "echo 'licence expired' >&2; exit 3")
    with pytest.raises(ToolchainError) as caught:
        find_compiler()
    assert "cc: cannot link a shared object (exit code 1: ld: cannot find crti.o)" in str(caught.value)
    assert "gcc: cannot link a shared object (exit code 3: licence expired)" in str(caught.value)
    search._find.cache_clear()
    clang = script("clang", WORKING.format(version="clang", refused="-never"))
    assert find_compiler().command == (str(clang),)


def test_a_compiler_that_says_nothing_and_makes_nothing(script: Script) -> None:
    script("cc", "exit 0")
    with pytest.raises(ToolchainError, match=r"cc: cannot link a shared object \(exit code 0: no message\)"):
        find_compiler()


def test_a_compiler_that_hangs(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PROBE_TIMEOUT_S", 0.2)
    script("cc", "while :; do :; done")
    with pytest.raises(ToolchainError, match=r"cc: no answer in 0\.2 s"):
        find_compiler()


def test_a_file_that_is_no_program(script: Script) -> None:
    script("cc", "").write_bytes(b"\x7fELF of another machine")
    with pytest.raises(ToolchainError, match="Exec format error"):
        find_compiler()


def test_cc_with_arguments(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    path = script("my cc", WORKING.format(version="mine", refused="-never"))
    monkeypatch.setenv("CC", "'my cc' -m64 '-DNAME=two words'")
    assert find_compiler().command == (str(path), "-m64", "-DNAME=two words")


def test_cc_that_does_not_work_is_not_passed_over_in_silence(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    path = script("gcc", WORKING.format(version="gcc", refused="-never"))
    monkeypatch.setenv("CC", "icc -fast")
    with pytest.warns(SymdynWarning, match=r"\$CC \(icc -fast\): not found.*gcc is used instead") as told:
        assert find_compiler().command == (str(path),)
    assert [warning.filename for warning in told] == [__file__]


def test_cc_that_is_no_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc 'unclosed")
    with pytest.raises(ToolchainError, match="expected a command with arguments"):
        find_compiler()


def test_cc_without_a_word_counts_as_unset(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    script("cc", WORKING.format(version="cc", refused="-never"))
    monkeypatch.setenv("CC", "  ")
    assert find_compiler().version == "cc"


def test_the_ziglang_wheel_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search.importlib.util, "find_spec", lambda name: object() if name == "ziglang" else None)
    last = list(search._candidates(""))[-1]
    assert last == ("python -m ziglang cc", (sys.executable, "-m", "ziglang", "cc"))
    assert search._kind(last[1], "clang version 20") == "zig"


def test_the_answer_is_kept_until_cc_or_path_change(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    path = script("cc", WORKING.format(version="cc", refused="-never"))
    first = find_compiler()
    path.unlink()
    assert find_compiler() is first
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolchainError):
        find_compiler()


def test_function_flags() -> None:
    flags = function_flags(GCC, text_bytes=1000, exported=False)
    assert {
        "-O3",
        "-march=native",
        "-std=c99",
        "-fPIC",
        "-ffp-contract=off",
        "-fvisibility=hidden",
    } <= set(flags)
    assert {"-fno-math-errno", "-fno-trapping-math"} <= set(flags)
    foreign = function_flags(GCC, text_bytes=1, exported=True, foreign=True)
    assert "-ffp-contract=fast" in foreign and "-std=c99" not in foreign
    assert "-fno-tree-slp-vectorize" in flags and "-fno-tree-slp-vectorize" not in foreign
    assert "-fvisibility=hidden" not in function_flags(GCC, text_bytes=1, exported=True)
    long = function_flags(GCC, text_bytes=3_000_000, exported=False)
    assert "-O2" in long
    assert "-O3" not in long
    lanes = [function_flags(GCC, text_bytes=size, exported=False, lanes=True) for size in (1, 200_000)]
    assert [flags[0] for flags in lanes] == ["-O3", "-O2"]


@pytest.mark.parametrize("compiler", [GCC, ZIG])
def test_fast_math_is_never_asked_for(compiler: Compiler) -> None:
    flags = {
        *function_flags(compiler, text_bytes=1, exported=False),
        *extension_flags(compiler, ("include",)),
        *link_flags(compiler, extension=True),
    }
    assert not flags & {"-ffast-math", "-Ofast", "-funsafe-math-optimizations"}
    assert ("-fno-sanitize=undefined" in flags) == (compiler.kind == "zig")


def test_link_flags_by_platform() -> None:
    assert link_flags(GCC, extension=True, platform="linux") == ("-shared", "-pthread", "-lm")
    assert link_flags(GCC, extension=True, platform="win32") == ("-shared", "-lm")
    assert link_flags(GCC, extension=False, platform="linux") == ("-shared", "-lm")
    assert link_flags(GCC, extension=True, platform="darwin") == ("-bundle", "-undefined", "dynamic_lookup")
    assert link_flags(GCC, extension=False, platform="darwin") == ("-dynamiclib",)
