"""Multipliers of loops that meet in few rows of the solution, without S: see ``limb_blocks``.

With E = 1e-9 diag(S) and S = K + H^T D H, the proximal point method (``proximal``) solves

    (K + E) x + H^T y = b + E x_before,    H x - y / D = s

for x and y = D (H x - s), where s are the drives of shared rows, which therefore count in no limb's b.
K + E = L d L^T is factored loop by loop, so that loops run side by side. With U = L^-1 H^T, C = 1 / D + U^T U / d is
what loops leave to the rows that they share. Corrections start from what both equations leave, so that a loop whose
block is singular by itself loses no digits:

    C dy = U^T L^-1 E dx_before / d + H x - y / D - s,    dx = (K + E)^-1 (E dx_before - H^T dy)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import accumulate

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.loops.constraint_activation import ACTIVE
from symdyn.dynamics.loops.limb_blocks import Group, Groups
from symdyn.dynamics.loops.limb_steps import (
    GroupVariant,
    SharedVariant,
    factor_group,
    factor_shared,
    finish_group,
    solve_group,
    solve_shared,
)
from symdyn.dynamics.loops.multipliers import WEIGH
from symdyn.dynamics.loops.proximal import CORRECTIONS, factor_size
from symdyn.dynamics.loops.vanishing import factor_constants
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep, Visit


def grouped_sweeps(
    solutions: WhitenedJacobian, groups: Groups, multipliers: str, found: str, stabilisation: float | None
) -> tuple[list[Field], list[Sweep]]:
    """As ``multipliers.multiplier_sweeps``, for loops in groups."""
    return (own := _Grouped(solutions, groups, multipliers, found, stabilisation)).fields(), own.sweeps()


def _ports(names: Iterable[str], mode: Mode = Mode.READ) -> list[Port]:
    return [Port(name, mode) for name in names]


def _numbered(name: str, count: int) -> list[str]:
    return [f"{name}{number}" for number in range(count)]


def _factor(places: int) -> Step:
    read = (
        "whitened",
        "acceleration",
        "rate",
        "error",
        ACTIVE,
        *_numbered("weight", places),
        *_numbered("joint_force_residual", places),
    )
    added = _ports(("coupling", "sum"), Mode.ADD)
    return Step(
        "factor_group",
        factor_group,
        (*_ports(read), *_ports(("factor", "scaled_columns", "right"), Mode.WRITE), *added),
    )


def _write(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"multiplier": list(reads["found"])}


_WRITE = Step("write_multiplier", _write, (Port("found", Mode.READ), Port("multiplier", Mode.WRITE)))
"""By itself, since the order of multipliers need not be that of limbs."""
_SOLVE = Step(
    "solve_group",
    solve_group,
    (
        *_ports(("whitened", "factor", "scaled_columns", "right", "update", "before")),
        *_ports(("next", "found"), Mode.WRITE),
        Port("sum", Mode.ADD),
    ),
)


def _finish(places: int) -> Step:
    read = _ports(("whitened", "factor", "scaled_columns", "right", "update", "before"))
    return Step(
        "finish_group", finish_group, (*read, Port("found", Mode.WRITE), *_ports(_numbered("total", places), Mode.ADD))
    )


def _factor_shared(count: int) -> Step:
    read = _ports(("coupling", "sum", *_numbered("pivot", count), *_numbered("joint_force_residual", count)))
    return Step("factor_shared", factor_shared, (*read, *_ports(("factor", "update", "left"), Mode.WRITE)))


def _solve_shared(count: int) -> Step:
    read = ("factor", "sum", "before", *_numbered("pivot", count), *_numbered("joint_force_residual", count))
    written = ("update", "found", "left", *_numbered("total", count))
    return Step("solve_shared", solve_shared, (*_ports(read), *_ports(written, Mode.WRITE)))


class _Grouped:
    """The sweeps and where they leave things."""

    def __init__(
        self, solutions: WhitenedJacobian, groups: Groups, multipliers: str, found: str, stabilisation: float | None
    ) -> None:
        self._solutions, self._groups, self._multipliers = solutions, groups, multipliers
        elimination = solutions.elimination
        self._totals: dict[int, Access] = {}
        self._pivots: dict[int, Access] = {}
        self._bodies: dict[int, int] = {}
        for place in elimination.places:
            for number, (row, free) in enumerate(zip(place.rows, place.free, strict=True)):
                own = place.joint_force_residual + number
                self._totals[own] = Access("joint_force_residual", own, 1) if place.responds else Access(found, row, 1)
                self._bodies[own] = place.bodies[0]
                if free:
                    self._pivots[own] = elimination.pivot(place, number)
        names = ("acceleration", *(("rate", "error") if stabilisation is not None else ()))
        self._names = names
        self._constants = {} if stabilisation is None else {"rate": 2.0 / stabilisation, "stiffness": stabilisation**-2}
        self._most = max(len(group.places) for group in groups.groups)
        self._count = len(groups.shared)
        self._sizes = {
            "loop_factor": [factor_size(len(group.rows)) for group in groups.groups],
            "loop_scaled_columns": [len(group.rows) * self._count for group in groups.groups],
        }
        self._starts = {name: [0, *accumulate(sizes)] for name, sizes in self._sizes.items()}

    def fields(self) -> list[Field]:
        """State."""
        rows, rounds = self._solutions.constraints.count, CORRECTIONS + 1
        sizes = {name: starts[-1] for name, starts in self._starts.items()}
        sizes |= {"loop_right": rows * rounds, "loop_found": rows * (rounds + 1), "weights": len(self._totals)}
        sizes |= {"shared_coupling": self._count * (self._count + 1) // 2, "shared_factor": factor_size(self._count)}
        sizes |= dict.fromkeys(("shared_sum", "shared_found", "shared_update"), self._count * rounds)
        return [Field(name, FieldKind.STATE, size) for name, size in sizes.items()]

    def sweeps(self) -> list[Sweep]:
        """In order."""
        weigh = (
            Visit(self._bodies[place], None, {}, {"pivot": self._pivots[place], "weight": Access("weights", place, 1)})
            for place in sorted(
                {place for group in self._groups.groups for place in group.places} & self._pivots.keys()
            )
        )
        rounds = range(1, CORRECTIONS + 1)
        found = [Sweep(WEIGH, tuple(weigh)), self._each(_factor(self._most), self._factored)]
        found.append(self._shared(_factor_shared(self._count), 0))
        for number in rounds:
            found += [
                self._each(_SOLVE, partial(self._solved, number)),
                self._shared(_solve_shared(self._count), number),
            ]
        rows = self._solutions.constraints.count
        written = (
            Visit(-1, None, {}, {"found": Access("loop_found", rounds.stop * rows + row, 1), "multiplier": own})
            for row, own in enumerate(Access(self._multipliers, row, 1) for row in range(rows))
        )
        return [*found, self._each(_finish(self._most), self._finished), Sweep(_WRITE, tuple(written), vector=True)]

    def _each(self, step: Step, bindings: Callable[[int, Group], dict[str, Binding]]) -> Sweep:
        visits = []
        for number, group in enumerate(self._groups.groups):
            numbers = {place: local for local, place in enumerate(group.places)}
            free = tuple(place in self._pivots for place in group.places)
            shared = tuple(numbers.get(place, -1) for place in self._groups.shared)
            variant = GroupVariant(tuple(map(tuple, group.whitened)), free, shared, bool(self._constants))
            own = factor_constants(self._solutions.constraints.tree.model, group.rows, self._solutions.free)
            constants = {**self._constants, **own} if step.kernel is factor_group else {}
            visits.append(Visit(group.body, variant, constants, bindings(number, group)))
        return Sweep(step, tuple(visits))

    def _factored(self, number: int, group: Group) -> dict[str, Binding]:
        found: dict[str, Binding] = {"whitened": self._whitened(group), **self._kept(number), **group.switch}
        found |= {name: Access(name, group.rows.start, len(group.rows)) for name in self._names}
        for local, place in enumerate(group.places):
            if place in self._pivots:
                found[f"weight{local}"] = Access("weights", place, 1)
                if place not in self._groups.shared:
                    found[f"joint_force_residual{local}"] = Access("joint_force_residual", place, 1)
        coupling = Access("shared_coupling", 0, self._count * (self._count + 1) // 2)
        return found | {"right": self._of_rows("loop_right", 0, group), "coupling": coupling, "sum": self._sums(0)}

    def _solved(self, number: int, at: int, group: Group) -> dict[str, Binding]:
        found = self._changed(number - 1, at, group)
        return found | {
            "whitened": self._whitened(group),
            "found": self._of_rows("loop_found", number, group),
            "next": self._of_rows("loop_right", number, group),
            "sum": self._sums(number),
        }

    def _finished(self, at: int, group: Group) -> dict[str, Binding]:
        found = self._changed(CORRECTIONS, at, group)
        found |= {"whitened": self._whitened(group), "found": self._of_rows("loop_found", CORRECTIONS + 1, group)}
        return found | {
            f"total{local}": self._totals[place]
            for local, place in enumerate(group.places)
            if place not in self._groups.shared
        }

    def _changed(self, number: int, at: int, group: Group) -> dict[str, Binding]:
        found = {"right": self._of_rows("loop_right", number, group), "update": self._of_shared("update", number)}
        return {**self._kept(at), **found, **({"before": self._of_rows("loop_found", number, group)} if number else {})}

    def _shared(self, step: Step, number: int) -> Sweep:
        bindings: dict[str, Binding] = {
            f"pivot{row}": self._pivots[place] for row, place in enumerate(self._groups.shared)
        }
        bindings |= {f"joint_force_residual{row}": self._totals[place] for row, place in enumerate(self._groups.shared)}
        bindings |= {"sum": self._sums(number), "update": self._of_shared("update", number)}
        bindings["factor"] = Access("shared_factor", 0, factor_size(self._count))
        if number:
            bindings |= {
                "before": self._of_shared("found" if number > 1 else "update", number - 1),
                "found": self._of_shared("found", number),
            }
        else:
            bindings["coupling"] = Access("shared_coupling", 0, self._count * (self._count + 1) // 2)
        last = number == CORRECTIONS
        if not last:
            bindings["left"] = self._sums(number + 1)
        else:
            del bindings["found"]
            bindings |= {f"total{row}": self._totals[place] for row, place in enumerate(self._groups.shared)}
        variant: object = SharedVariant(self._count, last) if number else self._count
        return Sweep(step, (Visit(-1, variant, {}, bindings),))

    def _whitened(self, group: Group) -> Access:
        places = [at for row in group.whitened for at in row.values()]
        return Access("whitened", places[0], len(places))

    def _kept(self, at: int) -> dict[str, Binding]:
        return {name[5:]: Access(name, starts[at], self._sizes[name][at]) for name, starts in self._starts.items()}

    def _of_rows(self, name: str, number: int, group: Group) -> Access:
        return Access(name, number * self._solutions.constraints.count + group.rows.start, len(group.rows))

    def _of_shared(self, name: str, number: int) -> Access:
        return Access(f"shared_{name}", number * self._count, self._count)

    def _sums(self, number: int) -> Access:
        return self._of_shared("sum", number)
