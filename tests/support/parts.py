"""Functions of the catalogue by the parts of robots that they need."""

from __future__ import annotations

from collections.abc import Iterable

from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.parts import CONTROL, ELASTIC_JOINTS, LOOPS, SOFT_LINKS, Part


def _of(*parts: Part | None) -> tuple[str, ...]:
    return tuple(name for name, entry in CATALOGUE.items() if entry.needs in parts)


OF_STEPS = ("step", "step_partials", "step_matrices", "step_adjoint", "implicit_residual_partials")
"""Compositions of others: on robots with a free base, turning joints, mimic joints, actuators, loops, and a rod."""
CURVED_STEPS = ("step_weighted_hessian",)
TRANSCRIBED_STEPS = ("step_equations",)
OF_EVERY_ROBOT = tuple(name for name in _of(None) if name not in (*OF_STEPS, *CURVED_STEPS, *TRANSCRIBED_STEPS))
OF_RIGID_ROBOTS = _of(None, ELASTIC_JOINTS)
"""Those that robots without soft links may have."""
OF_SOFT_LINKS = _of(SOFT_LINKS)
OF_LOOPS = _of(LOOPS)
OF_CONTROL = _of(CONTROL)


def without(names: Iterable[str], *parts: str) -> tuple[str, ...]:
    """Those whose name has none of some parts."""
    return tuple(name for name in names if not any(part in name for part in parts))


DEAREST = ("hessian", "time_derivatives_partials")
"""Parts of the names of functions whose truth walks a robot's links hundreds of times."""
DEAR = (*DEAREST, "partials", "adjoint", "_jacobian", "dynamics_time_derivatives", "rate_terms")
"""And of those whose truth walks them ten times and more."""
