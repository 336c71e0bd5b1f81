"""Partial derivatives of time derivatives of forward and hybrid dynamics, with loops or without.

Along a path q(t), v(t) on which forces and accelerations g(t) are given, let w(t) be the accelerations of free rows F
and the forces of the others, found at each t by themselves. Lifted to time series, the derivatives of w give those of
w^(k) by moves of q, by v^(j) and by g^(j), as if all of these were free (``order_partials``):

    dw^(k) = Q_k dq + sum over j <= k of V_kj dv^(j) + G_kj dg^(j)

On a motion v^(j) is what was found at order j - 1 in the rows F, and what is given in the others, so that the
derivatives D_k of w^(k) by q, v or g^(i) follow order by order:

    D_k = (Q_k, V_k0 or G_ki) + sum over 0 < j <= k of (V_kj)_F (D_(j-1))_F

and those by an acceleration g^(i) that is given begin with its column of V_k(i+1). Multipliers are more rows of w. The
trajectory comes from the plan of time derivatives. Source: Griewank & Walther 2008, chapter 13, for series.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.dynamics.actuation.steps import COPY, copy_visit
from symdyn.dynamics.equations.implicit import Outputs, implicit_partials_plan
from symdyn.dynamics.equations.order_partials import Slopes, along_trajectory
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.mass_matrix.matrix_product import Block, MatrixField, product_sweeps
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.compose import kept_apart, outputs_as_state, wanted
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep

_MULTIPLIERS = "Lambda"


@dataclass(frozen=True, slots=True)
class Orders(MatrixField):
    """Matrices ``step`` apart, the first at ``start``; row or column i of number k counts as k ``gap`` + i."""

    start: int
    step: int
    gap: int

    def row(self, row: int, start: int, count: int) -> Access:
        """Part of a row of one of them."""
        number, column = divmod(start, self.gap)
        return Access(self.field, self.start + number * self.step + row * self.columns + column, count)

    def column(self, column: int, start: int, count: int) -> Access:
        """Part of a column of one of them."""
        number, row = divmod(start, self.gap)
        first = self.start + number * self.step + row * self.columns + column
        return Access(self.field, first, count, self.columns)


@dataclass(frozen=True, slots=True)
class _By:
    """What is differentiated by: its name, columns, orders; columns that are accelerations, and if they count alone."""

    name: str
    columns: int
    orders: int = 1
    bound: Sequence[int] = ()
    alone: bool = False


def solution_order_partials_plan(
    problem: Problem, name: str, solved: Plan, found: str, given: Sequence[str], order: int
) -> Plan:
    """The plan of d<found>_dx, (r + 1, .., nv, nx), and with loops dLambda_dx, (r + 1, .., m, nx).

    x are moves of q, v, and what is ``given`` with its derivatives, for which the second axis is (r + 1).

    Parameters
    ----------
    problem
        The equations.
    name
        Of the function.
    solved
        The plan of their solution with its time derivatives: outputs ``found``, (r + 1, nv), and Lambda, (r + 1, m).
    found
        Name of the solution.
    given
        Name of the input that holds forces and accelerations, (r + 1, nv); with actuators' inputs those of u,
        (r + 1, na), and of the accelerations of prescribed rows, (r + 1, nv), if there are some.
    order
        r.

    Raises
    ------
    ModelError
        A joint's friction jumps at rest, or a load is not smooth enough where it begins.
    """
    model, nv, count = problem.model, problem.model.nv, order + 1
    bound = [row for row in range(nv) if row not in problem.free]
    width = len(model.actuator_inputs) if problem.actuated else nv
    sizes = {found: nv, **({_MULTIPLIERS: problem.rows} if problem.rows else {})}
    solution, motion = {of: f"{of}_orders" for of in sizes}, "V_orders"
    exerted = {of: name for of, name in solution.items() if of == _MULTIPLIERS}
    path = _along_path(problem, name, sizes, bound, width, order)
    outputs = {field.name: f"path_{field.name}" for field in path.fields_of(FieldKind.OUTPUT)}
    parts = [
        kept_apart(solved.fields, solved.sweeps, "solved", (), solution),
        kept_apart(path.fields, path.sweeps, "path", (), {**outputs, **exerted, "V": motion}),
    ]
    followed = [(Access("v", row, 1), Access(motion, row, 1)) for row in range(nv)]
    followed += [
        (Access(given[-1] if row in bound else solution[found], place, 1), Access(motion, nv + place, 1))
        for place, row in enumerate([*range(nv)] * count)
    ]
    by = [_By("q", nv), _By("v", nv), _By(given[0], width, count, () if problem.actuated else bound)]
    if problem.actuated and bound:
        by.append(_By(given[1], nv, count, bound, True))
    states = [
        Field(motion, FieldKind.STATE, (count + 1) * nv),
        *(Field(solution[of], FieldKind.STATE, count * rows) for of, rows in sizes.items()),
        *(Field(outputs[x.name], FieldKind.STATE, x.size, sparse=True) for x in path.fields_of(FieldKind.OUTPUT)),
    ]
    derivatives = [
        Field(f"d{of}_d{own.name}", FieldKind.OUTPUT, count * own.orders * rows * own.columns)
        for of, rows in sizes.items()
        for own in by
    ]
    sweeps = [*parts[0][1], Sweep(COPY, tuple(copy_visit(*places) for places in followed)), *parts[1][1]]
    for own in by:
        sweeps += _followed(own, sizes, found, sorted(problem.free), nv, order)
    fields = {
        own.name: own for own in (Field("v", FieldKind.INPUT, nv), *parts[0][0], *parts[1][0], *states, *derivatives)
    }
    return wanted(Plan(name, tuple(fields.values()), tuple(sweeps), solved.bodies, solved.parent, order))


def _along_path(
    problem: Problem, name: str, sizes: Mapping[str, int], bound: Sequence[int], width: int, order: int
) -> Plan:
    """The plan of Q, V and G of all that is found, ``sizes``, on a path whose accelerations and multipliers are given.

    ``bound`` are rows whose acceleration is given, and ``width`` tells how many forces or inputs are.
    """
    nv, tree = problem.model.nv, TreePlan(problem.model, problem.external, derivatives=order + 3)
    names = [{x: f"{of}_by_{x}" for x in "qvua"} for of in sizes]
    plain = wanted(implicit_partials_plan(problem, name, Outputs(*names), tree, at_solution=True))
    fields = outputs_as_state(plain.fields)
    copies = []
    for own, rows in zip(names, sizes.values(), strict=True) if bound and not problem.actuated else ():
        fields.append(Field(own["a"], FieldKind.STATE, nv, rows, sparse=True))
        places = [row * nv + column for row in range(rows) for column in bound]
        copies += [copy_visit(Access(own["u"], at, 1), Access(own["a"], at, 1)) for at in places]
    sweeps = [*plain.sweeps, *([Sweep(COPY, tuple(copies))] if copies else [])]
    slopes = [
        Slopes(of, rows, own["q"], own["v"], own["a"] if bound else "", own["u"], width)
        for own, (of, rows) in zip(names, sizes.items(), strict=True)
    ]
    beside = {"lambda": (_MULTIPLIERS, problem.rows), "u": ("U", width)}
    read = {field.name for field in plain.fields_of(FieldKind.INPUT)}
    plain = replace(plain, fields=tuple(fields), sweeps=tuple(sweeps))
    return along_trajectory(tree, plain, slopes, order, {x: at for x, at in beside.items() if x in read})


def _followed(
    by: _By, sizes: Mapping[str, int], found: str, free: Sequence[int], nv: int, order: int
) -> Iterator[Sweep]:
    """Sweeps of the derivatives by one input, order by order."""
    count, width, gap = order + 1, by.columns, nv + 1  # of two orders no rows follow each other
    forces = [] if by.alone else [column for column in range(width) if column not in by.bound]
    for k in range(count):
        for of, rows in sizes.items():
            size, first = rows * nv, k * (count + 1)
            rates = f"path_d{of}_dV"
            left = Orders(rates, nv, (first + 1) * size, size, gap)
            for j in range(min(k + 1, by.orders)):
                out = Block(f"d{of}_d{by.name}", width, (k * by.orders + j) * rows * width)
                right = Orders(f"d{found}_d{by.name}", width, j * nv * width, by.orders * nv * width, gap)
                begun = Block(f"path_d{of}_dG", width, (k * count + j) * rows * width)
                if by.orders == 1 and by.name in "qv":
                    begun = Block(*((f"path_d{of}_dq", nv, k * size) if by.name == "q" else (rates, nv, first * size)))
                inner = [number * gap + row for number in range(j, k) for row in free]
                for columns, plus in ((forces, begun), (by.bound, Block(rates, nv, (first + j + 1) * size))):
                    yield from product_sweeps(left, right, out, range(rows), dict.fromkeys(columns, inner), plus)
