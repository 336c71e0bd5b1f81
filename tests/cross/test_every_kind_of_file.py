"""Every kind of generated C compiles for every system, and keeps to what Microsoft's compiler takes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from support.compilers import needs
from support.every_kind import write_every_kind

pytestmark = [pytest.mark.cross, pytest.mark.every_case, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]

_STRICT = ("-Wall", "-Wextra", "-Wvla", "-Werror", "-ffp-contract=off")
TARGETS = {
    "x86_64-windows-gnu": False,
    "x86_64-macos": False,
    "aarch64-macos": True,
    "aarch64-linux-gnu": True,
    "riscv64-linux-gnu": False,
    "wasm32-wasi": False,
}
"""Targets, and whether their code fuses products and sums: the class of its results (docs/platforms.md)."""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONWARNINGS", "ignore")
        return write_every_kind(tmp_path_factory.mktemp("every kind"))


def _compiled(source: Path, command: Sequence[str]) -> str:
    # A path with a space in it, as on many systems.
    done = subprocess.run([*command, source.name], cwd=source.parent, capture_output=True, text=True, timeout=600)
    return "" if done.returncode == 0 else f"{source.name}: {done.stderr[:1500]}"


def _all(sources: Sequence[Path], command: Sequence[str]) -> list[str]:
    with ThreadPoolExecutor(2) as pool:
        return [text for text in pool.map(partial(_compiled, command=command), sources) if text]


@pytest.mark.parametrize("target", TARGETS)
def test_every_kind_of_file_compiles_for(target: str, sources: list[Path], tmp_path: Path) -> None:
    # wasm32-wasi has no clock of a thread, by which calls are timed; nobody times them there.
    kinds = [path for path in sources if target != "wasm32-wasi" or path.name != "timing.c"]
    assert len(kinds) > 20
    zig = (sys.executable, "-m", "ziglang", "cc", "-target", target, "-fno-sanitize=undefined")
    assert _all(kinds, (*zig, "-std=c99", "-O1", *_STRICT, "-c", "-o", str(tmp_path / "made.o"))) == []
    uses = next(path for path in sources if "#define SYMDYN_FUSED 1" in path.read_text(encoding="utf-8"))
    expanded = subprocess.run(
        [*zig, "-std=c99", "-E", "-dM", uses.name], cwd=uses.parent, capture_output=True, text=True, check=True
    ).stdout
    assert re.findall(r"#define SYMDYN_FUSED (\d)", expanded) == [str(int(TARGETS[target]))]


@needs("clang")
def test_what_microsofts_compiler_takes(sources: list[Path]) -> None:
    """By clang in the mode of ``cl``, told that it is no GNU compiler, with headers of Windows: no language but C11."""
    import ziglang

    headers = Path(ziglang.__file__).parent / "lib" / "libc" / "include" / "any-windows-any"
    own = subprocess.run(["clang", "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
    command = [
        *("clang", "--driver-mode=cl", "--target=x86_64-pc-windows-msvc", "/nologo", "/std:c11", "-fsyntax-only"),
        # Of two headers zig's are for GNU compilers alone.
        *(
            "-U__GNUC__",
            "-U__clang__",
            "-imsvc",
            str(Path(__file__).parent / "windows" / "include"),
            "-imsvc",
            f"{own}/include",
            "-imsvc",
            str(headers),
        ),
        "-D__STRICT_ANSI__",  # without it MinGW has M_PI, which Microsoft's header has not
        *("/W3", "/WX", "-Wextra", "-Wpedantic", "-Wgnu", "-Wvla", "-Wno-unknown-pragmas"),
    ]
    assert _all(sources, command) == []
    # The check sees what it looks for.
    bad = {
        "vla.c": "int f(int n);\nint f(int n) { int a[n]; a[0] = n; return a[0]; }\n",
        "statement.c": "int f(int a);\nint f(int a) { return ({ a; }); }\n",
        "pi.c": "#include <math.h>\ndouble f(void);\ndouble f(void) { return M_PI; }\n",
    }
    for name, text in bad.items():
        (sources[0].parent / name).write_text(text)
        assert _all([sources[0].parent / name], command) != [], name
        (sources[0].parent / name).unlink()
