"""Straight lines of products and sums, compiled as generated code is: GCC 12.2 mixed up their lanes with AVX-512."""

from __future__ import annotations

import ctypes
import random
import subprocess
from pathlib import Path

import pytest

from symdyn.toolchain.find_compiler import find_compiler
from symdyn.toolchain.flags import function_flags, link_flags

KERNELS, ROWS = 60, 8
Term = tuple[int, int, int]


def drawn(generator: random.Random) -> list[Term]:
    """Rows, columns and factors of a matrix: a diagonal, and some pairs beside it, in any order."""
    places = [(row, row) for row in range(ROWS)]
    for _ in range(generator.randint(1, 3)):
        first, second = generator.sample(range(ROWS), 2)
        places += [(first, second), (second, first)]
    generator.shuffle(places)
    return [(row, column, generator.randint(2, 9)) for row, column in places]


def written(name: str, terms: list[Term]) -> str:
    """A function that adds the product of the matrix and x to y; what it reads and writes may be the same."""
    lines = [f"  double y{row} = y[{row}];" for row in range(ROWS)]
    lines += [f"  y{row} = fma({factor}.0, x[{column}], y{row});" for row, column, factor in terms]
    lines += [f"  out[{row}] = y{row};" for row in range(ROWS)]
    return "\n".join([f"void {name}(const double *x, const double *y, double *out)", "{", *lines, "}", ""])


@pytest.mark.needs_cc
def test_products_go_to_their_rows(tmp_path: Path) -> None:
    generator, compiler = random.Random(1), find_compiler()
    kernels = [drawn(generator) for _ in range(KERNELS)]
    text = "#include <math.h>\n" + "".join(written(f"f{place}", terms) for place, terms in enumerate(kernels))
    (tmp_path / "lines.c").write_text(text)
    flags = function_flags(compiler, text_bytes=len(text), exported=True)
    library = tmp_path / "lines.so"
    command = [*compiler.command, *flags, str(tmp_path / "lines.c"), "-o", str(library)]
    subprocess.run([*command, *link_flags(compiler, extension=False)], check=True, timeout=120)
    functions = ctypes.CDLL(str(library))
    x, y = (list(range(first, first + ROWS)) for first in (11, 300))
    for place, terms in enumerate(kernels):
        wanted = [float(value) for value in y]
        for row, column, factor in terms:
            wanted[row] += factor * x[column]
        arrays = [(ctypes.c_double * ROWS)(*values) for values in (x, y, [0] * ROWS)]
        getattr(functions, f"f{place}")(*arrays)
        assert list(arrays[2]) == wanted, place
