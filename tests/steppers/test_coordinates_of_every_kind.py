"""How steppers in C move coordinates of every kind, against matrices in NumPy and SciPy's integration of these."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.oracles.steppers import normalised, rates

import symdyn
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.steppers.coordinates import normalise_lines, rate_lines
from symdyn.compiler.emit.steppers.moves import move_helpers, move_lines
from symdyn.compiler.emit.steppers.series import kept_size, series_lines
from symdyn.compiler.emit.steppers.spelling import spelling
from symdyn.interface.stepping import CoordinateRows, Rates
from symdyn.model.coordinates import coordinate_rows

pytestmark = pytest.mark.needs_cc
Array = np.ndarray
SIZES = {Rates.EQUAL: (2, 2), Rates.SPHERICAL: (4, 3), Rates.SPHERICAL_MUJOCO: (4, 3), Rates.PLANAR: (3, 3)}
ROWS: list[CoordinateRows] = []
NQ = NV = 0
for kind in Rates:
    ROWS.append(CoordinateRows(kind, NQ, NV, 2 if kind is Rates.EQUAL else 0))
    NQ, NV = NQ + SIZES.get(kind, (7, 6))[0], NV + SIZES.get(kind, (7, 6))[1]
ORDER = 12


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """Functions of arrays: ``normalise(q)``, ``slopes(q, v, slope)``, ``series(terms, kept)``, and ``advance``."""
    spell, folder = spelling("double"), tmp_path_factory.mktemp("coordinates")
    moves = {**move_helpers(ROWS, "double"), "moves": move_lines(ROWS, "double", spell)}
    lines = [
        "#include <math.h>\n#include <stddef.h>\n#include <string.h>\n#define SYMDYN_FMA(a, b, c) ((a) * (b) + (c))",
        "void normalise(double *q)\n{",
        *normalise_lines(ROWS, "double", spell),
        "}\nvoid slopes(const double *q, const double *v, double *slope)\n{",
        *rate_lines(ROWS, "double", spell),
        "}\nvoid series(double *terms, double *kept)\n{",
        *series_lines(ROWS, NQ, NQ + NV, ORDER, "double", spell),
        "}",
        render("c/step_moves.c.jinja", {**spell, **moves, "scalar": "double"}).replace("static void adv", "void adv"),
    ]
    (folder / "made.c").write_text("\n".join(lines))
    compiler = shutil.which("cc") or shutil.which("gcc") or "clang"
    command = [compiler, "-std=c99", "-ffp-contract=off", "-shared", "-fPIC", "made.c", "-o", "made.so", "-lm"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    library = ctypes.CDLL(str(folder / "made.so"))

    def call(name: str, *arrays: Array) -> None:
        getattr(library, name)(*(ctypes.c_void_p(own.ctypes.data) for own in arrays))

    return call


def test_rates_and_lengths(compiled: Callable[..., None]) -> None:
    rng = np.random.default_rng(2)
    q, v, slope = rng.standard_normal(NQ), rng.standard_normal(NV), np.full(NQ, np.nan)
    compiled("slopes", q, v, slope)
    np.testing.assert_allclose(slope, rates(ROWS, q, v), rtol=0.0, atol=1e-14)
    wanted = normalised(ROWS, q)
    compiled("normalise", q)
    np.testing.assert_allclose(q, wanted, rtol=1e-15)


@pytest.mark.parametrize("size", [2.0, 0.3, 1e-3, 0.0])
def test_moves(compiled: Callable[..., None], size: float) -> None:
    """What constant velocities do in unit time; angles about which the sums of series end are among these."""
    rng = np.random.default_rng(3)
    q, v, end = normalised(ROWS, rng.standard_normal(NQ)), size * rng.standard_normal(NV), np.full(NQ, np.nan)
    compiled("advance", q, v, end)
    exact = solve_ivp(lambda _, y: rates(ROWS, y, v), (0.0, 1.0), q, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    np.testing.assert_allclose(end, exact, rtol=0.0, atol=1e-11)


def test_series(compiled: Callable[..., None]) -> None:
    """Their sums at 0.1, for velocities that are polynomials of time; what lies behind the memory stays."""
    rng, powers = np.random.default_rng(6), 0.1 ** np.arange(ORDER + 1)
    terms, kept = np.zeros((ORDER + 1, NQ + NV)), np.full(kept_size(ROWS, ORDER) + 100, np.nan)
    terms[0, :NQ], terms[:3, NQ:] = normalised(ROWS, rng.standard_normal(NQ)), 0.5 * rng.standard_normal((3, NV))
    start, velocities = terms[0, :NQ].copy(), terms[:3, NQ:].copy()

    def slope(t: float, q: Array) -> Array:
        return rates(ROWS, q, t ** np.arange(3) @ velocities)

    exact = solve_ivp(slope, (0.0, 0.1), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    compiled("series", terms, kept)
    np.testing.assert_allclose(powers @ terms[:, :NQ], exact, rtol=0.0, atol=1e-12)  # the next terms: 1e-14
    assert np.all(np.isnan(kept[-100:]))


TOP = """
name: top
floating_base: true
links:
  hull: {mass: 2.0, com: [0.1, 0.05, -0.1], inertia: {xx: 0.02, yy: 0.05, zz: 0.04}}
  puck: {mass: 0.5, com: [0, 0.05, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.02}}
joints:
  plane: {type: planar, parent: hull, child: puck, axis: [0, 0, 1], translation: [0, 0.3, 0]}
"""


@pytest.mark.parametrize("convention", ["spatial", "mujoco"])
def test_series_of_other_conventions(convention: str) -> None:
    """Steps of Taylor series, order 4, with the same accelerations in SciPy."""
    robot: Any = symdyn.loads(TOP, "yaml", convention=convention)
    asked: dict[str, Any] = {"lanes": False, "steppers": ["taylor"], "order": 3}
    module = symdyn.compile(robot, ["forward_dynamics"], **asked)
    entries, rng = coordinate_rows(robot.model), np.random.default_rng(4)
    q, v = robot.random_state(rng)
    tau = rng.standard_normal(robot.nv)

    def slope(_: float, y: Array) -> Array:
        own = normalised(entries, y)
        q, v = own[: robot.nq], own[robot.nq :]
        return np.concatenate([rates(entries, q, v), module.forward_dynamics(q, v, tau)])

    start = np.concatenate([q, v])
    exact = solve_ivp(slope, (0.0, 0.02), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    held = np.vstack([tau, np.zeros((3, robot.nv))])
    found = module.advance_taylor(q, v, held, times=[0.0, 0.02], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.concatenate([found.q[-1], found.v[-1]]), exact, rtol=0.0, atol=1e-8)
