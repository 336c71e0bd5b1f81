"""Quantities of the state that costs compare with references, each by its plan; slopes are tangents of that plan.

A quantity is a record: its rows, and the plan of its values from q, or from q and v. Its changes along moves of q and
along v follow by running the kernels on dual numbers (``partials.tangent_partials``), for robots of every kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import scale
from symdyn.dynamics.centroidal.center_of_mass import center_of_mass_plan
from symdyn.dynamics.centroidal.energy import kinetic_energy_plan, potential_energy_plan
from symdyn.dynamics.centroidal.momentum import centroidal_momentum_plan
from symdyn.dynamics.control.residuals import Named, frame_columns_of
from symdyn.dynamics.elements.shares import elastic_forces_plan
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import FORCE_UNITS
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

VALUE = "value"
"""The output of these plans."""


@dataclass(frozen=True, slots=True)
class StateQuantity:
    """Rows of a quantity, and its plan of a model, which has the frame that it is about, if any, alone.

    Where the plan is walked back, each body has a place of its own in it.
    """

    rows: Callable[[Model], Named]
    plan: Callable[[Model, bool], Plan]


def _moved(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of v that moves the frame: what it adds to the twist."""
    return {"twist": scale(reads["rate"][0], reads["column"])}


def _sum(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"value": reads["part"]}


_MOVED = Step("frame_rate", _moved, (Port("rate", Mode.READ), Port("column", Mode.READ), Port("twist", Mode.ADD)))
_SUM = Step("sum_of_parts", _sum, (Port("part", Mode.READ), Port("value", Mode.ADD)))


def frame_velocity_plan(model: Model) -> Plan:
    """The plan of the twist (v; omega), (6,), of the model's one frame, in world axes at its origin."""
    jacobian, (moving,) = frame_columns_of(model)
    fields, sweeps = kept_apart(jacobian.fields, jacobian.sweeps, "", (), {"J": "J"})
    nv = model.nv
    own = [Field("J", FieldKind.STATE, 6 * nv, sparse=True), Field("v", FieldKind.INPUT, nv)]
    visits = [
        Visit(
            -1, None, {}, {"rate": Access("v", row, 1), "column": Access("J", row, 6, nv), "twist": Access(VALUE, 0, 6)}
        )
        for row in moving
    ]
    found = {field.name: field for field in (*fields, *own, Field(VALUE, FieldKind.OUTPUT, 6))}
    sweeps += [Sweep(_MOVED, tuple(visits))] if visits else []
    return replace(jacobian, name="frame_velocity", fields=tuple(found.values()), sweeps=tuple(sweeps))


def sum_plan(name: str, *plans: Plan) -> Plan:
    """The plan of the sum of what some plans with one output give."""
    found: dict[str, Field] = {}
    made: list[Sweep] = []
    visits = []
    for number, plan in enumerate(plans):
        (output,) = plan.fields_of(FieldKind.OUTPUT)
        part = f"part_{number}"
        fields, sweeps = kept_apart(plan.fields, plan.sweeps, part, (), {output.name: part})
        found |= {field.name: field for field in (*fields, Field(part, FieldKind.STATE, output.size, sparse=True))}
        made += sweeps
        both = {"part": Access(part, 0, output.size), "value": Access(VALUE, 0, output.size)}
        visits.append(Visit(-1, None, {}, both))
        found[VALUE] = Field(VALUE, FieldKind.OUTPUT, output.size)
    sweeps_of_all = (*made, Sweep(_SUM, tuple(visits)))
    return replace(plans[0], name=name, fields=tuple(found.values()), sweeps=sweeps_of_all)


_XYZ = "xyz"
QUANTITIES: dict[str, StateQuantity] = {
    "frame_velocity": StateQuantity(
        lambda _: tuple((f"{part}{axis}", unit) for part, unit in (("v", "m/s"), ("w", "rad/s")) for axis in _XYZ),
        lambda model, _: frame_velocity_plan(model),
    ),
    "center_of_mass": StateQuantity(
        lambda _: tuple((axis, "m") for axis in _XYZ), lambda model, _: sum_plan("com", center_of_mass_plan(model))
    ),
    "momentum": StateQuantity(
        lambda _: tuple(
            (f"{part}{axis}", unit) for part, unit in (("l", "kg m/s"), ("k", "kg m^2/s")) for axis in _XYZ
        ),
        lambda model, kept: sum_plan("momentum", centroidal_momentum_plan(model, kept)),
    ),
    "energy": StateQuantity(
        lambda _: (("energy", "J"),),
        lambda model, kept: sum_plan("energy", kinetic_energy_plan(model, kept), potential_energy_plan(model)),
    ),
    "effort": StateQuantity(
        lambda model: tuple(
            (name, FORCE_UNITS[unit]) for name, unit in zip(model.velocity_names, model.velocity_units, strict=True)
        ),
        lambda model, _: sum_plan("effort", elastic_forces_plan(model)),
    ),
}
"""By the words of their records."""


def quantity_sweeps(
    model: Model, plan: Plan, label: str, value: str, slopes: Mapping[str, str]
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill a quantity's values, and by ``q`` and ``v`` its slopes, in fields that others declare.

    Parameters
    ----------
    model
        The robot with the frame of the quantity.
    plan
        That of the quantity.
    label
        What tells its fields from those of others.
    value, slopes
        Names of the fields.
    """
    fields, sweeps = kept_apart(plan.fields, plan.sweeps, f"values{label}", (), {VALUE: value})
    given = {field.name for field in plan.fields_of(FieldKind.INPUT)}
    for by, name in slopes.items():
        if by in given:
            more, found = along_sweeps(TreePlan(model), plan, by, {VALUE: name}, {}, label)
            fields, sweeps = [*fields, *more], [*sweeps, *found]
    return fields, sweeps
