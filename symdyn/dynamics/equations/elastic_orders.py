"""Inverse dynamics of robots with elastic joints along a trajectory of the links (Spong 1987; De Luca & Book 2016).

Where a spring has no damper, the links' trajectory tells everything, order by order:

    tau_link  = inverse dynamics of the links alone
    theta     = q + tau_link / K
    tau_motor = B theta'' + tau_link + losses(theta')

Each order of the motor's torque needs tau_link two orders higher, and so the links' trajectory four orders higher than
positions. A damper would make theta the solution of a differential equation, D theta' + K theta = D q' + K q +
tau_link, which the trajectory at one instant does not tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.dynamics.equations.inverse_orders import inverse_dynamics_time_derivatives_plan, refuse_jumps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.joint_loads import losses
from symdyn.dynamics.tree.tree import LOSS, TreePlan
from symdyn.errors import ModelError
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.link_side import link_side, motor_side
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

AHEAD = 2
"""How many orders the links' forces are found beyond those of the motors: the rotor is accelerated."""

_FORCES = "link_forces"


@dataclass(frozen=True, slots=True)
class MotorVariant:
    """What is structural about a motor; ``order`` is the highest derivative of its torque, ``shown`` of theta."""

    rotor: BodyVariant
    order: int
    shown: int


def motor_motion(variant: MotorVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per motor: theta and its torque, with derivatives, from the link's motion and the spring's force."""
    compliance = 1.0 / constants["stiffness"]
    link, force = [*reads["q"], *reads["rates"]], reads["force"]
    theta = [own + compliance * pull for own, pull in zip(link, force, strict=True)]
    rows = variant.order + 1
    torque = list(force[:rows])
    if variant.rotor.geared:
        torque = [pull + constants["armature"] * own for pull, own in zip(torque, theta[AHEAD:], strict=True)]
    if variant.rotor.lossy:
        lost = _losses(variant, algebra, constants, theta[1 : rows + 1])
        torque = [pull + own for pull, own in zip(torque, lost, strict=True)]
    return {"theta": theta[: variant.shown + 1], "torque": torque}


def _losses(
    variant: MotorVariant, algebra: Algebra, constants: Mapping[str, Scalar], speeds: Sequence[Scalar]
) -> list[Scalar]:
    """Losses and their derivatives, from the speed and its derivatives."""
    if variant.rotor.friction == "none":
        return [losses(variant.rotor, algebra, constants, [speed])[0] for speed in speeds]
    series = TaylorAlgebra(algebra, variant.order)
    return list(series.derivatives(losses(variant.rotor, series, constants, [series.from_derivatives(speeds)])[0]))


def motor_control(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per motor: its torque along the trajectory, and what gains make of its errors."""
    (place, rate), (wanted, speed) = reads["motor"], reads["desired"]
    pull = reads["K_p"][0] * (wanted - place) + reads["K_d"][0] * (speed - rate)
    return {"tau": [reads["torque"][0] + pull]}


def link_force(_: int, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of the links' v: the force and its derivatives as an output."""
    return {"tau_link": reads["force"]}


_MOTOR = Step(
    "motor_motion",
    motor_motion,
    (
        Port("q", Mode.READ),
        Port("rates", Mode.READ),
        Port("force", Mode.READ),
        Port("theta", Mode.WRITE),
        Port("torque", Mode.WRITE),
    ),
)
_CONTROL = Step(
    "motor_control",
    motor_control,
    (*(Port(name, Mode.READ) for name in ("K_p", "K_d", "desired", "motor", "torque")), Port("tau", Mode.WRITE)),
)
_LINK = Step("link_force", link_force, (Port("force", Mode.READ), Port("tau_link", Mode.WRITE)))


def elastic_inverse_dynamics_plan(model: Model, order: int, external: str = "") -> Plan:
    """The plan of tau_link (r + 1, nv_link), theta and tau_motor (r + 1, n_elastic).

    Inputs are q (nq_link), V (r + 4, nv_link) = v, v', .. of the links, and f_ext (r + 3, nbodies, 6) where requested.

    Parameters
    ----------
    model
        The robot, motors included.
    order
        r, the highest derivative of the motors' torque, from 0.
    external
        Axes of the wrenches f_ext and their derivatives: body, world, or empty.

    Raises
    ------
    ModelError
        A spring with a damper or without stiffness, friction that jumps at rest.
    """
    links, fields, sweeps = _along(model, order, order, external)
    count = len(model.rotors)
    return _plan(
        "elastic_joint_inverse_dynamics_time_derivatives",
        links,
        order,
        (
            *fields,
            Field("tau_link", FieldKind.OUTPUT, (order + 1) * links.nv),
            Field("theta", FieldKind.OUTPUT, (order + 1) * count),
            Field("tau_motor", FieldKind.OUTPUT, (order + 1) * count),
        ),
        (*sweeps, _link_sweep(links.nv, order)),
    )


def elastic_feedforward_plan(model: Model) -> Plan:
    """The plan of tau_motor, theta_d (2, n_elastic), theta and its rate along the trajectory, and tau_link (nv_link,).

    Inputs are q and V (4, nv_link) of the links, motor (2, n_elastic), K_p and K_d (n_elastic,).

    Raises
    ------
    ModelError
        As for :func:`elastic_inverse_dynamics_plan`.
    """
    links, fields, sweeps = _along(model, 0, 1, "", theta="theta_d", torque="along")
    count = len(model.rotors)
    visits = []
    for row in range(count):
        bindings = {"desired": Access("theta_d", row, 2, count), "motor": Access("motor", row, 2, count)}
        bindings |= {name: Access(name, row, 1) for name in ("K_p", "K_d")}
        bindings |= {"torque": Access("along", row, 1), "tau": Access("tau_motor", row, 1)}
        visits.append(Visit(-1, None, {}, bindings))
    given = {"motor": 2 * count, "K_p": count, "K_d": count}
    return _plan(
        "elastic_joint_feedforward",
        links,
        0,
        (
            *fields,
            *(Field(name, FieldKind.INPUT, size) for name, size in given.items()),
            Field("along", FieldKind.STATE, count),
            Field("tau_motor", FieldKind.OUTPUT, count),
            Field("theta_d", FieldKind.OUTPUT, 2 * count),
            Field("tau_link", FieldKind.OUTPUT, links.nv),
        ),
        (*sweeps, Sweep(_CONTROL, tuple(visits)), _link_sweep(links.nv, 0)),
    )


def _plan(name: str, links: Model, order: int, fields: tuple[Field, ...], sweeps: tuple[Sweep, ...]) -> Plan:
    return Plan(name, fields, sweeps, tuple(body.name for body in links.bodies), links.parent, order)


def _along(
    model: Model, order: int, shown: int, external: str, theta: str = "theta", torque: str = "tau_motor"
) -> tuple[Model, tuple[Field, ...], tuple[Sweep, ...]]:
    """The links, and fields and sweeps that fill motors' places to order ``shown``, and torques to ``order``."""
    links, motors = link_side(model), TreePlan(AS_DESCRIBED.view(motor_side(model)))
    _refuse(motors)
    refuse_jumps(motors)
    plain = inverse_dynamics_time_derivatives_plan(links, order + AHEAD, external)
    fields, sweeps = kept_apart(plain.fields, plain.sweeps, "link", (), {"tau": _FORCES})
    bound = [sweep for sweep in motors.binding_sweeps() if any(visit.body >= 0 for visit in sweep.visits)]
    more = [field for field in motors.fields() if field.name == "constants"]
    more.append(Field(_FORCES, FieldKind.STATE, links.nv, order + AHEAD + 1))
    variant = partial(MotorVariant, order=order, shown=shown)
    return links, (*fields, *more), (*sweeps, *bound, _motor_sweep(variant, motors, links, (theta, torque)))


def _motor_sweep(
    variant_of: Callable[[BodyVariant], MotorVariant], motors: TreePlan, links: Model, filled: tuple[str, str]
) -> Sweep:
    row_of = {joint.joint: joint for joint in links.independent_joints}
    count, visits = len(motors.rotors), []
    for index in motors.rotors:
        variant = variant_of(motors.variant(index))
        rows = variant.order + 1
        link = row_of[motors.model.bodies[index].joint.joint]
        names = (
            "stiffness",
            *(("armature",) if variant.rotor.geared else ()),
            *(LOSS if variant.rotor.lossy else ()),
        )
        bindings = {
            "q": Access("q", link.q_index, 1),
            "rates": Access("V", link.v_index, rows + AHEAD - 1, links.nv),
            "force": Access(_FORCES, link.v_index, rows + AHEAD, links.nv),
            "theta": Access(filled[0], index, variant.shown + 1, count),
            "torque": Access(filled[1], index, rows, count),
        }
        visits.append(Visit(-1, variant, motors.constants(index, names), bindings))
    return Sweep(_MOTOR, tuple(visits))


def _link_sweep(nv: int, order: int) -> Sweep:
    rows = order + 1
    visits = tuple(
        Visit(-1, rows, {}, {"force": Access(_FORCES, row, rows, nv), "tau_link": Access("tau_link", row, rows, nv)})
        for row in range(nv)
    )
    return Sweep(_LINK, visits)


def _refuse(motors: TreePlan) -> None:
    """Refuse a robot whose motors do not follow from the links' trajectory."""
    name = motors.model.name
    for index in motors.rotors:
        joint = motors.model.bodies[index].joint.joint
        if motors.has(index, "spring_damping"):
            raise ModelError(
                f"elastic joint '{joint}' of '{name}' has damping in its spring, so that the motor's position obeys a "
                "differential equation and does not follow from the link's trajectory; set the damping under "
                f"'elastic' to 0 (damping=0 of with_elastic_joint), and leave '{joint}.spring_damping' out of runtime"
            )
        if not motors.has(index, "stiffness"):
            raise ModelError(
                f"elastic joint '{joint}' of '{name}' has stiffness 0, so that nothing ties its motor to the link; "
                "give 'stiffness' under 'elastic' a value above 0"
            )
