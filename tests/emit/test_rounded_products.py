"""Gcc fuses a product whose difference stands beside a sum, although it is told to fuse nothing; not in our C."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from symdyn.compiler.tape.program import Program
from symdyn.compiler.tape.tape import Port

COUNT = 8
FLAGS = ["-O3", "-mavx2", "-mfma", "-std=c99", "-ffp-contract=off"]
AT_ONCE = ("vfmaddsub", "vfmsubadd")


def _alternating(samples: ModuleType) -> Program:
    """Differences and sums of products in turn; the products are wanted too, so that no pass makes them part of one."""
    kernel = samples.TapeBuilder("turns", [Port(name, COUNT) for name in "abc"], [Port(name, COUNT) for name in "yp"])
    sums, products = [], []
    for k in range(COUNT):
        a, b, c = (kernel.input(port, k) for port in range(3))
        products.append(kernel.op("mul", a, b))
        sums.append(kernel.op("add" if k % 2 else "sub", products[-1], c))
    program: Program = samples.straight(kernel.tape(sums, products), "turns")
    return program


def _assembly(source: Path, *flags: str) -> str:
    command = ["gcc", *FLAGS, *flags, "-S", str(source), "-o", "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.needs_cc
def test_a_product_that_is_rounded_stays_so(samples: ModuleType, write_module: Callable[..., Path]) -> None:
    (source,) = write_module([_alternating(samples)]).glob("*turns.c")
    text = source.read_text()
    assert text.count("= SYMDYN_ROUNDED(v") == COUNT // 2
    assert not any(word in _assembly(source) for word in AT_ONCE)
    bare = source.with_name("bare.c")
    bare.write_text(text.replace("= SYMDYN_ROUNDED(", "= ("))
    if _major() == 12:
        assert any(word in _assembly(bare) for word in AT_ONCE), "this gcc no longer needs it"


def _major() -> int:
    known = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=True).stdout
    return int(known.split(".")[0])
