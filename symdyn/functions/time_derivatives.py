"""Time derivatives of any order along a trajectory: of joint forces, and of frames' velocities."""

from __future__ import annotations

from symdyn.dynamics.equations.inverse_orders import inverse_dynamics_time_derivatives_plan
from symdyn.dynamics.equations.order_partials import inverse_dynamics_time_derivatives_partials_plan
from symdyn.dynamics.kinematics.frame_orders import forward_kinematics_time_derivatives_plan
from symdyn.dynamics.world_frame.inverse_dynamics import spatial_inverse_dynamics_time_derivatives_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.kinematics import TWIST, poses
from symdyn.functions.partials import force_partials
from symdyn.functions.request import Request
from symdyn.functions.units import per
from symdyn.interface.signature import Argument, Signature
from symdyn.model.frame_policy import AS_DESCRIBED, MOVED, FramePolicy
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

_WITH_PRIMES = 3
"""From this derivative on, a name has its order in brackets instead of as many primes."""


def order_name(symbol: str, order: int) -> str:
    """Name of a derivative: ``v``, ``v'``, ``v''``, ``v(3)``, ``v(4)`` .."""
    return symbol + ("'" * order if order < _WITH_PRIMES else f"({order})")


def rate_unit(unit: str, order: int) -> str:
    """Unit of a derivative by time: ``rad/s`` becomes ``rad/s^2``, ``m/s^2`` ``m/s^3``, and ``N m`` ``N m/s``."""
    base, divided, exponent = unit.partition("/s")
    power = order + (int(exponent.removeprefix("^") or 1) if divided else 0)
    return f"{base}/s^{power}" if power > 1 else f"{base}/s" if power else base


def with_rates(plain: Argument, symbol: str, name: str, rows: int, description: str) -> Argument:
    """A quantity and its derivatives, (rows, ..), of one order per row.

    Parameters
    ----------
    plain
        The quantity itself.
    symbol
        What the derivatives are called, with primes or a number.
    name, description
        Of the argument that holds them.
    rows
        How many there are, the quantity itself counted.
    """
    units = tuple(rate_unit(unit, order) for order in range(rows) for unit in plain.element_units)
    orders = tuple(order_name(symbol, order) for order in range(rows))
    return Argument(name, (rows, *plain.shape), (orders, *plain.rows), units, description)


def velocity_rates(model: Model, highest: int) -> Argument:
    """V, (highest + 1, nv): the velocities v and their derivatives, each component on its own."""
    described = "velocities and their time derivatives, row by row"
    return with_rates(arguments.velocities(model), "v", "V", highest + 1, described)


def external_rates(model: Model, request: Request, rows: int, of: str = "the time derivatives") -> tuple[Argument, ...]:
    """f_ext and its derivatives, (rows, nbodies, 6), where it is asked for."""
    if not request.external:
        return ()
    wrenches = arguments.external_wrenches(model, request.external)
    return (with_rates(wrenches, "f_ext", "f_ext", rows, f"{wrenches.description}, and {of} of its components"),)


def rates_signature(
    model: Model,
    request: Request,
    function: str,
    inputs: tuple[Argument, ...],
    outputs: tuple[Argument, ...],
    description: str,
    feels_gravity: bool = True,
) -> Signature:
    """As :func:`arguments.signature`, with the derivatives of f_ext and with the order among the options."""
    external, order = external_rates(model, request, request.order + 1), str(request.order)
    return arguments.signature(
        model, request, function, inputs, outputs, description, feels_gravity, external, order=order
    )


def frames_of(request: Request) -> FramePolicy:
    """The published recursions in the world's frame work on the bodies as they are described."""
    return AS_DESCRIBED if request.formulation == "spatial" else MOVED


def _forces_signature(model: Model, request: Request) -> Signature:
    described = "generalised forces and their time derivatives, row by row"
    return rates_signature(
        model,
        request,
        "inverse_dynamics_time_derivatives",
        (arguments.coordinates(model), velocity_rates(model, request.order + 1)),
        (with_rates(arguments.generalised_forces(model), "tau", "tau", request.order + 1, described),),
        "Joint forces tau, and their time derivatives, that move the robot along a trajectory.",
    )


