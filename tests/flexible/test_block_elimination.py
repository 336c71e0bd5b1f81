"""Tips with many rows, eliminated block by block: against one kernel, against inverse dynamics, and the truth."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import asked, flat, inputs_of, truth_agrees
from support.robots.flexible import beam, rolled
from support.robots.kinds import C
from support.robots.small import X, Y, Z, described, joint, massive
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Program, lane_loops
from symdyn.description.flexible import Direction
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import JointKind, Link, RobotDescription
from symdyn.dynamics.forward_dynamics import aba_layout
from symdyn.errors import SymdynWarning
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

FEW = 6
# Solutions with M lose its condition number, here up to 10^7, on top of some hundred units of roundoff.
TOLERANCE = 1e-8
LAYOUTS = ("unrolled", "split", "rolled", "split-lanes", "rolled-lanes")
HALVES = ("forward_dynamics", "hybrid_dynamics", "forward_dynamics_time_derivatives")


def many(rows: int, stiffening: bool = False, clamped: bool = False) -> RobotDescription:
    """A turning link that bends in two planes and twists, and carries a wheel and another link that bends a little."""
    counts = ((Direction.BEND_Y, rows // 2), (Direction.BEND_Z, rows - rows // 2 - 1), (Direction.TORSION, 1))
    askew = Placement((0.05, -0.02, 0.03), rolled(0.3, -0.2, 0.5))
    boom = beam(1.1, 1.7, 60.0, counts, askew, section=(0.004, 0.006), damping=1e-3, stiffening=stiffening)
    twig = beam(0.5, 0.8, 20.0, ((Direction.BEND_Z, 2), (Direction.AXIAL, 1)))
    links = [
        Link("base"),
        Link("boom", massive("hub", 0.6, (0.02, 0.01, -0.03)).inertial, flexible=boom),
        massive("wheel", 0.4, (0.05, 0.02, -0.04)),
        Link("twig", massive("hub", 0.3, (0.0, 0.02, 0.01)).inertial, flexible=twig),
    ]
    joints = [
        joint("one", JointKind.FIXED if clamped else C, "base", "boom", axis=Z),
        joint("two", C, "boom", "wheel", at=(1.1, 0.02, -0.01), axis=Y, turned=rolled(0.4, 0.1, -0.3)),
        joint("three", C, "boom", "twig", at=(1.0, 0.0, 0.1), axis=X),
    ]
    return described(links, joints)


@cache
def single(rows: int) -> Robot:
    """A link that turns and bends in two planes, and no more."""
    boom = beam(1.1, 1.7, 60.0, ((Direction.BEND_Y, rows // 2), (Direction.BEND_Z, rows - rows // 2)))
    links = [Link("base"), Link("boom", massive("hub", 0.6, (0.02, 0.01, -0.03)).inertial, flexible=boom)]
    return api.from_description(described(links, [joint("one", C, "base", "boom", axis=Z)]))


@cache
def example(rows: int, stiffening: bool = False, clamped: bool = False) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return api.from_description(many(rows, stiffening, clamped), gravity=(1.0, -2.0, -9.0))


@pytest.fixture
def in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks from seven rows on, which are enough to have all cases."""
    monkeypatch.setattr(aba_layout, "MOST_AT_ONCE", FEW)


def steps_of(robot: Robot, function: str = "forward_dynamics") -> Counter[str]:
    """Visits by step."""
    ((entry, request),) = requests(robot.model, [function])
    plan = entry.plan(robot.model, request)
    return Counter({sweep.step.name: 0 for sweep in plan.sweeps}) + Counter(
        sweep.step.name for sweep in plan.sweeps for _ in sweep.visits
    )


# Rows: one chunk, two with a row of the unit matrix, products of amplitudes; a clamped link has nothing to move.
CASES = [(7, False, False), (9, False, False), (8, True, False), (9, False, True)]


@pytest.mark.parametrize(
    ("function", "case"),
    [
        pytest.param(function, case, id=f"{function}-{case}", marks=pytest.mark.slow if case[1] and time else ())
        for case in CASES
        for function, time in ((function, "time" in function) for function in HALVES)
    ],
)
def test_blocks_find_what_one_kernel_finds(
    monkeypatch: pytest.MonkeyPatch, function: str, case: tuple[int, bool, bool]
) -> None:
    robot = example(*case)
    options = asked(robot, function)
    inputs = inputs_of(robot, function, **options)
    found = []
    for most in (FEW, 100):
        monkeypatch.setattr(aba_layout, "MOST_AT_ONCE", most)
        found.append(flat(api.float_recursion(robot, function, **options)(inputs)))
    # each derivative is known as well as the one before: stiff modes and the condition of M multiply its error
    assert relative_error(*found) <= TOLERANCE * (1e4 if "time" in function else 1.0)


