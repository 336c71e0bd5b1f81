"""Forces of a planar flexible link and their derivatives, where terms cancel in every row, still verify."""

from __future__ import annotations

import pytest

from symdyn import api
from symdyn.functions.catalogue import requests
from symdyn.verify.base.compare import output_blocks
from symdyn.verify.harness.states import verification_states
from symdyn.verify.harness.verify import verify_states
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth


@pytest.mark.parametrize(
    ("function", "label"),
    [
        # nothing depends on the motor's angle, and the forces that bend the blade stand against its acceleration
        ("forward_dynamics_partials", "angles of pi/2 at rest"),
        # Coriolis terms of the tip's turning axes are some hundred times what they leave
        ("inverse_dynamics_partials", "angles of pi/2 in motion"),
        # the motor's torque is a thousandth of the mass terms that it is a sum of
        ("inverse_dynamics", "random state 3"),
    ],
)
def test_what_cancels_is_not_held_against_the_code(function: str, label: str) -> None:
    robot = api.load_example("flexible_single_link")
    ((entry, request),) = requests(robot.model, [function])
    signature = entry.signature(robot.model, request)
    setting, truth = make_setting(robot.description, signature, robot.load_options()), find_truth(function)
    states = [state for state in verification_states(setting.tree, signature.inputs, {}, 4) if state.label == label]
    recursion = api.float_recursion(robot, function)

    def evaluated(inputs: object, factor: float = 1.0) -> list[float]:
        found = recursion(inputs)  # type: ignore[arg-type]
        return [factor * value for output in signature.outputs for value in found[output.name]]

    right, wrong = verify_states(
        function,
        lambda inputs: truth(setting, inputs),
        {"right": evaluated, "wrong": lambda inputs: evaluated(inputs, 1.0 + 1e-11)},
        states,
        output_blocks(signature.outputs),
        limit=120.0,
    )
    assert right.worst_error <= 120.0 < wrong.worst_error
