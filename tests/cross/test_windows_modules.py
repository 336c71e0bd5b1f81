"""Extension modules and libraries for Windows, built by symdyn's own plan with a compiler for Windows.

Python's headers are those of this Python with a configuration for Windows. Its import library is made here from the
names of its functions, as a linker sees them. No Python for Windows runs here; libraries run in wine.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.compilers import needs

import symdyn
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.generation import pipeline
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.toolchain import build_plan
from symdyn.toolchain.build_plan import BuildPlan
from symdyn.toolchain.find_compiler import Compiler

_TOOLS = "x86_64-w64-mingw32-"
GCC = Compiler((f"{_TOOLS}gcc",), "gcc", "", (), "win32")
ZIG = Compiler(
    (sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu"), "zig", "", ("-march=haswell",), "win32"
)
FUNCTIONS = ("inverse_dynamics", "forward_dynamics")

pytestmark = [
    pytest.mark.cross,
    pytest.mark.every_case,
    needs(f"{_TOOLS}gcc"),
    pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning"),
]


@pytest.fixture(scope="module")
def generated() -> tuple[list[SourceFile], Manifest, Any]:
    robot = symdyn.load_example("double_pendulum")
    options = {"steppers": ["rk4", "generalised-alpha"], "layout": "unrolled"}
    files = pipeline.sources(robot, FUNCTIONS, **options)
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    return files, manifest, pipeline.programs(robot, FUNCTIONS, layout="unrolled")


def _plan(
    generated: tuple[list[SourceFile], Manifest, Any], compiler: Compiler, includes: tuple[str, ...]
) -> BuildPlan:
    files, manifest, _ = generated
    texts = {file.path: file.text for file in files if file.path.endswith((".c", ".h"))}
    return build_plan.plan_build(texts, manifest, compiler, includes)


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (command, done.stderr[:3000])
    return done.stdout


def _compile(plan: BuildPlan, folder: Path) -> None:
    for name, text in plan.texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for step in plan.steps:
        _run(step, folder)


def _headers(folder: Path) -> tuple[str, ...]:
    """Headers of this Python and this NumPy, as they would be on Windows."""
    shutil.copytree(sysconfig.get_path("include"), folder / "python")
    shutil.copy(Path(__file__).parent / "windows" / "pyconfig.h", folder / "python")
    shutil.copytree(np.get_include(), folder / "numpy")
    sizes = next((folder / "numpy" / "numpy").glob("_numpyconfig.h"))
    text = sizes.read_text(encoding="utf-8")
    for name, size in (("LONG", 4), ("LONGDOUBLE", 8), ("COMPLEX_LONGDOUBLE", 16)):
        text = re.sub(rf"#define NPY_SIZEOF_{name} \d+", f"#define NPY_SIZEOF_{name} {size}", text)
    sizes.write_text(text.replace("#define NPY_HAVE_ENDIAN_H 1", ""), encoding="utf-8")
    return str(folder / "python"), str(folder / "numpy")


def _import_library(folder: Path, headers: Path) -> Path:
    """A library that says which DLL of Python has which names, from the declarations of its headers."""
    name = f"python{sys.version_info.major}{sys.version_info.minor}"
    text = "".join(path.read_text(encoding="utf-8", errors="replace") for path in headers.rglob("*.h"))
    functions = set(re.findall(r"PyAPI_FUNC\([^)]*\)\s*(\w+)", text))
    data = set(re.findall(r"PyAPI_DATA\([^)]*\)\s*\*?(\w+)", text))
    assert len(functions) > 500
    lines = [f"LIBRARY {name}.dll", "EXPORTS", *sorted(functions), *(f"{own} DATA" for own in sorted(data))]
    (folder / f"{name}.def").write_text("\n".join(lines) + "\n")
    made = folder / f"{name}.lib"
    _run([f"{_TOOLS}dlltool", "-d", f"{name}.def", "-l", made.name], folder)
    return made


def _exported(listing: str) -> set[str]:
    return set(
        re.findall(r"^\s*\[\s*\d+\][^\n]*?\s(\w+)$", listing.partition("[Ordinal/Name Pointer]")[2], re.MULTILINE)
    )


def test_an_extension_links_with_pythons_library(
    generated: tuple[list[SourceFile], Manifest, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spaced = tmp_path / "Program Files"
    spaced.mkdir()
    includes = _headers(spaced)
    library = _import_library(spaced, spaced / "python")
    monkeypatch.setattr(build_plan, "python_libraries", lambda system: (str(library),) if system == "win32" else ())
    plan = _plan(generated, GCC, includes)
    assert plan.product.endswith(".pyd")
    folder = tmp_path / "build"
    folder.mkdir()
    _compile(plan, folder)
    _run(plan.link, folder)
    listing = _run([f"{_TOOLS}objdump", "-p", plan.product], folder)
    assert set(re.findall(r"DLL Name: (\S+)", listing)) >= {library.with_suffix(".dll").name}
    name = plan.product.removesuffix(".pyd")
    steppers = {entry.c_name for entry in generated[1].steppers}
    assert {f"PyInit_{name}", *steppers, *(f"{own}_advance" for own in steppers)} <= _exported(listing)
    # The same objects without that library: what the linker misses is Python's.
    done = subprocess.run(
        [word for word in plan.link if word != str(library)], cwd=folder, capture_output=True, text=True, check=False
    )
    missed = set(re.findall(r"undefined reference to `(?:__imp_)?(\w+)'", done.stderr))
    assert done.returncode != 0 and missed and all(own.startswith(("Py", "_Py")) for own in missed)


@pytest.mark.parametrize(("compiler", "fused"), [(GCC, False), (ZIG, True)], ids=["gcc", "zig with FMA"])
def test_a_library_runs_in_wine(
    generated: tuple[list[SourceFile], Manifest, Any],
    tmp_path: Path,
    compiler: Compiler,
    fused: bool,
    wine: dict[str, str],
) -> None:
    """A DLL, opened as ctypes opens it: functions by their names, with the bits of its class."""
    _, manifest, programs = generated
    plan = _plan(generated, compiler, ())
    _compile(plan, tmp_path)
    if compiler is ZIG:  # which would first build all run-time libraries for Windows, in a minute
        plan = replace(plan, link=(*GCC.command, *plan.link[plan.link.index("-o") :]))
        plan = replace(plan, link=tuple(word for word in plan.link if not word.startswith("-fno-sanitize")))
    _run(plan.link, tmp_path)
    listing = _run([f"{_TOOLS}objdump", "-p", plan.product], tmp_path)
    names = {f"{entry.c_name}{way}" for entry in manifest.functions for way in ("", "_batch")}
    steppers = {f"{entry.c_name}{way}" for entry in manifest.steppers for way in ("", "_advance")}
    assert names | steppers <= _exported(listing)
    (tmp_path / "main.c").write_text(
        """#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
