"""Slots that are filled at run time: against fifty digits, modelled contacts and closed forms, and what is refused."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import inputs_of, modules_agree, programs_agree, truth_agrees
from support.exact_steps import worst_error

import symdyn
from symdyn import api
from symdyn.errors import DescriptionError, RequestError
from symdyn.interface.contact_solving import ContactCode
from symdyn.interface.touching import empty_touching
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
SLOW = pytest.mark.slow
FILLED = """
name: filled
floating_base: true
parameters: {reach: {value: -0.2, runtime: true}}
links:
  body: {mass: 1, com: [0.01, 0.02, 0], inertia: {xx: 0.1, yy: 0.12, zz: 0.13}, collision: {knob: {sphere: 0.03}}}
  leg: {mass: 0.2, com: [0, 0, -0.1], inertia: {xx: 0.01, yy: 0.012, zz: 0.01}}
  foot: {mass: 0.1, com: [0, 0.01, 0], inertia: {xx: 0.001, yy: 0.0012, zz: 0.001}}
joints:
  hip: {type: revolute, parent: body, child: leg, axis: [0, 0.6, 0.8], translation: [0.1, 0, reach]}
  knee: {type: prismatic, parent: leg, child: foot, axis: [0, 0.1, 1], translation: [0, 0, -0.2], losses: {damping: 2}}
obstacles: {floor: {plane: {normal: [0.1, 0, 1], point: [0, 0, -0.4]}}}
contacts: {knob: {of: body.knob, with: floor, friction: 0.4, restitution: 0.3}}
contact_options: {runtime_slots: 2}
load: {joint_losses: true}
"""
"""A modelled contact beside two slots, a free base, and a parameter that moves bodies."""
TWO = """
name: two
links:
  world: {}
  ball: {mass: 1.2, com: [0.01, 0, 0.02], inertia: {xx: 0.02, yy: 0.03, zz: 0.025}SKIN}
  egg: {mass: 1.5, inertia: {xx: 0.0102, yy: 0.0123, zz: 0.0117}}
joints:
  free: {type: floating, parent: world, child: ball}
  loose: {type: floating, parent: world, child: egg}
