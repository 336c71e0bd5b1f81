"""The inline pair of sine and cosine in generated C, against 60-digit values."""

from __future__ import annotations

import ctypes
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp

from symdyn.emit.render import render
from symdyn.toolchain.find_compiler import find_compiler

# Stated in the template's comment.
LIMIT_ULP = 0.75

pytestmark = pytest.mark.needs_cc


def _angles() -> np.ndarray:
    rng = np.random.default_rng(7)
    near_multiples = rng.integers(-60_000, 60_000, 1500) * (math.pi / 2)
    parts = [
        rng.uniform(-4.0, 4.0, 4000),
        rng.uniform(-1e5, 1e5, 1500),
        near_multiples,
        np.nextafter(near_multiples, np.inf),
        rng.standard_normal(300) * 1e-8,
        np.array([0.0, math.pi / 4, -math.pi / 4, 99999.99, 1e5, 1e5 + 1.0, 1e22, -1e300]),
    ]
    return np.concatenate(parts)


def _library(folder: Path, flags: list[str]) -> ctypes.CDLL:
    body = "void pairs(const double *x, double *s, double *c, long n) { for (long i = 0; i < n; ++i) {\n"
    body += "  const struct sine_cosine p = sine_cosine(x[i]); s[i] = p.sine; c[i] = p.cosine; } }\n"
    text = "#include <float.h>\n#include <math.h>\n" + render("c/sine_cosine.c.jinja", {}) + body
    (folder / "pairs.c").write_text(text)
    command = [
        *find_compiler().command,
        "-std=c99",
        "-O3",
        *flags,
        "-fPIC",
        "-shared",
        "pairs.c",
        "-o",
        "pairs.so",
        "-lm",
    ]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    return ctypes.CDLL(str(folder / "pairs.so"))


def _pairs(library: ctypes.CDLL, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sine, cosine = np.empty_like(x), np.empty_like(x)
    library.pairs(*(ctypes.c_void_p(array.ctypes.data) for array in (x, sine, cosine)), ctypes.c_long(len(x)))
    return sine, cosine


@pytest.mark.parametrize("flags", [["-ffp-contract=off"], ["-march=native", "-ffp-contract=fast"]])
def test_error_is_as_stated(tmp_path: Path, flags: list[str]) -> None:
    x = _angles()
    sine, cosine = _pairs(_library(tmp_path, flags), x)
    worst = 0.0
    with mp.workdps(350):  # 1e300 rad needs its 300 digits
        for angle, s, c in zip(x.tolist(), sine.tolist(), cosine.tolist(), strict=True):
            for value, exact in ((s, mp.sin(angle)), (c, mp.cos(angle))):
                ulp = math.ulp(float(exact)) if exact else 1.0
                worst = max(worst, float(abs(mp.mpf(value) - exact)) / ulp)
    assert worst <= LIMIT_ULP


def test_awkward_angles(tmp_path: Path) -> None:
    sine, cosine = _pairs(_library(tmp_path, []), np.array([0.0, -0.0, math.nan, math.inf]))
    assert sine[0] == sine[1] == 0.0 and cosine[0] == cosine[1] == 1.0
    assert all(math.isnan(value) for value in (*sine[2:], *cosine[2:]))
