"""The derivative of a whole plan along one of its inputs: every kernel run on dual numbers (Kim 2012, tables 5-7).

The new sweeps carry the old ones out once more, with the derivatives of each scalar beside it, one field of them per
field. Which derivatives can differ from zero is found first, by running the kernels on scalars without a value; those
that cannot are neither computed nor stored. Exact to rounding, and open to every recursion, because kernels see scalars
only.

Few directions are written one by one into each kernel. Many go in groups that run side by side, in lanes: a visit per
group, with one slope per scalar, before the visit that computes the values. Then code does not grow with their number.
What is born with lanes keeps them for its values, and where it pays for derivatives of its own (``chained``).

Which slopes of the scalars of a plan can differ from zero, and which of their places hold something old.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, product
from typing import Any

from symdyn.plan.compose import renamed
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit, runs_of
from symdyn.plan.transforms.chained import Chained
from symdyn.plan.transforms.directions import FEW_DIRECTIONS, Groups, OneByOne
from symdyn.plan.transforms.dual_kernels import (
    CLEAR,
    SLOPE_PORT,
    UNKNOWN_DUALS,
    WithSlopes,
    slope_port,
    unknown,
    with_slopes,
)
from symdyn.plan.transforms.nested import apart
from symdyn.plan.transforms.varying_constants import CONSTANT

NONE: frozenset[int] = frozenset()
"""No direction: the slopes of a constant."""


class KnownSlopes:
    """What is known of slopes along a number of directions, visit by visit in the order of a plan."""

    def __init__(self, directions: int) -> None:
        self._directions = range(directions)
        self._slopes: dict[tuple[str, int], frozenset[int]] = {}
        self._told: dict[tuple[str, int, int], bool] = {}
        """Per (field, place, direction) whether the slope's place, once written, still tells the truth."""

    def at(self, access: Access) -> list[frozenset[int]]:
        """The directions of each scalar of an access."""
        return [self._slopes.get((access.field, place), NONE) for place in access.places]

    def cleared(self, access: Access, direction: int) -> list[Access]:
        """The scalars of which the slope is zero, but its place holds nothing or something old: to be cleared now."""
        level = [place for place, slopes in zip(access.places, self.at(access), strict=True) if direction not in slopes]
        found = [place for place in level if not self._told.get((access.field, place, direction))]
        self._told |= {(access.field, place, direction): True for place in found}
        return [Access(access.field, place, 1) for place in found]

    def written(
        self, access: Access, slopes: Sequence[frozenset[int]], adds: bool, begun: bool = False
    ) -> list[tuple[int, Access]]:
        """Note the slopes that a visit writes or adds; the directions and scalars whose places are to be cleared first.

        What is written without a slope leaves an old one in its place. A visit adds to all its places or sets them
        all: where one holds something, those that hold nothing are cleared too. With ``begun``, sums have to be there
        before anything is added to them.
        """
        sloped, found = NONE.union(*slopes), []
        held = {
            direction
            for direction in sloped
            if begun or any((access.field, place, direction) in self._told for place in access.places)
        }
        for direction, place in product(self._directions, access.places):
            key = (access.field, place, direction)
            if direction in sloped:
                if adds and direction in held and not self._told.get(key):
                    found.append((direction, Access(access.field, place, 1)))
                self._told[key] = True
            elif not adds and key in self._told:
                self._told[key] = False
        before = self.at(access) if adds else [NONE] * access.count
        both = (own | held for own, held in zip(slopes, before, strict=True))
        self._slopes |= {(access.field, place): own for place, own in zip(access.places, both, strict=True)}
        return found