"""
MODELLED = TWO.replace("SKIN", ", collision: {skin: {sphere: 0.1}}") + (
    "obstacles: {floor: {plane: {normal: [0.1, 0.05, 1]}}}\n"
    "contacts: {skin: {of: ball.skin, with: floor, friction: 0.4}}\n"
)
SLOTS = TWO.replace("SKIN", "") + "contact_options: {runtime_slots: 2}\n"
NORMAL = np.array([0.1, 0.05, 1.0]) / np.sqrt(1.0125)
FUNCTIONS = ("contact_gaps", "contact_jacobian", "contact_system", "contact_factors", "stance_forces", "contact_slopes")


@cache
def robot(text: str) -> Robot:
    return symdyn.loads(text, format="yaml")


def under_ball(q: np.ndarray) -> np.ndarray:
    """The slots that a sphere of 0.1 m at the first free joint has with a slanted plane through the origin."""
    touching = empty_touching(2)
    gap = q[:3] @ NORMAL - 0.1
    touching[0] = [0, -1, *(q[:3] - 0.1 * NORMAL), *NORMAL, gap, 0.4]
    return touching


def turned(quaternion: np.ndarray, x: np.ndarray) -> np.ndarray:
    t = 2.0 * np.cross(quaternion[:3], x)
    result: np.ndarray = x + quaternion[3] * t + np.cross(quaternion[:3], t)
    return result


AXES = np.array([0.15, 0.12, 0.1])
"""Half the axes of an ellipsoid [m]."""


def under_egg(q: np.ndarray, friction: float = 2.0) -> np.ndarray:
    """The slots that an ellipsoid about the origin of the last free joint has with the plane z = 0."""
    down = turned(np.array([*-q[-4:-1], q[-1]]), np.array([0.0, 0.0, -1.0]))  # in its axes
    lowest = q[-7:-4] + turned(q[-4:], AXES**2 * down / np.linalg.norm(AXES * down))
    touching = empty_touching(2)
    touching[1] = [1, -1, *lowest, 0, 0, 1, lowest[2], friction]
    return touching


TOLD_BY_OTHERS = ("contact_factors", "contact_slopes")
"""These are in the default tier by the step, and by its derivatives."""


@pytest.mark.parametrize(
    "function", [pytest.param(own, marks=SLOW if own in TOLD_BY_OTHERS else ()) for own in FUNCTIONS]
)
def test_functions_are_right_to_rounding(function: str) -> None:
    """Slopes too: points and normals are fixed to b, along q and along parameters that move bodies."""
    model = robot(FILLED)
    for seed in (3,) if function == "contact_slopes" else (3, 4, 5):
        assert truth_agrees(model, function, inputs_of(model, function, seed))


@pytest.mark.parametrize(
    ("function", "layouts"),
    [
        ("contact_system", ("split", "rolled", "rolled-lanes")),
        pytest.param("contact_slopes", ("split", "rolled", "rolled-lanes"), marks=SLOW),
        pytest.param("stance_forces", ("split", "rolled"), marks=SLOW),
        pytest.param("contact_factors", ("unrolled", "split-lanes"), marks=SLOW),
    ],
)
def test_all_layouts_agree(function: str, layouts: tuple[str, ...]) -> None:
    programs_agree(robot(FILLED), function, layouts, inputs_of(robot(FILLED), function), tolerance=1e-10)


@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.parametrize("layout", ["unrolled", "rolled"])
def test_compiled_and_emitted_code_agree(layout: str) -> None:
    modules_agree(robot(FILLED), FUNCTIONS[:4], layout, tolerance=1e-10)


@pytest.mark.needs_cc
def test_a_sphere_in_a_slot_moves_as_the_modelled_one() -> None:
    """A ball that lands, rolls and slides down a slanted plane beside a body that falls, for 0.2 s.

    Equal but for rounding, which motions with contacts let grow a little: 1e-11 of lengths and speeds of about 1.
    """
    ball, slots = robot(MODELLED), robot(SLOTS)
    q, v = ball.neutral(), np.zeros(12)
    q[:3], v[:6] = 0.11 * NORMAL, [0.3, -0.2, 0.0, 3.0, 0.5, 2.0]
    one = symdyn.simulate(ball, q, v, 0.2, h=2e-3)
    other = symdyn.simulate(slots, q, v, 0.2, h=2e-3, touching=lambda t, q, v: under_ball(q))
    assert set(one.contacts.states.ravel()) >= {0, 2}
    assert one.contacts.states.shape[1] == 1 and not other.contacts.impulses[:, 3:].any()
    for name in ("q", "v"):
        assert np.abs(getattr(one, name) - getattr(other, name)).max() < 1e-11
    assert np.abs(one.contacts.impulses - other.contacts.impulses[:, :3]).max() < 1e-12
    assert np.abs(one.contacts.gaps - other.contacts.gaps[:, :1]).max() < 1e-12


@pytest.mark.needs_cc
@pytest.mark.slow
def test_c_is_numpy() -> None:
    """A step and its derivatives."""
    slots = robot(SLOTS)
    module: Any = symdyn.compile(slots, ["contact_slopes"], steppers=["contacts"], lanes=False)
    q, v, tau = slots.neutral(), np.zeros(12), np.zeros(12)
    q[:3], v[:6] = 0.1 * NORMAL, [0.3, -0.2, -0.1, 3.0, 0.5, 2.0]
    filled = under_ball(q)
    by_c = module.contact_step(q, v, tau, filled, h=2e-3)
    by_numpy = symdyn.contact_step(slots, q, v, h=2e-3, touching=filled)
    assert np.abs(by_c.v_next - by_numpy.v_next).max() < 1e-13
    at = {"h": 2e-3, "impulses": by_c.impulses, "state": by_c.state}
    slopes = module.contact_step_partials(q, v, tau, filled, **at)
    for name, one_slope, other_slope in zip(
        slopes._fields, slopes, symdyn.contact_step_partials(slots, q, v, touching=filled, **at), strict=True
    ):
        if one_slope is not None:
            assert np.abs(one_slope - other_slope).max() <= 1e-11 * np.abs(other_slope).max(), name


def test_derivatives_of_a_step_are_those_of_forty_digits() -> None:
    """One slot with the ground, one between two bodies: each sticks and slides; points and normals move with b."""
    slots, met = robot(SLOTS), set[tuple[int, ...]]()
    rng = np.random.default_rng(7)
    for friction in (0.1, 2.0):
        q, v = slots.neutral(), np.zeros(12)
        q[:3], q[7:10] = 0.1 * NORMAL, 0.1 * NORMAL + [0.0, 0.05, 0.25]
        v[:] = 0.3 * rng.normal(size=12)
        touching = under_ball(q)
        touching[0, 9] = friction
        between = np.array([0.1, 0.3, 0.9]) / np.linalg.norm([0.1, 0.3, 0.9])
        touching[1] = [1, 0, *(q[:3] + 0.1 * between), *between, -1e-4, 0.5 * friction]
        v[8] = -1.0
        step = symdyn.contact_step(slots, q, v, h=2e-3, touching=touching)
        assert step.report.code is ContactCode.SOLVED and step.report.margin > 1e-6
        met.add(tuple(step.state.tolist()))
        at = {"h": 2e-3, "impulses": step.impulses, "state": step.state, "touching": touching}
        found = symdyn.contact_step_partials(slots, q, v, **at)
        given = {"q": q, "v": v, "tau": np.zeros(12), "h": np.array([2e-3]), "touching": touching}
        assert worst_error(slots, given, step, found, 3) < 1e-9
    assert len(met) == 2 and all(0 not in states for states in met), met


@pytest.mark.needs_cc
def test_an_ellipsoid_rocks_as_in_closed_form() -> None:
    """A shape that symdyn does not have: the ellipsoid rolls about its y axis with the angular frequency

        omega^2 = m g (a^2 / c - c) / (J + m c^2)

    at small angles. Of 0.02 rad frequencies differ by about 1e-4, and steps of 0.5 ms change it by less.
    """
    slots, h = robot(SLOTS), 5e-4
    a, _, c = AXES
    q = slots.neutral()
    q[2], angle = 10.0, 0.02  # the ball falls far above
    q[-4:] = [0, np.sin(angle / 2), 0, np.cos(angle / 2)]
    q[-5] = -under_egg(q)[1, 4]
    motion = symdyn.simulate(slots, q, None, 0.8, h=h, touching=lambda t, q, v: under_egg(q))
    tilt = 2.0 * np.arctan2(motion.q[:, -3], motion.q[:, -1])
    crossings = np.flatnonzero(np.diff(np.sign(tilt)) != 0)
    times = [motion.t[k] + h * tilt[k] / (tilt[k] - tilt[k + 1]) for k in crossings]
    period = 2.0 * np.mean(np.diff(times))
    expected = 2 * np.pi / np.sqrt(1.5 * 9.81 * (a * a / c - c) / (0.0123 + 1.5 * c * c))
    assert len(times) >= 2
    assert period == pytest.approx(expected, rel=1e-3)
    assert motion.contacts.states[1:, 1].tolist() == [1] * (len(motion.t) - 1)
    assert np.abs(motion.contacts.gaps[1:, 1]).max() < 1e-6


def test_empty_slots_change_nothing() -> None:
    """Whatever stands in the other columns: a modelled contact with two empty slots beside it is the one alone."""
    with_slots, alone = robot(MODELLED + "contact_options: {runtime_slots: 2}\n"), robot(MODELLED)
    q, v = alone.neutral(), np.zeros(12)
    q[:3] = 0.1 * NORMAL
    empty = np.full((2, 10), 7.0)
    empty[:, 0] = -1.0
    one = symdyn.contact_step(alone, q, v, h=1e-3)
    for touching in (empty, None):
        other = symdyn.contact_step(with_slots, q, v, h=1e-3, touching=touching)
        assert np.abs(one.v_next - other.v_next).max() < 1e-15
        assert other.state.tolist() == [1, 0, 0] and not other.impulses[3:].any()


BAD = {
    "a is 2": (0, 2.0),
    "a is 0.5": (0, 0.5),
    "b is 7": (1, 7.0),
    "a and b are both 'ball'": (1, 0.0),
    "x is inf": (2, np.inf),
    "nz is nan": (7, np.nan),
    "normal has length": (7, 0.5),
    "gap is nan": (8, np.nan),
    "friction is -1": (9, -1.0),
}


@pytest.mark.parametrize(("message", "wrong"), BAD.items())
def test_rows_that_are_no_contact_are_refused(message: str, wrong: tuple[int, float]) -> None:
    """By name in Python; of functions that cannot refuse, numbers are NaN, and never others."""
    slots, column = robot(SLOTS), wrong[0]
    q, v = slots.neutral(), np.zeros(12)
    q[:3] = 0.1 * NORMAL
    touching = under_ball(q)
    touching[0, column] = wrong[1]
    with pytest.raises(RequestError, match=rf"touching\[0\].*{message}"):
        symdyn.contact_step(slots, q, v, h=1e-3, touching=touching)
    given = {"q": q.tolist(), "v": [0.0] * 12, "tau": [0.0] * 12, "h": [1e-3], "touching": touching.ravel().tolist()}
    result = api.float_recursion(slots, "contact_problem")(given)
    assert np.isnan(np.array(result["c_free"])[:3]).any() and np.isnan(result["delassus"]).any()
    assert np.isnan(
        api.float_recursion(slots, "contact_gaps")({key: given[key] for key in ("q", "touching")})["gap"][0]
    )


@pytest.mark.needs_cc
def test_c_ends_with_a_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody checks rows before: the state is that before the step."""
    from symdyn.toolchain import steppers

    slots = robot(SLOTS)
    module: Any = symdyn.compile(slots, ["contact_gaps"], steppers=["contacts"], lanes=False)
    monkeypatch.setattr(steppers, "check_touching", lambda *given: None)
    q, v = slots.neutral(), np.zeros(12)
    q[:3] = 0.1 * NORMAL
    for column, number in ((0, 2.0), (1, 0.0), (7, 0.5), (9, -1.0)):
        touching = under_ball(q)
        touching[0, column] = number
        step = module.contact_step(q, v, np.zeros(12), touching, h=1e-3)
        assert step.report.code is ContactCode.NOT_FINITE, column
        assert np.array_equal(step.q_next, q) and not step.impulses.any()


