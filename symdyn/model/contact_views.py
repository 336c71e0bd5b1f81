"""A robot as functions have it that feel no rigid contact, and as those that have rows of dry friction."""

from __future__ import annotations

from dataclasses import replace

from symdyn.model.contact_layout import Slot
from symdyn.model.model import Model


def without_contacts(model: Model) -> Model:
    """The model as functions have it that feel no rigid contact."""
    if not any(isinstance(placed.load, Slot) for body in model.bodies for placed in body.loads):
        return model
    bodies = tuple(
        replace(body, loads=tuple(placed for placed in body.loads if not isinstance(placed.load, Slot)))
        for body in model.bodies
    )
    return replace(model, bodies=bodies)


def with_dry_friction(model: Model) -> Model:
    """The model whose joints with rows of dry friction have no smooth one."""
    dry = {row.body for row in model.contacts.dry}
    bodies = tuple(
        replace(body, joint=replace(body.joint, dry=number in dry)) if number in dry else body
        for number, body in enumerate(model.bodies)
    )
    return replace(model, bodies=bodies) if dry else model
