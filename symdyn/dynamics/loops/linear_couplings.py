"""Rows of couplings: linear relations of coordinates, with constant slopes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.loops.constraint_activation import ACTIVE, if_held, switch_of
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Binding, Mode, Port, Step, Sweep, Visit


def couple(count: int, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per coupling: the sum of its terms, less an offset."""
    total: Scalar = -constants["offset"]
    for number in range(count):
        total = total + constants[f"factor{number}"] * reads[f"term{number}"][0]
    return {"sum": if_held(algebra, reads, [total])}


def coupling_sweep(constraints: ConstraintSet, source: str, target: str, among: Collection[int] | None = None) -> Sweep:
    """The sweep that fills the rows of couplings in the field ``target``.

    Parameters
    ----------
    constraints
        The loops.
    source
        The field of coordinates, q, for the error; otherwise one with the rows of v, of which the target is a rate.
    target
        A field with the rows of the error.
    among
        Rows of v that count alone.
    """
    most = max((len(loop.terms) for _, loop in constraints.couplings), default=0)
    visits = []
    for row, loop in constraints.couplings:
        terms = [term for term in loop.terms if among is None or term.v in among]
        places = [Access(source, term.q if source == "q" else term.v, 1) for term in terms]
        bindings: dict[str, Binding] = {f"term{number}": place for number, place in enumerate(places)}
        constants = {f"factor{number}": term.factor for number, term in enumerate(terms)}
        constants["offset"] = loop.offset if source == "q" else 0.0
        visits.append(Visit(-1, len(terms), constants, {**bindings, **switch_of(loop), "sum": Access(target, row, 1)}))
    ports = (
        *(Port(f"term{number}", Mode.READ) for number in range(most)),
        Port(ACTIVE, Mode.READ),
        Port("sum", Mode.WRITE),
    )
    return Sweep(Step("couple", couple, ports), tuple(visits))