def test_what_is_no_use_of_slots_is_refused() -> None:
    slots, ball = robot(SLOTS), robot(MODELLED)
    q = np.zeros(12)
    with pytest.raises(RequestError, match="no slots that are filled at run time"):
        symdyn.contact_step(ball, ball.neutral(), q, h=1e-3, touching=empty_touching(1))
    with pytest.raises(RequestError, match="no slots that are filled at run time"):
        symdyn.simulate(ball, t=0.1, touching=lambda t, q, v: empty_touching(1))
    with pytest.raises(RequestError, match=r"expected \(2, 10\)"):
        symdyn.contact_step(slots, slots.neutral(), q, h=1e-3, touching=empty_touching(1))
    with pytest.raises(RequestError, match="rollouts fill no slots"):
        symdyn.rollout(slots, slots.neutral(), q, np.zeros((3, 12)), h=1e-3, method="contacts")
    with pytest.raises(RequestError, match="positions at rest fill no slots"):
        symdyn.equilibrium(slots, contacts=True)
    for text, message in (
        ("contact_options: {runtime_slots: 33}\n", "runtime_slots is 33; it is from 0 to 32"),
        ("contact_options: {runtime_slots: 1.5}\n", "runtime_slots is 1.5; it is a whole number"),
        ("contact_options: {runtime_slots: 1, impacts: sequential}\n", "leave one of the two out"),
        (
            "contact_options: {runtime_slots: 1}\nobstacles: {f: {plane: {}}}\n"
            "contacts: {touching: {of: ball.skin, with: f}}\n",
            "contact 'touching' has the name",
        ),
    ):
        with pytest.raises(DescriptionError, match=message):
            symdyn.loads(TWO.replace("SKIN", ", collision: {skin: {sphere: 0.1}}") + text, format="yaml")


def test_files_of_contacts_ask_for_slots(tmp_path: Any) -> None:
    """Beside a URDF, on the ground, and back to YAML."""
    side = tmp_path / "side.yaml"
    side.write_text("ground: true\ncontact_options: {runtime_slots: 3}\n")
    walker = symdyn.load("examples/ground/walker.urdf", floating_base=True, contacts=side)
    assert walker.model.contacts.slot_names[-1] == "touching[2]"
    assert len(walker.model.contacts.slots) > 3
    assert "3 slots that the input touching fills" in walker.contact_note
    again = symdyn.loads(robot(SLOTS).to_yaml(), format="yaml")
    assert again.model.contacts.runtime == 2
