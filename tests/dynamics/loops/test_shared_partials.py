"""Partial derivatives of inverse dynamics where loops are closed: by differences, by the oracle, and undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.looped_checks import against_oracle, differences, evaluator, layouts_agree, random_robot
from support.robots.loop_files import BENNETT
from support.robots.looped import five_bar, four_bar, standing

from symdyn import api
from symdyn.description.loops import Coupling
from symdyn.description.robot import Losses, RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError, RequestError
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
INVERSE = "constrained_inverse_dynamics"
PARTIALS = f"{INVERSE}_partials"


def geared() -> RobotDescription:
    """A five-bar with a gear beside its drives."""
    described = five_bar()
    return replace(described, acting=(*described.acting, Coupling("gear", (("a", 1.0), ("d", 0.5)), 0.2)))


def base_of(own: Robot, count: int) -> list[str]:
    """All rows of v but the first ones."""
    return list(own.velocity_names[count:])


CASES: list[Any] = [
    (four_bar, {"actuated": ["input"]}),  # one way alone
    pytest.param(four_bar, {}, marks=pytest.mark.slow),  # the least forces
    (five_bar, {"actuated": ["a", "b", "c"], "weights": "input"}),
    (four_bar, {"actuated": ["input", "output"], "objective": "force"}),
]


@pytest.mark.parametrize(("made", "options"), CASES)
def test_differences_agree(made: Callable[[], RobotDescription], options: dict[str, Any]) -> None:
    own, rng = api.from_description(made(), joint_losses=True), np.random.default_rng(4)
    plain, nv = evaluator(own, INVERSE, **options), own.nv
    q, v = own.random_state(rng)
    a, weights = rng.standard_normal(nv), rng.uniform(0.5, 2.0, nv)

    def dynamics(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return np.concatenate(plain(q=q, v=v, a=a, weights=weights))

    found = evaluator(own, PARTIALS, **options)(q=q, v=v, a=a, weights=weights)
    by_q = differences(lambda move: dynamics(own.integrate(q, move), v, a), nv)
    by_v = differences(lambda move: dynamics(q, v + move, a), nv)
    by_a = differences(lambda move: dynamics(q, v, a + move), nv)
    for place, wanted in enumerate((by_q, by_v, by_a)):
        whole = np.vstack([found[place], found[place + 3]])
        assert whole == pytest.approx(wanted, abs=2e-8 * abs(wanted).max())


@pytest.mark.parametrize(
    ("made", "kept", "options"),
    [
        (four_bar, 0, {"actuated": ["input"]}),
        (five_bar, 0, {"weights": [1.0, 2.0, 0.5, 3.0]}),
        (five_bar, 0, {"objective": "force", "actuated": ["a", "b", "d"]}),
        pytest.param(standing, 4, {}, marks=pytest.mark.slow),
        pytest.param(geared, 0, {}, marks=pytest.mark.slow),
        pytest.param(standing, 5, {"objective": "force"}, marks=pytest.mark.slow),
    ],
)
def test_forward_dynamics_are_undone(made: Callable[[], RobotDescription], kept: int, options: dict[str, Any]) -> None:
    """FD(ID(FD(tau))) = FD(tau), and both multipliers are the same, at all q, v and tau: so in all derivatives."""
    own, rng = api.from_description(made(), joint_losses=True), np.random.default_rng(6)
    options = {**options, **({"actuated": base_of(own, kept)} if kept else {})}
    q, v = own.random_state(rng)
    forward, by_forward = (evaluator(own, f"constrained_forward_dynamics{end}") for end in ("", "_partials"))
    inverse, by_inverse = (evaluator(own, INVERSE + end, **options) for end in ("", "_partials"))
    tau = rng.standard_normal(own.nv)
    a, _ = forward(q=q, v=v, tau=tau)
    shared, multipliers = inverse(q=q, v=v, a=a)
    again, same = forward(q=q, v=v, tau=shared)
    assert again == pytest.approx(a, abs=1e-10 * abs(a).max())
    assert same == pytest.approx(multipliers, abs=1e-10 * abs(multipliers).max())
    there, back, anew = by_forward(q=q, v=v, tau=tau), by_inverse(q=q, v=v, a=a), by_forward(q=q, v=v, tau=shared)
    for place in range(3):  # by q, v, tau
        own_part = 0.0 if place == 2 else 1.0
        forces = own_part * back[place] + back[2] @ there[place]
        held = own_part * back[place + 3] + back[5] @ there[place]
        moved = own_part * anew[place] + anew[2] @ forces
        exerted = own_part * anew[place + 3] + anew[5] @ forces
        assert moved == pytest.approx(there[place], abs=1e-9 * abs(there[place]).max())
        assert exerted == pytest.approx(held, abs=1e-9 * max(abs(held).max(), abs(anew[place + 3]).max()))


def test_a_spatial_linkage_of_which_rows_depend_where_it_is_closed() -> None:
    """Bennett's linkage: along its only motion, by differences, a and tau change as partials tell."""
    own = robot_of(parse_yaml(BENNETT.encode(), "bennett.yaml"))
    error, slopes = evaluator(own, "constraint_error"), evaluator(own, "constraint_jacobian")
    forward, inverse = (f"constrained_{way}_dynamics" for way in ("forward", "inverse"))
    motion, forces = evaluator(own, forward), evaluator(own, inverse, actuated=own.velocity_names[:1])
    tau, start = np.array([0.3, -0.2, 0.5]), own.close(np.full(own.nq, 0.3))

    def moved(angle: float) -> list[np.ndarray]:
        q = np.array([start[0] + angle, *start[1:]])
        for _ in range(8):  # Newton, the first joint held
            q[1:] -= np.linalg.lstsq(slopes(q=q)[0][:, 1:], error(q=q)[0], rcond=1e-6)[0]
        way = np.linalg.svd(slopes(q=q)[0])[2][-1]
        v = 1.3 * way / way[0]
        a = motion(q=q, v=v, tau=tau)[0]
        return [q, v, a, forces(q=q, v=v, a=a)[0]]

    q, v, a, _ = moved(0.0)
    along = differences(lambda angle: np.concatenate(moved(float(angle[0]))), 1)[:, 0]
    q_rate, v_rate, a_rate, tau_rate = np.split(along, 4)
    by = evaluator(own, f"{forward}_partials")(q=q, v=v, tau=tau)
    assert by[0] @ q_rate + by[1] @ v_rate == pytest.approx(a_rate, abs=1e-9 * abs(a_rate).max())
    by = evaluator(own, PARTIALS, actuated=own.velocity_names[:1])(q=q, v=v, a=a)
    told = by[0] @ q_rate + by[1] @ v_rate + by[2] @ a_rate
    assert told == pytest.approx(tau_rate, abs=1e-9 * abs(tau_rate).max())


