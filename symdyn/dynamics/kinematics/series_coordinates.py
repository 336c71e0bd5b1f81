"""Time series in at the door and out of it: plain derivatives become coefficients, and coefficients derivatives.

The input ``V`` holds v, v', .. row by row, (rows, nv); outputs hold as many rows as there are orders. Factorials are
divided out here and multiplied back here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.dynamics.tree.bindings import Reads, Writes, declared_by, read, step, write
from symdyn.dynamics.tree.places import Place, Q, rows
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import JointModel
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep, Visit
from symdyn.plan.transforms.series_places import Form

SERIES = {name: f"{name}_series" for name in ("q", "v", "a", "tau", "f_ext")}
"""State fields of a lifted plan that stand for inputs and outputs of the plain one."""


@dataclass(frozen=True, slots=True)
class JointVariant:
    """What is made of a joint: series of its coordinates (``places``) and of its accelerations (``rates``)."""

    kind: JointModel
    places: bool
    rates: bool


def joint_series(variant: JointVariant, algebra: TaylorAlgebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: series of q, v and a from q at t = 0 and the derivatives of v."""
    given = [reads[f"V{row}"] for row in range(len(reads)) if f"V{row}" in reads]
    v = [algebra.from_derivatives(row) for row in given]
    writes: dict[str, Sequence[Scalar]] = {"v": v}
    if variant.places:
        writes["coordinates"] = variant.kind.series(algebra, reads["q"], v)
    if variant.rates:
        writes["a"] = [algebra.from_derivatives(row[1:]) for row in given]
    return writes


