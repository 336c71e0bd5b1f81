"""The model of a checked description under options of loading, with its rods settled and its loops looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from symdyn.errors import ModelError

if TYPE_CHECKING:
    from symdyn.description.control.problem import OptimalControlProblem
    from symdyn.description.robot import RobotDescription
    from symdyn.model.load_options import LoadOptions
    from symdyn.model.model import Model


def built_model(description: RobotDescription, options: LoadOptions) -> tuple[RobotDescription, Model]:
    """The description with the stations of its rods, and the model.

    Raises
    ------
    ModelError
        An option does not fit the robot; the message starts with its file.
    """
    from symdyn.model.build import build_model
    from symdyn.model.coordinates import neutral
    from symdyn.model.place_rods import with_stations
    from symdyn.model.velocity_constraints import check_entries

    try:
        settled = with_stations(description)
        built = build_model(settled, options)
        check_entries(built, neutral(built).tolist() if built.loops else ())
        model = _looked_at(built, settled, options) if built.loops else built
    except ModelError as failure:
        raise ModelError(f"{description.source or description.name}: {failure}") from None
    if model.control is not None:
        _check_problem(model, model.control, description)
    return settled, model


def _looked_at(model: Model, description: RobotDescription, options: LoadOptions) -> Model:
    """The model without redundant rows of its loops, which are closed; loading what finds that out takes 0.1 s."""
    from symdyn.dynamics.loops.redundancy import without_redundant_rows

    model = without_redundant_rows(model)
    if model.loops:
        _check_closed(description, options, model)
    return model


def _check_closed(description: RobotDescription, options: LoadOptions, model: Model) -> None:
    """Refuse open loops, as the file has them: where locked joints stand is the caller's choice."""
    from symdyn.model.build import build_model
    from symdyn.model.coordinates import neutral
    from symdyn.robot.loop_closure.gaps import check_closed

    model = build_model(description, replace(options, locked_joints=None)) if options.locked_joints else model
    check_closed(model, neutral(model).tolist())


def _check_problem(model: Model, problem: OptimalControlProblem, description: RobotDescription) -> None:
    from symdyn.description.control.entries import UnfitError
    from symdyn.description.text.position import at
    from symdyn.dynamics.control.limits import check_problem

    try:
        check_problem(model, problem)
    except ModelError as failure:
        source = problem.source or description.source or description.name
        line = problem.line(failure.keys) if isinstance(failure, UnfitError) else None
        raise ModelError(f"{at(source, line)}: {failure}") from None
