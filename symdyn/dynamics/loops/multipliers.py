"""Constraint forces lambda of robots with loops, from given forces and prescribed accelerations.

With the rows h_i of the whitened Jacobian (``whitened_jacobian``), the joint force residuals d of the solution without
loops, and D the pivots of the factor of M,

    S_ij = sum_k h_ik D_k h_jk = (A M^-1 A^T)_ij,    A a_free = -sum_k h_ik D_k d_k
    S lambda = -(A a_free + e'' + 2 e' / T + e / T^2),    d <- d - sum_i h_i lambda_i

over free rows k, so that one outward sweep gives accelerations (Kim 2012, eqs. 67 to 69 and 74 to 80).

Drives lie between both halves of a solution, all of them side by side; multipliers change their forces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Vector, dot
from symdyn.dynamics.loops.constraint_activation import ACTIVE, Switches, all_switches, switches_of, with_ones
from symdyn.dynamics.loops.proximal import Factor, Guard, solve_proximal
from symdyn.dynamics.loops.vanishing import factor_constants
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Port, Step, Sweep, Visit


def _add(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"total": list(reads["update"])}


_ADD = Step("add_change", _add, (Port("update", Mode.READ), Port("total", Mode.ADD)))
_TAKE = Step("take_drive", _add, (Port("update", Mode.READ), Port("total", Mode.WRITE)))


def gathering(solutions: WhitenedJacobian) -> Sweep:
    """The sweep that takes the drives of tips that are eliminated in blocks to where all others are."""
    elimination = solutions.elimination
    visits = (
        Visit(
            -1,
            None,
            {},
            {
                "update": elimination.joint_force_residual(place, row),
                "total": Access("joint_force_residual", place.joint_force_residual + row, 1),
            },
        )
        for place in elimination.places
        if place.in_blocks and place.responds
        for row in range(len(place.rows))
    )
    return Sweep(_TAKE, tuple(visits), vector=True)


def correcting(solutions: WhitenedJacobian, found: str) -> Sweep:
    """The sweep that adds ``drive_change`` to the drives, and to forces before which nothing is free."""
    totals = solutions.drives(found)
    added = tuple(
        Visit(-1, None, {}, {"update": Access("drive_change", row, 1), "total": totals[row]})
        for row in touched_rows(solutions)
    )
    return Sweep(_ADD, added, vector=True)


def touched_rows(solutions: WhitenedJacobian) -> list[int]:
    """Rows of the solution that some loop moves."""
    return sorted({row for half in solutions.whitened for row in half.places})


@dataclass(frozen=True, slots=True)
class MultiplierVariant:
    """What is structural: per row of the loops its rows of the solution and their places in ``whitened``.

    ``free`` tells which rows of the solution are free, ``stabilised`` that errors and their rates count, and
    ``switches`` which loops hold or not.
    """

    whitened: tuple[tuple[tuple[int, int], ...], ...]
    free: tuple[bool, ...]
    stabilised: bool
    switches: Switches = ()


def weigh_pivot(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per free row: D, of which the factor keeps -1/D."""
    return {"weight": [-1.0 / reads["pivot"][0]]}


