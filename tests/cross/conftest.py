"""Generated C on other processors: compiled with a cross compiler, run in an emulator on inputs from a file."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symdyn.compiler.tape.program import Program, lane_loops
from symdyn.generation import pipeline
from symdyn.interface.manifest import FILE_NAME, FunctionEntry, Manifest
from symdyn.robot.robot import Robot

_HERE = Path(__file__).parent
_FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
_WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-Wshadow", "-Wvla", "-Werror")

Rows = Mapping[str, np.ndarray]
"""Arrays by name, one row per state."""


@dataclass(frozen=True)
class Machine:
    """A processor: who compiles for it, and who plays it.

    ``startup`` and ``link`` make an executable of objects, ``packages`` are Debian's. With a ``target`` zig makes the
    objects of generated C, and ``compiler`` links them. ``fused`` is the class of results: whether a product and a sum
    are rounded once.
    """

    name: str
    compiler: str
    flags: tuple[str, ...]
    startup: tuple[str, ...]
    link: tuple[str, ...]
    emulator: tuple[str, ...]
    packages: str
    target: str = ""
    fused: bool = True
    program: str = "program"

    def check(self) -> None:
        """Fail where a tool is missing."""
        for tool in (self.compiler, self.emulator[0]):
            if shutil.which(tool) is None:
                pytest.fail(f"{tool} is not installed, which tests for {self.name} need (Debian: {self.packages})")

    @property
    def makes_objects(self) -> tuple[str, ...]:
        """The command that compiles generated C."""
        zig = (sys.executable, "-m", "ziglang", "cc", "-target", self.target, "-fno-sanitize=undefined")
        return zig if self.target else (self.compiler,)


@cache
def wine_environment() -> dict[str, str]:
    """Variables under which wine keeps its files in a folder of this process, and says nothing of its own."""
    folder = tempfile.mkdtemp(prefix="symdyn-wine-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    quiet = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml=;winemenubuilder.exe="}
    return {**os.environ, "WINEPREFIX": folder, **quiet}


_BARE_METAL: dict[str, Any] = {
    "compiler": "arm-none-eabi-gcc",
    "startup": ("startup.c",),
    "link": ("-nostartfiles", "--specs=rdimon.specs", "-T", "cortex_m.ld", "-lm"),
    "packages": "gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
}


def _board(name: str) -> tuple[str, ...]:
    return (
        "qemu-system-arm",
        "-M",
        name,
        "-display",
        "none",
        "-monitor",
        "none",
        "-serial",
        "none",
        "-semihosting",
        "-kernel",
    )


_WINDOWS: dict[str, Any] = {
    "compiler": "x86_64-w64-mingw32-gcc",
    "startup": (),
    "link": ("-static",),
    "emulator": ("wine",),
    "packages": "gcc-mingw-w64-x86-64-win32 wine wine64",
    "target": "x86_64-windows-gnu",
    "program": "program.exe",
}

MACHINES = {
    machine.name: machine
    for machine in (
        Machine(
            "aarch64",
            compiler="aarch64-linux-gnu-gcc",
            flags=(),
            startup=(),
            link=("-static", "-lm"),
            emulator=("qemu-aarch64",),
            packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user",
        ),
        Machine(
            "cortex-m4",
            flags=("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
            emulator=_board("mps2-an386"),
            **_BARE_METAL,
        ),
        Machine(
            "cortex-m7",
            flags=("-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16"),
            emulator=_board("mps2-an500"),
            **_BARE_METAL,
        ),
        Machine(
            "aarch64-zig",
            compiler="aarch64-linux-gnu-gcc",
            flags=(),
            startup=(),
            link=("-static", "-lm"),
            emulator=("qemu-aarch64",),
            packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user",
            target="aarch64-linux-gnu",
        ),
        Machine(
            "riscv64-zig",
            compiler="riscv64-linux-gnu-gcc",
            flags=(),
            startup=(),
            link=("-static", "-lm"),
            emulator=("qemu-riscv64",),
            packages="gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user",
            target="riscv64-linux-gnu",
            fused=False,
        ),
        Machine("windows-zig", flags=(), fused=False, **_WINDOWS),
        Machine("windows-fma-zig", flags=("-march=haswell",), **_WINDOWS),
    )
}


@dataclass(frozen=True)
class Module:
    """Generated C in a folder, and the programs that it comes from."""

    folder: Path
    manifest: Manifest
    programs: tuple[Program, ...]


def write_module(folder: Path, robot: Robot, functions: Sequence[str], **options: Any) -> Module:
    """The C files of some functions in a fresh folder; ``options`` are those of ``symdyn.generate``."""
    files = pipeline.sources(robot, functions, **options)
    folder.mkdir(parents=True)
    for file in files:
        if file.path.endswith((".c", ".h")):
            (folder / file.path).write_text(file.text, encoding="utf-8")
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    return Module(folder, manifest, pipeline.programs(robot, functions, **options))


class Emulated:
    """Modules in one executable for a machine, with every way of calling their functions.

    The ways are one state at a time, ``_batch`` with and without lanes, and ``_batch_lanes`` at the machine's own
    length of vectors and at ``lengths`` [bytes]. Where limbs lie in lanes, single states come at these lengths too.
    """

    def __init__(
        self, machine: Machine, folder: Path, modules: Sequence[Module], states: int, lengths: Sequence[int] = ()
    ) -> None:
        machine.check()
        folder.mkdir(parents=True, exist_ok=True)
        self.machine, self.folder, self.modules, self.states = machine, folder, modules, states
        self.dtype = np.dtype(modules[0].manifest.dtype)
        has_limbs = any(lane_loops(program.body) for module in modules for program in module.programs)
        self._single = ("", *(f"_{length}" for length in lengths if has_limbs))
        lanes = [f"_batch_lanes_{length}" for length in lengths]
        self.ways = (*self._single, "_batch", "_batch_through_lanes", "_batch_lanes", *lanes)
        objects: list[Path] = []
        for module in modules:
            for entry in module.manifest.functions:
                name, source = entry.c_name, module.folder / f"{entry.c_name}.c"
                renamed = (f"-D{name}={name}_through_lanes", f"-D{name}_batch={name}_batch_through_lanes")
                in_lanes = module.folder / f"{name}_lanes.c"
                objects.append(self._object(source, "plain"))
                objects.append(self._object(source, "through_lanes", "-DSYMDYN_LANES", *renamed))
                objects.append(self._object(in_lanes, "lanes"))
                for length in lengths:
                    bytes_long = f"-DSYMDYN_VECTOR_BYTES={length}"
                    objects.append(self._object(in_lanes, f"lanes{length}", f"-DSYMDYN_VARIANT={length}", bytes_long))
                    if has_limbs:
                        renamed = (f"-D{name}={name}_{length}", f"-D{name}_batch={name}_batch_{length}")
                        objects.append(self._object(source, f"plain{length}", bytes_long, *renamed))
        main = folder / "main.c"
        main.write_text(self._main(), encoding="utf-8")
        includes = [f"-I{place}" for place in (_HERE, *(module.folder for module in modules))]
        sources = [str(main), *(str(_HERE / name) for name in machine.startup)]
        made = ("-L", str(_HERE), *machine.link, "-o", machine.program)
        self._compile([machine.compiler], *includes, *sources, *map(str, objects), *made)

    def _compile(self, compiler: Sequence[str], *arguments: str) -> None:
        command = [*compiler, *_FLAGS, *self.machine.flags, *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0 and not done.stderr, done.stderr[:3000]

    def _object(self, source: Path, kind: str, *flags: str) -> Path:
        target = self.folder / f"{source.stem}_{kind}.o"
        self._compile(self.machine.makes_objects, *_WARNINGS, *flags, "-c", str(source), "-o", str(target))
        return target

    def undefined(self, function: str) -> set[str]:
        """What the object of a function (by its C name) takes from libraries, its file compiled without lanes."""
        return {line.split()[-1] for line in self._tool("nm", "-u", f"{function}_plain.o").splitlines() if line.strip()}

    def instructions(self, function: str, kind: str) -> str:
        """The instructions of an object; its ``kind`` is plain, through_lanes or lanes, and a length of vectors."""
        stem = f"{function}_lanes" if kind.startswith("lanes") else function
        return self._tool("objdump", "-d", f"{stem}_{kind}.o")

    def _tool(self, name: str, *arguments: str) -> str:
        command = [f"{self.machine.compiler.removesuffix('gcc')}{name}", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True, timeout=60).stdout

    def run(self, inputs: Mapping[str, Rows]) -> dict[str, dict[str, Rows]]:
        """Results by function (its C name), way and output, for inputs by function."""
        entries = [entry for module in self.modules for entry in module.manifest.functions]
        given = [
            np.asarray(inputs[entry.c_name][item.name], self.dtype).reshape(self.states, item.size).ravel()
            for entry in entries
            for item in entry.signature.inputs
        ]
        (self.folder / "inputs.bin").write_bytes(np.concatenate(given).tobytes())
        command = [*self.machine.emulator, self.machine.program]
        environment = wine_environment() if command[0] == "wine" else None
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        if environment:  # wine tells that it makes its folder
            done.stderr = "".join(line for line in done.stderr.splitlines() if not line.startswith("wine: "))
        assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr[:2000])
        received = np.fromfile(self.folder / "results.bin", self.dtype)
        found: dict[str, dict[str, Rows]] = {}
        start = 0
        for entry in entries:
            for way in self.ways:
                rows = {}
                for item in entry.signature.outputs:
                    size = self.states * item.size
                    rows[item.name] = received[start : start + size].reshape(self.states, item.size)
                    start += size
                found.setdefault(entry.c_name, {})[way] = rows
        assert start == len(received)
        return found

    def _main(self) -> str:
        scalar = {"float64": "double", "float32": "float"}[self.dtype.name]
        lines = [f"#define SCALAR {scalar}", '#include "exchange.h"']
        lines += [f'#include "{module.manifest.header}"' for module in self.modules]
        calls = []
        for module in self.modules:
            for entry in module.manifest.functions:
                lines += self._function(entry, f"{module.manifest.identifier.upper()}_LANES")
                calls.append(f"  run_{entry.c_name}();")
        return "\n".join(
            [
                *lines,
                "int main(void)\n{",
                '  inputs = fopen("inputs.bin", "rb");',
                '  results = fopen("results.bin", "wb");',
                '  if (inputs == NULL || results == NULL) give_up("no files");',
                *calls,
                '  if (fclose(results) != 0) give_up("results cannot be written");',
                "  return 0;\n}\n",
            ]
        )

    def _function(self, entry: FunctionEntry, lanes: str) -> list[str]:
        """C that receives the inputs of a function and sends what each way of calling it returns."""
        name, n = entry.c_name, self.states
        taken = [(f"x{index}", item.size) for index, item in enumerate(entry.signature.inputs)]
        made = [(f"y{index}", item.size) for index, item in enumerate(entry.signature.outputs)]
        types = ", ".join([*(["const SCALAR *"] * len(taken)), *(["SCALAR *"] * (len(made) + 1))])
        known = ("", "_batch", "_batch_lanes")  # by the header
        lines = [
            f"void {name}{way}({'' if way in self._single else 'size_t, '}{types});"
            for way in self.ways
            if way not in known
        ]
        lines.append(f"static void run_{name}(void)\n{{")
        for array, size in taken:
            lines.append(f"  SCALAR *{array} = receive({n} * {size});")
            lines.append(f"  SCALAR *{array}_blocks = in_blocks({array}, {size}, {n}, {lanes});")
        for way in self.ways:
            blocks = way.startswith("_batch_lanes")
            work = f"{name.upper()}_{'LANES_' if blocks else 'BATCH_' if 'through' in way else ''}WORK"
            rows = f"whole_blocks({n}, {lanes})" if blocks else str(n)
            given = [f"{array}_blocks" if blocks else array for array, _ in taken]
            lines.append(f"  {{\n    SCALAR *work = fresh({work});")
            lines += [f"    SCALAR *{array} = fresh({rows} * {size});" for array, size in made]
            if way in self._single:
                each = ", ".join(f"{array} + {size} * s" for array, size in (*taken, *made))
                lines.append(f"    for (size_t s = 0; s < {n}; ++s) {name}{way}({each}, work);")
            else:
                lines.append(f"    {name}{way}({', '.join([str(n), *given, *(array for array, _ in made), 'work'])});")
            for array, size in made:
                sent = f"send_blocks({array}, {size}, {n}, {lanes})" if blocks else f"send({array}, {n} * {size})"
                lines.append(f"    {sent};")
            lines.append(f"    release(work, {work});\n  }}")
        for array, size in taken:
            lines.append(f"  release({array}, {n} * {size});")
            lines.append(f"  release({array}_blocks, whole_blocks({n}, {lanes}) * {size});")
        return [*lines, "}"]


@pytest.fixture
def generated(tmp_path: Path) -> Callable[..., Module]:
    """See :func:`write_module`; the folder is a name."""
    return lambda name, *given, **options: write_module(tmp_path / name, *given, **options)


@pytest.fixture
def emulated(tmp_path: Path) -> Callable[..., Emulated]:
    """See :class:`Emulated`; the machine is a name."""
    return lambda name, *given, **options: Emulated(MACHINES[name], tmp_path / name, *given, **options)


@pytest.fixture
def wine() -> dict[str, str]:
    """See :func:`wine_environment`."""
    return wine_environment()
