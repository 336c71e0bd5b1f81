"""The inline sines and cosines in generated C, of an angle, of four and in lanes of floats, against 60-digit values."""

from __future__ import annotations

import ctypes
import math
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.compilers import each_of

from symdyn.compiler.emit.c.lanes_files import lane_context
from symdyn.compiler.emit.render import render
from symdyn.interface import sine_cosine
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


def _library(folder: Path, flags: list[str], compiler: str | None = None) -> ctypes.CDLL:
    """``pairs`` evaluates angles one by one, ``fours`` four at once."""
    body = "void pairs(const double *x, double *s, double *c, long n) { for (long i = 0; i < n; ++i) {\n"
    body += "  const struct sine_cosine p = sine_cosine(x[i]); s[i] = p.sine; c[i] = p.cosine; } }\n"
    body += "void fours(const double *x, double *s, double *c, long n) { for (long i = 0; i < n; i += 4) {\n"
    body += "  const struct sines_cosines p = sines_cosines(x[i], x[i + 1], x[i + 2], x[i + 3]);\n"
    body += "  for (int k = 0; k < 4; ++k) { s[i + k] = p.sine[k]; c[i + k] = p.cosine[k]; } } }\n"
    headers = "#include <float.h>\n#include <math.h>\n#include <string.h>\n"
    context = {"circle": sine_cosine, "scalar": "double"}
    parts = [render(f"c/{name}.c.jinja", context) for name in ("fma", "sine_cosine", "sines_cosines")]
    text = headers + "\n".join(parts) + body
    (folder / "pairs.c").write_text(text)
    command = [
        *([compiler] if compiler else find_compiler().command),
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Wno-unused-function",
        "-Werror",
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


def _pairs(library: ctypes.CDLL, x: np.ndarray, function: Any = None) -> tuple[np.ndarray, np.ndarray]:
    sine, cosine = np.empty_like(x), np.empty_like(x)
    function = function or library.pairs
    function(*(ctypes.c_void_p(array.ctypes.data) for array in (x, sine, cosine)), ctypes.c_long(len(x)))
    return sine, cosine


def _fours(library: ctypes.CDLL, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return _pairs(library, x, library.fours)


FLAGS = [["-ffp-contract=off"], ["-march=native", "-ffp-contract=off"], ["-march=native", "-ffp-contract=fast"]]


@pytest.mark.parametrize("flags", FLAGS)
def test_error_is_as_stated(tmp_path: Path, flags: list[str]) -> None:
    x = _angles()
    _check(x, *_pairs(_library(tmp_path, flags), x))


@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize("flags", [*FLAGS, ["-DSYMDYN_VECTOR_BYTES=0"]], ids=["plain", "native", "contracted", "c"])
def test_four_angles_at_once_are_as_good(tmp_path: Path, compiler: str, flags: list[str]) -> None:
    near = _angles()[np.abs(_angles()) <= 1e5]
    x = np.concatenate([near[: len(near) // 4 * 4], np.array([0.5, 1e22, -2.0, 1e5 + 1.0])])
    _check(x, *_fours(_library(tmp_path, flags, compiler), x))


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return _library(tmp_path_factory.mktemp("native"), ["-march=native"])


@pytest.mark.parametrize("awkward", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", range(4))
def test_an_awkward_angle_leaves_its_neighbours_alone(native: ctypes.CDLL, awkward: float, place: int) -> None:
    angles = np.array([0.3, -1.2, 2.5, -0.0])
    expected = _fours(native, angles)
    angles[place] = awkward
    for found, wanted, function in zip(_fours(native, angles), expected, (np.sin, np.cos), strict=True):
        others = np.arange(4) != place
        assert math.isnan(found[place])
        assert np.allclose(wanted[others], function(angles[others]), rtol=1e-15, atol=0.0)
        assert np.allclose(found[others], wanted[others], rtol=4e-16, atol=0.0)


@cache  # of the same angles for every compiler and its flags
def _exact(angle: float) -> tuple[Any, Any]:
    """Sine and cosine."""
    with mp.workdps(350):  # 1e300 rad needs its 300 digits
        return mp.cos_sin(angle)[::-1]


def _check(x: np.ndarray, sine: np.ndarray, cosine: np.ndarray) -> None:
    worst = 0.0
    with mp.workdps(350):
        for angle, s, c in zip(x.tolist(), sine.tolist(), cosine.tolist(), strict=True):
            for value, exact in zip((s, c), _exact(angle), strict=True):
                ulp = math.ulp(float(exact)) if exact else 1.0
                worst = max(worst, float(abs(mp.mpf(value) - exact)) / ulp)
    assert worst <= LIMIT_ULP


def test_awkward_angles(tmp_path: Path) -> None:
    sine, cosine = _pairs(_library(tmp_path, []), np.array([0.0, -0.0, math.nan, math.inf]))
    assert sine[0] == sine[1] == 0.0 and cosine[0] == cosine[1] == 1.0
    assert all(math.isnan(value) for value in (*sine[2:], *cosine[2:]))


FLOAT_LIMIT_ULP = 2.0
"""Stated in the template of lanes."""


def _float_lanes(folder: Path, compiler: str, flags: list[str], lanes: int) -> ctypes.CDLL:
    """``pairs`` evaluates so many floats after another as one vector of lanes, or as several shorter ones.

    ``ones`` evaluates them one by one, and ``fours`` four at once.
    """
    context = lane_context(frozenset({"sine_cosine", "load", "store"}), "float", lanes)
    names = ("fma", "sine_cosine", "sines_cosines", "separate", "lanes", "lanes_sine_cosine")
    parts = [render(f"c/{name}.c.jinja", context) for name in names]
    body = "void ones(const float *x, float *s, float *c, long n) { for (long i = 0; i < n; ++i) {\n"
    body += "  const struct sine_cosine p = sine_cosine(x[i]); s[i] = p.sine; c[i] = p.cosine; } }\n"
    body += "void fours(const float *x, float *s, float *c, long n) { for (long i = 0; i < n; i += 4) {\n"
    body += "  const struct sines_cosines p = sines_cosines(x[i], x[i + 1], x[i + 2], x[i + 3]);\n"
    body += "  for (int k = 0; k < 4; ++k) { s[i + k] = p.sine[k]; c[i + k] = p.cosine[k]; } } }\n"
    body += "void pairs(const float *x, float *s, float *c, long n) { for (long i = 0; i < n; i += WIDTH) {\n"
    body += "  const struct lanes_pair p = lanes_sine_cosine(lanes_load(x + i));\n"
    body += "  lanes_store(s + i, p.sine); lanes_store(c + i, p.cosine); } }\n"
    headers = "#include <float.h>\n#include <math.h>\n#include <string.h>\n"
    (folder / "lanes.c").write_text(headers + "\n".join(parts) + body)
    warnings = ["-Wall", "-Wextra", "-Wno-unused-function", "-Werror"]
    command = [
        compiler,
        "-std=c99",
        "-O2",
        "-ffp-contract=off",
        "-fno-math-errno",
        *warnings,
        *flags,
        "-fPIC",
        "-shared",
    ]
    subprocess.run([*command, "lanes.c", "-o", "lanes.so", "-lm"], check=True, cwd=folder, capture_output=True)
    return ctypes.CDLL(str(folder / "lanes.so"))


def _float_angles() -> np.ndarray:
    """Multiples of pi/2 up to 1e5 rad with two neighbours on each side, where most digits cancel, and many others."""
    rng = np.random.default_rng(8)
    multiples = (np.arange(-63_700, 63_701) * (math.pi / 2)).astype(np.float32)
    near = [multiples]
    for end in (np.float32(-np.inf), np.float32(np.inf)):
        near += [np.nextafter(multiples, end), np.nextafter(np.nextafter(multiples, end), end)]
    edges = np.array([0.0, -0.0, math.pi / 4, 100.0, 1e5, 1e-30, 3e-39, 2e5, -1e9, 3e38])
    spread = [rng.uniform(-end, end, 40_000) for end in (1.0, 4.0, 100.0, 1e3, 1e5)]
    some = np.concatenate([*near, *spread, edges, np.nextafter(np.float32(1e5), np.float32([0.0, 2e5]))])
    return np.resize(some.astype(np.float32), len(some) + -len(some) % 16)


BUILDS = [["-march=native"], [], ["-march=native", "-DSYMDYN_FUSED=0"], ["-march=native", "-DSYMDYN_VECTOR_BYTES=16"]]


@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize("lanes", [2, 16])
@pytest.mark.parametrize("flags", BUILDS, ids=["native", "plain", "rounded_twice", "short"])
def test_floats_in_lanes_are_as_good_as_stated(tmp_path: Path, compiler: str, flags: list[str], lanes: int) -> None:
    x = _float_angles()
    library = _float_lanes(tmp_path, compiler, flags, lanes)
    found = _pairs(library, x)
    for function in (library.ones, library.fours):  # the same bits in every form
        for values, others in zip(found, _pairs(library, x, function), strict=True):
            np.testing.assert_array_equal(values.view(np.int32), others.view(np.int32))
    for values, exact in zip(found, (np.sin(x.astype(float)), np.cos(x.astype(float))), strict=True):
        ulp = np.maximum(np.spacing(np.abs(exact).astype(np.float32)).astype(float), np.finfo(np.float32).tiny)
        assert values.dtype == np.float32
        assert (np.abs(values - exact) / ulp).max() <= FLOAT_LIMIT_ULP


@pytest.mark.parametrize("awkward", [math.nan, math.inf, 2e5])
def test_awkward_floats_leave_other_lanes_alone(tmp_path: Path, awkward: float) -> None:
    compiler, *flags = find_compiler().command
    library = _float_lanes(tmp_path, compiler, [*flags, "-march=native"], 16)
    x = np.linspace(-90.0, 90.0, 16, dtype=np.float32)
    alone = _pairs(library, x)
    x[3] = awkward
    with np.errstate(invalid="ignore"):
        exact = np.sin(x.astype(float)), np.cos(x.astype(float))
    others = np.arange(16) != 3
    for found, before, wanted in zip(_pairs(library, x), alone, exact, strict=True):
        np.testing.assert_array_equal(found[others], before[others])
        np.testing.assert_allclose(found[3], wanted[3], rtol=2.4e-7)
