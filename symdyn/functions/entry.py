"""What the catalogue knows of a function, and what a user may ask of it beside its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypedDict

from symdyn.model.frame_policy import MOVED, FramePolicy
from symdyn.model.model import Model
from symdyn.plan import Plan
from symdyn.signature import Option, Signature, option_names, option_word


class RequestOptions(TypedDict, total=False):
    """Keywords of ``generate`` and ``compile`` that change what a function means."""

    order: int
    external_wrenches: str | None
    prescribed: tuple[str, ...] | None
    factorization: str | None
    formulation: str | None


@dataclass(frozen=True, slots=True)
class Request:
    """How one function is asked for.

    ``external`` names the axes of f_ext (``body``, ``world``) or is empty, ``prescribed`` holds the rows of v whose
    acceleration is given, ``factorization`` tells which Coriolis matrix is meant, ``formulation`` which recursion
    computes the time derivatives (``body`` or ``spatial``), ``order`` is the highest of them. A function sees only
    those that it takes; the others keep their defaults.
    """

    external: str = ""
    prescribed: tuple[int, ...] = ()
    factorization: str = "christoffel"
    formulation: str = "body"
    order: int = 0


def recorded_options(recorded: Mapping[str, Option], entry: CatalogueEntry) -> RequestOptions:
    """What was asked of a function, from the options that its signature recorded."""
    asked: RequestOptions = {}
    external = option_word(recorded, "external_wrenches", "none")
    if external != "none":
        asked["external_wrenches"] = external
    if entry.takes_prescribed:
        asked["prescribed"] = option_names(recorded, "prescribed")
    if "factorization" in recorded:
        asked["factorization"] = option_word(recorded, "factorization", "christoffel")
    if "formulation" in recorded:
        asked["formulation"] = option_word(recorded, "formulation", "body")
    if entry.has_order:
        asked["order"] = int(option_word(recorded, "order", "0"))
    return asked


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
    takes_external: bool = False
    takes_prescribed: bool = False
    takes_factorization: bool = False
    takes_formulation: bool = False
    has_order: bool = False
    frames: FramePolicy | Callable[[Request], FramePolicy] = MOVED
    """What its results leave free of frames and inertia; a function of the request where that decides it."""

    def view(self, model: Model, request: Request) -> Model:
        """The model as this function has it; header and plan are both made of it."""
        policy = self.frames if isinstance(self.frames, FramePolicy) else self.frames(request)
        return policy.view(model)

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
        return self.plan_of(self.view(model, request), request)
