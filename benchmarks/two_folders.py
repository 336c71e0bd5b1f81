"""Generated folders beside those of another symdyn, such as an older one: time, ratio, machine code.

usage: python benchmarks/two_folders.py OLD NEW [--cpu NAME] [--states N] [name ...]

OLD and NEW hold folders of the same names, each made by ``symdyn generate ROBOT -f FUNCTION --out OLD/NAME``. Times are
nanoseconds per state of single calls, of ``_batch`` and of ``_batch_lanes``, the least of nine rounds in turn. Each
code is loaded from copies of its file, and the fastest counts: where its pages meet in a cache, code of 50 kB may take
twice its time. Fails where results differ by more than rounding.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from batches import _interleaved
from numpy.typing import NDArray
from peers.measure import OWN_FLAGS

from symdyn.compiler.emit.timing import call_harness
from symdyn.toolchain.object_size import text_bytes
from symdyn.toolchain.timing import TimedCode, in_turn

WAYS = ("single", "batch", "batch_lanes")
COPIES, ROUNDS, BATCHES = 4, 9, 3
_FLAGS = ["-O3", "-fno-math-errno", "-fno-trapping-math", *OWN_FLAGS, "-DSYMDYN_LANES", "-fPIC"]
_TOLERANCE = {"float64": 1e-9, "float32": 1e-3}


@dataclass(frozen=True, slots=True)
class Built:
    """A folder's only function, compiled in ``place``; sizes are scalars per state."""

    folder: Path
    place: Path
    flags: list[str]

    @property
    def manifest(self) -> dict[str, Any]:
        """What the folder says of itself."""
        return dict(json.loads((self.folder / "manifest.json").read_text(encoding="utf-8")))

    def objects(self) -> list[Path]:
        """The function, and its lanes."""
        (entry,) = self.manifest["functions"]
        made = []
        for name in (f"{entry['c_name']}.c", f"{entry['c_name']}_lanes.c"):
            made.append(self.place / f"{name}.o")
            if not made[-1].exists():
                subprocess.run(["gcc", *self.flags, "-c", self.folder / name, "-o", made[-1]], check=True)
        return made

    def timed(self, way: str, count: int) -> list[TimedCode]:
        """One way to the results of ``count`` states, as one call, at several places of memory."""
        manifest, dtype = self.manifest, self.manifest["dtype"]
        (entry,) = manifest["functions"]
        inputs, outputs = (
            [int(np.prod(item["shape"])) for item in entry["signature"][key]] for key in ("inputs", "outputs")
        )
        names = [f"x + {count * start}" for start in accumulate(inputs[:-1], initial=0)]
        names += [f"out + {count * start}" for start in accumulate(outputs[:-1], initial=0)]
        call = f"{entry['c_name']}_{way}({count}, {', '.join(names)}, work);"
        if way == "single":
            each = ", ".join(f"{name} + {size} * s" for name, size in zip(names, inputs + outputs, strict=True))
            call = f"for (size_t s = 0; s < {count}; ++s) {entry['c_name']}({each}, work);"
        scalar = {"float64": "double", "float32": "float"}[dtype]
        source, library = self.place / f"{way}.c", self.place / f"{way}.so"
        source.write_text(call_harness(f'#include "{manifest["header"]}"', call, 0, scalar).text, encoding="utf-8")
        command = ["gcc", *self.flags, "-I", self.folder, "-shared", source, *self.objects(), "-o", library, "-lm"]
        subprocess.run(command, check=True)
        states = _states(inputs, count, dtype, 64 // np.dtype(dtype).itemsize if way == "batch_lanes" else 0)
        work = max(entry["batch_work_size"], entry.get("work_size") or 0, 1)
        copies = [shutil.copyfile(library, self.place / f"{way}_{number}.so") for number in range(COPIES)]
        return [TimedCode(ctypes.CDLL(str(copy)), states, count * sum(outputs), work) for copy in copies]


def _states(sizes: list[int], count: int, dtype: str, lanes: int) -> NDArray[Any]:
    rng = np.random.default_rng(3)
    arrays = [rng.uniform(-1.0, 1.0, (count, size)).astype(dtype) for size in sizes]
    if lanes:
        arrays = [_interleaved(array, count, lanes) for array in arrays]
    return np.concatenate([array.ravel() for array in arrays])[None]


def main() -> int:
    """Measure and print; fails where the folders disagree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("names", nargs="*", metavar="name", help="of folders; default all that both have")
    parser.add_argument("--cpu", default="native", metavar="NAME", help="of gcc's -march")
    parser.add_argument("--states", type=int, default=64, help="of a batch, a multiple of 16")
    asked = parser.parse_intermixed_args()
    names = asked.names or sorted(path.name for path in asked.new.iterdir() if (asked.old / path.name).is_dir())
    print("| folder | " + " | ".join(f"{way}: old | new | ratio" for way in WAYS) + " | machine code, ratio |")
    print("|---|" + "---|" * (3 * len(WAYS) + 1))
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            print(f"| {name} | {_row(asked, name, Path(scratch))} |", flush=True)
    return 0


def _row(asked: argparse.Namespace, name: str, scratch: Path) -> str:
    both = []
    for side in (asked.old, asked.new):
        place = scratch / str(len(both))
        place.mkdir()
        both.append(Built((side / name).resolve(), place, [*_FLAGS, f"-march={asked.cpu}"]))
    cells = []
    for way in WAYS:
        old, new = (built.timed(way, asked.states) for built in both)
        runs = [min(own) / asked.states for own in in_turn([*old, *new], ROUNDS, BATCHES)]
        times = min(runs[:COPIES]), min(runs[COPIES:])
        found, expected = new[0].outputs().ravel(), old[0].outputs().ravel()
        error = np.abs(found - expected).max() / np.abs(expected).max()
        if not error < _TOLERANCE[both[0].manifest["dtype"]]:
            raise SystemExit(f"{name}, {way}: results differ by {error:.1e} of the largest")
        cells.append(f"{times[0]:.1f} | {times[1]:.1f} | {times[1] / times[0]:.2f}")
    sizes = [text_bytes(built.objects()[0]) for built in both]
    return " | ".join([*cells, f"{sizes[1] / sizes[0]:.3f}"])


if __name__ == "__main__":
    raise SystemExit(main())
