"""Which compiler is taken, with which flags, and what is said where none works."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.compilers import needs

from symdyn.errors import SymdynWarning, ToolchainError
from symdyn.toolchain import find_compiler as search
from symdyn.toolchain import python_development
from symdyn.toolchain.dialects import product_of, shared_suffix
from symdyn.toolchain.find_compiler import Compiler, find_compiler
from symdyn.toolchain.flags import (
    compile_command,
    extension_flags,
    function_flags,
    link_command,
    link_flags,
    object_name,
)

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
    assert "-fno-tree-dse" in long and "-fno-tree-dse" not in flags
    assert "-fno-tree-dse" not in function_flags(ZIG, text_bytes=3_000_000, exported=False)
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


def on(system: str, compiler: Compiler = GCC) -> Compiler:
    return replace(compiler, system=system)


def test_link_flags_by_platform() -> None:
    assert link_flags(on("linux"), extension=True) == ("-shared", "-pthread", "-lm")
    assert link_flags(on("win32"), extension=True) == ("-shared",)
    assert link_flags(on("linux"), extension=False) == ("-shared", "-lm")
    assert link_flags(on("darwin"), extension=True) == ("-bundle", "-undefined", "dynamic_lookup")
    assert link_flags(on("darwin"), extension=False) == ("-dynamiclib",)


def test_windows_code_is_position_independent_by_itself() -> None:
    for system, has in (("linux", True), ("darwin", True), ("win32", False)):
        for flags in (
            function_flags(on(system), text_bytes=1, exported=False),
            extension_flags(on(system), ("include",)),
        ):
            assert ("-fPIC" in flags) == has


def test_the_words_of_cl() -> None:
    cl = Compiler(("cl.exe",), "msvc", "19.39", (), "win32")
    flags = function_flags(cl, text_bytes=1, exported=False)
    assert flags == ("/O2", "/std:c11", "/fp:precise", "/utf-8")
    assert extension_flags(cl, ("C:\\Program Files\\Python\\include",)) == (
        *("/O2", "/std:c11", "-IC:\\Program Files\\Python\\include"),
    )
    made = compile_command(cl, flags, "arm.c", object_name(cl, 0))
    assert made == ("cl.exe", "/nologo", *flags, "/c", "arm.c", "/Fo0.obj")
    link = link_command(cl, "arm.pyd", ["0.obj"], extension=True, libraries=["C:\\Py\\libs\\python311.lib"])
    assert link == ("cl.exe", "/nologo", "/LD", "0.obj", "/Fearm.pyd", "/link", "C:\\Py\\libs\\python311.lib")
    library = link_command(cl, "arm.dll", ["0.obj"], extension=False, exports=True)
    assert library[-2:] == ("/link", "/DEF:exports.def")
    assert [product_of(words) for words in (made, link, library)] == ["0.obj", "arm.pyd", "arm.dll"]
    with pytest.raises(ValueError, match="names no file"):
        product_of(("cl.exe", "arm.c"))


@needs("clang")
def test_clang_takes_the_words_of_cl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects for Windows by clang in the mode of ``cl``: no flag is unknown, and products stay apart from sums."""
    monkeypatch.undo()
    clang = ("clang", "--driver-mode=cl", "--target=x86_64-pc-windows-msvc")
    compiler = Compiler(clang, "clang-cl", "clang", ("/clang:-march=haswell",), "win32")
    source = "double f(double a, double b, const double *restrict c);\n"
    source += "double f(double a, double b, const double *restrict c) { return a * b + *c; }\n"
    (tmp_path / "f.c").write_text(source)
    found = {}
    for foreign in (False, True):
        flags = function_flags(compiler, text_bytes=1, exported=True, foreign=foreign)
        command = compile_command(compiler, (*flags, "/WX", "-Werror"), "f.c", "f.obj")
        subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
        assert (tmp_path / product_of(command)).read_bytes()[:2] == b"\x64\x86"
        listing = ["objdump", "-d", "f.obj"]
        found[foreign] = subprocess.run(listing, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "vfmadd" in found[True] and "vfmadd" not in found[False] and "vmul" in found[False]


def test_suffixes_of_other_systems() -> None:
    systems = ("win32", "darwin", "freebsd14")
    assert [shared_suffix(own, extension=True) for own in systems] == [".pyd", ".so", ".so"]
    assert [shared_suffix(own, extension=False) for own in systems] == [".dll", ".dylib", ".so"]
    assert shared_suffix(sys.platform, extension=True) == sysconfig.get_config_var("EXT_SUFFIX")


# Stands for cl: it tells what it is where it refuses --version, and makes what /Fe names.
CL = """
case "$*" in
  *--version*) echo "Microsoft (R) C/C++ Optimizing Compiler Version 19.39.33523 for x64" >&2
    echo "cl : Command line error D8003 : missing source filename" >&2; exit 2;;
esac
for word in "$@"; do case "$word" in /Fe*) : > "${word#/Fe}";; -*|*native*) exit 1;; esac; done
"""


def test_cl_is_found_on_windows_first(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SYSTEM", "win32")
    path = script("cl", CL)
    script("gcc", WORKING.format(version="gcc", refused="-never"))
    compiler = find_compiler()
    assert (compiler.command, compiler.kind, compiler.native) == ((str(path),), "msvc", ())
    assert compiler.version == "Microsoft (R) C/C++ Optimizing Compiler Version 19.39.33523 for x64"
    path.unlink()
    script("clang-cl", CL.replace("Microsoft (R) C/C++ Optimizing Compiler", "clang").replace("exit 2", "exit 0"))
    search._find.cache_clear()
    assert find_compiler().kind == "clang-cl"


def test_backslashes_in_cc_are_paths_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SYSTEM", "win32")
    words = search._words('"C:\\Program Files\\LLVM\\bin\\clang.exe" -m64')
    assert words == ("C:\\Program Files\\LLVM\\bin\\clang.exe", "-m64")


@pytest.mark.parametrize(("system", "remedy"), [("win32", "Build Tools"), ("darwin", "xcode-select --install")])
def test_the_remedy_is_that_of_the_system(monkeypatch: pytest.MonkeyPatch, system: str, remedy: str) -> None:
    monkeypatch.setattr(search, "SYSTEM", system)
    with pytest.raises(ToolchainError, match=remedy):
        find_compiler()


def test_windows_links_modules_with_the_library_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert python_development.python_libraries("linux") == ()
    monkeypatch.setattr(python_development, "SYSTEM", "win32")
    monkeypatch.setattr(python_development.sys, "base_prefix", str(tmp_path))
    assert "import library was not found (install Python from python.org" in python_development.extension_includes()
    name = f"python{sys.version_info.major}{sys.version_info.minor}.lib"
    (tmp_path / "libs").mkdir()
    (tmp_path / "libs" / name).write_text("")
    assert python_development.python_libraries("win32") == (str(tmp_path / "libs" / name),)
    assert not isinstance(python_development.extension_includes(), str)
