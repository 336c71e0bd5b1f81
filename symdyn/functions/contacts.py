"""Functions of contacts: how far spheres are from their surfaces, and how fast that changes."""

from __future__ import annotations

from collections import Counter

from symdyn.dynamics.kinematics.contact_gaps import contact_gaps_plan, pairs_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import CONTACTS
from symdyn.functions.request import Request
from symdyn.interface.signature import Argument, Signature
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model


def pair_names(model: Model) -> tuple[str, ...]:
    """``post``, and ``wall[0]``, ``wall[1]``, .. along a soft link."""
    names = [name for name, _ in pairs_of(TreePlan(model))]
    counts, found = Counter(names), Counter[str]()
    named = []
    for name in names:
        named.append(f"{name}[{found[name]}]" if counts[name] > 1 else name)
        found[name] += 1
    return tuple(named)


def _gaps(model: Model, request: Request) -> Signature:
    names = pair_names(model)
    gap = Argument(
        "gap", (len(names),), (names,), ("m",) * len(names), "distance of each sphere from its surface, below 0 a depth"
    )
    rate = Argument("rate", (len(names),), (names,), ("m/s",) * len(names), "rate of each gap, below 0 where it closes")
    return arguments.signature(
        model,
        request,
        "contact_gaps",
        (arguments.coordinates(model), arguments.velocities(model)),
        (gap, rate),
        "Gap between the sphere and the surface of every contact whose place moves, at q, and its rate at v.",
        feels_gravity=False,
    )


ENTRIES = (
    CatalogueEntry(
        "contact_gaps",
        "Gaps of contacts and their rates: q, v -> gap, rate, (npairs,) each.",
        _gaps,
        lambda model, _: contact_gaps_plan(model),
        equation="gap = |c - c_s| - R - r outside a sphere, with the centre c of the robot's sphere; rate = n . c'",
        source="Gilardi & Sharf 2002",
        frames=AS_DESCRIBED,
        needs=CONTACTS,
    ),
)
