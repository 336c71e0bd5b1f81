"""The rotor of an elastic joint, which has a row of its own: tau_motor = B theta'' + losses(theta').

Rotors of rigid drives are felt in their joint's row, and join there in the kernels of its body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symdyn.dynamics.elements.base import Element, Gives
from symdyn.dynamics.tree.joint_loads import losses, own_rates
from symdyn.dynamics.tree.tree import JOINT, LOSS, BodyVariant, TreePlan
from symdyn.plan import Binding, Mode, Port, Step, Visit
from symdyn.scalars.algebra import Algebra, Scalar

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]


def rotor_force(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The rotor's own force B a + losses(v)."""
    force: list[Scalar] = losses(variant, algebra, constants, reads["v"]) if variant.lossy else [0.0]
    if variant.geared:
        force = [force[0] + constants["armature"] * own_rates(variant, constants, reads["a"])[0]]
    return {"tau": force}


def _reactions(tree: TreePlan, field: str) -> Iterator[Visit]:
    for index in tree.rotors:
        variant = tree.variant(index)
        if not variant.geared and not variant.lossy:
            continue
        bindings: dict[str, Binding] = {"tau": tree.v(index, field)}
        if variant.lossy:
            bindings["v"] = tree.v(index)
        if variant.geared:
            bindings["a"] = tree.v(index, "a")
        names = (*JOINT, *(LOSS if variant.lossy else ()), *(("armature",) if variant.geared else ()))
        yield Visit(index, variant, tree.constants(index, names), bindings)


_FORCE = Step("rotor_force", rotor_force, (Port("v", Mode.READ), Port("a", Mode.READ), Port("tau", Mode.ADD)))
ROTOR = Element("rotor", {Gives.REACTION: (_FORCE, _reactions)})
