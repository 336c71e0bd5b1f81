"""Machine instructions that a call of generated C runs, on x86-64 under Linux: counted one by one, not timed."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symdyn import api
from symdyn.analysis.compare.measurement import generated_code
from symdyn.robot.robot import Robot
from symdyn.toolchain.find_compiler import Compiler
from symdyn.toolchain.flags import function_flags

CACHE_LINES = 512
"""Lines of 64 bytes in an instruction cache of 32 KB."""

PER_LINE = 2.7
"""Instructions that run in the time in which a line of code is read anew."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Instructions of a call, and 64-byte lines of code that it runs through."""

    instructions: int
    lines: int

    @property
    def weighted(self) -> float:
        """Instructions, and those that would run while code beyond the cache is read anew."""
        return self.instructions + (PER_LINE * self.lines if self.lines > CACHE_LINES else 0.0)


def counter(folder: Path, compiler: Compiler) -> Path:
    """The program that counts, built."""
    source, made = Path(__file__).parent / "count_instructions.c", folder / "count_instructions"
    subprocess.run([*compiler.command, "-O1", str(source), "-o", str(made), "-ldl"], check=True, timeout=60)
    return made


def counted(
    robot: Robot, function: str, layout: str, march: str, folder: Path, compiler: Compiler, counts: Path
) -> tuple[str, Counted]:
    """The layout that was written, and what a call at a random state takes, compiled for ``march``."""
    files = api.sources(robot, [function], layout=layout, cpu=march)
    manifest = json.loads(next(file.text for file in files if file.path == "manifest.json"))
    code = generated_code(files, function)
    place = folder / f"{function}_{layout}"
    place.mkdir()
    for file in (*code.sources, code.harness):
        (place / file.path).write_text(file.text)
    sources = [file.path for file in (*code.sources, code.harness) if file.path.endswith(".c")]
    size = sum(len(file.text) for file in code.sources)
    flags = [flag for flag in function_flags(compiler, text_bytes=size, exported=True) if not flag.startswith("-m")]
    command = [*compiler.command, *flags, f"-march={march}", "-shared", *sources, "-o", "code.so", "-lm"]
    subprocess.run(command, cwd=place, check=True, timeout=300)
    (entry,) = (item for item in manifest["functions"] if item["python_name"] == function)
    rng = np.random.default_rng(0)
    inputs = np.concatenate([robot.random_state(rng)[0], rng.uniform(-1.0, 1.0, 3 * robot.nv)])
    arguments = [str(counts), str(place / "code.so"), *map(str, (code.output_size, code.work_size, len(inputs)))]
    done = subprocess.run(arguments, input=inputs.tobytes(), capture_output=True, check=True, timeout=300)
    instructions, lines = map(int, done.stdout.split())
    return entry["layout"], Counted(instructions, lines)
