"""What is odd about an optimal-control problem of a robot; one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.description.text.notice import doubt
from symdyn.description.text.position import shown
from symdyn.dynamics.control.cost_terms import passive_rows, start_of
from symdyn.model.beyond_limits import beyond_limits
from symdyn.model.model import Model


def problem_doubts(model: Model) -> Iterator[str]:
    """A start beyond limits of joints; rows of links of elastic joints and free bases without input; rigid contacts."""
    problem = model.control
    if problem is None:
        return
    if problem.start.q is not None and (said := beyond_limits(model, start_of(model, problem)[0])):
        yield doubt(f"control: start.q is beyond limits: {said}", "{start} beyond limits")
    passive = passive_rows(model, problem)
    if links := [row for row, motor in passive.items() if motor]:
        rows = ", ".join(map(shown, links))
        yield doubt(
            f"control: inputs act on the motors of elastic joints; rows {rows} of their links have none, unless "
            "limits.effort names them",
            "{link} of elastic joints without input",
        )
    if bases := [row for row, motor in passive.items() if not motor]:
        rows = ", ".join(map(shown, bases))
        yield doubt(
            f"control: a free base has no motor, so rows {rows} have no input, unless limits.effort names them",
            "{free base} without input",
        )
    if model.contacts:
        yield doubt(
            "control: plans are made without the rigid contacts of the robot; a loop from a foot to a point of the "
            "world keeps it there",
            "{plan} without rigid contacts",
        )