int main(int count, char **words)
{
  double in[6], out[2];
  HMODULE library = LoadLibraryA(words[1]);
  typedef void function(const double *, const double *, const double *, double *, double *);
  function *call = (function *)(void *)GetProcAddress(library, words[2]);
  for (int k = 0; k < 6; ++k) in[k] = strtod(words[3 + k], NULL);
  call(in, in + 2, in + 4, out, malloc(65536));
  return count != 9 || printf("%a %a\\n", out[0], out[1]) < 0;
}
"""
    )
    _run([f"{_TOOLS}gcc", "-O1", "main.c", "-o", "main.exe"], tmp_path)
    rng = np.random.default_rng(7)
    for entry, program in zip(manifest.functions, programs, strict=False):  # the stepper has more functions
        for _ in range(3):
            inputs = rng.normal(size=(3, 2))
            words = [float(value).hex() for value in inputs.ravel()]
            done = subprocess.run(
                ["wine", "main.exe", plan.product, entry.c_name, *words],
                cwd=tmp_path, env=wine, capture_output=True, text=True, timeout=300,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            given = {item.name: own.tolist() for item, own in zip(entry.signature.inputs, inputs, strict=True)}
            (target,) = evaluate_program(program, FloatAlgebra(fused=fused), given).values()
            assert [float.fromhex(word) for word in done.stdout.split()] == list(target)
