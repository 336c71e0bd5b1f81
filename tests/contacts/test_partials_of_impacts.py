"""Derivatives of steps whose impacts are solved one after another: 40-digit steps, C against NumPy, closed forms."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import inputs_of, modules_agree, programs_agree, truth_agrees
from support.exact_steps import worst_error
from support.robots.impacting import ARM, BOX, IN_TURN, cradle

import symdyn
from symdyn.analysis.contacts.impacts import Impact
from symdyn.analysis.contacts.step import impacts_by
from symdyn.generation.called_functions import contact_sets
from symdyn.interface.contact_solving import ContactCode, ContactStep
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
H = 2e-3


@cache
def robot(text: str) -> Robot:
    return symdyn.loads(text, format="yaml")


def impacts(model: Robot, given: dict[str, Any]) -> list[Impact]:
    """Those that a step begins with."""
    system = symdyn.compile(model, ["contact_system"], target="python").contact_system
    parameters = [given["p"]] if "p" in given else []
    values = system(given["q"], given["v"], given["tau"], H, *parameters)
    found = impacts_by(values, contact_sets(model), H)
    assert found is not None
    return found


def motion(model: Robot, q: np.ndarray, v: np.ndarray, count: int, push: float) -> Any:
    """Inputs and results of steps under random forces that change every twenty steps, by the C."""
    rng, guess, p = np.random.default_rng(1), None, np.asarray(model.runtime_defaults)
    module, tau = symdyn.compile(model, ["contact_slopes"], steppers=["contacts"], gradient="step", lanes=False), None
    for number in range(count):
        if number % 20 == 0:
            tau = push * rng.normal(size=model.nv)
        step = module.contact_step(q, v, tau, *([p] if p.size else []), h=H, guess=guess)
        yield {"q": q, "v": v, "tau": tau, "h": np.array([H]), **({"p": p} if p.size else {})}, step, module
        q, v, guess = step.q_next, step.v_next, step.impulses


def follows(step: ContactStep, hits: list[Impact], gaps_open: np.ndarray) -> ContactStep:
    """What follows the impacts of a step: its impulses, and states without those of sets that are open then."""
    left = step.impulses - sum(hit.impulses for hit in hits)
    return step._replace(impulses=left, state=np.where(gaps_open, 0, step.state).astype(np.int32))


def open_after(model: Robot, step: ContactStep, hits: list[Impact]) -> np.ndarray:
    """Contacts and ranges without an impulse after the impacts, but for rounding."""
    left, row, found = step.impulses - sum(hit.impulses for hit in hits), -1, []
    for kind in contact_sets(model).kinds:
        row += kind.width
        found.append(kind.name in ("CONE", "NOT_NEGATIVE") and left[row] <= 1e-13 * step.impulses[row])
    return np.array(found)


def check(model: Robot, q: np.ndarray, v: np.ndarray, count: int, push: float, wanted: int) -> None:
    """Steps with impacts, each mixture of states once: to 40 digits, and C against NumPy."""
    met = set[tuple[Any, ...]]()
    for given, step, module in motion(model, q, v, count, push):
        hits = impacts(model, given) if np.abs(step.v_next - given["v"]).max() > 0.05 else []
        states = tuple(tuple(hit.states.tolist()) for hit in hits)
        solved = step.report.code is ContactCode.SOLVED and step.report.margin > 1e-6
        if not hits or states in met or not solved:
            continue
        met.add(states)
        inputs = [given[name] for name in ("q", "v", "tau")]
        places = {"h": H, "impulses": step.impulses, "state": step.state, "by_length": True}
        slopes = symdyn.contact_step_partials(model, *inputs, **places, p=given.get("p"))
        after = follows(step, hits, open_after(model, step, hits))
        assert worst_error(model, given, after, slopes, len(met), hits) < 1e-9, states
        inputs += [given["p"]] if "p" in given else []
        by_c = module.contact_step_partials(*inputs, h=H, impulses=step.impulses, state=step.state)
        for name, one, other in zip(by_c._fields, by_c, slopes, strict=True):
            if one is not None:
                assert np.abs(one - other).max(initial=0.0) <= 1e-10 * max(np.abs(other).max(initial=0.0), 1e-6), name
        if len(met) == wanted:
            return
    raise AssertionError(met)


@pytest.mark.needs_cc
def test_balls_that_hit_others() -> None:
    """Each impact starts from what the one before leaves: by v the closed form of the chain."""
    masses, share = [0.8, 0.3, 0.1], 0.5
    model = cradle(masses, share)
    q, v = 0.1 * np.arange(3), np.array([1.0, 0.0, 0.0])
    check(model, q, v, 1, 0.0, 1)
    step = symdyn.contact_step(model, q, v, None, h=H)
    slopes = symdyn.contact_step_partials(model, q, v, None, h=H, impulses=step.impulses, state=step.state)
    chain = np.eye(3)
    for i in (0, 1):
        total, closing = masses[i] + masses[i + 1], chain[i] - chain[i + 1]
        chain[i] = chain[i] - (1.0 + share) * masses[i + 1] / total * closing
        chain[i + 1] = chain[i + 1] + (1.0 + share) * masses[i] / total * closing
    np.testing.assert_allclose(slopes.dv_next_dv, chain, rtol=0.0, atol=1e-8)


@pytest.mark.needs_cc
@pytest.mark.slow
def test_a_box_that_tumbles() -> None:
    """Corners that stick and slide in an impact, and others that bear after it."""
    box = robot(BOX + IN_TURN)
    q, v = box.neutral(), np.array([0.5, 0.1, -0.3, 0.2, 1.0, 0.3])
    q[2:] = [0.2, *(np.array([0.1, 0.2, 0.3, 0.9]) / np.linalg.norm([0.1, 0.2, 0.3, 0.9]))]
    check(box, q, v, 260, 0.2, 4)


@pytest.mark.needs_cc
@pytest.mark.slow
def test_an_arm_with_ranges_and_parameters() -> None:
    """A range, a capsule and a puck, three impacts in one step, by restitution, compliance and all other parameters."""
    arm = robot(ARM)
    check(arm, arm.neutral(), np.zeros(arm.nv), 300, 1.0, 3)  # the third has three impacts


@pytest.mark.parametrize("text", [BOX + IN_TURN, pytest.param(ARM, marks=pytest.mark.slow)], ids=["box", "arm"])
def test_slopes_are_right_to_fifty_digits(text: str) -> None:
    model = robot(text)
    assert truth_agrees(model, "contact_slopes", inputs_of(model, "contact_slopes", 3))
    assert truth_agrees(model, "contact_slopes", inputs_of(model, "contact_slopes", 4), gradient="step")


@pytest.mark.needs_cc
@pytest.mark.slow
def test_slopes_in_all_layouts() -> None:
    programs_agree(robot(ARM), "contact_slopes", ("unrolled", "rolled"))
    modules_agree(robot(BOX + IN_TURN), ["contact_slopes"], "rolled")
