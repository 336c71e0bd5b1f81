"""Rows of A(q) v = c(q): their entries, and how what they hold changes, from expressions of coordinates.

With w = A v - c, which vanishes where such a row holds, and coordinates that change as q' = N(q) v,

    w' = A a + A' v - c'

where A' and c' are exact: expressions are run on dual numbers along q'. A row has no error: it holds no position. It
takes the place of e'' by w', and stabilisation of w is of first order, w' + w / T = 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.spatial.vectors import dot
from symdyn.description.pfaffian import Pfaffian, parameters_of
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.placement import Number
from symdyn.dynamics.loops.constraint_activation import ACTIVE, if_held
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import JointModel
from symdyn.model.values import functions_of
from symdyn.model.velocity_rows import VelocityRow
from symdyn.plan.plan import Access, Binding, Constant, Mode, Port, Step, Sweep, Visit

_TIME = 0
"""The direction of the dual numbers."""
_HALF = 0.5
"""Stabilisation takes 2 / T of a rate: of w the half counts, for 1 / T."""


@dataclass(frozen=True, slots=True)
class VelocityConstraint:
    """A row of A v = c: its place among the rows of all loops, and that of its entries in ``coefficients``."""

    tree: TreePlan = field(repr=False, compare=False)
    row: int
    first: int
    own: VelocityRow
    constants: Mapping[str, Constant]
    switch: Mapping[str, Binding]

    @property
    def columns(self) -> dict[int, Access]:
        """Where the entries lie, by rows of v."""
        return {v: Access("coefficients", self.first + n, 1) for n, (v, _) in enumerate(self.own.entries)}

    @property
    def bodies(self) -> set[int]:
        """The bodies whose rows of q or v it rests on."""
        owners = self.tree.model.velocity_bodies
        return {owners[v] for v, _ in self.own.entries} | set(self.own.joints)

    @property
    def variant(self) -> EntriesVariant:
        """What is structural about it."""
        kinds = tuple(self.tree.joint(body).kind for body in self.own.joints)
        entries = tuple(entry for _, entry in self.own.entries)
        return EntriesVariant(entries, self.own.equals, kinds, self.own.names)

    def coordinates(self) -> Iterator[tuple[str, Access]]:
        """Ports of the coordinates that its expressions use, joint by joint."""
        yield from ((f"q{number}", self.tree.q(body)) for number, body in enumerate(self.own.joints))

    def rates(self, v: str) -> Iterator[tuple[str, Access]]:
        """Ports of the velocities of these joints."""
        yield from ((f"rates{number}", self.tree.v(body, v)) for number, body in enumerate(self.own.joints))


@dataclass(frozen=True, slots=True)
class EntriesVariant:
    """What is structural about a row: its expressions, and which coordinates of which joints their names stand for."""

    entries: tuple[Number, ...]
    equals: Number
    kinds: tuple[JointModel, ...]
    names: tuple[tuple[str, int, int], ...]

    def at(self, numbers: tuple[Number, ...], names: Mapping[str, Scalar], algebra: Algebra) -> list[Scalar]:
        """Values of numbers and expressions."""
        functions = functions_of(algebra)
        return [own.evaluate(names, functions) if isinstance(own, Expression) else own for own in numbers]


def find_coefficients(
    variant: EntriesVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Step per row: the entries of A."""
    names = {name: reads[f"q{joint}"][place] for name, joint, place in variant.names}
    entries = variant.at(variant.entries, {**parameters_of(constants), **names}, algebra)
    return {"coefficients": if_held(algebra, reads, entries)}


