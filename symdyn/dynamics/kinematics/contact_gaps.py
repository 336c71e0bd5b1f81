"""How far spheres of contacts are from their surfaces, and how fast that changes.

With the centre c of a sphere of radius r, and its distance d from a plane along the axis n, from the axis of a cylinder
or from the centre of a sphere of radius R, the gap is

    d - r of a plane,   d - R - r outside of a cylinder or sphere,   R - r - d inside,

and its rate is n . c' (- r'), with the normal n that points out of the surface's matter. A gap below 0 is a depth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add, cross, dot, matrix_from, scale, subtract, times, transpose
from symdyn.description.contact import Contact, Surface
from symdyn.dynamics.elements.contact import arm_of
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of, read, step, write
from symdyn.dynamics.tree.body_state import pose_sweep, state_sweeps
from symdyn.dynamics.tree.places import ORIENTATION, STAND, TWIST, Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import OFFSET, BodyLoad
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Field, FieldKind, Plan


@dataclass(frozen=True, slots=True)
class GapVariant:
    """What is structural about a gap: the surface, and whether the radius is that of a section that deforms."""

    surface: Surface
    gauged: bool


@dataclass(frozen=True, slots=True)
class _Pair:
    """A sphere and its surface, and its place among all pairs."""

    number: int
    load: BodyLoad


def gap(variant: GapVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per pair: its gap [m] and the rate of that [m/s]."""
    surface, axes = variant.surface, matrix_from(reads["orientation"])
    at, radius, growth = [constants[name] for name in OFFSET], constants["radius"], 0.0
    if variant.gauged:
        radius = times(transpose(axes), subtract(reads["gauge_stand"], reads["stand"]))[1]
        growth = reads["gauge_twist"][1] - reads["twist"][1]
    velocity = times(axes, add(reads["twist"][:3], cross(reads["twist"][3:], at)))
    away = arm_of(surface, add(reads["stand"], times(axes, at)))
    if surface.shape == "plane":
        axis = list(surface.axis)
        return {"gap": [dot(axis, away) - radius], "rate": [dot(axis, velocity) - growth]}
    squared = dot(away, away)
    aside = algebra.compare("less", 0.0, squared)  # on the axis or in the centre no normal is defined
    distance = algebra.function("sqrt", algebra.select(aside, squared, 1.0))
    rate = dot(scale(1.0 / distance, away), velocity)
    gap_and_rate = algebra.select(aside, distance, 0.0), algebra.select(aside, rate, 0.0)
    if surface.inside:
        return {"gap": [surface.radius - radius - gap_and_rate[0]], "rate": [-gap_and_rate[1] - growth]}
    return {"gap": [gap_and_rate[0] - (surface.radius + radius)], "rate": [gap_and_rate[1] - growth]}


def pairs_of(tree: TreePlan) -> list[tuple[str, BodyLoad]]:
    """All pairs of a sphere and a surface, with the contact's name: by names, along soft links from the root on."""
    pairs = [(load.load.name, load) for load in tree.loads.of(Contact) if isinstance(load.load, Contact)]
    return sorted(pairs, key=lambda pair: (pair[0], pair[1].body))


def _output(name: str) -> Place:
    return Place(
        name,
        lambda tree, pair, field: Access(field, pair.number, 1),
        lambda tree, field: Field(field, FieldKind.OUTPUT, len(pairs_of(tree))),
    )


def _variant(_: TreePlan, pair: _Pair) -> GapVariant:
    assert isinstance(pair.load.load, Contact)
    return GapVariant(pair.load.load.surface, pair.load.other >= 0)


def _body(_: TreePlan, pair: _Pair) -> int:
    return pair.load.body


def _gauge(_: TreePlan, pair: _Pair) -> int:
    return pair.load.other


_GAP = step(
    gap,
    variant=_variant,
    body=_body,
    orientation=read(ORIENTATION.own.by(_body)),
    stand=read(STAND.own.by(_body)),
    twist=read(TWIST.own.by(_body)),
    gauge_stand=read(STAND.own.by(_gauge), when=lambda b: b.gauged),
    gauge_twist=read(TWIST.own.by(_gauge), when=lambda b: b.gauged),
    gap=write(_output("gap")),
    rate=write(_output("rate")),
)


def contact_gaps_plan(model: Model) -> Plan:
    """The plan of q, v -> gap, rate, (npairs,) each."""
    tree = TreePlan(model)
    pairs = [_Pair(number, load) for number, (_, load) in enumerate(pairs_of(tree))]
    shown = _GAP.over(tree, pairs, None, lambda _, pair: pair.load.constants)
    inputs = (Field("q", FieldKind.INPUT, model.nq), Field("v", FieldKind.INPUT, model.nv))
    sweeps = [pose_sweep(tree), *state_sweeps(tree, [shown]), shown]
    return plan_of("contact_gaps", tree, sweeps, inputs, tree.parameter_sweeps())