@pytest.mark.parametrize("prescribed", [1, 2, 3, "all"])
def test_hybrid_dynamics_undoes_inverse_dynamics(in_blocks: None, prescribed: int | str) -> None:
    """Prescribed rows in every place, up to all of the link's own."""
    robot = example(9)
    names = robot.velocity_names[2:] if prescribed == "all" else robot.velocity_names[prescribed :: prescribed + 1]
    inputs = inputs_of(robot, "hybrid_dynamics", prescribed=names)
    given, *_ = (values for name, values in inputs.items() if name not in ("q", "v"))
    found = flat(api.float_recursion(robot, "hybrid_dynamics", prescribed=names)(inputs)).tolist()
    held = [name in names for name in robot.velocity_names]
    a = [known if own else new for own, known, new in zip(held, given, found, strict=True)]
    tau = [new if own else known for own, known, new in zip(held, given, found, strict=True)]
    again = api.float_recursion(robot, "inverse_dynamics")({"q": inputs["q"], "v": inputs["v"], "a": a})["tau"]
    assert relative_error(np.array(again), np.array(tau)) <= TOLERANCE


_FEW_LAYOUTS, _ALL = ("split", "rolled"), pytest.mark.slow


@pytest.mark.parametrize(
    ("function", "case", "layouts"),
    [
        (HALVES[1], CASES[1], _FEW_LAYOUTS),
        *(pytest.param(function, case, LAYOUTS, marks=_ALL) for function in HALVES for case in CASES[1:3]),
    ],
)
def test_every_layout(in_blocks: None, function: str, case: tuple[int, bool, bool], layouts: Sequence[str]) -> None:
    robot = example(*case)
    options = asked(robot, function)
    inputs = inputs_of(robot, function, **options)
    expected = flat(api.float_recursion(robot, function, **options)(inputs))
    for layout in layouts:
        program = program_of(robot, function, layout, **options)
        found = flat(evaluate_program(program, FloatAlgebra(), inputs))
        assert relative_error(found, expected) <= TOLERANCE * (1e4 if "time" in function else 1.0), layout
        assert bool(lane_loops(program.body)) is (layout != "unrolled")


def program_of(robot: Robot, function: str, layout: str, **options: Any) -> Program:
    (program,) = api.programs(robot, [function], layout=layout, **options)
    return program


@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["rolled", pytest.param("split", marks=pytest.mark.slow)])
def test_compiled(in_blocks: None, layout: str) -> None:
    """C of single states and of batches, and NumPy."""
    robot = example(9)
    functions = HALVES[1:2] if layout == "rolled" else HALVES[:2]
    prescribed = robot.velocity_names[1::3]
    module = symdyn.compile(robot, functions, layout=layout, prescribed=prescribed)
    python = symdyn.compile(robot, functions, layout=layout, prescribed=prescribed, target="python")
    for function in functions:
        options = asked(robot, function)
        inputs = inputs_of(robot, function, **options)
        expected = flat(api.float_recursion(robot, function, **options)(inputs))
        arrays = [np.array(values) for values in inputs.values()]
        for found in (
            getattr(module, function)(*arrays),
            getattr(python, function)(*arrays),
            getattr(module, function)(*(np.tile(array, (9, 1)) for array in arrays))[8],
        ):
            assert relative_error(found, expected) <= TOLERANCE, function


TRUTHS = [
    (9, False, "forward_dynamics"),
    pytest.param(8, True, "hybrid_dynamics", marks=pytest.mark.slow),
    pytest.param(9, False, "mass_matrix_inverse", marks=pytest.mark.slow),
    pytest.param(8, True, "forward_dynamics_time_derivatives", marks=pytest.mark.slow),
    pytest.param(14, False, "forward_dynamics", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("rows", "stiffening", "function"), TRUTHS)
def test_the_truth(in_blocks: None, rows: int, stiffening: bool, function: str) -> None:
    robot = example(rows, stiffening)
    options = asked(robot, function)
    assert truth_agrees(robot, function, **options)


def test_few_rows_stay_in_one_kernel() -> None:
    most = aba_layout.MOST_AT_ONCE
    assert not any(name.startswith("block_") for name in steps_of(single(most)))
    assert steps_of(single(most + 1))["block_parts"] == 1


@pytest.mark.slow
def test_a_visit_per_block(in_blocks: None) -> None:
    """Instead of n^3 / 6 updates of entries, and as many kernels for any number of rows."""
    counts = {rows: steps_of(single(rows)) for rows in (16, 24)}
    updates = {rows: count["block_update"] for rows, count in counts.items()}
    assert updates == {16: 3 + 1, 24: 6 + 3 + 1} and all(updates[rows] <= rows**3 / 48 for rows in updates)
    kernels = [
        Counter(tape.name.rsplit("_", 1)[0] for tape in program_of(single(rows), "forward_dynamics", "rolled").tapes)
        for rows in (16, 24)
    ]
    looped = ("wrenches", "entries", "couplings", "pivots", "panel", "update", "forward", "hand_on", "lift", "backward")
    fewer, more = ({name: found[f"block_{name}"] for name in looped} for found in kernels)
    assert fewer == more


def test_time_derivatives_of_tips_with_more_rows_than_a_free_joint() -> None:
    robot, function = single(9), "inverse_dynamics_time_derivatives"
    inputs = inputs_of(robot, function, order=1)
    found = flat(api.float_recursion(robot, function, order=1)(inputs))
    v, a = np.reshape(inputs["V"], (-1, robot.model.nv))[:2].tolist()
    plain = api.float_recursion(robot, "inverse_dynamics")({"q": inputs["q"], "v": v, "a": a})
    assert relative_error(found[: robot.model.nv], flat(plain)) <= 1e-12
