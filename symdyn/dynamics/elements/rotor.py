"""The rotor of an elastic joint, which has a row of its own: tau_motor = B theta'' + losses(theta').

Rotors of rigid drives are felt in their joint's row, and join there in the kernels of its body.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.elements.base import ROW, Element, Gives
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.joint_loads import losses
from symdyn.dynamics.tree.places import A, V
from symdyn.dynamics.tree.tree import LOSS, TreePlan


def rotor_force(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The rotor's own force B a + losses(v)."""
    force: list[Scalar] = losses(variant, algebra, constants, reads["v"]) if variant.lossy else [0.0]
    if variant.geared:
        force = [force[0] + constants["armature"] * reads["a"][0]]
    return {"tau": force}


_FORCE = step(
    rotor_force,
    tau=add_to(ROW),
    v=read(V, when=lambda b: b.lossy),
    a=read(A, when=lambda b: b.geared),
    constants=lambda b: (*(LOSS if b.lossy else ()), *(("armature",) if b.geared else ())),
)


def _felt(tree: TreePlan) -> list[int]:
    return [index for index in tree.rotors if (made := tree.variant(index)).geared or made.lossy]


ROTOR = Element("rotor", {Gives.REACTION: lambda tree, field: _FORCE.over(tree, _felt(tree), tau=field)})
