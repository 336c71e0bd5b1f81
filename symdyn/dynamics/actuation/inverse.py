"""The inputs of actuators that a motion needs: the least squares of tau - B u, and what they leave.

An input of a joint is the force of its row. Tendons, chambers and strains at rest of one or several rods, all that act
on rows in common, are found together from their columns B (m, n) of the actuation matrix. There may be more of them
than they move, or fewer, and their columns may become dependent as the robot moves, as those of tendons on either side
of a straight rod are. So u = B^+ tau, with the pseudo-inverse: of all u that leave the least |tau - B u| the least.
With weights W of the rows it is the least of |D (tau - B u)|, D = sqrt(W): all that is said holds of D B and D tau.

``pseudo_inverse`` says how u comes about. What rounding did to it is made good by finding it for the rest again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

from symdyn.dynamics.actuation import pseudo_inverse, steps
from symdyn.dynamics.actuation.actuation_map import column_sweeps_to, driving_fields, reached_rows
from symdyn.dynamics.actuation.pseudo_inverse import LeastVariant
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Plan, Sweep, Visit

_CORRECTIONS = 2
"""Times that the inputs are found, the first included: the second makes good what rounding did to the first."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Inputs that act on rows in common: their numbers, and the rows of the rods that they reach."""

    name: str
    numbers: tuple[int, ...]
    rows: tuple[Access, ...]
    weights: tuple[float, ...] | str
    """Of the rows of v, or ``input`` if these are given at run time; nothing where all count the same."""

    @property
    def variant(self) -> LeastVariant:
        return LeastVariant(sum(own.count for own in self.rows), len(self.numbers))

    def column(self, number: int, first: int, rows: int) -> Access:
        """Where rows of an input's column lie in the columns of the group."""
        start = self.numbers.index(number) * self.variant.rows
        for own in self.rows:
            if first in own.places:
                break
            start += own.count
        return Access(f"columns{self.name}", start + first - own.offset, rows)

    def fields(self) -> list[Field]:
        m, n = self.variant.rows, self.variant.count
        sizes = {"columns": m * n, "weighed": m * n, "unturned": m * n, "total": 1, "solving": min(m, n) * (m + n)}
        sizes |= {"left": m, "inputs": n}
        if self.rooted():
            sizes["roots"] = m
        return [Field(name + self.name, FieldKind.STATE, size, sparse=True) for name, size in sizes.items()]

    def taken(self) -> list[Visit]:
        """Visits that take the forces of its rows."""
        return [steps.copy_visit(Access("tau", own.offset, own.count), left) for own, left in self._left()]

    def given(self) -> list[Visit]:
        """Visits that give what is found and what is left."""
        found = [
            steps.copy_visit(Access(f"inputs{self.name}", place, 1), Access("u", number, 1))
            for place, number in enumerate(self.numbers)
        ]
        return [
            *found,
            *(steps.copy_visit(left, Access("residual", own.offset, own.count)) for own, left in self._left()),
        ]

    def visit(self, *ports: str, **others: str) -> Visit:
        """A visit with ports named as its fields, and ``others`` that are not."""
        whole = {field.name: Access(field.name, 0, field.size) for field in self.fields()}
        named = dict.fromkeys(ports) | others
        bindings: dict[str, Binding] = {port: whole[(field or port) + self.name] for port, field in named.items()}
        return Visit(-1, self.variant, {}, bindings)

    def weighed(self, visit: Visit) -> Visit:
        """A visit that reads the roots of its weights, where there are some."""
        if not self.weights:
            return visit
        own: Binding = Access(f"roots{self.name}", 0, self.variant.rows)
        if isinstance(self.weights, tuple):
            own = Given(tuple(sqrt(self.weights[row]) for rows in self.rows for row in rows.places))
        return replace(visit, bindings={**visit.bindings, "roots": own})

    def begun(self) -> Visit:
        """The visit that begins with its columns."""
        return self.weighed(self.visit("columns", "weighed", "unturned", "total"))

    def rooted(self) -> list[Visit]:
        """Visits that take the roots of weights given at run time."""
        if not isinstance(self.weights, str) or not self.weights:
            return []
        places = [row for rows in self.rows for row in rows.places]
        return [
            Visit(-1, None, {}, {"weight": Access("weights", row, 1), "root": Access(f"roots{self.name}", place, 1)})
            for place, row in enumerate(places)
        ]

    def _left(self) -> Iterator[tuple[Access, Access]]:
        start = 0
        for own in self.rows:
            yield own, Access(f"left{self.name}", start, own.count)
            start += own.count


