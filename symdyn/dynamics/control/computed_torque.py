"""Computed torque: inverse dynamics of the acceleration with which errors fade."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

_PER_ROW = ("v", "v_d", "a_d", "K_p", "K_d")


def wanted_acceleration(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: a_d + K_d (v_d - v) + K_p (q_d (-) q)."""
    rows = zip(kind.rows_between(algebra, reads["q"], reads["q_d"]), *(reads[name] for name in _PER_ROW), strict=True)
    return {"a": [a_d + K_d * (v_d - v) + K_p * off for off, v, v_d, a_d, K_p, K_d in rows]}


_WANTED = Step(
    "wanted_acceleration",
    wanted_acceleration,
    (*(Port(name, Mode.READ) for name in ("q", "q_d", *_PER_ROW)), Port("a", Mode.WRITE)),
)


def computed_torque_plan(model: Model, external: str = "") -> Plan:
    """The plan of tau = inverse_dynamics(q, v, a_d + K_d (v_d - v) + K_p (q_d (-) q)).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext: body, world, or empty.
    """
    plan = inverse_dynamics_plan(model, external)
    fields, sweeps = kept_apart(plan.fields, plan.sweeps, "", [field.name for field in plan.fields], {"a": "commanded"})
    made = {name: Field(name, FieldKind.INPUT, model.nq) for name in ("q", "q_d")}
    made |= {name: Field(name, FieldKind.INPUT, model.nv) for name in _PER_ROW}
    made |= {"commanded": Field("commanded", FieldKind.STATE, model.nv)}
    visits = []
    for joint in model.independent_joints:
        rows = len(joint.coordinates.v)
        bindings: dict[str, Binding] = {
            name: Access(name, joint.q_index, len(joint.coordinates.q)) for name in ("q", "q_d")
        }
        bindings |= {name: Access(name, joint.v_index, rows) for name in _PER_ROW}
        visits.append(Visit(-1, joint.kind, {}, {**bindings, "a": Access("commanded", joint.v_index, rows)}))
    every = tuple({**{field.name: field for field in fields}, **made}.values())
    return Plan("computed_torque", every, (Sweep(_WANTED, tuple(visits)), *sweeps), plan.bodies, plan.parent)
