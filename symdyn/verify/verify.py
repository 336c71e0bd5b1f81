"""Every evaluator of a generated function against the independent oracle, state by state.

Evaluators are handed in as callables (the float recursion, the Program, the compiled C, the Python target), so that
this room needs neither half of symdyn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symdyn.description.robot import RobotDescription
from symdyn.errors import VerificationError
from symdyn.signature import Signature
from symdyn.verify.compare import Blocks, block_floors, error_in_u, limit_in_u, unit_blocks
from symdyn.verify.matrices import Real
from symdyn.verify.report import EvaluatorResult, VerificationReport
from symdyn.verify.states import State, verification_states
from symdyn.verify.tree import public_tree
from symdyn.verify.truth import inverse_dynamics

Inputs = Mapping[str, Sequence[float]]
Truth = Callable[[Inputs], list[Real]]
Evaluator = Callable[[Inputs], Sequence[float]]
"""Flat inputs by name to the flat rows of all outputs, in the order of the Signature."""
Progress = Callable[[int, int], None]
"""Told how many states are done, and of how many."""


def verify_states(
    function: str,
    truth: Truth,
    evaluators: Mapping[str, Evaluator],
    states: Sequence[State],
    blocks: Blocks,
    *,
    limit: float,
    dtype: str = "float64",
    progress: Progress | None = None,
) -> tuple[EvaluatorResult, ...]:
    """Worst error of each evaluator of a function over some states.

    Parameters
    ----------
    function
        Its name, for the results.
    truth
        Exact rows for the inputs of a state.
    evaluators
        By name.
    states
        Where to compare.
    blocks
        Output rows that share a unit.
    limit
        Largest error that passes, in u.
    dtype
        Format that decides u.
    progress
        Called after each state, because a truth takes some milliseconds per link.
    """
    truths = []
    for done, state in enumerate(states, 1):
        truths.append(truth(state.inputs))
        if progress is not None:
            progress(done, len(states))
    floors = block_floors(truths, blocks)
    results = []
    for name, evaluator in evaluators.items():
        worst, where = -1.0, ""
        for state, exact in zip(states, truths, strict=True):
            error = error_in_u(evaluator(state.inputs), exact, blocks, floors, dtype)
            if error > worst:
                worst, where = error, state.label
        results.append(EvaluatorResult(function, name, len(states), worst, where, limit))
    return tuple(results)


def verify_functions(
    description: RobotDescription,
    signatures: Sequence[Signature],
    evaluators: Mapping[str, Mapping[str, Evaluator]],
    load_options: Mapping[str, Any],
    *,
    nominal: Mapping[str, float] | None = None,
    states: int = 50,
    seed: int = 0,
    dtype: str = "float64",
    progress: Progress | None = None,
) -> VerificationReport:
    """Check functions of one robot at special states and at ``states`` random ones.

    Parameters
    ----------
    description
        The robot as read, before load options apply.
    signatures
        The functions.
    evaluators
        Per function name: evaluators by name.
    load_options
        What ``symdyn.load`` was told: ``floating_base``, ``locked_joints``, ``joint_losses``, ``convention``,
        ``gravity`` (each may be absent).
    nominal
        Usual value of each run-time parameter; 1 where absent.
    states, seed
        Number of random states, and the seed that draws them.
    dtype
        Format of the functions' numbers.
    progress
        Told of each state, function after function.

    Raises
    ------
    VerificationError
        A function without an independent truth, or nothing to verify.
    """
    if not signatures:
        raise VerificationError(f"robot '{description.name}' has no generated functions to verify")
    tree = public_tree(description, load_options.get("floating_base"), load_options.get("locked_joints"))
    results: list[EvaluatorResult] = []
    for signature in signatures:
        drawn = verification_states(tree, signature.inputs, nominal or {}, states, seed, dtype)
        units = [unit for output in signature.outputs for unit in output.element_units]
        results += verify_states(
            signature.function,
            function_truth(description, signature, load_options),
            evaluators[signature.function],
            drawn,
            unit_blocks(units),
            limit=limit_in_u(tree.depth),
            dtype=dtype,
            progress=progress,
        )
    return VerificationReport(description.name, dtype, tuple(results))


def function_truth(description: RobotDescription, signature: Signature, load_options: Mapping[str, Any]) -> Truth:
    """The oracle of a function for one robot and its load options.

    Raises
    ------
    VerificationError
        A function that the oracle does not know.
    """
    if signature.function != "inverse_dynamics":
        raise VerificationError(
            f"function '{signature.function}': no independent truth; this version verifies 'inverse_dynamics'"
        )
    with_wrenches = any(argument.name == "f_ext" for argument in signature.inputs)
    frame = signature.options["external_wrenches"] if with_wrenches else "body"
    names = next((argument.element_names for argument in signature.inputs if argument.name == "p"), ())
    chosen = {
        name: load_options[name]
        for name in ("floating_base", "locked_joints", "joint_losses", "convention", "gravity")
        if load_options.get(name) is not None
    }

    def truth(inputs: Inputs) -> list[Real]:
        wrenches = None
        if with_wrenches:
            rows = inputs["f_ext"]
            wrenches = [rows[first : first + 6] for first in range(0, len(rows), 6)]
        given = dict(zip(names, inputs.get("p", ()), strict=True))
        return inverse_dynamics(
            description,
            inputs["q"],
            inputs["v"],
            inputs["a"],
            external_wrenches=wrenches,
            frame=frame,
            parameters=given,
            **chosen,
        )

    return truth
