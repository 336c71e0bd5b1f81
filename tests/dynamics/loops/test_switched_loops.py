"""Loops that hold or not as an input tells: as if those that do not were left out of the robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from support.looped_checks import random_robot, verified
from support.robots.loop_files import FOUR_BAR
from support.robots.looped import Y, five_bar, four_bar, standing
from support.robots.quadruped import quadruped
from support.soft_calls import call

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.external_loads import Site
from symdyn.description.loops import Coupling, Loop, LoopKind
from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import RequestError
from symdyn.functions.catalogue import requests
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
FUNCTIONS = {
    "constrained_forward_dynamics": "tau",
    "constrained_hybrid_dynamics": "u",
    "constrained_inverse_dynamics": "a",
    "operational_inertia": "",
    "constrained_forward_dynamics_partials": "tau",
    "constrained_hybrid_dynamics_partials": "u",
    "constrained_forward_dynamics_time_derivatives": "T",
    "constrained_hybrid_dynamics_time_derivatives": "U",
    "constrained_inverse_dynamics_time_derivatives": "V",
    "impulse_dynamics": "",
    "impulse_dynamics_partials": "",
}
"""And what each is given besides q and v."""


def geared() -> RobotDescription:
    """A five-bar with a gear."""
    described = five_bar()
    return replace(described, acting=(*described.acting, Coupling("gear", (("a", 1.0), ("d", 0.5)), 0.2)))


def options_of(own: Robot, function: str) -> dict[str, object]:
    prescribed = {"prescribed": [own.velocity_names[-1]]} if "hybrid" in function else {}
    return {**prescribed, **({"order": 2} if "time_derivatives" in function else {})}


def inputs_of(own: Robot, function: str) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    q, v = own.random_state(rng)
    rows = {"T": 3, "U": 3, "V": 4}.get(FUNCTIONS[function], 1)
    return {"q": q, "v": v, FUNCTIONS[function]: rng.standard_normal(rows * own.nv)}


def compared(
    described: RobotDescription, holds: tuple[int, ...], functions: tuple[str, ...] = tuple(FUNCTIONS)
) -> None:
    """Functions with all loops, some of which do not hold, against those of the robot without these."""
    own, loops = api.from_description(described), described.acting
    names = [loop.constraint.name for loop in own.model.loops]
    left = api.from_description(replace(described, acting=tuple(x for x, on in zip(loops, holds, strict=True) if on)))
    held = left.model.loop_row_names
    for function in functions:
        given, options = inputs_of(own, function), options_of(own, function)
        try:
            wanted = call(left, function if held else function.removeprefix("constrained_"), **given, **options)
        except RequestError as refusal:
            assert "have no force" in str(refusal)
            continue
        found = call(own, function, **given, **options, active=holds, switched=names)
        ((entry, request),) = requests(own.model, [function], **options, switched=names)
        outputs = entry.signature(own.model, request).outputs
        for argument, kept, expected in zip(outputs, found, wanted, strict=False):
            for axis, rows in enumerate(argument.rows):
                if rows == own.model.loop_row_names:
                    here = np.array([name in held for name in rows])
                    assert not np.any(np.compress(~here, kept, axis))
                    kept = np.compress(here, kept, axis)
            assert kept == pytest.approx(expected, abs=1e-12 * abs(expected).max(initial=1.0))


@pytest.mark.parametrize("holds", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_gears_and_pins_are_let_go(holds: tuple[int, ...]) -> None:
    compared(geared(), holds, ("constrained_forward_dynamics", "constrained_inverse_dynamics")[: 1 + holds[0]])


@pytest.mark.slow
@pytest.mark.parametrize("holds", [(0, 1), (1, 0)])
def test_all_functions_let_gears_and_pins_go(holds: tuple[int, ...]) -> None:
    compared(geared(), holds)


@pytest.mark.slow
def test_a_foot_is_let_go() -> None:
    compared(standing(), (1, 0))


@pytest.mark.slow
def test_every_stance_of_a_quadruped() -> None:
    functions = ("constrained_forward_dynamics", "constrained_inverse_dynamics", "impulse_dynamics")
    for holds in product((0, 1), repeat=4):
        compared(quadruped(), holds, functions if any(holds) else functions[:1])


def test_the_oracle_agrees_on_a_four_bar() -> None:
    verified(api.from_description(four_bar()), ("constrained_forward_dynamics",), 1, switched=["pin"])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_the_oracle_agrees(seed: int) -> None:
    robot = random_robot(seed)
    assert robot is not None
    names = [loop.constraint.name for loop in robot.model.loops]
    functions = ("constrained_forward_dynamics", "operational_inertia", "impulse_dynamics")
    verified(robot, functions, 1, switched=names)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "made", "layout"),
    [
        ("constrained_forward_dynamics", standing, "rolled"),
        ("constrained_inverse_dynamics", geared, "rolled"),
        ("constrained_inverse_dynamics", geared, "split"),
        ("constrained_forward_dynamics_time_derivatives", four_bar, "rolled"),
        ("constrained_forward_dynamics_time_derivatives", four_bar, "unrolled"),
    ],
)
def test_compiled_code_agrees(function: str, made: Callable[[], RobotDescription], layout: str) -> None:
    agree(api.from_description(made()), function, layout)


@pytest.mark.parametrize("layout", ["split", "rolled"])
def test_evaluated_code_agrees(layout: str) -> None:
    agree(api.from_description(geared()), "constrained_hybrid_dynamics", layout, compiled=False)


def agree(own: Robot, function: str, layout: str, compiled: bool = True) -> None:
    """Programs, and C and Python modules, against the recursion with one loop that holds."""
    said = {**options_of(own, function), "switched": [loop.constraint.name for loop in own.model.loops]}
    options = {**said, "layout": layout}
    given = inputs_of(own, function) | {"active": np.eye(len(own.model.loops))[0]}
    wanted = call(own, function, **given, **said)
    (program,) = api.programs(own, [function], **options)
    ((entry, request),) = requests(own.model, [function], **said)
    signature = entry.signature(own.model, request)
    evaluated = evaluate_program(program, FloatAlgebra(), {key: list(map(float, x)) for key, x in given.items()})
    found = [[np.reshape(evaluated[each.name], each.shape) for each in signature.outputs]]
    if compiled:
        shaped = [np.reshape(given[each.name], each.shape) for each in signature.inputs]
        modules = (symdyn.compile(own, [function], target=target, **options) for target in ("c", "python"))
        found += [getattr(module, function)(*shaped) for module in modules]
    for outputs in found:
        for value, expected in zip(outputs, wanted, strict=True):
            assert value == pytest.approx(expected, abs=1e-12 * abs(expected).max(initial=1.0))


@pytest.mark.parametrize("odd", [0.5, 0.7, -1.0, 2.0, 1.0 + 2.3e-16, 5e-324, np.nan, np.inf])
def test_switches_that_are_neither_one_nor_zero_give_nan(odd: float) -> None:
    """Whatever depends on the loop's rows, and nothing of the other loop's if these share no joint."""
    own = api.from_description(four_bar())
    for function in FUNCTIONS:
        given = {**inputs_of(own, function), "active": np.array([odd])}
        found = call(own, function, **given, **options_of(own, function), switched=["pin"])
        assert all(np.isnan(output).any() for output in found), function
        assert np.isnan(found[0]).any()


def test_switches_that_are_neither_one_nor_zero_are_refused_in_python() -> None:
    own = api.from_description(geared())
    functions = ["constrained_forward_dynamics"]
    module = symdyn.compile(own, functions, target="python", switched=["gear"])
    q, v, tau = inputs_of(own, functions[0]).values()
    for fine in (0, 1, True, 0.0, [[1.0], [0.0]]):
        module.constrained_forward_dynamics(q, v, tau, np.reshape(fine, (-1, 1)))
    with pytest.raises(RequestError, match=r"argument 'active' has 0.7, expected 1 where a loop holds and 0 where"):
        module.constrained_forward_dynamics(q, v, tau, [0.7])
    with pytest.raises(RequestError, match="argument 'active' has nan"):
        module.constrained_forward_dynamics(q, v, tau, [[1.0], [np.nan]])


@pytest.mark.needs_cc
def test_compiled_switches_that_are_neither_one_nor_zero_are_refused() -> None:
    """For one state in place, for batches and for other types of arrays."""
    own = api.from_description(four_bar())
    module = symdyn.compile(own, ["operational_inertia"], switched=["pin"])
    (q,) = (inputs_of(own, "operational_inertia")["q"],)
    for fine in (np.ones(1), np.zeros((4, 1)), [True], np.ones(1, np.float32)):
        assert np.isfinite(module.operational_inertia(q, fine)[0]).all()
    for odd in (np.full(1, 0.7), np.full((4, 1), 0.7), [0.7], np.full(1, 0.7, np.float32), np.full(1, np.nan)):
        with pytest.raises(RequestError, match=r"argument 'active' has (0.7|0.6999|nan).*, expected 1 where a loop"):
            module.operational_inertia(q, odd)


def test_nothing_is_left_of_rows_without_a_value() -> None:
    """A turn of half a revolution, where its error has no slope: 1 / 0."""
    described = replace(four_bar(), acting=(grip := fixed("crank", 0.0), *four_bar().acting))
    own = api.from_description(described)
    q = np.array([np.pi, 0.3, -0.2])
    given = (q, np.ones(3), np.ones(3))
    module = symdyn.compile(own, ["constrained_forward_dynamics"], target="python", switched=[grip.name])
    with np.errstate(all="ignore"):
        found, none = (module.constrained_forward_dynamics(*given, [x]) for x in (0.0, 1.0))
    wanted = call(api.from_description(four_bar()), "constrained_forward_dynamics", q=q, v=given[1], tau=given[2])
    assert np.isnan(none[0]).any()
    assert found[0] == pytest.approx(wanted[0], abs=1e-12)
    assert not found[1][:-2].any() and found[1][-2:] == pytest.approx(wanted[1], abs=1e-12)


def fixed(link: str, x: float) -> Loop:
    """A link held to the world."""
    return Loop(
        "grip", (Site(link, point=(x, 0.0, 0.0)), Site(point=(x, 0.0, 0.0))), LoopKind.FIXED, (Y, Y), close=True
    )


@pytest.mark.parametrize(
    ("loops", "switched", "words"),
    [
        ("", ["nail"], r"^switched loop 'nail' is unknown; robot 'fourbar' has pin$"),
        ("", ["pin", "pin"], "switched names a loop twice"),
        ("", [1], "switched is a list of loop names"),
        (
            "  again: {between: [end, top], kind: spherical, close: true}\n",
            ["pin"],
            "'pin' cannot be let go: .*'again'",
        ),
    ],
)
def test_loops_that_cannot_be_switched(loops: str, switched: list[str], words: str) -> None:
    own = robot_of(parse_yaml((FOUR_BAR + loops).encode(), "r.yaml"))
    with pytest.raises(RequestError, match=words):
        requests(own.model, ["constrained_forward_dynamics"], switched=switched)


def test_loops_that_others_lean_on_stay_and_the_rest_is_let_go() -> None:
    """Rows of the second pin follow from the first, so that the second may be let go, and the first not."""
    own = robot_of(
        parse_yaml((FOUR_BAR + "  again: {between: [end, top], kind: spherical, close: true}\n").encode(), "r")
    )
    assert [loop.leans for loop in own.model.loops] == [(), ("pin",)]
    requests(own.model, ["constrained_forward_dynamics"], switched=["again"])
