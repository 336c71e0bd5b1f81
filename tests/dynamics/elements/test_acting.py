"""What acts from outside: the oracle, forward and hybrid dynamics, derivatives, layouts and targets agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.agreement import asked, flat, modules_agree, programs_agree, truth_agrees
from support.parts import OF_EVERY_ROBOT, OF_SOFT_LINKS
from support.robots.acted import ACTED, acted_robot

from symdyn import api
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
KINDS = [
    ("rigid", True, "spatial"),
    ("soft", False, "pinocchio"),
    pytest.param("rigid", False, "pinocchio", marks=pytest.mark.slow),
    pytest.param("soft", True, "spatial", marks=pytest.mark.slow),
]
WHICH = ["rigid", pytest.param("soft", marks=pytest.mark.slow)]
FUNCTIONS = (
    "inverse_dynamics",
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("joint_wrenches", "station_wrenches", "inverse_dynamics_partials")
    ),
)
"""Those of which a truth is asked."""

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def call(robot: Robot, function: str, order: int | None = None, **given: Any) -> Array:
    """The outputs of a function one after another; run-time parameters are at their defaults if they are not given."""
    options = asked(robot, function) if order is None else {"order": order}
    inputs = {name: np.ravel(values).tolist() for name, values in ({"p": robot.runtime_defaults} | given).items()}
    return flat(api.float_recursion(robot, function, **options)(inputs))


def state(robot: Robot, seed: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    return (*robot.random_state(rng), rng.standard_normal(robot.model.nv))


def known(robot: Robot, function: str) -> bool:
    return bool(robot.model.rods) or function not in OF_SOFT_LINKS


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("which", "floating", "convention"), KINDS)
def test_the_oracle_agrees(which: str, floating: bool, convention: str, function: str) -> None:
    robot = acted_robot(which, floating, convention)
    if not known(robot, function):
        return
    assert truth_agrees(robot, function)


@pytest.mark.parametrize(("which", "floating", "convention"), KINDS)
def test_forward_and_hybrid_dynamics_lead_back(which: str, floating: bool, convention: str) -> None:
    robot = acted_robot(which, floating, convention)
    q, v, a = state(robot, 2)
    tau = call(robot, "inverse_dynamics", q=q, v=v, a=a)
    assert call(robot, "forward_dynamics", q=q, v=v, tau=tau) == pytest.approx(a, rel=1e-8, abs=1e-8)
    held = np.isin(np.array(robot.velocity_names), robot.velocity_names[1::3])
    mixed = call(robot, "hybrid_dynamics", q=q, v=v, u=np.where(held, a, tau))
    assert mixed == pytest.approx(np.where(held, tau, a), rel=1e-7, abs=1e-7)
    assert call(robot, "bias", q=q, v=v) == pytest.approx(
        call(robot, "inverse_dynamics", q=q, v=v, a=0 * a), rel=1e-11, abs=1e-11
    )


@pytest.mark.parametrize(("which", "floating", "convention"), KINDS)
def test_time_derivatives_are_those_of_the_forces(which: str, floating: bool, convention: str) -> None:
    robot, h = acted_robot(which, floating, convention), 1e-4
    q, rng = state(robot, 4)[0], np.random.default_rng(4)
    V = 0.5 * rng.standard_normal((4, robot.model.nv))
    name = "inverse_dynamics_time_derivatives"
    series = call(robot, name, 2, q=q, V=V).reshape(3, -1)
    assert series[0] == pytest.approx(call(robot, "inverse_dynamics", q=q, v=V[0], a=V[1]), rel=1e-10, abs=1e-10)
    ends = []
    for t in (h, -h):
        moved = robot.integrate(q, t * V[0] + t * t / 2 * V[1])
        v, a = V[0] + t * V[1] + t * t / 2 * V[2], V[1] + t * V[2] + t * t / 2 * V[3]
        ends.append(call(robot, name, 1, q=moved, V=[v, a, V[2] + t * V[3]]).reshape(2, -1))
    slopes = (ends[0] - ends[1]) / (2 * h)
    assert series[1:] == pytest.approx(slopes, rel=1e-5, abs=1e-5 * float(np.max(np.abs(slopes))))
    back = call(robot, "forward_dynamics_time_derivatives", 2, q=q, v=V[0], T=series)
    assert back == pytest.approx(np.ravel(V[1:]), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("which", WHICH)
def test_partials_by_parameters_are_differences(which: str) -> None:
    robot = acted_robot(which)
    (q, v, a), p = state(robot, 5), np.array(robot.runtime_defaults)
    ((entry, request),) = requests(robot.model, ["inverse_dynamics_partials"])
    sizes = [output.size for output in entry.signature(robot.model, request).outputs]
    slopes = call(robot, "inverse_dynamics_partials", q=q, v=v, a=a)[sum(sizes[:-1]) :].reshape(-1, len(p))
    for row, h in enumerate(1e-6 * np.eye(len(p))):
        high, low = (call(robot, "inverse_dynamics", q=q, v=v, a=a, p=p + s * h) for s in (1, -1))
        assert slopes[:, row] == pytest.approx((high - low) / 2e-6, rel=1e-6, abs=1e-6)


FORCES = ("inverse_dynamics", "bias", "joint_wrenches")
LONGEST = ("forward_dynamics_partials", "hybrid_dynamics_partials", "hybrid_dynamics_time_derivatives")
LAYOUTS = [
    ("rigid", "inverse_dynamics"),
    *(
        pytest.param(which, name, marks=pytest.mark.slow)
        for which in ACTED
        for name in (*OF_EVERY_ROBOT, "station_wrenches")
        if (which, name) != ("rigid", "inverse_dynamics")
        and ("dynamics" in name or name in FORCES or name == "station_wrenches")
        and not (which == "soft" and name in LONGEST)
    ),
]


@pytest.mark.parametrize(("which", "function"), LAYOUTS)
def test_every_layout_agrees(which: str, function: str) -> None:
    robot = acted_robot(which)
    if not known(robot, function):
        return
    options = asked(robot, function)
    programs_agree(
        robot,
        function,
        (("split", "rolled") if which == "rigid" or function == "inverse_dynamics" else ("rolled",)),
        tolerance=1e-9,
        **options,
    )


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("which", "layout"),
    [("rigid", "rolled"), *(pytest.param("soft", own, marks=pytest.mark.slow) for own in ("rolled", "unrolled"))],
)
def test_compiled_and_python_targets_agree(which: str, layout: str) -> None:
    more = ["forward_dynamics", "station_wrenches"] if which == "soft" else []
    modules_agree(acted_robot(which), ["inverse_dynamics", *more], layout, tolerance=1e-9)
