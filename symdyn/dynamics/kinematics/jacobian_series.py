"""Time derivatives of the Jacobians of robots with soft links: Jacobians as time series of order 1.

The columns of a rod change with the poses and tangents of all stations before its tip. Series carry that along with
the kernels and the lanes of :mod:`symdyn.dynamics.kinematics.jacobian` as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.dynamics.kinematics.jacobian import column_plan, jacobian_column
from symdyn.dynamics.kinematics.series_coordinates import SERIES, Sizes, coordinate_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.contracted import contracted_with_frames, places_in_contracted
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import FieldKind, Plan
from symdyn.plan.transforms.taylor import lifted

_NAME = "jacobians_time_derivative"


def column_rate(_: Any, algebra: TaylorAlgebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame and row of v that moves it: the rate of a column of the frame's Jacobian."""
    column = jacobian_column(None, algebra, {}, reads)["column"]
    return {"column": [entry.coefficient(1) if isinstance(entry, Series) else 0.0 for entry in column]}


def jacobians_as_series_plan(model: Model) -> Plan:
    """The plan of dJ/dt(q, v), (nframes, 6, nv): the time derivative of every entry of J.

    Parameters
    ----------
    model
        The robot, with soft links.
    """
    plain = column_plan(contracted_with_frames(model), _NAME, "dJ_dt", column_rate)
    names = [field.name for field in plain.fields]
    fields, sweeps = kept_apart(plain.fields, plain.sweeps, "", names, {"q": SERIES["q"]})
    made, first, forms = coordinate_sweeps(TreePlan(model), 1, Sizes(q=2, v=1))
    own, start = kept_apart(
        made, first, "", [field.name for field in made if field.kind is FieldKind.STATE], {"V": "v"}
    )
    place = places_in_contracted(model)
    start = [
        replace(sweep, visits=tuple(replace(visit, body=place[visit.body]) for visit in sweep.visits))
        for sweep in start
    ]
    given = [field for field in made if field.name == "V"]
    own += [*(type(field)("v", field.kind, field.width) for field in given)]
    found, run = lifted([*own, *fields], [*start, *sweeps], 1, ("v",), forms)
    return Plan(_NAME, tuple(found), tuple(run), plain.bodies, plain.parent)
