"""Parts that some robots have, and that some functions are about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symdyn.errors import ModelError
from symdyn.model.model import Model


@dataclass(frozen=True, slots=True)
class Part:
    """A kind of part of robots, without which a function has nothing to tell."""

    name: str
    """What a robot lacks, in the plural: ``soft links``."""
    found: Callable[[Model], object]
    """True of a model that has some."""
    remedy: str
    """How a robot comes to have some."""
    absent: Callable[[Model], tuple[str, ...]] = lambda model: ()
    """What a file has of them that symdyn does not, each with its reason."""

    def refuse_without(self, model: Model, what: str) -> None:
        """Refuse to make ``what`` for a robot that has no such part.

        Raises
        ------
        ModelError
            It has none.
        """
        if absent := self.absent(model):
            raise ModelError(
                f"{what} needs {self.name}, and robot '{model.name}' has some that symdyn does not have: "
                f"{'; '.join(absent)}; change them in the file, or leave them out on loading by strict=False, on the "
                "command line --no-strict"
            )
        if not self.found(model):
            raise ModelError(
                f"{what} needs {self.name}, and robot '{model.name}' has none; {self.remedy}, or leave it out"
            )


SOFT_LINKS = Part("soft links", lambda model: model.stations, "give a link 'soft'")
TENDONS = Part("tendons", lambda model: model.actuation.tendons, "describe some under 'tendons'")
CONTACTS = Part("contacts", lambda model: model.touches or model.contacts.slot_count, "describe some under 'contacts'")
CONTACT_ROWS = Part(
    "rigid contacts, rigid ranges of joints or dry friction",
    lambda model: bool(model.contacts),
    "describe some under 'contacts' and 'obstacles', or write limits: {rigid: true}",
)
CHAMBERS = Part("chambers", lambda model: model.actuation.chambers, "describe some under 'chambers'")
ACTUATORS = Part(
    "actuators",
    lambda model: model.actuator_inputs,
    "list some under 'actuators'",
    lambda model: model.actuation.absent,
)
FRAMES = Part("frames", lambda model: model.frames, "give it a link")
OPEN_TREE = Part(
    "an open tree", lambda model: not model.loop_names, "cut its loops, or solve with constrained_forward_dynamics"
)
LOOPS = Part("closed loops", lambda model: model.loops, "describe some under 'loops'")
CONTROL = Part(
    "costs",
    lambda model: model.control,
    "describe some under 'control', or give problem='reach.yaml', on the command line --problem reach.yaml",
)
ELASTIC_JOINTS = Part(
    "elastic joints",
    lambda model: model.rotors,
    "describe a joint's spring under 'elastic' (with_elastic_joint in Python), ask for "
    "inverse_dynamics_time_derivatives",
)