def change_velocities(
    variant: EntriesVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Step per row: w and w'."""
    rates = [
        coordinate_rates(kind, algebra, reads[f"q{joint}"], reads[f"rates{joint}"])
        for joint, kind in enumerate(variant.kinds)
    ]
    over = DualAlgebra(algebra)
    names = {name: over.dual(own, {}) for name, own in parameters_of(constants).items()}
    names |= {
        name: over.dual(reads[f"q{joint}"][place], {_TIME: rates[joint][place]}) for name, joint, place in variant.names
    }
    *entries, equals = variant.at((*variant.entries, variant.equals), names, over)
    total: Scalar = over.dual(0.0, {}) - equals
    for number, entry in enumerate(entries):
        acceleration = reads.get(f"a{number}")
        total = total + entry * over.dual(reads[f"v{number}"][0], {_TIME: acceleration[0]} if acceleration else {})
    rate, acceleration = if_held(algebra, reads, [_HALF * total.value, total.slope(_TIME)])
    return {"rate": [rate], "acceleration": [acceleration]}


def coordinate_rates(kind: JointModel, algebra: Algebra, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """Q' of a joint."""
    if kind.commutes:
        return list(v)
    return [dot(row, v) for row in kind.rates(algebra, q)]


def coefficient_sweep(constraints: list[VelocityConstraint]) -> Sweep:
    """The sweep that fills ``coefficients``."""
    visits = []
    for own in constraints:
        bindings: dict[str, Binding] = {**own.switch, **dict(own.coordinates())}
        bindings["coefficients"] = Access("coefficients", own.first, len(own.own.entries))
        visits.append(Visit(-1, own.variant, own.constants, bindings))
    ports = (Port(ACTIVE, Mode.READ), *_numbered("q", constraints), Port("coefficients", Mode.WRITE))
    return Sweep(Step("find_coefficients", find_coefficients, ports), tuple(visits))


def velocity_sweep(
    constraints: list[VelocityConstraint],
    acceleration: str = "acceleration",
    a: str = "",
    among: Collection[int] | None = None,
) -> Sweep:
    """The sweep that fills rows of ``rate`` with half of w, and of ``acceleration`` with w'.

    Parameters
    ----------
    constraints
        The rows.
    acceleration
        A field with the rows of the error.
    a
        The field of the accelerations; nothing where none counts.
    among
        Rows of v whose accelerations count alone.
    """
    visits = []
    for own in constraints:
        bindings: dict[str, Binding] = {**own.switch, **dict(own.coordinates()), **dict(own.rates("v"))}
        for number, (v, _) in enumerate(own.own.entries):
            bindings[f"v{number}"] = Access("v", v, 1)
            if a and (among is None or v in among):
                bindings[f"a{number}"] = Access(a, v, 1)
        bindings |= {"rate": Access("rate", own.row, 1), "acceleration": Access(acceleration, own.row, 1)}
        visits.append(Visit(-1, own.variant, own.constants, bindings))
    most = range(max((len(own.own.entries) for own in constraints), default=0))
    pieces = (Port(f"{name}{number}", Mode.READ) for name in "va" for number in most)
    written = (Port(name, Mode.WRITE) for name in ("rate", "acceleration"))
    ports = (Port(ACTIVE, Mode.READ), *_numbered("q", constraints), *_numbered("rates", constraints), *pieces, *written)
    return Sweep(Step("change_velocities", change_velocities, ports), tuple(visits))


def move_along(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: A y."""
    along = [reads[f"y{number}"][0] for number in range(len(reads["coefficients"]))]
    return {"sum": [dot(reads["coefficients"], along)]}


def along_sweep(constraints: list[VelocityConstraint], y: str, target: str) -> Sweep:
    """The sweep that fills rows of a field with A y, for a field y with the rows of v; it reads ``coefficients``."""
    visits = []
    for own in constraints:
        bindings: dict[str, Binding] = {f"y{number}": Access(y, v, 1) for number, v in enumerate(own.columns)}
        bindings["coefficients"] = Access("coefficients", own.first, len(own.columns))
        visits.append(Visit(-1, None, {}, {**bindings, "sum": Access(target, own.row, 1)}))
    most = range(max((len(own.columns) for own in constraints), default=0))
    read = (Port(name, Mode.READ) for name in (*(f"y{number}" for number in most), "coefficients"))
    return Sweep(Step("move_along", move_along, (*read, Port("sum", Mode.WRITE))), tuple(visits))


def _numbered(name: str, constraints: list[VelocityConstraint]) -> Iterator[Port]:
    most = max((len(own.own.joints) for own in constraints), default=0)
    yield from (Port(f"{name}{number}", Mode.READ) for number in range(most))


def constants_of(tree: TreePlan) -> dict[str, Mapping[str, Constant]]:
    """Constants of the steps above, by names of constraints."""
    return {
        own.load.name: {name: number for name, number in own.constants.items() if name in own.load.numbers}
        for own in tree.loads.of(Pfaffian)
        if isinstance(own.load, Pfaffian)
    }