def constraint_forces(
    variant: MultiplierVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Step: the multipliers, and what they change of the drives."""
    whitened, weighed, matrix = delassus_of(variant, reads)
    matrix = with_ones(algebra, reads, variant.switches, matrix)
    drives = dict(enumerate(reads["drives"]))
    right = [x + _product(own, drives) for x, own in zip(_wanted(variant, constants, reads), weighed, strict=True)]
    found = solve_proximal(matrix, Guard(algebra, constants), right)
    return {"lambda": found, "update": _changes(whitened, found, len(drives))}


def solve_multipliers(variant: MultiplierVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: as :func:`find_multipliers`, with the factor that :func:`factor_delassus` left."""
    weights, drives, whitened = reads.get("weights", ()), reads["drives"], _whitened(variant, reads)
    touched = sorted({row for half in whitened for row in half if variant.free[row]})
    scaled = {row: weights[row] * drives[row] for row in touched}
    right = [x + _product(own, scaled) for x, own in zip(_wanted(variant, constants, reads), whitened, strict=True)]
    found = Factor.loaded(reads["factor"], len(whitened)).solved_proximal(right)
    return {"lambda": found, "update": _changes(whitened, found, len(drives))}


def factor_delassus(
    variant: MultiplierVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Step: the factor of S."""
    matrix = with_ones(algebra, reads, variant.switches, delassus_of(variant, reads)[2])
    return {"factor": Factor.of(matrix, Guard(algebra, constants)).scalars()}


def _wanted(variant: MultiplierVariant, constants: Mapping[str, Scalar], reads: Reads) -> list[Scalar]:
    """How each error is to accelerate by what is looked for."""
    found: list[Scalar] = []
    for row in range(len(variant.whitened)):
        desired = -reads["acceleration"][row]
        if variant.stabilised:
            desired = desired - constants["rate"] * reads["rate"][row] - constants["stiffness"] * reads["error"][row]
        found.append(desired)
    return found


def _changes(whitened: list[dict[int, Scalar]], multipliers: Vector, count: int) -> list[Scalar]:
    """What multipliers change of the drives."""
    found: list[Scalar] = [0.0] * count
    for half, multiplier in zip(whitened, multipliers, strict=True):
        for row, x in half.items():
            found[row] = found[row] - x * multiplier
    return found


def delassus_of(
    variant: MultiplierVariant, reads: Reads
) -> tuple[list[dict[int, Scalar]], list[dict[int, Scalar]], list[list[Scalar]]]:
    """Half-solutions by rows of the solution, the same times D, and the lower triangle of S."""
    weights, whitened = reads.get("weights", ()), _whitened(variant, reads)
    weighed = [{row: weights[row] * x for row, x in half.items() if variant.free[row]} for half in whitened]
    matrix = [[_product(own, whitened[other]) for other in range(row + 1)] for row, own in enumerate(weighed)]
    return whitened, weighed, matrix


def _whitened(variant: MultiplierVariant, reads: Reads) -> list[dict[int, Scalar]]:
    return [{row: reads["whitened"][place] for row, place in half} for half in variant.whitened]


def _product(weighed: Mapping[int, Scalar], other: Mapping[int, Scalar]) -> Scalar:
    shared = [row for row in weighed if row in other]
    return dot([weighed[row] for row in shared], [other[row] for row in shared]) if shared else 0.0


WEIGH = Step("weigh_pivot", weigh_pivot, (Port("pivot", Mode.READ), Port("weight", Mode.WRITE)))
_FIND = Step(
    "constraint_forces",
    constraint_forces,
    (
        *(Port(name, Mode.READ) for name in ("whitened", "weights", "drives", "acceleration", "rate", "error", ACTIVE)),
        Port("lambda", Mode.WRITE),
        Port("update", Mode.WRITE),
    ),
)
_FACTOR = Step(
    "factor_delassus",
    factor_delassus,
    (*(Port(name, Mode.READ) for name in ("whitened", "weights", ACTIVE)), Port("factor", Mode.WRITE)),
)
_SOLVE = Step("solve_multipliers", solve_multipliers, (Port("factor", Mode.READ), *_FIND.ports))


def multiplier_sweeps(
    solutions: WhitenedJacobian, multipliers: str, found: str, stabilisation: float | None
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that find the multipliers and correct the drives, between both halves of the solution.

    Parameters
    ----------
    solutions
        The half-solutions.
    multipliers
        Field of what is found, one per row of the loops.
    found
        Field (nv,) of forces of prescribed rows before which nothing is free.
    stabilisation
        The time T [s] in which errors vanish; None leaves them.

    Returns
    -------
    State fields, and the sweeps, which read ``joint_force_residual``, ``acceleration`` and, stabilised, ``rate`` and
    ``error``.
    """
    bindings, constants = _bindings(solutions, multipliers, stabilisation)
    weigh, find = finding_sweeps(solutions, _FIND, bindings, constants)
    sweeps = (weigh, gathering(solutions), find, correcting(solutions, found))
    return _fields(solutions), [sweep for sweep in sweeps if sweep.visits]


def impulse_sweeps(
    solutions: WhitenedJacobian, closing: str, impulses: str, found: str
) -> tuple[list[Field], list[Sweep]]:
    """State fields, and sweeps that find impulses which take rates off, and the drives of what they do to velocities.

    ``closing`` is the field of these rates; no other drives there are.
    """
    rows, count = solutions.constraints.count, solutions.constraints.tree.model.nv
    bindings: dict[str, Binding] = {"acceleration": Access(closing, 0, rows), "drives": Given((0.0,) * count)}
    bindings |= {"lambda": Access(impulses, 0, rows), "update": Access("drive_change", 0, count)}
    sweeps = (*finding_sweeps(solutions, _FIND, bindings, {}), correcting(solutions, found))
    return _fields(solutions), [sweep for sweep in sweeps if sweep.visits]


def ordered_sweeps(
    solutions: WhitenedJacobian, multipliers: str, found: str, stabilisation: float | None
) -> tuple[list[Field], list[Sweep], list[Sweep]]:
    """The sweeps of :func:`multiplier_sweeps` in two parts: those that run once, and those per right-hand side.

    Returns state fields, the sweeps that factor S, and the sweeps that solve with the factor.
    """
    count = solutions.constraints.count
    bindings, constants = _bindings(solutions, multipliers, stabilisation)
    size = count * (count - 1) // 2 + 2 * count
    factor: dict[str, Binding] = {"factor": Access("delassus_factor", 0, size)}
    once = finding_sweeps(solutions, _FACTOR, factor, {})
    _, solve = finding_sweeps(solutions, _SOLVE, bindings | factor, constants)
    fields = [*_fields(solutions), Field("delassus_factor", FieldKind.STATE, size)]
    each = (gathering(solutions), solve, correcting(solutions, found))
    return fields, [sweep for sweep in once if sweep.visits], [sweep for sweep in each if sweep.visits]


def _bindings(
    solutions: WhitenedJacobian, multipliers: str, stabilisation: float | None
) -> tuple[dict[str, Binding], dict[str, float]]:
    """What a step that finds multipliers reads and writes besides half-solutions, and its constants."""
    rows, count = solutions.constraints.count, solutions.constraints.tree.model.nv
    names = ("acceleration", *(("rate", "error") if stabilisation is not None else ()))
    bindings: dict[str, Binding] = {name: Access(name, 0, rows) for name in names}
    bindings |= {"drives": Access("joint_force_residual", 0, count), "lambda": Access(multipliers, 0, rows)}
    bindings["update"] = Access("drive_change", 0, count)
    return bindings, {} if stabilisation is None else {"rate": 2.0 / stabilisation, "stiffness": stabilisation**-2}


def _fields(solutions: WhitenedJacobian) -> list[Field]:
    count = solutions.constraints.tree.model.nv
    return [Field(name, FieldKind.STATE, count, sparse=True) for name in ("weights", "drive_change")]


def finding_sweeps(
    solutions: WhitenedJacobian, step: Step, bindings: Mapping[str, Binding], constants: Mapping[str, float]
) -> tuple[Sweep, Sweep]:
    """The sweep that fills ``weights`` from the factor, and a step that takes these and the half-solutions."""
    elimination, count = solutions.elimination, solutions.constraints.tree.model.nv
    pivots = {
        place.joint_force_residual + number: elimination.pivot(place, number)
        for place in elimination.places
        for number, free in enumerate(place.free)
        if free
    }
    weights = tuple(
        Visit(-1, None, {}, {"pivot": pivots[row], "weight": Access("weights", row, 1)})
        for row in touched_rows(solutions)
        if row in pivots
    )
    whitened = tuple(tuple(half.places.items()) for half in solutions.whitened)
    model = solutions.constraints.tree.model
    free = tuple(row in pivots for row in range(count))
    variant = MultiplierVariant(whitened, free, bool(constants), switches_of(model))
    if step is not _SOLVE:  # those that make the factor
        constants = {**constants, **factor_constants(model, range(len(whitened)), solutions.free)}
    given: dict[str, Binding] = {"whitened": Access("whitened", 0, max(solutions.size, 1)), **all_switches(model)}
    given |= {"weights": Access("weights", 0, count)} if weights else {}
    return Sweep(WEIGH, weights, vector=True), Sweep(step, (Visit(-1, variant, constants, {**given, **bindings}),))
