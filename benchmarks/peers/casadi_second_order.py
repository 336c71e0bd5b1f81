"""The rivals of second-order functions: CasADi's derivatives of plainly written recursions, with cse.

For robots whose velocities are the rates of their coordinates, so that CasADi's derivatives by q are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra, casadi_c_source
from symdyn.analysis.compare.casadi_rivals import Graph, differentiated
from symdyn.analysis.compare.casadi_rivals import plain_graph as plain_graph_of
from symdyn.analysis.compare.measurement import Code, casadi_code
from symdyn.analysis.compare.plain_mass_matrix import solved_forward_dynamics
from symdyn.analysis.compare.plain_newton_euler import plain_inverse_dynamics
from symdyn.analysis.compare.task import Task
from symdyn.robot.robot import Robot

_NAME = "rival"


def weighted_rival(robot: Robot, function: str) -> Code:
    """CasADi's C of a weighted gradient or Hessian, (q, v, a or tau, lambda) to its blocks, row-major."""
    algebra = CasadiAlgebra()
    q, v, u = algebra.symbols("q", robot.nq), algebra.symbols("v", robot.nv), algebra.symbols("u", robot.nv)
    weights = casadi.SX.sym("weights", robot.nv)
    ways: dict[str, Callable[..., Sequence[Any]]] = {
        "inverse_dynamics": plain_inverse_dynamics,
        "forward_dynamics": solved_forward_dynamics,
    }
    recursion = ways[function.removesuffix("_adjoint").removesuffix("_weighted_hessian")]
    values = casadi.cse(casadi.vertcat(*recursion(robot.model, algebra, q, v, u)))
    columns = [casadi.vertcat(*rows) for rows in (q, v, u)]
    total, count = casadi.cse(casadi.dot(weights, values)), robot.nv
    if function.endswith("_adjoint"):
        found = [casadi.gradient(total, column) for column in columns]
    else:
        whole, _ = casadi.hessian(total, casadi.vertcat(*columns))
        starts = ((0, 0), (0, 1), (1, 1), (0, 2))
        blocks = [whole[i * count : (i + 1) * count, j * count : (j + 1) * count] for i, j in starts]
        found = [casadi.vec(casadi.densify(block).T) for block in blocks]
    return _code([*columns, weights], casadi.densify(casadi.vertcat(*found)))


def rate_partials_rival(task: Task) -> Code:
    """CasADi's C of the Jacobian of the jtimes chain, laid out as ours: by moves of q, then by the rows of V."""
    graph, count = plain_graph_of(task), task.robot.nv
    outputs = casadi.vertcat(*differentiated(task, graph, share=True))
    q, rows = casadi.vertcat(*graph.q), [casadi.vertcat(*row) for row in graph.rows]
    whole = casadi.densify(casadi.jacobian(outputs, casadi.vertcat(q, *rows)))
    moves = casadi.sparsify(casadi.SX(_moves(task, graph)))
    orders, width = range(task.order + 1), len(graph.q)
    by_q = [whole[k * count : (k + 1) * count, :width] @ moves for k in orders]
    starts = [width + j * count for j in range(len(rows))]
    by_v = [whole[k * count : (k + 1) * count, start : start + count] for k in orders for start in starts]
    return _code([q, *rows], casadi.vertcat(*(casadi.vec(casadi.densify(block).T) for block in (*by_q, *by_v))))


def _moves(task: Task, graph: Graph) -> Any:
    """How q changes along moves, (nq, nv)."""
    found = casadi.SX.zeros(task.robot.nq, task.robot.nv)
    for joint in task.robot.model.independent_joints:
        rates = joint.kind.rates(graph.algebra, graph.q[joint.q_rows])
        for row, entries in enumerate(rates):
            for column, entry in enumerate(entries):
                found[joint.q_rows.start + row, joint.v_rows.start + column] = entry
    return found


def _code(inputs: Sequence[Any], output: Any) -> Code:
    function = casadi.Function(_NAME, list(inputs), [output], {"cse": True})
    return casadi_code(casadi_c_source(function), _NAME, [own.shape[0] for own in inputs], output.shape[0])
