"""Batches through compiled C: states one after another, and states in blocks of lanes."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symdyn.interface.manifest import FunctionEntry, Manifest

BLOCK_BYTES = 64
GUARD = 16


def build(
    folders: Sequence[Path], target: Path, compiler: str = "gcc", flags: Sequence[str] = (), lanes: bool = True
) -> ctypes.CDLL:
    """One library of the C in some folders; without ``lanes``, of single calls alone."""
    sources = [str(path) for folder in folders for path in sorted(folder.glob("*.c"))]
    command = [
        compiler,
        "-std=c99",
        *(("-DSYMDYN_LANES",) if lanes else ()),
        *rounding_flags(compiler),
        "-fno-math-errno",
        "-fno-trapping-math",
    ]
    command += [*flags, "-fPIC", "-shared", *sources, "-o", str(target), "-lm"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[:2000]
    return ctypes.CDLL(str(target))


def rounding_flags(compiler: str) -> tuple[str, ...]:
    """What keeps a compiler from fusing products with sums by itself."""
    return ("-ffp-contract=off",)


def lanes_of(manifest: Manifest) -> int:
    """States of a block."""
    return BLOCK_BYTES // np.dtype(manifest.dtype).itemsize


class Batches:
    """A function of a library, for inputs by name with one row per state (``p`` is one row for all)."""

    def __init__(self, library: ctypes.CDLL, manifest: Manifest, entry: FunctionEntry) -> None:
        self.library = library
        self.entry = entry
        self.dtype = np.dtype(manifest.dtype)
        self.lanes = lanes_of(manifest)

    def contiguous(self, inputs: Mapping[str, Any], states: int) -> dict[str, np.ndarray]:
        """Results of ``_batch``, one row per state."""
        given = [self._flat(inputs[item.name]) for item in self.entry.signature.inputs]
        results = self._call("_batch", given, states, states)
        sizes = {item.name: item.size for item in self.entry.signature.outputs}
        return {name: array.reshape(states, sizes[name]) for name, array in results.items()}

    def in_blocks(self, inputs: Mapping[str, Any], states: int, suffix: str = "_batch_lanes") -> dict[str, np.ndarray]:
        """Results of ``_batch_lanes``, or of another name with the same meaning, one row per state."""
        padded = states + -states % self.lanes
        given = []
        for item in self.entry.signature.inputs:
            array = np.asarray(inputs[item.name], self.dtype)
            if item.name != "p":
                array = array.reshape(states, item.size)
                full = np.concatenate([array, np.repeat(array[-1:], padded - states, axis=0)])
                array = full.reshape(padded // self.lanes, self.lanes, item.size).transpose(0, 2, 1)
            given.append(self._flat(array))
        results = self._call(suffix, given, states, padded)
        rows = {}
        for item in self.entry.signature.outputs:
            blocks = results[item.name].reshape(padded // self.lanes, item.size, self.lanes)
            rows[item.name] = blocks.transpose(0, 2, 1).reshape(padded, item.size)[:states]
        return rows

    def _flat(self, values: Any) -> np.ndarray:
        """Values at an address that no vector is aligned to."""
        array = np.asarray(values, self.dtype).ravel()
        place = np.empty(array.size + 3, self.dtype)[3:]
        place[:] = array
        return place

    def _call(self, suffix: str, given: list[np.ndarray], states: int, rows: int) -> dict[str, np.ndarray]:
        outputs = self.entry.signature.outputs
        results = [np.full(rows * item.size + GUARD, np.nan, self.dtype) for item in outputs]
        work = np.full(max(self.entry.batch_work_size, self.entry.work_size) + GUARD, np.nan, self.dtype)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*given, *results, work)]
        getattr(self.library, f"{self.entry.c_name}{suffix}")(ctypes.c_size_t(states), *pointers)
        assert all(np.isnan(array[-GUARD:]).all() for array in (*results, work)), "written beyond the end"
        return {item.name: array[:-GUARD] for item, array in zip(outputs, results, strict=True)}
