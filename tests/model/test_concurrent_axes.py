"""Linkages whose axes meet in one point: what rounding leaves of the levers to it holds nothing."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn.api import float_recursion
from symdyn.errors import SymdynWarning

Array = NDArray[np.float64]


def turned(rng: np.random.Generator) -> Array:
    """A random rotation."""
    found, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return np.asarray(found * np.linalg.det(found))


def spherical_four_bar(seed: int, noise: float, scale: float) -> tuple[symdyn.Robot, Array, Array]:
    """Robot, accelerations from rest by forces of the joints, and these forces.

    Links have frames of any directions about the point where all axes meet, far from the frame of the ground. The file
    misses the point by ``noise`` [m].
    """
    rng = np.random.default_rng(seed)
    axes = [own / np.linalg.norm(own) for own in rng.standard_normal((4, 3))]
    centre, frames = scale * rng.standard_normal(3), [np.eye(3), *(turned(rng) for _ in range(3))]

    def seen(number: int) -> list[float]:
        return [float(x) for x in (0.0 if number else centre) + noise * rng.standard_normal(3)]

    links: dict[str, Any] = {"l0": {}}
    joints: dict[str, Any] = {}
    M, turning = np.zeros((3, 3)), np.zeros((3, 3))  # columns of turning: the turn of a link by the rates of the joints
    for number in range(1, 4):
        mass, com, root = rng.uniform(0.5, 2.0), 0.2 * scale * rng.standard_normal(3), rng.standard_normal((3, 3))
        second = 0.01 * scale**2 * root @ root.T
        inertia = np.trace(second) * np.eye(3) - second
        xx, xy, xz, _, yy, yz, _, _, zz = inertia.ravel().tolist()
        entries = {"xx": xx, "yy": yy, "zz": zz, "xy": xy, "xz": xz, "yz": yz}
        links[f"l{number}"] = {"mass": mass, "com": com.tolist(), "inertia": entries}
        joints[f"j{number}"] = {
            "type": "continuous",
            "parent": f"l{number - 1}",
            "child": f"l{number}",
            "translation": seen(number - 1),
            "rotation": (frames[number - 1].T @ frames[number]).tolist(),
            "axis": (frames[number].T @ axes[number - 1]).tolist(),
        }
        about = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
        turning[:, number - 1] = axes[number - 1]
        M += turning.T @ frames[number] @ about @ frames[number].T @ turning
    pin = {
        "between": [{"link": f"l{number}", "point": seen(number)} for number in (3, 0)],
        "kind": "revolute",
        "axes": [(frames[number].T @ axes[3]).tolist() for number in (3, 0)],
        "close": True,
    }
    text = json.dumps(
        {"name": "linkage", "gravity": [0, 0, 0], "links": links, "joints": joints, "loops": {"pin": pin}}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        robot = symdyn.loads(text, "yaml")
    tau = rng.standard_normal(3)
    held = np.cross(turning.T, axes[3]).T  # how the last axis leaves that of the ground
    _, _, ways = np.linalg.svd(held)
    a = ways[2] * (ways[2] @ tau) / (ways[2] @ M @ ways[2])
    return robot, a, tau


@pytest.mark.parametrize(
    ("seed", "noise", "scale"), [(0, 1e-17, 1.0), (2, 1e-19, 1e-3), (3, 1e-14, 1e3), (4, 3e-7, 1.0)]
)
def test_a_spherical_four_bar_moves(seed: int, noise: float, scale: float) -> None:
    """The worst error found is 1e-14 of the acceleration, and 1e-6 where points have six decimals."""
    robot, a, tau = spherical_four_bar(seed, noise, scale)
    assert robot.mobility == 1
    state = {"q": [0.0] * 3, "v": [0.0] * 3, "tau": tau.tolist()}
    found = np.array(float_recursion(robot, "constrained_forward_dynamics")(state)["a"])
    fine = noise < 1e-12 * scale
    assert np.abs(found - a).max() < (1e-11 if fine else 1e-4) * np.abs(a).max()
    told = {} if fine else {"tolerance": 1e-5}
    assert np.abs(robot.close([0.02, 0.0, 0.0], hold=["j1"], **told)[1:]).min() > 1e-4
