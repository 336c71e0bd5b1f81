"""Rivals through CasADi: a graph of order 0 that CasADi differentiates, or the paper's recursion as a graph.

The derivative by time of a graph is its directional derivative along the motion: q' = N(q) v, and each row of v, of the
accelerations or of the forces moves by the next one. In forward dynamics v moves by the accelerations themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from symdyn.analysis.compare.measurement import Code, casadi_code
from symdyn.analysis.compare.motion import coordinate_derivatives
from symdyn.analysis.compare.plain_articulated_body import plain_forward_dynamics
from symdyn.analysis.compare.plain_mass_matrix import (
    plain_mass_matrix,
    plain_mass_matrix_inverse,
    solved_forward_dynamics,
)
from symdyn.analysis.compare.plain_newton_euler import plain_inverse_dynamics
from symdyn.analysis.compare.task import DYNAMICS, MATRICES, Kind, Task
from symdyn.errors import RequestError
from symdyn.functions.catalogue import requests
from symdyn.interface.options import RequestOptions
from symdyn.model.model import Model
from symdyn.plan.run import run_plan

if TYPE_CHECKING:
    from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra

_NAME = "rival"

Recursion = Callable[..., Iterable[Any]]
"""``recursion(model, algebra, q, v, u)``: forces where u are accelerations, accelerations where u are forces; of
matrices ``recursion(model, algebra, q)`` has the rows one after another."""

_PLAIN: dict[str, Recursion] = {
    DYNAMICS[0]: plain_inverse_dynamics,
    DYNAMICS[1]: plain_forward_dynamics,
    MATRICES[0]: lambda *given: chain(*plain_mass_matrix(*given)),
    MATRICES[1]: lambda *given: chain(*plain_mass_matrix_inverse(*given)),
}


@dataclass(frozen=True, slots=True)
class Graph:
    """Symbols and what is computed of them: q (nq), rows of nv, and the outputs of order 0."""

    algebra: CasadiAlgebra
    q: Sequence[Any]
    rows: Sequence[Sequence[Any]]
    outputs: Sequence[Any]

    @property
    def symbols(self) -> list[Any]:
        """All inputs in the order of a task's states."""
        return [*self.q, *(symbol for row in self.rows for symbol in row)]


def plain_graph(task: Task) -> Graph:
    """Featherstone's recursion of order 0 in body frames."""
    return _graph(task, _PLAIN[task.subject.dynamics])


def solved_graph(task: Task) -> Graph:
    """Accelerations from M a = tau - bias, with the sparse L^T D L of M: for short trees the fewest operations."""
    return _graph(task, solved_forward_dynamics)


def spatial_graph(task: Task) -> Graph:
    """The paper's recursion of order 0 in the spatial frame."""
    return _graph(task, lambda _, algebra, q, v, u: _spatial_outputs(task, 0, algebra, [*q, *v, *u]))


def recursion_graph(task: Task) -> Graph:
    """The paper's recursion of all orders in the spatial frame: its outputs hold the derivatives already."""
    from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra

    algebra = CasadiAlgebra()
    q, rows = _symbols(task, algebra)
    flat = [*q, *(symbol for row in rows for symbol in row)]
    return Graph(algebra, q, rows, _spatial_outputs(task, task.order, algebra, flat))


def graph_code(task: Task, graph: Graph, share: bool) -> Code:
    """CasADi's C of a graph's outputs as they are."""
    return scalars_code(graph, graph.outputs, share)


def differentiated_code(task: Task, graph: Graph, share: bool) -> Code:
    """CasADi's C of a graph and of its time derivatives; with ``share``, ``casadi.cse`` after every order."""
    return scalars_code(graph, differentiated(task, graph, share), share)


def differentiated(task: Task, graph: Graph, share: bool) -> list[Any]:
    """The outputs of a graph and their time derivatives to the order of a task, by CasADi."""
    from symdyn.algebra.scalars.casadi_sx import casadi_time_derivatives

    v = graph.rows[0]
    rates = coordinate_derivatives(task.robot.model, graph.algebra, graph.q, [v])[1]
    if task.subject.dynamics == DYNAMICS[0]:
        rates += [symbol for _, following in pairwise(graph.rows) for symbol in following]
    else:
        rates += graph.outputs
        rates += [symbol for _, following in pairwise(graph.rows[1:]) for symbol in following]
    rates += [0.0] * len(v)  # of the last row, which only the highest order reads
    return casadi_time_derivatives(graph.outputs, graph.symbols, rates, task.order, share)


def jacobian_code(task: Task, graph: Graph) -> Code:
    """CasADi's C of a graph's Jacobians, with ``casadi.cse``."""
    blocks = jacobians(task.robot.model, graph, task.subject.dynamics)
    return scalars_code(graph, [entry for block in blocks for entry in block], share=True)


def jacobians(model: Model, graph: Graph, dynamics: str) -> list[list[Any]]:
    """A graph's Jacobians by q, along body-frame perturbations, and by its two rows: (nv, nv) each, row-major.

    CasADi goes backwards through a graph with more inputs than outputs. That takes a fifth fewer instructions for
    inverse dynamics, and up to twice as many for forward dynamics, which is differentiated by each input apart.
    """
    from symdyn.algebra.scalars.casadi_sx import casadi_jacobian

    nv = model.nv
    directions = [[*row, *[0.0] * (2 * nv)] for row in moves(model, graph)]
    directions += [[1.0 if column == nv + row else 0.0 for column in range(3 * nv)] for row in range(2 * nv)]
    if dynamics == DYNAMICS[1]:
        nq = len(graph.q)
        inputs = (graph.q, *graph.rows)
        own = (directions[:nq], directions[nq : nq + nv], directions[nq + nv :])
        return [
            casadi_jacobian(graph.outputs, symbols, [row[nv * block : nv * (block + 1)] for row in rows])
            for block, (symbols, rows) in enumerate(zip(inputs, own, strict=True))
        ]
    entries = casadi_jacobian(graph.outputs, graph.symbols, directions)
    starts = [[3 * nv * row + nv * block for row in range(nv)] for block in range(3)]
    return [[entry for start in rows for entry in entries[start : start + nv]] for rows in starts]