def test_the_oracle_agrees() -> None:
    own = api.from_description(four_bar(), runtime=["elbow.translation.x"], joint_losses=True)
    against_oracle(own, PARTIALS, actuated=["input", "output"], weights=[2.0, 1.0, 3.0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"actuated": ["input"], "external_wrenches": "world"},
        {"objective": "force", "external_wrenches": "body"},
        {"weights": "input", "actuated": ["input", "elbow"]},
    ],
)
def test_the_oracle_agrees_of_all_objectives(options: dict[str, Any]) -> None:
    """By a mass and by a length too."""
    own = api.from_description(four_bar(), runtime=["coupler.mass", "elbow.translation.x"], joint_losses=True)
    against_oracle(own, PARTIALS, **options)
    layouts_agree(own, PARTIALS, **options)


@pytest.mark.slow
def test_the_oracle_agrees_on_a_random_tree() -> None:
    """All rows have forces but the first ones, one fewer than rows of loops."""
    robot = random_robot(7)
    assert robot is not None
    passive = len(robot.model.loop_row_names) - 1
    against_oracle(robot, PARTIALS, objective="force", actuated=robot.velocity_names[passive:])


@pytest.mark.parametrize(
    "function",
    [PARTIALS, *(pytest.param(f"{INVERSE}{end}", marks=pytest.mark.slow) for end in ("", "_time_derivatives"))],
)
def test_passive_rows_that_move_while_loops_hold_are_refused(function: str) -> None:
    """A trunk on two points has six rows of loops for its base, and yet turns about the line between them."""
    with pytest.raises(
        RequestError, match=rf"{function}: rows 'root.vx', .*'root.wz' of v of robot 'standing'"
    ) as told:
        api.float_recursion(api.from_description(standing()), function)
    assert "constrained_hybrid_dynamics" in str(told.value)


def test_passive_rows_that_no_loop_moves_are_refused() -> None:
    free = api.from_description(replace(geared(), acting=geared().acting[1:]))
    with pytest.raises(RequestError, match="rows 'b' of v of robot 'five_bar' have no force and can move"):
        api.float_recursion(free, INVERSE, actuated=["a", "c", "d"])
    assert api.float_recursion(free, INVERSE, actuated=["b", "c", "d"])


def test_friction_that_jumps_is_refused() -> None:
    described = four_bar()
    joints = tuple(replace(joint, losses=Losses(friction=0.1, velocity_scale=0.0)) for joint in described.joints)
    own = api.from_description(replace(described, joints=joints), joint_losses=True)
    with pytest.raises(ModelError, match="friction"):
        api.float_recursion(own, PARTIALS)
