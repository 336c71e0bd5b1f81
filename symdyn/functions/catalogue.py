"""The catalogue of functions, and the reading of what a user asks of them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from symdyn.errors import RequestError
from symdyn.functions import (
    center_of_mass,
    coriolis,
    elastic_joints,
    energies,
    forward_dynamics,
    forward_partials,
    forward_time_derivatives,
    inverse_dynamics,
    kinematics,
    mass_matrix,
    partials,
    rate_terms,
    regressor,
    time_derivatives,
)
from symdyn.functions.entry import CatalogueEntry, Request
from symdyn.model.model import Model

EXTERNAL_WRENCHES = (None, "body", "world")
FACTORIZATIONS = (None, "christoffel", "lemma1")
FORMULATIONS = (None, "body", "spatial")
_RIGID_ONLY = ("lemma1", "spatial")

_MODULES = (
    inverse_dynamics,
    forward_dynamics,
    forward_partials,
    mass_matrix,
    kinematics,
    center_of_mass,
    energies,
    regressor,
    partials,
    coriolis,
    time_derivatives,
    forward_time_derivatives,
    rate_terms,
    elastic_joints,
)

CATALOGUE: dict[str, CatalogueEntry] = {entry.name: entry for module in _MODULES for entry in module.ENTRIES}


def find_functions(names: Sequence[str]) -> tuple[CatalogueEntry, ...]:
    """The entries of some functions, in the order asked for.

    Raises
    ------
    RequestError
        No name, an unknown or repeated one.
    """
    names = [names] if isinstance(names, str) else list(names)
    if not names:
        raise RequestError(f"functions is a list of at least one name, got {names!r}; try ['inverse_dynamics']")
    for name in names:
        if name not in CATALOGUE:
            raise RequestError(f"function '{name}' is not in the catalogue; it has {', '.join(CATALOGUE)}")
    if len(set(names)) != len(names):
        raise RequestError(f"functions are named twice in {list(names)}; name each once")
    return tuple(CATALOGUE[name] for name in names)


def requests(
    model: Model,
    names: Sequence[str],
    order: int = 0,
    external_wrenches: str | None = None,
    prescribed: Sequence[str] | None = None,
    factorization: str | None = None,
    formulation: str | None = None,
) -> tuple[tuple[CatalogueEntry, Request], ...]:
    """The entries of some functions, each with the options that it takes.

    Raises
    ------
    RequestError
        No name, an unknown or repeated one; an order where no function has one; an option that none of the functions
        takes, or with an unknown value; ``hybrid_dynamics`` without ``prescribed``.
    """
    entries = find_functions(names)
    try:
        whole = index(order)
    except TypeError:
        whole = -1
    if whole < 0:
        raise RequestError(f"order is a whole number from 0, got {order!r}")
    if order > 0 and not any(entry.has_order for entry in entries):
        names = ", ".join(f"'{entry.name}'" for entry in entries)
        which = f"function {names} has" if len(entries) == 1 else f"functions {names} have"
        raise RequestError(f"{which} no time derivatives, so order must be 0, got {order}")
    for entry in entries:
        if entry.takes_prescribed and prescribed is None:
            raise RequestError(
                f"function '{entry.name}' needs prescribed=[...], the names of the velocities whose acceleration is "
                f"given; '{model.name}' has {', '.join(model.velocity_names)}"
            )
    if external_wrenches not in EXTERNAL_WRENCHES:
        raise RequestError(f"external_wrenches is None, 'body' or 'world', got {external_wrenches!r}")
    if factorization not in FACTORIZATIONS:
        raise RequestError(f"factorization is 'christoffel' or 'lemma1', got {factorization!r}")
    if formulation not in FORMULATIONS:
        raise RequestError(f"formulation is 'body' or 'spatial', got {formulation!r}")
    asked = {
        "external_wrenches": (external_wrenches is not None, any(entry.takes_external for entry in entries)),
        "prescribed": (bool(prescribed), any(entry.takes_prescribed for entry in entries)),
        "factorization": (factorization is not None, any(entry.takes_factorization for entry in entries)),
        "formulation": (formulation is not None, any(entry.takes_formulation for entry in entries)),
    }
    for option, (given, taken) in asked.items():
        if given and not taken:
            raise RequestError(f"none of {', '.join(entry.name for entry in entries)} takes {option}; leave it out")
    for option, value in (("factorization", factorization), ("formulation", formulation)):
        if model.beams and value in _RIGID_ONLY:
            raise RequestError(
                f"{option} '{value}' is of rigid links, and '{model.name}' has links that bend: "
                f"{', '.join(flexible_links(model))}; leave {option} out"
            )
    rows = _rows(model, prescribed or ())
    return tuple(
        (
            entry,
            Request(
                external=(external_wrenches or "") if entry.takes_external else "",
                prescribed=rows if entry.takes_prescribed else (),
                factorization=(factorization or "christoffel") if entry.takes_factorization else "christoffel",
                formulation=(formulation or "body") if entry.takes_formulation else "body",
                order=whole if entry.has_order else 0,
            ),
        )
        for entry in entries
    )


def flexible_links(model: Model) -> tuple[str, ...]:
    """Names of the links that bend."""
    return tuple(body.beam.link for body in model.bodies if body.beam is not None)


def _rows(model: Model, prescribed: Sequence[str]) -> tuple[int, ...]:
    """Rows of v by name, in ascending order."""
    prescribed = [prescribed] if isinstance(prescribed, str) else list(prescribed)
    for name in prescribed:
        if name not in model.velocity_names:
            raise RequestError(
                f"prescribed velocity '{name}' is unknown; robot '{model.name}' has {', '.join(model.velocity_names)}"
            )
    if len(set(prescribed)) != len(prescribed):
        raise RequestError(f"prescribed names a velocity twice: {prescribed}; name each once")
    return tuple(sorted(model.velocity_names.index(name) for name in prescribed))
