"""Rows of loops that depend on each other: dropped where they always do, met by a proximal step elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.robots.looped import CRANK, Y, bar, four_bar, hinge
from support.soft_calls import call

from symdyn import api
from symdyn.description.external_loads import Site
from symdyn.description.loops import Loop, LoopKind

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def test_what_a_plane_holds_is_dropped() -> None:
    own = api.from_description(four_bar())
    (loop,) = own.model.loops
    assert (loop.rows, loop.dropped) == (("x", "y"), ("z", "tilt_x", "tilt_y"))


def test_a_second_pin_at_the_same_place_is_dropped() -> None:
    described = four_bar()
    (pin,) = described.acting
    assert isinstance(pin, Loop)
    own = api.from_description(replace(described, acting=(pin, replace(pin, name="again"))))
    assert [loop.dropped for loop in own.model.loops] == [
        ("z", "tilt_x", "tilt_y"),
        ("x", "y", "z", "tilt_x", "tilt_y"),
    ]


@pytest.mark.parametrize("crank", [0.2, 1.1, 2.4])
def test_a_parallelogram_with_three_cranks(crank: float) -> None:
    """A coupler on three parallel cranks is held once too often: accelerations are those with two of them."""
    length = 2 * CRANK
    links = [bar("crank", CRANK), bar("coupler", length), bar("second", CRANK), bar("third", CRANK)]
    joints = [
        hinge("a", "ground", "crank"),
        hinge("b", "crank", "coupler", CRANK),
        hinge("c", "ground", "second", length / 2),
        hinge("d", "ground", "third", length),
    ]
    described = replace(four_bar(), links=(four_bar().links[0], *links), joints=tuple(joints))

    def pin(name: str, x: float) -> Loop:
        places = (Site("coupler", point=(x, 0.0, 0.0)), Site(name, point=(CRANK, 0.0, 0.0)))
        return Loop(f"{name}_pin", places, LoopKind.REVOLUTE, (Y, Y))

    q, v = np.array([crank, -crank, crank, crank]), np.array([0.5, -0.5, 0.5, 0.5])
    tau = np.array([0.3, 0.0, 0.0, 0.0])
    pins = (pin("second", length / 2), pin("third", length))
    own = api.from_description(replace(described, acting=pins))
    assert len(own.model.loop_row_names) == 4, "they depend on each other on closed states alone"
    a, multipliers = call(own, "constrained_forward_dynamics", q=q, v=v, tau=tau)
    assert a == pytest.approx(a[0] * np.array([1.0, -1.0, 1.0, 1.0]), rel=1e-9, abs=1e-9)
    A = call(own, "constraint_jacobian", q=q)[0].reshape(-1, 4)
    assert np.linalg.matrix_rank(A, 1e-9) == 3
    left = call(own, "inverse_dynamics", q=q, v=v, a=a)[0] - tau - A.T @ multipliers
    assert left == pytest.approx(np.zeros(4), abs=1e-12 * max(1.0, abs(multipliers).max()))
    # one generalised coordinate: what the crank needs by virtual work
    way = np.array([1.0, -1.0, 1.0, 1.0])
    assert way @ (call(own, "inverse_dynamics", q=q, v=v, a=a)[0] - tau) == pytest.approx(0.0, abs=1e-10)
