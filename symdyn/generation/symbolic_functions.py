"""Functions of the catalogue as those of CasADi."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Unpack

from symdyn.generation.pipeline import chosen_model, planned
from symdyn.interface.keywords import names_keywords_and
from symdyn.interface.options import RequestOptions
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    import casadi


@names_keywords_and(RequestOptions.__annotations__)
def symbolic(robot: Robot | str | os.PathLike[str], function: str, **asked: Unpack[RequestOptions]) -> casadi.Function:
    """A function of the catalogue as a casadi.Function of column vectors, for optimal control.

    Parameters
    ----------
    robot
        From :func:`load`, or the name of a file, which is loaded with its own options.
    function
        A name from the catalogue, such as ``"inverse_dynamics"``.
    asked
        ``order``, and those keywords of :func:`generate` that change the meaning of the function and that it takes:
        ``external_wrenches``, ``prescribed``, ``factorization``, ``formulation``, ``inputs``, ``weights``,
        ``unknown``, ``actuated``, ``objective``, ``stabilisation``, ``switched``, ``restitution``, ``frames``,
        ``tasks``, ``gradient`` and ``step``.

    Returns
    -------
    The function, with the names of inputs and outputs that the catalogue gives. Inputs are columns; an output with two
    axes is a matrix, and one with three is a column, row-major.

    Raises
    ------
    RequestError
        An unknown function, or a keyword that it does not take.
    """
    from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra, casadi_function
    from symdyn.functions.catalogue import requests
    from symdyn.plan.run import run_plan

    robot = as_robot(robot)
    ((entry, request),) = requests(robot.model, [function], **asked)
    model = chosen_model(robot, entry, request)
    signature = entry.signature(model, request)
    algebra = CasadiAlgebra()
    inputs = {argument.name: algebra.symbols(argument.name, argument.size) for argument in signature.inputs}
    outputs = run_plan(planned(robot, model, entry, request), algebra, inputs)
    return casadi_function(
        function,
        list(inputs),
        list(inputs.values()),
        list(outputs),
        [(outputs[argument.name], argument.shape) for argument in signature.outputs],
    )
