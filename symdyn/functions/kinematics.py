"""Poses of the public frames, their velocities and Jacobians, and time derivatives of these."""

from __future__ import annotations

from symdyn.dynamics.kinematics.frame_kinematics import forward_kinematics_plan
from symdyn.dynamics.kinematics.frame_orders import forward_kinematics_time_derivatives_plan
from symdyn.dynamics.kinematics.jacobian import jacobians_plan
from symdyn.dynamics.kinematics.jacobian_rate import jacobians_time_derivative_plan
from symdyn.dynamics.kinematics.jacobian_series import jacobians_as_series_plan
from symdyn.dynamics.kinematics.velocity_slopes import BY_Q, BY_V, frame_velocity_partials_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.rates import rates_signature, velocity_rates, with_rates
from symdyn.functions.request import Request
from symdyn.interface.signature import Argument, Signature
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model

TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
"""Rows of a frame's velocity: of its origin, and angular, in world axes."""


def poses(model: Model) -> Argument:
    """The poses X, (nframes, 4, 4), homogeneous: R, p over 0 0 0 1, of every link and extra frame in the world."""
    units = ("1", "1", "1", "m") * 3 + ("1",) * 4
    axes = ("x", "y", "z")
    names = (model.frame_names, (*axes, "1"), (*axes, "origin"))
    count = len(model.frame_names)
    return Argument("X", (count, 4, 4), names, units * count, "homogeneous pose of each frame in the world")


def frame_jacobians(model: Model) -> Argument:
    """The Jacobians J, (nframes, 6, nv): velocity of each frame's origin, and angular, per row of v; world axes."""
    return _jacobian(model, "J", "Jacobian of each frame: linear; angular, world axes, at its origin")


def frame_jacobian_rates(model: Model) -> Argument:
    """The time derivatives dJ_dt, (nframes, 6, nv), of the entries of J."""
    described = "time derivative of the Jacobian of each frame: linear; angular, world axes, at its origin"
    return _jacobian(model, "dJ_dt", described, "s")


def frame_velocity_slopes(model: Model) -> tuple[Argument, Argument]:
    """The derivatives of the twists of frames, (nframes, 6, nv), by moves of q along rows of v, and by v."""
    of = "derivatives of each frame's velocity, linear; angular, world axes, at its origin, by"
    return _jacobian(model, BY_Q, f"{of} moves of q along rows of v", "s"), _jacobian(model, BY_V, f"{of} v")


def _jacobian(model: Model, name: str, description: str, *by: str) -> Argument:
    count = len(model.frame_names)
    return Argument(
        name,
        (count, 6, model.nv),
        (model.frame_names, TWIST, model.velocity_names),
        arguments.linear_and_angular(model, "m", "rad", *by) * count,
        description,
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
        "forward_kinematics",
        "Poses of every link, the root included, and of the extra frames: q -> X, (nframes, 4, 4).",
        arguments.signed(
            "forward_kinematics",
            (arguments.coordinates,),
            (poses,),
            "Pose X of every link and extra frame in the world at position q.",
            feels_gravity=False,
        ),
        lambda model, _: forward_kinematics_plan(model),
        equation="X_WF = [[R_WF, p_WF], [0, 1]], the product of the transforms along the frame's path",
        source="Featherstone 2008, chapter 4",
        takes=("frames",),
        frames=AS_DESCRIBED,
    ),
    CatalogueEntry(
        "jacobians",
        "Jacobians of every frame, linear; angular in world axes at its origin: q -> J, (nframes, 6, nv).",
        arguments.signed(
            "jacobians",
            (arguments.coordinates,),
            (frame_jacobians,),
            "Jacobian J of every link and extra frame at position q.",
            feels_gravity=False,
        ),
        lambda model, _: jacobians_plan(model),
        equation="(p_WF'; omega_WF) = J(q) v",
        source="Whitney 1972; Orin & Schrader 1984",
        takes=("frames",),
        frames=AS_DESCRIBED,
    ),
    CatalogueEntry(
        "jacobians_time_derivative",
        "Time derivatives of the entries of every frame's Jacobian: q, v -> dJ_dt, (nframes, 6, nv).",
        arguments.signed(
            "jacobians_time_derivative",
            (arguments.coordinates, arguments.velocities),
            (frame_jacobian_rates,),
            "Time derivative dJ_dt of every frame's Jacobian at position q and velocity v.",
            feels_gravity=False,
        ),
        lambda model, _: jacobians_as_series_plan(model) if model.rods else jacobians_time_derivative_plan(model),
        equation="(p_WF''; omega_WF') = J a + dJ_dt v",
        source="Featherstone 2008, section 2.10 (derivatives of vectors in moving axes)",
        takes=("frames",),
        frames=AS_DESCRIBED,
    ),
    CatalogueEntry(
        "frame_velocity_partials",
        "Derivatives of the velocity of every frame: q, v -> dV_dq, dV_dv, (nframes, 6, nv).",
        lambda model, request: arguments.signature(
            model,
            request,
            "frame_velocity_partials",
            (arguments.coordinates(model), arguments.velocities(model)),
            frame_velocity_slopes(model),
            "Partial derivatives of the velocity of every link and extra frame by position and velocity.",
            feels_gravity=False,
        ),
        lambda model, _: frame_velocity_partials_plan(
            model,
            [jacobians_as_series_plan(model), jacobians_plan(model)]
            if model.rods
            else [jacobians_time_derivative_plan(model, with_columns=True)],
        ),
        equation="d(p_WF'; omega_WF) = dV_dq dq + dV_dv dv, dq along body-frame perturbations of q; dV_dv = J, and "
        "dV_dq_i = dJ_i/dt + (0; W_i x omega) + J [e_i, v]",
        source="Carpentier & Mansard 2018, for the derivatives; Marsden & Ratiu 1999, section 9.1, for the brackets",
        takes=("frames",),
        frames=AS_DESCRIBED,
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
