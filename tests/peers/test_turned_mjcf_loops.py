"""Planar loops of MJCF on a mount that is turned obliquely, and gravity with it: accelerations by Lagrange's equations.

They are written here for the plane, with 40 digits. In the turned file the rows out of the plane are rounding.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.robots.shipped_loops import found

import symdyn
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.peers

TIP, ELBOW, FOOT = (0.5, 0.35), (0.1, 0.2), (0.45, 0.0)
"""Places in the plane (x, z) where all angles are zero, and the loop is closed."""
MASSES, MOMENTS = (1.0, 1.5, 0.8, 0.3), (0.004, 0.03, 0.01, 0.002)
CENTRES = ((0.05, 0.08), (0.3, 0.25), (0.5, 0.2), (0.52, 0.37))
"""Of crank, coupler, rocker, and of what is hinged to the rocker's tip, in the plane."""
PLACE = {"crank": (0.0, 0.0), "coupler": ELBOW, "rocker": FOOT, "end": TIP}
CLOSED = {
    "connect": '<connect body1="coupler" body2="rocker" anchor="{} 0 {}"/>'.format(
        *(tip - own for tip, own in zip(TIP, ELBOW, strict=True))
    ),
    "weld": '<weld body1="coupler" body2="end"/>',
}
TURNS = {"upright": (0.0, 0.0, 0.0), "oblique": (0.1, 0.2, 0.3), "far": (2.1, -0.7, -2.9)}


def text(closed: str, turn: str) -> str:
    R = np.array(rotation_from_rpy(*TURNS[turn]))
    vectors = [f'{axis}="{" ".join(map(repr, R[:, k].tolist()))}"' for axis, k in (("x", 0), ("y", 1))]
    frame = " ".join(own.split('"')[1] for own in vectors)
    gravity = " ".join(map(repr, (R @ [0.0, 0.0, -9.81]).tolist()))

    def body(name: str, at: tuple[float, float], inside: str = "") -> str:
        number = [*PLACE].index(name)
        (x, z), own = CENTRES[number], PLACE[name]
        moments = f'diaginertia="{MOMENTS[number] / 2} {MOMENTS[number]} {MOMENTS[number]}"'
        return (
            f'<body name="{name}" pos="{at[0]!r} 0 {at[1]!r}"><joint name="{name}" axis="0 1 0"/>'
            f'<inertial mass="{MASSES[number]}" pos="{x - own[0]!r} 0 {z - own[1]!r}" {moments}/>{inside}</body>'
        )

    end = body("end", (TIP[0] - FOOT[0], TIP[1] - FOOT[1])) if closed == "weld" else ""
    return (
        f'<mujoco><compiler angle="radian"/><option gravity="{gravity}"/><worldbody><body xyaxes="{frame}">'
        f"{body('crank', (0.0, 0.0), body('coupler', ELBOW))}{body('rocker', FOOT, end)}</body></worldbody>"
        f"<equality>{CLOSED[closed]}</equality></mujoco>"
    )


@cache
def robot(closed: str, turn: str) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symdyn.SymdynWarning)
        return symdyn.loads(text(closed, turn), "mjcf")


def lagrange(closed: str, q: Any, v: Any, tau: Any) -> Any:
    """Accelerations; a turn about y by t moves (x, z) to (x cos t + z sin t, z cos t - x sin t)."""
    count = len(q)

    def at(point: tuple[float, float], number: int, own: Any) -> Any:
        """A point that belongs to a body, at given angles."""
        place = mp.matrix(point)
        for joint in {0: (0,), 1: (1, 0), 2: (2,), 3: (3, 2)}[number]:
            c, s, hinge = mp.cos(own[joint]), mp.sin(own[joint]), mp.matrix([*PLACE.values()][joint])
            place = hinge + mp.matrix([[c, s], [-s, c]]) * (place - hinge)
        return place

    def turned(number: int, own: Any) -> Any:
        return {0: own[0], 1: own[0] + own[1], 2: own[2], 3: own[2] + (own[3] if count > 3 else 0)}[number]

    def error(own: Any) -> list[Any]:
        missed = at(TIP, 1, own) - at(TIP, 2 if closed == "connect" else 3, own)
        return [*missed, *([] if closed == "connect" else [turned(1, own) - turned(3, own)])]

    def slope(of: Any, own: Any) -> Any:
        """By differences with 80 digits."""
        h, moves = mp.mpf(10) ** -30, range(count)
        sides = [[of([x + s * h * (k == j) for k, x in enumerate(own)]) for s in (1, -1)] for j in moves]
        return mp.matrix([[(a - b) / (2 * h) for a, b in zip(*both, strict=True)] for both in sides]).T

    def mass(own: Any) -> Any:
        total = mp.zeros(count)
        for k in range(count):
            J = slope(lambda x, k=k: [*at(CENTRES[k], k, x), turned(k, x)], own)
            total += J.T * mp.diag([MASSES[k], MASSES[k], MOMENTS[k]]) * J
        return total

    def energies(own: Any) -> list[Any]:
        kinetic = (mp.matrix(v).T * mass(own) * mp.matrix(v))[0] / 2
        return [kinetic - mp.mpf(9.81) * sum(MASSES[k] * at(CENTRES[k], k, own)[1] for k in range(count))]

    with mp.workdps(80):
        q, v = ([mp.mpf(float(x)) for x in own] for own in (q, v))
        M, A, h = mass(q), slope(error, q), mp.mpf(10) ** -20
        ahead, behind = ([x + s * h * y for x, y in zip(q, v, strict=True)] for s in (1, -1))
        along = [(of(ahead) - of(behind)) / (2 * h) for of in (mass, lambda own: slope(error, own))]
        right = mp.matrix([float(x) for x in tau]) - along[0] * mp.matrix(v) + slope(energies, q).T
        rows = A.rows
        K = mp.matrix(count + rows)
        K[:count, :count], K[:count, count:], K[count:, :count] = M, -A.T, A
        b = mp.matrix([*right, *(-along[1] * mp.matrix(v))])
        return np.array([float(x) for x in mp.lu_solve(K, b)[:count]])


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("closed", CLOSED)
def test_accelerations_are_those_of_the_plane(closed: str, turn: str) -> None:
    """In the middle of a motion, to 1e-9 of the largest: the loop's condition is about a hundred."""
    own, rng = robot(closed, turn), np.random.default_rng(4)
    assert own.velocity_names == tuple(PLACE)[: own.nv]
    assert len(own.model.loop_row_names) == (2 if closed == "connect" else 3) and own.mobility == 1
    q, v = own.project(0.2 * rng.standard_normal(own.nv), rng.standard_normal(own.nv))
    tau = rng.standard_normal(own.nv)
    wanted = lagrange(closed, q, v, tau)
    a, _ = found(own, "constrained_forward_dynamics", q=q, v=v, tau=tau)
    assert np.max(np.abs(a - wanted)) <= 1e-9 * np.max(np.abs(wanted))