def _forces_plan(model: Model, request: Request) -> Plan:
    if request.formulation == "spatial":
        return spatial_inverse_dynamics_time_derivatives_plan(model, request.order, request.external)
    return inverse_dynamics_time_derivatives_plan(model, request.order, request.external)


def _partials_signature(model: Model, request: Request) -> Signature:
    order = request.order
    tau = [order_name("tau", k) for k in range(order + 1)]
    v = [order_name("v", j) for j in range(order + 2)]
    by_q = force_partials(model)
    units_by_v = tuple(
        per(rate_unit(force, k), rate_unit(column, j))
        for k in range(order + 1)
        for j in range(order + 2)
        for force in arguments.generalised_forces(model).element_units
        for column in model.velocity_units
    )
    what = "derivatives of tau and its time derivatives by"
    outputs = (
        with_rates(by_q, "tau", "dtau_dq", order + 1, f"{what} moves of q along rows of v, V held fixed"),
        Argument(
            "dtau_dV",
            (order + 1, order + 2, *by_q.shape),
            (tuple(tau), tuple(v), *by_q.rows),
            units_by_v,
            f"{what} v and its time derivatives, q and the others held fixed",
        ),
    )
    return rates_signature(
        model,
        request,
        "inverse_dynamics_time_derivatives_partials",
        (arguments.coordinates(model), velocity_rates(model, order + 1)),
        outputs,
        "Partial derivatives of the joint forces tau and of their time derivatives along a trajectory.",
    )


def frame_twists(model: Model) -> Argument:
    """The twists V_WF, (nframes, 6), of every frame: velocity of its origin, and angular; world axes."""
    count = len(model.frame_names)
    return Argument(
        "V_WF",
        (count, 6),
        (model.frame_names, TWIST),
        (("m/s",) * 3 + ("rad/s",) * 3) * count,
        "velocity of each frame's origin; its angular velocity; world axes",
    )


def _frames_signature(model: Model, request: Request) -> Signature:
    twists = frame_twists(model)
    described = f"{twists.description}; and their time derivatives"
    return rates_signature(
        model,
        request,
        "forward_kinematics_time_derivatives",
        (arguments.coordinates(model), velocity_rates(model, request.order)),
        (poses(model), with_rates(twists, "V_WF", "V_WF", request.order + 1, described)),
        "Pose X of every link and extra frame, and its velocity V_WF with time derivatives along a trajectory.",
        feels_gravity=False,
    )


ENTRIES = (
    CatalogueEntry(
        "inverse_dynamics_time_derivatives",
        "Joint forces and their time derivatives to order r: q, V = v, v', .. v^(r+1) -> tau, tau', .. tau^(r).",
        _forces_signature,
        _forces_plan,
        equation="tau^(k) = (d/dt)^k inverse_dynamics(q(t), v(t), v'(t)),  k = 0 .. r",
        source="Ali et al. 2026, algorithms 1 and 2, for the problem and for the spatial formulation; "
        "Griewank & Walther 2008, chapter 13, for the method in body frames",
        takes=("external_wrenches", "formulation", "order"),
        frames=frames_of,
    ),
    CatalogueEntry(
        "inverse_dynamics_time_derivatives_partials",
        "Derivatives of joint forces and of their time derivatives: q, V = v, v', .. v^(r+1) -> dtau_dq, dtau_dV.",
        _partials_signature,
        lambda model, request: inverse_dynamics_time_derivatives_partials_plan(model, request.order, request.external),
        equation="d tau^(k) = dtau_dq[k] dq + sum over j of dtau_dV[k, j] dv^(j),  k = 0 .. r, j = 0 .. r + 1",
        source="Carpentier & Mansard 2018, on time series (Griewank & Walther 2008, chapter 13)",
        takes=("external_wrenches", "order"),
    ),
    CatalogueEntry(
        "forward_kinematics_time_derivatives",
        "Poses of every frame, and velocities with their derivatives to order r: q, V = v, v', .. v^(r) -> X, V_WF.",
        _frames_signature,
        lambda model, request: forward_kinematics_time_derivatives_plan(model, request.order),
        equation="V_WF^(k) = (d/dt)^k (p_WF'; omega_WF),  k = 0 .. r",
        source="Griewank & Walther 2008, chapter 13, for the method",
        takes=("order", "frames"),
        frames=AS_DESCRIBED,
    ),
)
