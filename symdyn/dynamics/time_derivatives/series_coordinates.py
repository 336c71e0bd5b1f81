"""Time series in at the door and out of it: plain derivatives become coefficients, and coefficients derivatives.

The input ``V`` holds v, v', .. row by row, (rows, nv); outputs hold as many rows as there are orders. Factorials are
divided out here and multiplied back here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.model.joints import JointModel
from symdyn.model.model import Model, ModelJoint
from symdyn.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Scalar
from symdyn.scalars.taylor_algebra import TaylorAlgebra
from symdyn.transforms.taylor import Form

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

SERIES = {name: f"{name}_series" for name in ("q", "v", "a", "tau", "f_ext")}
"""State fields of a lifted plan that stand for inputs and outputs of the plain one."""


@dataclass(frozen=True, slots=True)
class JointVariant:
    """What is made of a joint: series of its coordinates (``places``) and of its accelerations (``rates``)."""

    kind: JointModel
    places: bool
    rates: bool


def _row(row: int) -> str:
    """The port of the derivatives of a row of v."""
    return f"V{row}"


def joint_series(variant: JointVariant, algebra: TaylorAlgebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: series of q, v and a from q at t = 0 and the derivatives of v."""
    rows = [reads[_row(row)] for row in range(len(reads)) if _row(row) in reads]
    v = [algebra.from_derivatives(row) for row in rows]
    writes: dict[str, Sequence[Scalar]] = {"v": v}
    if variant.places:
        writes["coordinates"] = variant.kind.series(algebra, reads["q"], v)
    if variant.rates:
        writes["a"] = [algebra.from_derivatives(row[1:]) for row in rows]
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


def _joint_series(rows: int) -> Step:
    """The step for joints of as many rows of v at most."""
    derivatives = (Port(_row(row), Mode.READ) for row in range(rows))
    found = (Port(name, Mode.WRITE) for name in ("coordinates", "v", "a"))
    return Step("joint_series", joint_series, (Port("q", Mode.READ), *derivatives, *found))


_COORDINATES = Step(
    "joint_coordinates",
    joint_coordinates,
    (Port("q", Mode.READ), Port("v", Mode.READ), Port("coordinates", Mode.WRITE)),
)
_ROW_SERIES = Step("row_series", row_series, (Port("derivatives", Mode.READ), Port("series", Mode.WRITE)))
_ROW_DERIVATIVES = Step(
    "row_derivatives", row_derivatives, (Port("series", Mode.READ), Port("derivatives", Mode.WRITE))
)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Coefficients that are kept of each row of q, v and a; none of a where it is not wanted."""

    q: int
    v: int
    a: int = 0


def coordinate_sweeps(
    model: Model, rows: int, sizes: Sizes, without: Collection[int] = ()
) -> tuple[list[Field], list[Sweep], dict[str, tuple[Form, ...]]]:
    """Sweeps that fill the series of q, v and a from the inputs ``q`` and ``V``, (rows, nv).

    Parameters
    ----------
    model
        The robot.
    rows
        Rows of V: v and its derivatives.
    sizes
        How many coefficients of each are kept; at most ``rows + 1`` of q, ``rows`` of v and ``rows - 1`` of a.
    without
        First rows of v of the joints whose coordinates nobody reads.

    Returns
    -------
    Fields, sweeps, and the forms of the fields.
    """
    visits = []
    forms: list[Form] = []
    for body, joint in _owners(model):
        count, width = len(joint.coordinates.q), len(joint.coordinates.v)
        variant = JointVariant(joint.kind, joint.v_index not in without, sizes.a > 0)
        bindings: dict[str, Binding] = {
            _row(row): Access("V", joint.v_index + row, rows, model.nv) for row in range(width)
        }
        bindings["v"] = Access(SERIES["v"], joint.v_index, width)
        if variant.places:
            bindings |= {
                "q": Access("q", joint.q_index, count),
                "coordinates": Access(SERIES["q"], joint.q_index, count),
            }
        if variant.rates:
            bindings["a"] = Access(SERIES["a"], joint.v_index, width)
        visits.append(Visit(body, variant, {}, bindings))
        forms += [Form(sizes.q, by_rate=joint.kind.by_rate)] * count
    fields = [
        Field("q", FieldKind.INPUT, model.nq),
        Field("V", FieldKind.INPUT, rows * model.nv),
        Field(SERIES["q"], FieldKind.STATE, model.nq),
        Field(SERIES["v"], FieldKind.STATE, model.nv),
    ]
    found = {SERIES["q"]: tuple(forms), SERIES["v"]: (Form(sizes.v),) * model.nv}
    if sizes.a:
        fields.append(Field(SERIES["a"], FieldKind.STATE, model.nv))
        found[SERIES["a"]] = (Form(sizes.a),) * model.nv
    widest = max((len(joint.coordinates.v) for _, joint in _owners(model)), default=0)
    return fields, [Sweep(_joint_series(widest), tuple(visits))], found


def coordinates_sweep(model: Model, without: Collection[int] = ()) -> Sweep:
    """The sweep that makes the series of q from the input ``q`` and the series of v; ``without`` as above."""
    return Sweep(
        _COORDINATES,
        tuple(
            Visit(
                body,
                joint.kind,
                {},
                {
                    "q": Access("q", joint.q_index, len(joint.coordinates.q)),
                    "v": Access(SERIES["v"], joint.v_index, len(joint.coordinates.v)),
                    "coordinates": Access(SERIES["q"], joint.q_index, len(joint.coordinates.q)),
                },
            )
            for body, joint in _owners(model)
            if joint.v_index not in without
        ),
    )


def _owners(model: Model) -> list[tuple[int, ModelJoint]]:
    """The joints that own rows of q and v, with the indices of their bodies."""
    return [(index, body.joint) for index, body in enumerate(model.bodies) if body.joint.mimic is None]


def input_sweeps(name: str, bodies: Sequence[int], rows: int) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that make series of an input of ``rows`` rows, a quantity and its derivatives.

    The quantity has a scalar for each of ``bodies``, which says whose it is.
    """
    size = len(bodies)
    visits = tuple(
        Visit(
            body,
            None,
            {},
            {"derivatives": Access(name, place, rows, size), "series": Access(SERIES[name], place, 1)},
        )
        for place, body in enumerate(bodies)
    )
    fields = [Field(name, FieldKind.INPUT, rows * size), Field(SERIES[name], FieldKind.STATE, size)]
    return fields, [Sweep(_ROW_SERIES, visits)]


def output_sweeps(name: str, bodies: Sequence[int], rows: int) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that write an output of ``rows`` rows: a quantity, one scalar for each of ``bodies``, and its derivatives.

    What nobody writes of the series is zero.
    """
    size = len(bodies)
    visits = tuple(
        Visit(
            body,
            None,
            {},
            {"series": Access(SERIES[name], place, 1), "derivatives": Access(name, place, rows, size)},
        )
        for place, body in enumerate(bodies)
    )
    fields = [
        Field(name, FieldKind.OUTPUT, rows * size),
        Field(SERIES[name], FieldKind.STATE, size, sparse=True),
    ]
    return fields, [Sweep(_ROW_DERIVATIVES, visits)]