def moves(model: Model, graph: Graph) -> list[list[Any]]:
    """How each of the nq rows of q changes along body-frame perturbations, (nq, nv)."""
    found: list[list[Any]] = []
    for joint in model.independent_joints:
        own = graph.q[joint.q_index : joint.q_index + len(joint.coordinates.q)]
        for row in joint.kind.rates(graph.algebra, own):
            found.append([0.0] * joint.v_index + row + [0.0] * (model.nv - joint.v_index - len(row)))
    return found


def weighted_code(task: Task) -> Code:
    """CasADi's C of the gradient or the Hessian of weighted results, (q, v, u, weights) to its blocks, row-major.

    Raises
    ------
    RequestError
        A velocity of the robot is not the rate of a coordinate, so that CasADi's derivatives by q are not ours.
    """
    for joint in task.robot.model.independent_joints:
        if len(joint.coordinates.v) > 1:
            raise RequestError(f"joint '{joint.joint}': its velocities are not the rates of its coordinates")
    return by_coordinates_code(task)


def by_coordinates_code(task: Task) -> Code:
    """The same by the coordinates themselves: of a free base as much code, but other derivatives than ours."""
    from symdyn.algebra.scalars.casadi_sx import casadi_weighted_derivatives

    graph = plain_graph(task) if task.subject.dynamics == DYNAMICS[0] else solved_graph(task)
    inputs, weights = [*graph.q, *graph.rows[0], *graph.rows[1]], graph.rows[2]
    if task.subject.kind is Kind.ADJOINT:
        (row,) = casadi_weighted_derivatives(graph.outputs, weights, inputs, 1)
        return scalars_code(graph, row, share=True)
    whole = casadi_weighted_derivatives(graph.outputs, weights, inputs, 2)
    nq, nv = task.robot.nq, task.robot.nv
    of_q, of_v, of_u = slice(0, nq), slice(nq, nq + nv), slice(nq + nv, nq + 2 * nv)
    blocks = ((of_q, of_q), (of_q, of_v), (of_v, of_v), (of_q, of_u))
    return scalars_code(graph, [x for rows, columns in blocks for row in whole[rows] for x in row[columns]], share=True)


def rate_partials_code(task: Task) -> Code:
    """CasADi's C of the Jacobian of time derivatives, laid out as ours: by moves of q, then by the rows of V."""
    from symdyn.algebra.scalars.casadi_sx import casadi_jacobian

    graph, nv = plain_graph(task), task.robot.nv
    width = nv * (1 + task.rows)
    directions = [[*row, *[0.0] * (width - nv)] for row in moves(task.robot.model, graph)]
    directions += [[float(column == nv + row) for column in range(width)] for row in range(width - nv)]
    entries = casadi_jacobian(differentiated(task, graph, share=True), graph.symbols, directions)
    whole = [entries[at : at + width] for at in range(0, len(entries), width)]
    orders = [whole[k * nv : (k + 1) * nv] for k in range(task.order + 1)]
    found = [x for rows in orders for row in rows for x in row[:nv]]
    found += [x for rows in orders for at in range(nv, width, nv) for row in rows for x in row[at : at + nv]]
    return scalars_code(graph, found, share=True)


def _symbols(task: Task, algebra: CasadiAlgebra) -> tuple[list[Any], list[list[Any]]]:
    rows = [algebra.symbols(f"row{row}", task.robot.nv) for row in range(task.rows)]
    return algebra.symbols("q", task.robot.nq), rows


def _graph(task: Task, recursion: Recursion) -> Graph:
    from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra

    algebra = CasadiAlgebra()
    q, rows = _symbols(task, algebra)
    return Graph(algebra, q, rows, list(recursion(task.robot.model, algebra, q, *rows[:2])))


def _spatial_outputs(task: Task, order: int, algebra: CasadiAlgebra, flat: Sequence[Any]) -> list[Any]:
    asked: RequestOptions = {"order": order, "formulation": "spatial"}
    function = task.subject.dynamics + Kind.TIME.value
    ((entry, request),) = requests(task.robot.model, [function], **asked)
    signature, inputs, start = entry.signature(task.robot.model, request), {}, 0
    for argument in signature.inputs:
        inputs[argument.name] = flat[start : start + argument.size]
        start += argument.size
    (output,) = signature.outputs
    return run_plan(entry.plan(task.robot.model, request), algebra, inputs)[output.name]


def scalars_code(graph: Graph, outputs: Sequence[Any], share: bool) -> Code:
    """CasADi's C of scalars made of a graph, as one output."""
    from symdyn.algebra.scalars.casadi_sx import casadi_c_source, casadi_function

    inputs = [list(graph.q), *(list(row) for row in graph.rows)]
    names = [f"in{place}" for place in range(len(inputs))]
    function = casadi_function(_NAME, names, inputs, ["out"], [(outputs, (len(outputs),))], share)
    return casadi_code(casadi_c_source(function), _NAME, [len(part) for part in inputs], len(outputs))