def joint_coordinates(kind: JointModel, algebra: TaylorAlgebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: series of q from q at t = 0 and the series of v."""
    return {"coordinates": kind.series(algebra, reads["q"], reads["v"])}


def row_series(_: Any, algebra: TaylorAlgebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per scalar: its series from its derivatives."""
    return {"series": [algebra.from_derivatives(reads["derivatives"])]}


def row_derivatives(_: Any, algebra: TaylorAlgebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per scalar: its derivatives from its series."""
    return {"derivatives": algebra.derivatives(reads["series"][0])}


_COORDINATES = Place(
    SERIES["q"],
    lambda tree, body, name: tree.q(body, name),
    lambda tree, name: Field(name, FieldKind.STATE, tree.model.nq),
)
_JOINT_COORDINATES = step(
    joint_coordinates,
    variant=lambda tree, body: tree.joint(body).kind,
    q=read(Q),
    v=read(rows(SERIES["v"], FieldKind.STATE)),
    coordinates=write(_COORDINATES),
)
_ROW_SERIES = Step("row_series", row_series, (Port("derivatives", Mode.READ), Port("series", Mode.WRITE)))
_ROW_DERIVATIVES = Step(
    "row_derivatives", row_derivatives, (Port("series", Mode.READ), Port("derivatives", Mode.WRITE))
)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Coefficients that are kept of each row of q, v and a; none of a where it is not wanted.

    Of a soft link's rows of q there are ``rods`` more, where the motion of stations is read off their poses.
    """

    q: int
    v: int
    a: int = 0
    rods: int = 0


def coordinate_sweeps(
    tree: TreePlan, count: int, sizes: Sizes, without: Collection[int] = ()
) -> tuple[list[Field], list[Sweep], dict[str, tuple[Form, ...]]]:
    """Sweeps that fill the series of q, v and a from the inputs ``q`` and ``V``, (count, nv).

    Parameters
    ----------
    tree
        The robot.
    count
        Rows of V: v and its derivatives.
    sizes
        How many coefficients of each are kept; at most ``count + 1`` of q, ``count`` of v and ``count - 1`` of a.
    without
        Bodies of the joints whose coordinates nobody reads.

    Returns
    -------
    Fields, sweeps, and the forms of the fields.
    """
    model = tree.model

    def derivatives(_: TreePlan, body: int, name: str) -> list[Binding]:
        return [Access(name, row, count, model.nv) for row in tree.v(body).places]

    def variant(_: TreePlan, body: int) -> JointVariant:
        return JointVariant(model.bodies[body].joint.kind, body not in without, sizes.a > 0)

    per_joint = step(
        joint_series,
        variant=variant,
        q=read(Q, when=lambda b: b.places),
        V=read(Place("V", derivatives, lambda _, name: Field(name, FieldKind.INPUT, count * model.nv), per_row=True)),
        coordinates=write(_COORDINATES, when=lambda b: b.places),
        v=write(rows(SERIES["v"], FieldKind.STATE)),
        a=write(rows(SERIES["a"], FieldKind.STATE).where(lambda _: sizes.a > 0), when=lambda b: b.rates),
    )
    owners = model.owners
    sweep = per_joint.over(tree, owners)
    visits = (own for visit in sweep.visits for own in (_by_rows(visit) if tree.rods.owns(visit.body) else (visit,)))
    sweep = replace(sweep, visits=tuple(visits))
    places = [
        Form(sizes.q + sizes.rods * tree.rods.owns(body), tree.joint(body).kind.by_rate)
        for body in owners
        for _ in tree.q(body).places
    ]
    forms = {"q": tuple(places), "v": (Form(sizes.v),) * model.nv, "a": (Form(sizes.a),) * model.nv}
    return declared_by([sweep]), [sweep], {SERIES[name]: found for name, found in forms.items()}


def _by_rows(visit: Visit) -> Iterator[Visit]:
    """A soft link's visit once per row, for less code: coordinates of strain have nothing to do with each other."""
    whole = {name: access for name, access in visit.bindings.items() if isinstance(access, Access) and name[0] != "V"}
    for row in range(whole["v"].count):
        own: dict[str, Binding] = {name: Access(at.field, at.places[row], 1) for name, at in whole.items()}
        yield replace(visit, bindings={**own, "V0": visit.bindings[f"V{row}"]})


def coordinates_sweep(tree: TreePlan, without: Collection[int] = ()) -> Sweep:
    """The sweep that makes the series of q from the input ``q`` and the series of v; ``without`` as above."""
    return _JOINT_COORDINATES.over(tree, (body for body in tree.model.owners if body not in without))


def scalar_sweep(per_scalar: Step, variant: Any, bodies: Iterable[int], places: Iterable[tuple[Access, ...]]) -> Sweep:
    """A sweep over scalars: ``places`` are those of the step's ports, in order; ``bodies`` say whose a scalar is."""
    names = [port.name for port in per_scalar.ports]
    pairs = zip(bodies, places, strict=False)
    return Sweep(per_scalar, tuple(Visit(body, variant, {}, dict(zip(names, at, strict=True))) for body, at in pairs))


def input_sweeps(name: str, bodies: Sequence[int], count: int, series: str = "") -> tuple[list[Field], list[Sweep]]:
    """Sweeps that make series of an input of ``count`` rows, a quantity and its derivatives.

    The quantity has a scalar for each of ``bodies``, which says whose it is; ``series`` names the field of the series.
    """
    size, series = len(bodies), series or SERIES[name]
    places = ((Access(name, place, count, size), Access(series, place, 1)) for place in range(size))
    fields = [Field(name, FieldKind.INPUT, count * size), Field(series, FieldKind.STATE, size)]
    return fields, [scalar_sweep(_ROW_SERIES, None, bodies, places)]


def output_sweeps(name: str, bodies: Sequence[int], count: int) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that write an output of ``count`` rows: a quantity, a scalar for each of ``bodies``, and its derivatives.

    What nobody writes of the series is zero.
    """
    fields, sweeps = series_outputs(SERIES[name], name, bodies, count)
    return [*fields, Field(SERIES[name], FieldKind.STATE, len(bodies), sparse=True)], sweeps


def series_outputs(series: str, name: str, bodies: Sequence[int], count: int) -> tuple[list[Field], list[Sweep]]:
    """The same from a field that the caller declares."""
    size = len(bodies)
    places = ((Access(series, place, 1), Access(name, place, count, size)) for place in range(size))
    return [Field(name, FieldKind.OUTPUT, count * size)], [scalar_sweep(_ROW_DERIVATIVES, None, bodies, places)]
