"""What the losses of joints take, by themselves: friction and damping of links' joints and of motors behind springs.

Inverse dynamics has them in the kernels of the joints' bodies; this is for who asks for losses alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.elements.base import ROW, Element, Gives
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.joint_loads import losses
from symdyn.dynamics.tree.places import V
from symdyn.dynamics.tree.tree import LOSS


def joint_loss(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The losses of a joint, as its rows feel them."""
    friction = losses(variant, algebra, constants, reads["v"])
    return {"tau": variant.kind.coordinate_map.forces(friction, constants)}


_LOSS = step(
    joint_loss,
    v=read(V),
    tau=add_to(ROW),
    constants=lambda b: (*b.kind.column_constants, *LOSS),
)
JOINT_LOSS = Element(
    "losses of a joint",
    {
        Gives.LOSS: lambda tree, field: _LOSS.over(
            tree, [index for index in range(len(tree.model.bodies)) if tree.variant(index).lossy], tau=field
        )
    },
)
