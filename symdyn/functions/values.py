"""Solutions of problems of dynamics: accelerations, forces, multipliers, impulses.

Algorithms are loaded by whoever asks for their plan, here and in the files of the other operators, because all together
take longer to load than an arm takes to trace.
"""

from __future__ import annotations

from symdyn.errors import RequestError
from symdyn.functions.dynamics_arguments import is_restituting
from symdyn.functions.operators import Operator, inputs
from symdyn.functions.problems import DynamicsProblem
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.model.joints import FREE
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


def solution_plan(problem: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of forward or hybrid dynamics, with loops or without: the solution, multipliers, unknown inputs."""
    if request.unknown:
        from symdyn.dynamics.equations.input_inversion import unknown_inputs_plan

        return unknown_inputs_plan(model, name, request.prescribed, request.unknown, request.external)
    driven, (found, *_) = is_driven(request), problem.unknown
    given = "given_u" if driven and problem.known == "u" else problem.known
    asked = (model, name, free_rows(model, request), given, found, request.external)
    if problem.looped:
        from symdyn.dynamics.equations.constrained_dynamics import constrained_hybrid_dynamics_plan

        plan = constrained_hybrid_dynamics_plan(*asked, request.stabilisation)
    else:
        from symdyn.dynamics.forward_dynamics.hybrid_dynamics import hybrid_dynamics_plan

        plan = hybrid_dynamics_plan(*asked)
    if not driven:
        return plan
    from symdyn.dynamics.actuation.plans import driven_plan

    return driven_plan(model, plan, given, request.prescribed)


def inverse_plan(_: DynamicsProblem, model: Model, request: Request, __: str) -> Plan:
    """The plan of inverse dynamics."""
    from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan

    return inverse_dynamics_plan(model, request.external)


def impulse_plan(_: DynamicsProblem, model: Model, request: Request, __: str) -> Plan:
    """The plan of an impact: velocities after it, and impulses."""
    from symdyn.dynamics.equations.impulses import impulse_dynamics_plan

    return impulse_dynamics_plan(model, is_restituting(request))


def actuated_rows(model: Model, request: Request, what: str) -> tuple[int, ...]:
    """Rows of v that have forces: those asked for, else those of the file's actuators, else all of joints.

    Raises
    ------
    RequestError
        Rows without a force that move while the loops and all other rows hold, so that most motions need what nothing
        gives; more of them than the loops have rows, or such that rows of the loops hold them twice.
    """
    from symdyn.dynamics.loops.underactuation import rows_that_move

    found = rows_with_forces(model, request)
    passive, held = model.nv - len(found), len(model.loop_row_names)
    if passive > held:
        raise RequestError(
            f"{what}: {passive} rows of v of robot '{model.name}' have no force, and its loops "
            f"hold {held}; actuate at least {passive - held} more, or use constrained_hybrid_dynamics with the "
            "accelerations of the actuated rows prescribed"
        )
    if loose := rows_that_move(model, found):
        raise RequestError(
            f"{what}: rows {', '.join(repr(model.velocity_names[row]) for row in loose)} of v of robot '{model.name}' "
            "have no force and can move while its loops and the actuated rows hold; actuate some of them, or use "
            "constrained_hybrid_dynamics with the accelerations of the actuated rows prescribed"
        )
    return found


def rows_with_forces(model: Model, request: Request) -> tuple[int, ...]:
    """Rows of v that have forces: those asked for, else those of the file's actuators, else all of joints."""
    return rows_that_may_act(model) if request.actuated is None else request.actuated


def rows_that_may_act(model: Model) -> tuple[int, ...]:
    """Rows of v that have forces: those of the file's actuators, else all of joints but those of free bases."""
    driven = {row for own in model.actuator_inputs for row in own.rows}
    return tuple(row for row in range(model.nv) if (row in driven if driven else _may_act(model, row)))


def _may_act(model: Model, row: int) -> bool:
    from symdyn.dynamics.elements.tip import deforms

    index = model.velocity_bodies[row]
    shape = deforms(model.bodies[index]) or index in {rod.owner for rod in model.rods}
    return not shape and model.bodies[index].joint.kind.own_axes != FREE


def constrained_inverse_plan(_: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of constrained inverse dynamics: tau and the multipliers."""
    from symdyn.dynamics.equations.constrained_inverse_dynamics import constrained_inverse_dynamics_plan

    rows = actuated_rows(model, request, name)
    return constrained_inverse_dynamics_plan(model, rows, request.objective, request.weights, request.external)


SOLUTION = Operator("", inputs, lambda problem, model, request: problem.found(model, request), solution_plan)
