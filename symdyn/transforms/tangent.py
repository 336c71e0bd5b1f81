"""The derivative of a whole plan along one of its inputs: every kernel run on dual numbers (Kim 2012, tables 5-7).

The new sweeps carry the old ones out once more, with the derivatives of each scalar beside it, one field of them per
field. Which derivatives can differ from zero is found first, by running the kernels on scalars without a value; those
that cannot are neither computed nor stored. Exact to rounding, and open to every recursion, because kernels see scalars
only.

Few directions are written one by one into each kernel. Many go in groups that run side by side, in lanes: a visit per
group, with one slope per scalar, before the visit that computes the values. Then code does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit, runs_of
from symdyn.scalars.dual import Dual, DualAlgebra
from symdyn.transforms.chained import Chained
from symdyn.transforms.directions import FEW_DIRECTIONS, Groups
from symdyn.transforms.dual_kernels import CLEAR, UnknownAlgebra, WithSlopes, slope_port, unknown, with_slopes
from symdyn.transforms.varying_constants import CONSTANT


def tangent_sweeps(
    plan: Plan, along: str, outputs: Mapping[str, str], inputs: Mapping[str, str] | None = None
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

    Returns
    -------
    State fields and sweeps. Fields that the plan keeps have the plan's name before their own.
    """
    tangent = _Tangent(plan, along, outputs, inputs or {})
    sweeps = [made for sweep in plan.sweeps for made in tangent.sweeps(sweep)]
    return tangent.fields(), [*sweeps, *tangent.last_sweeps()]


