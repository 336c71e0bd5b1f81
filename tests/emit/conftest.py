"""Sample programs, and generated folders built by the compiler at hand."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support import sample_programs
from support.imports import import_file

from symdyn.compiler.emit.module import emit_module
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.tape.program import Program
from symdyn.interface.manifest import Manifest

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wdouble-promotion", "-Wshadow", "-Wvla", "-Werror"]
FLAGS = ["-std=c99", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", *WARNINGS]


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    return sample_programs


@pytest.fixture
def write_module(tmp_path: Path) -> Callable[..., Path]:
    """Emit programs into a fresh folder."""

    def write(programs: Sequence[Program], target: str = "c", robot: str = "toy") -> Path:
        files = emit_module(
            tuple(programs), robot=robot, version="0.1.0", target=target, load_options={}, robot_yaml="name: toy\n"
        )
        return write_files(files, tmp_path / target)

    return write


def write_files(files: Sequence[SourceFile], folder: Path) -> Path:
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    return folder


@pytest.fixture
def load_numpy() -> Callable[[Path], ModuleType]:
    """Import the NumPy module of a generated folder."""

    def load(folder: Path) -> ModuleType:
        manifest = read_manifest(folder)
        return import_file(folder / "python" / f"{manifest.identifier}.py", f"generated_{manifest.identifier}")

    return load


def read_manifest(folder: Path) -> Manifest:
    return Manifest.from_json((folder / "manifest.json").read_text())


def run_compiler(command: Sequence[str], folder: Path) -> str:
    """Output of a compiler that must succeed in silence."""
    assert shutil.which(command[0]), f"{command[0]} is not installed; deselect with -m 'not needs_cc'"
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr[:2000]
    return done.stdout


class CompiledFolder:
    """The C of a generated folder behind ctypes: flat inputs by name in, flat outputs by name out."""

    def __init__(self, folder: Path, compiler: str = "gcc", flags: Sequence[str] = ("-O2",)) -> None:
        self.manifest = read_manifest(folder)
        self.dtype = np.dtype(self.manifest.dtype)
        library = folder / f"{compiler}{''.join(flags)}.so"
        run_compiler(
            [compiler, *FLAGS, *flags, "-fPIC", "-shared", *self.manifest.sources, "-o", str(library), "-lm"], folder
        )
        self.library = ctypes.CDLL(str(library))

    def call(self, function: str, inputs: Mapping[str, Sequence[float]], states: int | None = None) -> dict[str, Any]:
        """One state, or ``states`` of them through the batch entry with inputs of one row per state."""
        entry = self.manifest.function(function)
        signature = entry.signature
        given = [np.ascontiguousarray(inputs[item.name], self.dtype) for item in signature.inputs]
        count = 1 if states is None else states
        results = [np.full(count * item.size + 1, np.nan, self.dtype) for item in signature.outputs]  # one guard scalar
        work = np.full(entry.work_size, np.nan, self.dtype)
        pointers: list[Any] = [array.ctypes.data_as(ctypes.c_void_p) for array in [*given, *results]]
        pointers.append(work.ctypes.data_as(ctypes.c_void_p) if entry.work_size else None)
        if states is None:
            getattr(self.library, entry.c_name)(*pointers)
        else:
            getattr(self.library, f"{entry.c_name}_batch")(ctypes.c_size_t(states), *pointers)
        assert all(np.isnan(array[-1]) for array in results), "written beyond the end"
        shape = () if states is None else (states,)
        return {
            item.name: array[:-1].reshape(*shape, item.size)
            for item, array in zip(signature.outputs, results, strict=True)
        }


@pytest.fixture
def compiled() -> type[CompiledFolder]:
    return CompiledFolder


@pytest.fixture
def compile_quietly() -> Callable[[Sequence[str], Path], str]:
    return run_compiler
