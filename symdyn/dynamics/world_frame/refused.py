"""What the spatial formulation does not cover, refused in words that name the joint."""

from __future__ import annotations

from symdyn.dynamics.tree.tree import TreePlan
from symdyn.errors import ModelError
from symdyn.model.model import Model


def refuse_uncovered(tree: TreePlan) -> None:
    """Refuse joints that are not ideal.

    Raises
    ------
    ModelError
        A link is soft, a joint has losses, a rotor or a spring, a load acts on its body, or actuators act without
        input.
    """
    for rod, _ in tree.rods.rods:
        raise ModelError(
            f"link '{rod.link}' of robot '{tree.model.name}' is soft, and its stations follow no screws, as the "
            "spatial formulation has it; use formulation='body'"
        )
    if tree.model.feedback:
        raise ModelError(
            f"actuators of robot '{tree.model.name}' act without input, which the spatial formulation does not cover; "
            "use formulation='body'"
        )
    for index, body in enumerate(tree.model.bodies):
        refused = {
            "a spring between motor and link": index in tree.rotors,
            "a rotor inertia": tree.has(index, "armature"),
            "damping or friction": tree.variant(index).lossy,
            **{placed.load.words: True for placed in body.loads},
        }
        if any(refused.values()):
            raise ModelError(
                f"joint '{body.joint.joint}' of robot '{tree.model.name}' has "
                f"{next(what for what, there in refused.items() if there)}, which the spatial formulation does "
                "not cover (it is the published recursion, for rigid bodies and ideal joints); use formulation='body'"
            )


def refuse_followers(model: Model) -> None:
    """Refuse joints that follow others, for the articulated-body recursions.

    Raises
    ------
    ModelError
        A joint mimics another one.
    """
    for body in model.bodies:
        if body.joint.leaders:
            leaders = "' and '".join(body.joint.leaders)
            raise ModelError(
                f"joint '{body.joint.joint}' of robot '{model.name}' follows '{leaders}', so their accelerations "
                "cannot be eliminated one by one, as the spatial formulation does; use formulation='body'"
            )
