"""A function of a robot found in one way, against the same found in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symdyn
from support.states import random_inputs, relative_error
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.interface.signature import Signature
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import error_in_u, limit_in_u, output_blocks
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.held import setting_of
from symdyn.verify.oracle.truths import find_truth

Array = NDArray[np.float64]
Inputs = dict[str, list[float]]


def flat(outputs: Mapping[str, Sequence[float]]) -> Array:
    """All outputs one after another."""
    return np.concatenate([np.ravel(np.asarray(values, dtype=float)) for values in outputs.values()])


def asked(robot: Robot, function: str, order: int = 1, wrenches: str = "") -> dict[str, Any]:
    """Options that a function of any robot needs: its order, and every third row to be prescribed."""
    takes = CATALOGUE[function].takes
    options: dict[str, Any] = {"order": order} if "order" in takes else {}
    if "prescribed" in takes:
        options["prescribed"] = tuple(robot.velocity_names[1::3] or robot.velocity_names)
    if wrenches and "external_wrenches" in takes:
        options["external_wrenches"] = wrenches
    return options


def signature_of(robot: Robot, function: str, **options: Any) -> Signature:
    """The signature of one function."""
    ((entry, request),) = requests(robot.model, [function], **options)
    return entry.signature(robot.model, request)


def inputs_of(robot: Robot, function: str, seed: int = 11, **options: Any) -> Inputs:
    """Random inputs of one function."""
    return random_inputs(robot, signature_of(robot, function, **options), np.random.default_rng(seed))


def truth_agrees(
    robot: Robot,
    function: str,
    given: Inputs | None = None,
    nominal: Mapping[str, float] | None = None,
    **options: Any,
) -> bool:
    """Whether the recursion in floats is the truth to fifty digits, but for what its operations may round.

    Inputs that are not given are a random state of ``symdyn verify``, with run-time parameters near their defaults or
    near ``nominal``.
    """
    signature = signature_of(robot, function, **options)
    setting = setting_of(robot.description, signature, robot.load_options())
    if given is None:
        near = dict(zip(robot.runtime_parameters, robot.runtime_defaults, strict=True)) if nominal is None else nominal
        given = verification_states(setting.tree, signature.inputs, near, 1)[-1].inputs
    truth = find_truth(function)(setting, given)
    found = api.float_recursion(robot, function, **options)(given)
    rows = [row for output in signature.outputs for row in found[output.name]]
    blocks = output_blocks(signature.outputs)
    return error_in_u(rows, truth.values, blocks, scales=truth.scales) <= limit_in_u(setting.tree.depth)


def programs_agree(
    robot: Robot,
    function: str,
    layouts: Sequence[str],
    given: Inputs | None = None,
    tolerance: float = 1e-11,
    **options: Any,
) -> None:
    """Programs give what the recursion in floats gives, each output to a part of its norm."""
    given = given or inputs_of(robot, function, **options)
    reference = api.float_recursion(robot, function, **options)(given)
    assert all(np.isfinite(rows).all() for rows in reference.values())
    for layout in layouts:
        (program,) = api.programs(robot, [function], layout=layout, **options)
        found = evaluate_program(program, FloatAlgebra(), given)
        for name, expected in reference.items():
            assert relative_error(found[name], expected) <= tolerance, (layout, name)


def modules_agree(
    robot: Robot,
    functions: Sequence[str],
    layout: str,
    given: Mapping[str, Inputs] | None = None,
    tolerance: float = 1e-11,
    targets: Sequence[str] = ("c", "python"),
    **options: Any,
) -> None:
    """Compiled C and generated Python give what the recursion in floats gives, each output to a part of its norm."""
    for target in targets:
        module = symdyn.compile(robot, functions, layout=layout, target=target, lanes=layout == "rolled", **options)
        for function in functions:
            taken = {name: value for name, value in options.items() if name in CATALOGUE[function].takes}
            inputs = (given or {}).get(function) or inputs_of(robot, function, **taken)
            reference = api.float_recursion(robot, function, **taken)(inputs)
            signature = module.signature(function)
            found = getattr(module, function)(*(np.reshape(inputs[own.name], own.shape) for own in signature.inputs))
            for output, rows in zip(signature.outputs, found if isinstance(found, tuple) else (found,), strict=True):
                assert np.shape(rows) == output.shape, (target, function, output.name)
                error = relative_error(np.ravel(rows), reference[output.name])
                assert error <= tolerance, (target, function, output.name)
