"""The gradient of weighted joint forces: the recursion walked back once, for any robot.

    g_x = d(lambda^T ID(q, v, a))/dx,   x one of q, v, a

The cost is O(n). Moves of q are along rows of v, as for partial derivatives: with q' = N(q) along
them, the gradient by coordinates becomes N(q)^T of it. The gradient by a is M lambda.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.partials.inverse_dynamics import refuse_jumps
from symdyn.dynamics.tree.bindings import Reads, Writes, declared_by, read, step, write
from symdyn.dynamics.tree.places import Place, Q, rows
from symdyn.dynamics.tree.rod_moments_apart import moments_apart
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.derivatives import WEIGHTS
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.compose import begun_alike, wanted
from symdyn.plan.plan import Field, FieldKind, Plan
from symdyn.plan.transforms.adjoint import adjoint_sweeps

GRADIENTS = {"q": "g_q", "v": "g_v", "a": "g_a"}
_BY_COORDINATES = "owed_by_q"


def onto_moves(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: the gradient by moves, from that by coordinates."""
    by_q = reads["by_q"]
    if kind.commutes:
        return {"by_moves": by_q}
    found = []
    for column in zip(*kind.rates(algebra, reads["q"]), strict=True):
        total: Scalar = 0.0
        for entry, adjoint in zip(column, by_q, strict=True):
            total = total + entry * adjoint
        found.append(total)
    return {"by_moves": found}


_ONTO_MOVES = step(
    onto_moves,
    variant=lambda tree, body: tree.joint(body).kind,
    q=read(Q, when=lambda kind: not kind.commutes),
    by_q=read(
        Place(
            _BY_COORDINATES,
            lambda tree, body, field: tree.q(body, field),
            lambda tree, field: Field(field, FieldKind.STATE, tree.model.nq, sparse=True),
        )
    ),
    by_moves=write(rows(GRADIENTS["q"], FieldKind.OUTPUT)),
)


def inverse_dynamics_adjoint_plan(
    model: Model, external: str = "", derivatives: int = 3, others: Sequence[str] = ()
) -> Plan:
    """The plan of g_q, g_v and g_a, (nv,) each, from q, v, a and the weights lambda, (nv,).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext, whose components are held fixed: body, world, or empty.
    derivatives
        How often poses of rods may be differentiated without a loss of digits.
    others
        More inputs x by which there are gradients, ``g_<x>``: p, the run-time parameters.

    Raises
    ------
    ModelError
        A joint whose friction jumps with the sign of its velocity.
    """
    tree = TreePlan(model, external, kept=True, derivatives=derivatives)
    needed = inverse_dynamics_plan(model, external, tree)
    return gradient_plan("inverse_dynamics_adjoint", tree, needed, others=others)


def gradient_plan(
    name: str,
    tree: TreePlan,
    needed: Plan,
    weights: Mapping[str, str] = MappingProxyType({"tau": WEIGHTS}),
    others: Sequence[str] = (),
) -> Plan:
    """The plan of g_q, g_v, g_a, and of gradients by other inputs, of a weighted sum.

    Parameters
    ----------
    name
        Of the function.
    tree
        That of ``needed``, with what it keeps.
    needed
        The plan of q, v, a, .. -> what a motion needs, or of some of these.
    weights
        Fields of weights, by the outputs of ``needed`` that count.
    others
        More inputs x by which there are gradients, ``g_<x>``.

    Raises
    ------
    ModelError
        A joint whose friction jumps with the sign of its velocity.
    """
    refuse_jumps(tree)
    model = tree.model
    recursion = moments_apart(tree.rods, needed)
    given = {field.name for field in needed.fields_of(FieldKind.INPUT)}
    outputs = {by: name for by, name in GRADIENTS.items() if by in given} | {other: f"g_{other}" for other in others}
    fields, sweeps = adjoint_sweeps(recursion, weights, {**outputs, "q": _BY_COORDINATES})
    onto = _ONTO_MOVES.over(tree, model.owners)
    inputs = {by: model.nq if by == "q" else model.nv for by in GRADIENTS if by in given}
    inputs |= {field: recursion.field(output).size for output, field in weights.items()}
    sizes = {by: model.nv if by == "q" else recursion.field(by).size for by in outputs}
    declared = [
        *(Field(name, FieldKind.INPUT, size) for name, size in inputs.items()),
        *(field for field in recursion.fields if field.kind is FieldKind.INPUT and field.name not in inputs),
        *(Field(field, FieldKind.OUTPUT, sizes[by]) for by, field in outputs.items()),
        *(field for field in declared_by([onto]) if field.kind is FieldKind.STATE),
        *fields,
    ]
    made = Plan(name, tuple(declared), (*sweeps, onto), recursion.bodies, recursion.parent)
    return begun_alike(wanted(made))
