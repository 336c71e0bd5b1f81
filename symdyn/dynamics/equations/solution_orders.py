"""Time derivatives of what equations of motion are solved for: forward and hybrid dynamics, with loops or without."""

from __future__ import annotations

from symdyn.dynamics.equations.constrained_orders import ConstrainedWrenchOrders
from symdyn.dynamics.equations.forward_orders import WrenchOrders
from symdyn.dynamics.equations.order_rows import Rows
from symdyn.dynamics.equations.station_orders import ConstrainedForceOrders, ForceOrders
from symdyn.dynamics.forward_dynamics.station_bias import takes_forces_alone
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


def solution_orders_plan(
    model: Model,
    name: str,
    rows: Rows,
    order: int,
    found: str,
    external: str = "",
    looped: bool = False,
    stabilisation: float | None = None,
) -> Plan:
    """The plan of w, w', .. w^(r), (r + 1, nv), and with loops Lambda, (r + 1, m), from q, v and what rows are given.

    Parameters
    ----------
    model
        The robot.
    name
        Of the function.
    rows
        The rows of v: which are free, and what is given with its derivatives.
    order
        r, from 0.
    found
        Name of the output, (r + 1, nv).
    external
        Axes of the wrenches f_ext and their derivatives, (r + 1, nbodies, 6): body, world, or empty.
    looped
        Whether the robot's loops hold.
    stabilisation
        The time [s] in which errors of the loops vanish; None leaves them.

    Raises
    ------
    ModelError
        A joint's friction jumps at rest.
    """
    if takes_forces_alone(model, rows.by_motion):
        made = ConstrainedForceOrders if looped else ForceOrders
        return made(model, rows, order, found, external, stabilisation).plan(name)
    orders = ConstrainedWrenchOrders if looped else WrenchOrders
    return orders(model, rows, order, found, external, stabilisation).plan(name)