def tangent_sweeps(
    plan: Plan,
    along: str,
    outputs: Mapping[str, str],
    inputs: Mapping[str, str] | None = None,
    few: int | None = None,
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill Jacobians of a plan's outputs by an input.

    Parameters
    ----------
    plan
        What is differentiated.
    along
        The input field, of width n.
    outputs
        For each output field, of width m, the field that receives its Jacobian, (m, n). The caller declares these;
        entries that cannot differ from zero are left alone, which is right for outputs.
    inputs
        Other names for some input fields, where their values come from another algorithm.
    few
        Directions from which they go in lanes; ``FEW_DIRECTIONS`` if not said.

    Returns
    -------
    State fields and sweeps. Fields that the plan keeps have the plan's name before their own.
    """
    names = {field.name: f"{plan.name}_{field.name}" for field in plan.fields if field.kind is not FieldKind.INPUT}
    names |= inputs or {}
    own = [replace(field, name=names.get(field.name, field.name)) for field in plan.fields]
    jacobians = {names[output]: jacobian for output, jacobian in outputs.items()}
    tangent = _Tangent({field.name: field for field in own}, names.get(along, along), jacobians, plan.name, few)
    made = [found for sweep in renamed(plan.sweeps, names) for found in tangent.sweeps(sweep)]
    kept = [field for kind in (FieldKind.STATE, FieldKind.TABLE) for field in own if field.kind is kind]
    chains = [field for chained in tangent.chains for field in chained.fields()]
    return [*kept, *chains, *tangent.directions.fields()], [*made, *tangent.last_sweeps()]


class _Tangent:
    """Book-keeping of one transformation: which scalars have which slopes, and which places hold them."""

    def __init__(
        self, fields: Mapping[str, Field], along: str, jacobians: Mapping[str, str], name: str, few: int | None
    ) -> None:
        self._fields, self._along, self._jacobians = fields, along, jacobians
        number = fields[along].width
        self.directions = (Groups if number >= (FEW_DIRECTIONS if few is None else few) else OneByOne)(
            name, number, jacobians, fields
        )
        self._known = KnownSlopes(self.directions.count)
        self._name, self.chains = name, list[Chained]()
        units = [frozenset((place // self.directions.lanes,)) for place in range(number)]
        self._known.written(Access(along, 0, number), units, adds=False)

    def last_sweeps(self) -> Iterator[Sweep]:
        """Sweeps that lead slopes of outputs in lanes to where they are wanted."""
        for output in self._jacobians:
            wanted = self._known.at(Access(output, 0, self._fields[output].size))
            yield from self.directions.gathered(output, wanted)

    def sweeps(self, sweep: Sweep) -> Iterator[Sweep]:
        """A sweep with slopes, cut where stale slopes have to be cleared first and where lanes begin or end."""
        sweep = apart(sweep, SLOPE_PORT)
        step = self._step(sweep)
        visits: list[tuple[Step, Visit]] = []
        for whole in sweep.visits:
            if chained := self._chained(sweep.step, whole):
                visits += self._by_chain(sweep.step, step, whole, chained)
                continue
            values: Visit | None = None
            for visit in runs_of(whole):
                made, stale = self._visit(sweep.step, visit, whole.lanes > 1)
                visits += self._clearing(visit, stale)
                if made:
                    visits += [(step, own) for own in self.directions.visits(sweep.step, made)]
                    values = self.directions.values(sweep.step, whole, made)
            visits += [(step, values)] if values else []
        for own, run in groupby(visits, key=lambda item: (item[0].name, item[1].lanes)):
            found = list(run)
            walk = sweep.step.name if self.chains else ""
            yield Sweep(
                found[0][0], tuple(visit for _, visit in found), sweep.vector and own[0] != CLEAR.name, walk=walk
            )

    def _clearing(self, visit: Visit, stale: Sequence[Access]) -> list[tuple[Step, Visit]]:
        lanes = self.directions.lanes
        return [(CLEAR, Visit(visit.body, "zero", {}, {"entry": place}, lanes)) for place in stale]

    def _chained(self, plain: Step, visit: Visit) -> Chained | None:
        """The visit's own derivatives, if it was born with lanes and reads fewer scalars that vary than directions."""
        modes = {port.name: port.mode for port in plain.ports}
        places = {name: place for name, place in visit.bindings.items() if isinstance(place, Access)}
        read = {name for name in places if modes[name] is Mode.READ}
        kept = all(
            modes[name] is Mode.WRITE and self._fields[place.field].kind is not FieldKind.OUTPUT
            for name, place in places.items()
            if name not in read
        )
        given = any(place.field == self._along for place in places.values())
        bound = any(isinstance(value, Access) for value in visit.constants.values())
        if self.directions.lanes == 1 or visit.lanes == 1 or given or bound or not kept:
            return None
        varied = {
            (name, number)
            for run in runs_of(visit)
            for name in read
            for number, slopes in enumerate(self._known.at(run.bindings[name]))  # type: ignore[arg-type]
            if slopes
        }
        if not 0 < len(varied) < self._fields[self._along].width:
            return None
        self.chains.append(Chained(f"{self._name}_chain{len(self.chains)}", plain, visit, sorted(varied)))
        return self.chains[-1]

    def _by_chain(self, plain: Step, step: Step, visit: Visit, chained: Chained) -> Iterator[tuple[Step, Visit]]:
        """Its derivatives and values with its own lanes, then for each lane what groups of directions make of these."""
        products: list[tuple[Step, Visit]] = []
        yield from chained.made(step)
        for lane, run in enumerate(runs_of(visit)):
            places = {name: place for name, place in run.bindings.items() if isinstance(place, Access)}
            slopes = {name: self._known.at(places[name]) for name, _ in chained.given}
            known = [slopes[name][place] for name, place in chained.given]
            stale: list[tuple[int, Access]] = []
            found: dict[int, dict[str, Access]] = {}
            for name, rows in chained.columns.items():
                told = [NONE.union(*(known[column] for column in row)) for row in rows]
                for group in NONE.union(*told):
                    found.setdefault(group, {})[name] = self._slope_access(places[name], group)
                stale += self._known.written(places[name], told, adds=False)
            for group in sorted(found):
                read = {name: places[name] for name in slopes if any(group in own for own in slopes[name])}
                stale += [(group, at) for place in read.values() for at in self._known.cleared(place, group)]
                given = {name: self._slope_access(at, group) for name, at in read.items()}
                active = {column for column, own in enumerate(known) if group in own}
                products.append(chained.product(lane, given, found[group], active, self.directions.lanes))
            yield from self._clearing(run, [self._slope_access(place, group) for group, place in stale])
        yield from products

    def _slope_access(self, access: Access, direction: int) -> Access:
        return self.directions.access(access, self._fields[access.field].size, direction)

    def _visit(self, step: Step, visit: Visit, laned: bool) -> tuple[Visit | None, list[Access]]:
        """The visit with slopes, if it writes anything that is wanted, and slopes to be cleared before it.

        What lanes add to one place is cleared before the first, so that all are alike.
        """
        modes = {port.name: port.mode for port in step.ports}
        reads, constants, shapes = self._seen(visit, modes)
        writes = step.kernel(visit.variant, UNKNOWN_DUALS, constants, reads)
        stale: list[tuple[int, Access]] = []
        bindings: dict[str, Binding] = {}
        read, written, values = [], [], []
        for name, access, slopes in shapes:
            for direction in sorted(NONE.union(*slopes)):
                read.append((name, direction))
                slopes_of = self.directions.units if access.field == self._along else self._slope_access
                bindings[slope_port(name, direction)] = slopes_of(access, direction)
                stale += [(direction, place) for place in self._known.cleared(access, direction)]
        for name, scalars in writes.items():
            target = visit.bindings[name]
            assert isinstance(target, Access)
            if self._fields[target.field].kind is not FieldKind.OUTPUT:
                values.append(name)
            elif target.field not in self._jacobians:
                continue
            slopes = [frozenset(UNKNOWN_DUALS.slopes(scalar)) for scalar in scalars]
            for direction in sorted(NONE.union(*slopes)):
                written.append((name, direction))
                bindings[slope_port(name, direction)] = self._slope_access(target, direction)
            stale += self._known.written(target, slopes, modes[name] is Mode.ADD, laned and self.directions.lanes > 1)
        own = {name for name, mode in modes.items() if mode is Mode.READ or name in values}
        bindings |= {name: binding for name, binding in visit.bindings.items() if name in own}
        variant = WithSlopes(visit.variant, tuple(values), tuple(read), tuple(written))
        made = Visit(visit.body, variant, visit.constants, bindings) if values or written else None
        return made, [self._slope_access(place, direction) for direction, place in stale]

    def _seen(
        self, visit: Visit, modes: Mapping[str, Mode]
    ) -> tuple[dict[str, Sequence[Any]], dict[str, Any], list[tuple[str, Access, list[frozenset[int]]]]]:
        """What the kernel reads, as dual numbers without values, and where slopes are read."""
        constants = {CONSTANT + name: value for name, value in visit.constants.items()}
        seen = {name: place for name, place in visit.bindings.items() if modes[name] is Mode.READ} | constants
        shapes = [(name, at, self._known.at(at)) for name, at in seen.items() if isinstance(at, Access)]
        known = {name: [unknown(found) for found in slopes] for name, _, slopes in shapes}
        given = {name: place.values for name, place in seen.items() if isinstance(place, Given)}
        reads: dict[str, Sequence[Any]] = given | {name: known[name] for name in known if name not in constants}
        held = {name: known.get(CONSTANT + name, [value])[0] for name, value in visit.constants.items()}
        return reads, held, shapes

    def _step(self, sweep: Sweep) -> Step:
        """The step on dual numbers."""
        step = sweep.step
        constants = dict.fromkeys(name for visit in sweep.visits for name in visit.constants)
        ports = [*step.ports, *(Port(CONSTANT + name, Mode.READ) for name in constants)]
        slopes = [Port(slope_port(port.name, k), port.mode) for port in ports for k in range(self.directions.ports)]
        return Step(f"{step.name}_slopes", with_slopes(step.kernel), (*step.ports, *slopes))
