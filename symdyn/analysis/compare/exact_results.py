"""The states of a comparison, and the 50-digit results that all contestants are measured against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.analysis.compare.task import Subject, Task
from symdyn.functions.catalogue import requests
from symdyn.interface.signature import Signature
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import UNIT_ROUNDOFF, block_floors, error_in_u, output_blocks
from symdyn.verify.harness.states import verification_states
from symdyn.verify.harness.verify import Progress
from symdyn.verify.oracle.held import setting_of
from symdyn.verify.oracle.truths import find_truth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symdyn.verify.oracle.exact import Exact

    Array = NDArray[np.float64]

TIMED_STATES = 32
CHECKED_STATES = 5
_SEED = 0


@dataclass(frozen=True, slots=True)
class ExactResults:
    """States (states, inputs) of the highest order of a comparison, and the truth at the first few of them.

    Lower orders have the same states without their last rows, and their results are the first ones of these.
    """

    robot: Robot
    subject: Subject
    states: Array
    truths: tuple[Exact, ...]

    def task(self, order: int) -> Task:
        """The task of an order."""
        width = sum(argument.size for argument in _signature(self.robot, self.subject, order).inputs)
        return Task(self.robot, self.subject, order, self.states[:, :width].copy())

    def error(self, task: Task, outputs: Array) -> float:
        """The largest error of a contestant's outputs, (states, scalars), in units of u = 2^-53.

        Normwise over rows that share a unit, hence per order of derivative; the worst of states and blocks. Results of
        a linear solve are measured against what its conditioning leaves (see ``verify.oracle.exact.Exact``).
        """
        blocks = output_blocks(task.signature.outputs)
        width = outputs.shape[1]
        floors = block_floors([exact.scales[:width] for exact in self.truths], blocks)
        return max(
            error_in_u(row.tolist(), exact.values[:width], blocks, floors, "float64", exact.scales[:width])
            for row, exact in zip(outputs, self.truths, strict=False)
        )


def relative(error_in_units: float) -> float:
    """An error in units of u as a relative one."""
    return error_in_units * UNIT_ROUNDOFF["float64"]


def exact_results(robot: Robot, subject: Subject, order: int, progress: Progress | None = None) -> ExactResults:
    """Draw states and compute the truth to an order; ``progress`` hears of each state."""
    import numpy as np

    signature = _signature(robot, subject, order)
    truth = find_truth(subject.function)
    setting = setting_of(robot.description, signature, robot.load_options())
    drawn = verification_states(setting.tree, signature.inputs, {}, TIMED_STATES, _SEED)[-TIMED_STATES:]
    truths = []
    for done, state in enumerate(drawn[:CHECKED_STATES], 1):
        truths.append(truth(setting, state.inputs))
        if progress is not None:
            progress(done, CHECKED_STATES)
    rows = [[x for argument in signature.inputs for x in state.inputs[argument.name]] for state in drawn]
    return ExactResults(robot, subject, np.array(rows), tuple(truths))


def _signature(robot: Robot, subject: Subject, order: int) -> Signature:
    ((entry, request),) = requests(robot.model, [subject.function], **subject.options(order))
    return entry.signature(robot.model, request)
