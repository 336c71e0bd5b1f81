"""Tips that turn by more than pi, beyond which the series of their rotation end: no number comes out, anywhere."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn import api
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.optimised
Array = NDArray[np.float64]
FUNCTIONS = ["forward_dynamics", "inverse_dynamics", "forward_kinematics"]


@cache
def robot() -> Robot:
    return symdyn.load_example("mixed_arm")


def states(*slopes: float) -> Any:
    """q, v and tau, (len(slopes), n), of which the tip of the boom turns by so much about an axis across it [rad]."""
    own = robot()
    rng = np.random.default_rng(17)
    q, v, tau = 0.1 * rng.standard_normal((3, len(slopes), own.nv))
    (beam,) = (body.beam for body in own.model.bodies if body.beam is not None)
    for row, name in enumerate(own.velocity_names):
        if name.startswith("boom."):
            q[:, row] = 0.0
    (first,) = (row for row, name in enumerate(own.velocity_names) if name == "boom.bend_y[0]")
    q[:, first] = np.array(slopes) / np.linalg.norm(beam.integrals.tip_slopes[0])
    return q, v, tau


def results(module: Any) -> Array:
    q, v, tau = states(0.3, -3.1, 3.2, 1.0, 6.0, -40.0, 3.13, 1e5, 0.0)
    with np.errstate(all="ignore"):
        return np.concatenate(
            [
                np.asarray(module.forward_dynamics(q, v, tau), dtype=np.float64).reshape(len(q), -1),
                np.asarray(module.inverse_dynamics(q, v, tau), dtype=np.float64).reshape(len(q), -1),
                np.asarray(module.forward_kinematics(q), dtype=np.float64).reshape(len(q), -1),
            ],
            axis=1,
        )


@cache
def reference() -> Array:
    return results(symdyn.compile(robot(), FUNCTIONS, target="python", layout="unrolled"))


def test_they_are_no_numbers() -> None:
    found = reference()
    inside = np.array([True, True, False, True, False, False, True, False, True])
    assert np.isfinite(found[inside]).all()
    assert not np.isinf(found).any()
    frames = robot().frame_names
    beyond = np.isnan(found[~inside])
    assert (beyond == beyond[0]).all()
    n = robot().nv
    rows = [row for row, name in enumerate(robot().velocity_names) if not name.endswith(".motor")]
    assert beyond[:, rows].all() and beyond[:, [n + row for row in rows]].all()
    poses = beyond[0, 2 * n :].reshape(-1, 4, 4)
    assert poses[frames.index("boom.tip"), :3, :3].all() and not poses[frames.index("boom")].any()
    # the tip's place needs no rotation
    assert not poses[frames.index("boom.tip"), :3, 3].any()


def test_partial_and_time_derivatives_are_none_either() -> None:
    q, v, tau = states(3.1, 3.2)
    for function, inputs in (
        ("forward_dynamics_partials", {"v": v, "tau": tau}),
        ("inverse_dynamics_time_derivatives", {"V": np.concatenate([v, tau, v], axis=1)}),
    ):
        asked = {"order": 1} if "V" in inputs else {}
        recursion = api.float_recursion(robot(), function, **asked)
        with np.errstate(all="ignore"):
            inside, beyond = (
                np.concatenate(
                    [
                        np.ravel(value)
                        for value in recursion({"q": q[k], **{n: x[k] for n, x in inputs.items()}}).values()
                    ]
                )
                for k in range(2)
            )
        assert np.isfinite(inside).all()
        assert np.isnan(beyond).sum() > 0.5 * np.count_nonzero(inside)


@pytest.mark.needs_cc
@pytest.mark.parametrize(("layout", "dtype"), [("unrolled", "float64"), ("rolled", "float64"), ("unrolled", "float32")])
def test_in_c_neither_alone_nor_in_lanes(layout: str, dtype: str) -> None:
    module = symdyn.compile(robot(), FUNCTIONS, layout=layout, dtype=dtype)
    expected = reference()
    tolerance = 1e-9 if dtype == "float64" else 2e-2
    inside = np.isfinite(expected).all(axis=1)
    found = results(module)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(
        found[inside], expected[inside], rtol=tolerance, atol=tolerance * np.abs(expected[inside]).max()
    )
    q, v, tau = states(3.1, 3.2)
    np.testing.assert_array_equal(np.isfinite(module.forward_dynamics(q[0], v[0], tau[0])), True)
    assert np.isnan(module.forward_dynamics(q[1], v[1], tau[1])).sum() >= robot().nv - 1
