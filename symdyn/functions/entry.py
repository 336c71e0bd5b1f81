"""What the catalogue knows of a function, and what a user may ask of it beside its name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import cast

from symdyn.functions.parts import ACTUATORS, Part
from symdyn.functions.request import Request
from symdyn.functions.shown_frames import of_frames, with_frames
from symdyn.functions.switches import with_switches
from symdyn.interface.options import RequestOptions
from symdyn.interface.signature import Option, Signature, option_names, option_word
from symdyn.model.contact_views import without_contacts
from symdyn.model.frame_policy import MOVED, FramePolicy
from symdyn.model.model import Model, with_feedback
from symdyn.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """How to make a function for a model, and what its page in the documentation says."""

    name: str
    sentence: str
    """What it computes, its inputs and outputs: ``Joint forces for a motion: q, v, a -> tau.``"""
    signature_of: Callable[[Model, Request], Signature]
    plan_of: Callable[[Model, Request], Plan]
    equation: str
    """The defining equation, in plain text."""
    source: str
    """Where the algorithm is published."""
    takes: tuple[str, ...] = ()
    """The options that change what it means, by the names of :class:`symdyn.interface.options.GenerateOptions`."""
    demands: tuple[str, ...] = ()
    """Those of them that must be given."""
    frames: FramePolicy | Callable[[Request], FramePolicy] = MOVED
    """What its results leave free of frames and inertia; a function of the request where that decides it."""

    needs: Part | None = None
    """The part of a robot that it is about; robots without one are refused."""
    solves: Callable[[Model, Request], Collection[int]] | None = None
    """Rows of v whose acceleration it finds; robots where nothing resists one of them are refused."""

    looped: bool = False
    """Whether loops hold in it; rows of v that follow from others then cannot be prescribed beside them."""

    touches: bool = False
    """Whether rigid contacts act in it."""

    def view(self, model: Model, request: Request) -> Model:
        """The model as this function has it; header and plan are both made of it.

        Raises
        ------
        ModelError
            The robot lacks the part that the function is about.
        """
        if self.needs is not None:
            self.needs.refuse_without(model, f"function '{self.name}'")
        if request.inputs == "actuators" or self.needs is ACTUATORS:
            ACTUATORS.refuse_without(model, f"function '{self.name}' with inputs='actuators'")
            model = with_feedback(model)
        if not self.touches:
            model = without_contacts(model)
        policy = self.frames if isinstance(self.frames, FramePolicy) else self.frames(request)
        return with_frames(with_switches(policy.view(model), request.switched), request.frames)

    def signature(self, model: Model, request: Request) -> Signature:
        """Its arguments, and what its header says of frames and inertia."""
        return self.signature_of(self.view(model, request), request)

    def plan(self, model: Model, request: Request) -> Plan:
        """Its algorithm for a model.

        Raises
        ------
        ModelError
            The robot has no such function.
        """
        model = self.view(model, request)
        if self.solves is not None:
            from symdyn.dynamics.forward_dynamics.singular import refuse_singular  # factors M, which few functions do

            refuse_singular(model, self.solves(model, request))
        if self.looped and request.prescribed:
            from symdyn.dynamics.loops.underactuation import refuse_determined  # closes loops, which few functions do

            refuse_determined(model, request.prescribed)
        return of_frames(self.plan_of(model, request), request.frames)

    def recorded(self, options: Mapping[str, Option]) -> RequestOptions:
        """What was asked of the function, from the options that a signature of it recorded."""
        found = {name: options[name] for name in self.takes if options.get(name, "none") != "none"}
        asked = cast("RequestOptions", found)
        if "prescribed" in self.takes:
            asked["prescribed"] = option_names(options, "prescribed")
        if "order" in self.takes:
            asked["order"] = int(option_word(options, "order", "0"))
        if "stabilisation" in found:
            asked["stabilisation"] = float(option_word(options, "stabilisation", "nan"))
        return asked
