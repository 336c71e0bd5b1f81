"""Sine and cosine of vectors in generated C: their error, and that awkward angles stay in their lanes."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp
from support.compilers import each_of
from support.lane_batches import Batches, build

from symdyn import api
from symdyn.interface.manifest import FILE_NAME, Manifest

# Stated in the template's comment.
LIMIT_ULP = {"float64": 1.0, "float32": 2.0}
HALF_TURN = 50_000

pytestmark = pytest.mark.needs_cc


def _angles(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(7)
    near = (rng.integers(-HALF_TURN, HALF_TURN, 500) * (math.pi / 2)).astype(dtype)
    parts = [
        rng.uniform(-4.0, 4.0, 1500),
        rng.uniform(-1e5, 1e5, 500),
        near,
        np.nextafter(near, near.dtype.type(np.inf)),
        np.nextafter(near, near.dtype.type(-np.inf)),
        rng.standard_normal(100) * 1e-8,
        np.array([0.0, math.pi / 4, -math.pi / 4, 99999.99, 1e5, 1.00001e5, 1e22, -1e30]),
    ]
    return np.concatenate([part.astype(dtype) for part in parts])


def _write(folder: Path, dtype: str) -> Manifest:
    """The C of a pendulum, whose torque is a sum of one sine and the acceleration."""
    files = api.sources(api.load_example("pendulum"), ["inverse_dynamics"], dtype=dtype)
    for file in files:
        if file.path.endswith((".c", ".h")):
            (folder / file.path).write_text(file.text)
    return Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))


def _pairs(folder: Path, dtype: str, compiler: str, flags: list[str]) -> ctypes.CDLL:
    """The sine and cosine of a generated file behind an entry of its own."""
    _write(folder, dtype)
    scalar = {"float64": "double", "float32": "float"}[dtype]
    (folder / "entry").mkdir()
    (folder / "entry" / "pairs.c").write_text(
        '#include "../pendulum_inverse_dynamics_lanes.c"\n'
        f"void pairs(const {scalar} *x, {scalar} *s, {scalar} *c, size_t n)\n{{\n"
        "  for (size_t k = 0; k < n; k += WIDTH) {\n"
        "    const struct lanes_pair p = lanes_sine_cosine(lanes_load(x + k));\n"
        "    lanes_store(s + k, p.sine);\n    lanes_store(c + k, p.cosine);\n  }\n}\n"
    )
    return build([folder / "entry"], folder / "pairs.so", compiler, ["-O2", *flags])


def _evaluate(library: ctypes.CDLL, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    full = np.concatenate([x, np.zeros(-len(x) % 16, x.dtype)])
    sine, cosine = np.empty_like(full), np.empty_like(full)
    library.pairs(*(ctypes.c_void_p(array.ctypes.data) for array in (full, sine, cosine)), ctypes.c_size_t(len(full)))
    return sine[: len(x)], cosine[: len(x)]


@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("flags", [[], ["-march=native"], ["-DSYMDYN_VECTOR_BYTES=0"]], ids=["plain", "native", "c"])
def test_error_is_as_stated(tmp_path: Path, dtype: str, compiler: str, flags: list[str]) -> None:
    x = _angles(dtype)
    sine, cosine = _evaluate(_pairs(tmp_path, dtype, compiler, flags), x)
    worst = 0.0
    with mp.workdps(60):
        for angle, s, c in zip(x.tolist(), sine, cosine, strict=True):
            for value, exact in ((s, mp.sin(angle)), (c, mp.cos(angle))):
                unit = float(np.spacing(x.dtype.type(abs(float(exact))))) if exact else 1.0
                worst = max(worst, float(abs(mp.mpf(float(value)) - exact)) / unit)
    assert worst <= LIMIT_ULP[dtype]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("awkward", [math.nan, math.inf, -math.inf, 1e20])
def test_awkward_angles_stay_in_their_lanes(tmp_path: Path, dtype: str, awkward: float) -> None:
    manifest = _write(tmp_path, dtype)
    library = build([tmp_path], tmp_path / "pendulum.so", flags=["-O2", "-march=native"])
    batches = Batches(library, manifest, manifest.functions[0])
    states = 2 * batches.lanes + 3
    rng = np.random.default_rng(3)
    plain = {name: rng.uniform(-1.0, 1.0, (states, 1)).astype(dtype) for name in ("q", "v", "a")}
    reference = batches.in_blocks(plain, states)["tau"]
    turned = np.array([awkward], dtype).item()
    with mp.workdps(60):
        within = float(mp.atan2(mp.sin(turned), mp.cos(turned))) if math.isfinite(turned) else math.nan
    small = batches.in_blocks({**plain, "q": np.full((states, 1), within, dtype)}, states)["tau"]
    for place in (0, 5, batches.lanes, states - 1):
        q = plain["q"].copy()
        q[place] = awkward
        tau = batches.in_blocks({**plain, "q": q}, states)["tau"]
        others = np.arange(states) != place
        np.testing.assert_array_equal(tau[others], reference[others])
        np.testing.assert_allclose(tau[place], small[place], rtol=1e-5 if dtype == "float32" else 1e-13)
        assert math.isnan(tau[place, 0]) is not math.isfinite(turned)