class _Tangent:
    """Book-keeping of one transformation: which scalars have which slopes, and which places hold them."""

    def __init__(self, plan: Plan, along: str, outputs: Mapping[str, str], inputs: Mapping[str, str]) -> None:
        self._plan, self._along, self._outputs, self._inputs = plan, along, outputs, inputs
        self._directions = plan.field(along).width
        self._groups = Groups(plan.name, self._directions) if self._directions >= FEW_DIRECTIONS else None
        self._count = self._groups.count if self._groups else self._directions
        """Directions, or groups of them, by which slopes are told apart."""
        self._lanes = self._groups.lanes if self._groups else 1
        self._kinds = {field.name: field.kind for field in plan.fields}
        self._sizes = {field.name: field.size for field in plan.fields}
        self._slopes: dict[tuple[str, int], frozenset[int]] = {}
        self._held: dict[tuple[str, int, int], bool] = {}
        """Per (field, place, direction or group) whether the slope's place, once written, still tells the truth."""
        self._sloped: dict[str, None] = {}
        self._chains: list[Chained] = []

    def fields(self) -> list[Field]:
        """The plan's own state under new names, and fields of slopes, one block of a field's size per direction."""
        own = (*self._plan.fields_of(FieldKind.STATE), *self._plan.fields_of(FieldKind.TABLE))
        found = [replace(field, name=self._name(field.name)) for field in own]
        sizes = {self._slope_name(name): self._sizes[name] for name in self._sloped}
        found += [field for chained in self._chains for field in chained.fields()]
        if self._groups:
            return found + self._groups.fields(sizes)
        return found + [Field(name, FieldKind.STATE, size, self._directions) for name, size in sizes.items()]

    def last_sweeps(self) -> list[Sweep]:
        """Sweeps that lead slopes of outputs in lanes to where they are wanted."""
        if not self._groups:
            return []
        return [
            sweep
            for output, jacobian in self._outputs.items()
            for sweep in self._groups.gathered(
                self._slope_name(output),
                jacobian,
                [self._slopes.get((output, place), frozenset()) for place in range(self._sizes[output])],
            )
        ]

    def sweeps(self, sweep: Sweep) -> Iterator[Sweep]:
        """A sweep with slopes, cut where stale slopes have to be cleared first and where lanes begin or end."""
        visits: list[tuple[Step, Visit]] = []
        step = self._step(sweep)
        for whole in sweep.visits:
            if chained := self._chained(sweep.step, whole):
                visits += self._by_chain(sweep.step, step, whole, chained)
                continue
            values: Visit | None = None
            for visit in runs_of(whole):
                made, stale = self._visit(sweep.step, visit)
                visits += [(CLEAR, Visit(visit.body, "zero", {}, {"entry": place}, self._lanes)) for place in stale]
                if made is None:
                    continue
                if self._groups:
                    visits += self._in_groups(self._groups, sweep.step, step, visit, made)
                    assert isinstance(made.variant, WithSlopes)
                    values = self._plain(sweep.step, whole, made.variant.values)
                else:
                    visits.append((step, made))
            if values:
                visits.append((step, values))
        for own, run in groupby(visits, key=lambda item: (item[0].name, item[1].lanes)):
            found = list(run)
            yield Sweep(found[0][0], tuple(visit for _, visit in found), sweep.vector and own[0] != CLEAR.name)

    def _in_groups(
        self, groups: Groups, plain: Step, step: Step, visit: Visit, made: Visit
    ) -> Iterator[tuple[Step, Visit]]:
        """A visit per group of directions."""
        variant = made.variant
        assert isinstance(variant, WithSlopes)
        own = {name for name, _ in (*variant.read, *variant.written)}
        reads = [port.name for port in plain.ports if port.mode is Mode.READ]
        for group in sorted({group for _, group in variant.written}):
            pairs = [tuple((name, 0) for name, at in found if at == group) for found in (variant.read, variant.written)]
            bindings = {
                slope_port(name, 0): made.bindings[slope_port(name, group)]
                for name in sorted(own)
                if (name, group) in variant.read or (name, group) in variant.written
            }
            bindings |= {name: made.bindings[name] for name in reads if name in made.bindings}
            yield (
                step,
                replace(
                    made,
                    variant=WithSlopes(visit.variant, (), pairs[0], pairs[1]),
                    bindings=bindings,
                    lanes=groups.lanes,
                ),
            )

    def _chained(self, plain: Step, visit: Visit) -> Chained | None:
        """The visit's own derivatives, if it was born with lanes and reads fewer scalars that vary than directions."""
        bindings = visit.bindings.items()
        modes = {port.name: port.mode for port in plain.ports}
        apart = any(
            isinstance(place, Access)
            and (
                place.field == self._along
                if modes[name] is Mode.READ
                else modes[name] is Mode.ADD or self._kinds[place.field] is FieldKind.OUTPUT
            )
            for name, place in bindings
        )
        if (
            apart
            or not self._groups
            or visit.lanes == 1
            or any(isinstance(x, Access) for x in visit.constants.values())
        ):
            return None
        given = sorted(
            {
                (name, number)
                for run in runs_of(visit)
                for name, place in run.bindings.items()
                if isinstance(place, Access) and modes[name] is Mode.READ
                for number, slopes in enumerate(self._slopes_at(place))
                if slopes
            }
        )
        if not given or len(given) >= self._directions:
            return None
        own = replace(visit, bindings={name: self._own(place) for name, place in bindings})
        self._chains.append(Chained(f"{self._plan.name}_chain{len(self._chains)}", plain, own, given))
        return self._chains[-1]

    def _by_chain(self, plain: Step, step: Step, visit: Visit, chained: Chained) -> Iterator[tuple[Step, Visit]]:
        """Its derivatives and values with its own lanes, then for each lane what groups of directions make of these."""
        assert self._groups
        yield from chained.derivatives(step)
        modes = {port.name: port.mode for port in plain.ports}
        products: list[tuple[Step, Visit]] = []
        for lane, run in enumerate(runs_of(visit)):
            places = {name: place for name, place in run.bindings.items() if isinstance(place, Access)}
            slopes = {name: self._slopes_at(places[name]) for name, _ in chained.given}
            known = [slopes[name][place] for name, place in chained.given]
            writes = {
                name: [unknown(frozenset().union(*(known[column] for column in row))) for row in rows]
                for name, rows in chained.columns.items()
            }
            bindings: dict[str, Binding] = {}
            stale: list[Access] = []
            written, values = self._written(run, modes, writes, bindings, stale)
            for group in sorted({group for _, group in written}):
                read = {name: at for name, at in places.items() if any(group in own for own in slopes.get(name, ()))}
                for name, at in read.items():
                    stale += self._cleared(at, group, slopes[name])
                found = {name: bindings[slope_port(name, group)] for name, own in written if own == group}
                given = {name: self._slope_access(at, group) for name, at in read.items()}
                active = {column for column, own in enumerate(known) if group in own}
                products.append(chained.product(lane, given, found, active, self._groups.lanes))
            yield from ((CLEAR, Visit(run.body, "zero", {}, {"entry": at}, self._lanes)) for at in stale)
        plain_visit = self._plain(plain, visit, values)
        if plain_visit:
            yield step, plain_visit
        yield from products

    def _plain(self, plain: Step, visit: Visit, values: tuple[str, ...]) -> Visit | None:
        """The visit without slopes, with the lanes that it was born with; it may change what those with slopes read."""
        if not values:
            return None
        kept = [port.name for port in plain.ports if port.mode is Mode.READ or port.name in values]
        bindings = {name: self._own(visit.bindings[name]) for name in kept if name in visit.bindings}
        held = {name: self._own(value) for name, value in visit.constants.items()}
        return Visit(visit.body, WithSlopes(visit.variant, values, (), ()), held, bindings, visit.lanes)

    def _name(self, field: str) -> str:
        if self._kinds[field] is FieldKind.INPUT:
            return self._inputs.get(field, field)
        return f"{self._plan.name}_{field}"

    def _slope_name(self, field: str) -> str:
        if self._kinds[field] is FieldKind.OUTPUT and not self._groups:
            return self._outputs[field]
        return f"{self._plan.name}_{field}_slope"

    def _own(self, place: Any) -> Any:
        return replace(place, field=self._name(place.field)) if isinstance(place, Access) else place

    def _slope_access(self, access: Access, direction: int) -> Access:
        """Where a port's slopes lie: Jacobians row by row, slopes of state block by block."""
        name = self._slope_name(access.field)
        if self._groups:
            self._sloped[access.field] = None
            return self._groups.access(replace(access, field=name), self._sizes[access.field], direction)
        if self._kinds[access.field] is FieldKind.OUTPUT:
            count = self._directions
            return Access(name, access.offset * count + direction, access.count, access.stride * count)
        self._sloped[access.field] = None
        return replace(access, field=name, offset=access.offset + direction * self._sizes[access.field])

    def _slopes_at(self, access: Access) -> list[frozenset[int]]:
        if access.field == self._along:
            return [frozenset((place // self._lanes,)) for place in access.places]
        return [self._slopes.get((access.field, place), frozenset()) for place in access.places]

    def _visit(self, step: Step, visit: Visit) -> tuple[Visit | None, list[Access]]:
        """The visit with slopes, if it writes anything that is wanted, and slopes to be cleared before it."""
        modes = {port.name: port.mode for port in step.ports}
        reads, constants, shapes = self._known(visit, modes)
        writes = step.kernel(visit.variant, DualAlgebra(UnknownAlgebra()), constants, reads)
        stale: list[Access] = []
        bindings: dict[str, Binding] = {}
        read: list[tuple[str, int]] = []
        for name, access, slopes in shapes:
            for direction in sorted(frozenset().union(*slopes)):
                read.append((name, direction))
                if access.field == self._along and self._groups:
                    bindings[slope_port(name, direction)] = self._groups.units(access, direction)
                elif access.field == self._along:
                    ones = tuple(float(place == direction) for place in access.places)
                    bindings[slope_port(name, direction)] = Given(ones)
                else:
                    bindings[slope_port(name, direction)] = self._slope_access(access, direction)
                    stale += self._cleared(access, direction, slopes)
        written, values = self._written(visit, modes, writes, bindings, stale)
        if not values and not written:
            return None, []
        bindings |= {
            name: self._own(binding)
            for name, binding in visit.bindings.items()
            if modes[name] is Mode.READ or name in values
        }
        held = {name: self._own(value) for name, value in visit.constants.items()}
        variant = WithSlopes(visit.variant, values, tuple(read), written)
        return Visit(visit.body, variant, held, bindings), stale

    def _known(
        self, visit: Visit, modes: Mapping[str, Mode]
    ) -> tuple[dict[str, Sequence[Any]], dict[str, Any], list[tuple[str, Access, list[frozenset[int]]]]]:
        """What the kernel reads, as dual numbers without values, and where slopes are read."""
        constants = {CONSTANT + name: value for name, value in visit.constants.items()}
        seen = {name: place for name, place in visit.bindings.items() if modes[name] is Mode.READ} | constants
        shapes = [(name, at, self._slopes_at(at)) for name, at in seen.items() if isinstance(at, Access)]
        known = {name: [unknown(found) for found in slopes] for name, _, slopes in shapes}
        given = {name: place.values for name, place in seen.items() if isinstance(place, Given)}
        reads: dict[str, Sequence[Any]] = given | {name: known[name] for name in known if name not in constants}
        held = {name: known.get(CONSTANT + name, [value])[0] for name, value in visit.constants.items()}
        return reads, held, shapes

    def _cleared(self, access: Access, direction: int, slopes: Sequence[frozenset[int]]) -> Iterator[Access]:
        """Places of slopes that are zero, but hold nothing or something old."""
        for place, found in zip(access.places, slopes, strict=True):
            if direction not in found and self._held.get((access.field, place, direction)) is not True:
                self._held[access.field, place, direction] = True
                yield self._slope_access(Access(access.field, place, 1), direction)

    def _written(
        self,
        visit: Visit,
        modes: Mapping[str, Mode],
        writes: Mapping[str, Sequence[Any]],
        bindings: dict[str, Binding],
        stale: list[Access],
    ) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
        """Note what a visit writes, and bind its slopes: the (port, direction) pairs, and the ports of plain values."""
        written, values = [], []
        for name, scalars in writes.items():
            access = visit.bindings[name]
            assert isinstance(access, Access)
            wanted = self._kinds[access.field] is not FieldKind.OUTPUT
            if wanted:
                values.append(name)
            elif access.field not in self._outputs:
                continue
            found = [frozenset(scalar.slopes) if isinstance(scalar, Dual) else frozenset() for scalar in scalars]
            adds = modes[name] is Mode.ADD
            for direction in range(self._count):
                sloped = any(direction in slopes for slopes in found)
                if sloped:
                    written.append((name, direction))
                    bindings[slope_port(name, direction)] = self._slope_access(access, direction)
                for place in access.places:
                    key = (access.field, place, direction)
                    if adds and sloped and self._held.get(key) is False:
                        stale.append(self._slope_access(Access(access.field, place, 1), direction))
                    if sloped:
                        self._held[key] = True
                    elif not adds and key in self._held:
                        self._held[key] = False
            for place, slopes in zip(access.places, found, strict=True):
                before = self._slopes.get((access.field, place), frozenset()) if adds else frozenset()
                self._slopes[access.field, place] = before | slopes
        return tuple(written), tuple(values)

    def _step(self, sweep: Sweep) -> Step:
        """The step on dual numbers."""
        step = sweep.step
        constants = dict.fromkeys(name for visit in sweep.visits for name in visit.constants)
        directions = range(1 if self._groups else self._directions)
        slopes = [Port(slope_port(port.name, k), port.mode) for port in step.ports for k in directions]
        slopes += [Port(slope_port(CONSTANT + name, k), Mode.READ) for name in constants for k in directions]
        return Step(f"{step.name}_slopes", with_slopes(step.kernel), (*step.ports, *slopes))