def inverse_actuation_plan(model: Model, external: str = "", weights: tuple[float, ...] | str = "") -> Plan:
    """The plan of (q, v, a[, weights][, f_ext][, p]) -> u (na,), residual (nv,).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext: body, world, or empty.
    weights
        Of squared errors in rows of v; ``input`` if they are given at run time, nothing if all count the same.
    """
    moving, least = inverse_dynamics_plan(model, external), least_inputs_plan(model, weights)
    own = {field.name: field for field in moving.fields} | {"tau": Field("tau", FieldKind.STATE, model.nv, sparse=True)}
    fields = [*own.values(), *(field for field in least.fields if field.name not in own)]
    return replace(moving, name="inverse_actuation", fields=tuple(fields), sweeps=(*moving.sweeps, *least.sweeps))


def least_inputs_plan(model: Model, weights: tuple[float, ...] | str = "") -> Plan:
    """The plan of (q[, v], tau[, weights][, p]) -> u (na,), residual (nv,): v where gains depend on rates."""
    groups = list(_groups(model, weights))
    group_of = {number: group for group in groups for number in group.numbers}
    columns = column_sweeps_to(model, lambda number, *rows: group_of[number].column(number, *rows), group_of)
    joints = {own.place: number for number, own in enumerate(model.actuator_inputs) if own.of == "joint"}
    direct = {row: number for row, number in joints.items() if number not in group_of}
    actuated = {row for group in groups for own in group.rows for row in own.places} | set(direct)
    given = [visit for group in groups for visit in group.given()]
    given += [steps.copy_visit(Access("tau", row, 1), Access("u", number, 1)) for row, number in direct.items()]
    given += [
        steps.copy_visit(Access("tau", row, 1), Access("residual", row, 1))
        for row in range(model.nv)
        if row not in actuated
    ]
    finding = [
        group.weighed(group.visit("columns", "solving", "left", "inputs", taken="left"))
        for group in groups
        for _ in range(_CORRECTIONS)
    ]
    made = [
        *columns,
        Sweep(steps.COPY, tuple(visit for group in groups for visit in group.taken())),
        Sweep(pseudo_inverse.ROOT, tuple(visit for group in groups for visit in group.rooted()), vector=True),
        Sweep(pseudo_inverse.BEGIN, tuple(map(_Group.begun, groups))),
        *(sweep for group in groups for sweep in pseudo_inverse.solving_sweeps(group.variant, group.name)),
        Sweep(pseudo_inverse.CORRECT, tuple(finding)),
        Sweep(steps.COPY, tuple(given)),
    ]
    sizes = {"q": model.nq, "v": model.nv, "tau": model.nv}
    if isinstance(weights, str) and weights:
        sizes["weights"] = model.nv
    if model.slots.names:
        sizes["p"] = len(model.slots.names)
    fields = [
        *(Field(name, FieldKind.INPUT, size) for name, size in sizes.items()),
        *driving_fields(model, columns),
        *(field for group in groups for field in group.fields()),
        Field("u", FieldKind.OUTPUT, len(model.actuator_inputs)),
        Field("residual", FieldKind.OUTPUT, model.nv),
    ]
    sweeps = tuple(sweep for sweep in made if sweep.visits)
    bodies = tuple(body.name for body in model.bodies)
    return Plan("least_inputs", tuple(fields), sweeps, bodies, model.parent)


def _groups(model: Model, weights: tuple[float, ...] | str) -> Iterator[_Group]:
    """Inputs together where rows in common are reached; those that can do nothing are left out.

    The input of a joint whose row no other reaches is the force of that row, and in no group.
    """
    sets: list[tuple[set[int], set[Access]]] = []
    for number in range(len(model.actuator_inputs)):
        rows, numbers = set(reached_rows(model, number)), {number}
        if not rows:
            continue
        for other in [known for known in sets if known[1] & rows]:
            sets.remove(other)
            numbers |= other[0]
            rows |= other[1]
        sets.append((numbers, rows))
    kept = [
        own for own in sets if len(own[0]) > 1 or any(model.actuator_inputs[number].of != "joint" for number in own[0])
    ]
    for place, (numbers, rows) in enumerate(kept):
        in_order = tuple(sorted(rows, key=lambda own: own.offset))
        yield _Group(str(place), tuple(sorted(numbers)), in_order, weights)
