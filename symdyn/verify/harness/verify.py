"""Every evaluator of a generated function against the independent oracle, state by state.

Evaluators are handed in as callables (the float recursion, the Program, the compiled C, the Python target), so that
this room needs neither half of symdyn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from symdyn.description.robot import RobotDescription
from symdyn.errors import VerificationError
from symdyn.interface.signature import Signature, option_word
from symdyn.verify.base.compare import Blocks, block_floors, error_in_u, limit_in_u, output_blocks
from symdyn.verify.base.dense import SingularMatrixError
from symdyn.verify.base.matrices import Real
from symdyn.verify.harness.report import EvaluatorResult, VerificationReport
from symdyn.verify.harness.states import State, states_per_check, verification_states
from symdyn.verify.oracle.exact import Exact, summed
from symdyn.verify.oracle.held import setting_of
from symdyn.verify.oracle.truths import find_truth

FloatInputs = Mapping[str, Sequence[float]]
Oracle = Callable[[FloatInputs], Exact]
Evaluator = Callable[[FloatInputs], Sequence[float]]
"""Flat inputs by name to the flat rows of all outputs, in the order of the Signature."""
Progress = Callable[[int, int], None]
"""Told how many states are done, and of how many."""


def verify_states(
    function: str,
    oracle: Oracle,
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
    oracle
        Exact rows for the inputs of a state, and what their errors are measured against.
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

    States in which the equations of a linear solve are singular are left out, and not counted.

    Raises
    ------
    VerificationError
        No state is left.
    """
    truths: list[tuple[State, Exact]] = []
    failures: dict[str, str] = {}
    for done, state in enumerate(states, 1):
        try:
            truths.append((state, oracle(state.inputs)))
        except SingularMatrixError as failure:  # a point mass in line with its joint: there is nothing to compare with
            failures.setdefault(str(failure), failure.remedy)
        if progress is not None:
            progress(done, len(states))
    if not truths:
        what, remedy = next(iter(failures.items()), ("there is no state", "ask for states"))
        others = " or another of the kind" if len(failures) > 1 else ""
        raise VerificationError(f"function '{function}': {what}{others} in every state, so {remedy}")
    exact_rows, asked = len(truths[0][1].values), sum(len(rows) for rows in blocks)
    if exact_rows < asked:
        raise VerificationError(
            f"function '{function}': {exact_rows} of {asked} numbers have an independent truth; leave out the option "
            "that adds the others, such as gradient"
        )
    floors = block_floors([exact.scales for _, exact in truths], blocks)
    results = []
    for name, evaluator in evaluators.items():
        worst, where = -1.0, ""
        for state, exact in truths:
            found = evaluator(state.inputs)
            error = error_in_u(found, exact.values, blocks, floors, dtype, exact.scales)
            if error > limit and exact.terms is not None:  # rare: a pose where weight and motion cancel
                sizes = summed(exact.scales, exact.terms()).scales
                error = error_in_u(found, exact.values, blocks, floors, dtype, sizes)
            if error > worst:
                worst, where = error, state.label
        results.append(EvaluatorResult(function, name, len(truths), worst, where, limit))
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
        Number of random states, and the seed that draws them. A function whose truth is slow gets fewer: see
        :func:`symdyn.verify.harness.states.states_per_check`.
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
    checks = []
    for signature in signatures:
        setting, truth = setting_of(description, signature, load_options), find_truth(signature.function)
        every = states_per_check(truth.poses(setting))
        drawn = verification_states(setting.tree, signature.inputs, nominal or {}, states, seed, dtype, every)
        limit = limit_in_u(setting.tree.depth, option_word(signature.options, "formulation", "body"))
        checks.append((signature, partial(truth, setting), drawn, limit))
    total = sum(len(drawn) for _, _, drawn, _ in checks)
    results: list[EvaluatorResult] = []
    before = 0
    for signature, oracle, drawn, limit in checks:

        def tell(done: int, _: int, before: int = before) -> None:
            if progress is not None:
                progress(before + done, total)

        results += verify_states(
            signature.function,
            oracle,
            evaluators[signature.function],
            drawn,
            output_blocks(signature.outputs),
            limit=limit,
            dtype=dtype,
            progress=tell,
        )
        before += len(drawn)
    return VerificationReport(description.name, dtype, tuple(results))


def function_truth(
    description: RobotDescription, signature: Signature, load_options: Mapping[str, Any]
) -> Callable[[FloatInputs], list[Real]]:
    """The exact rows of a function as a function of its inputs, for one robot and its load options.

    Raises
    ------
    VerificationError
        A function that the oracle does not know.
    """
    truth, setting = find_truth(signature.function), setting_of(description, signature, load_options)
    return lambda inputs: truth(setting, inputs).values
