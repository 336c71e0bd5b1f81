"""Lengths of tendons, volumes of chambers, and what inputs do to generalised forces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import ACTUATORS, CHAMBERS, TENDONS
from symdyn.functions.request import Request
from symdyn.functions.units import move, per
from symdyn.interface.options import AT_RUN_TIME
from symdyn.interface.signature import Argument, Signature
from symdyn.model.joints import FORCE_UNITS
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


def inputs(model: Model) -> Argument:
    """The inputs u, (na,): forces of joints [N m or N], tensions [N], pressures [Pa], rest strains, as in the file."""
    found = model.actuator_inputs
    names = tuple(own.name for own in found)
    return Argument("u", (len(names),), (names,), tuple(own.unit for own in found) or ("",), "inputs of actuators")


def _matrix_signature(model: Model, request: Request) -> Signature:
    """That of B, which rests on v too where a gain depends on a rate."""
    rated = any(own.rated for own in model.actuator_inputs)
    described = (
        "Matrix B with tau = B u at position q: columns are 1 in a joint's row, -dl/dq of a tendon, dV/dq of a "
        "chamber, and of the stiffness K for a rest strain."
    )
    return arguments.signature(
        model,
        request,
        "actuation_matrix",
        (arguments.coordinates(model), *([arguments.velocities(model)] if rated else [])),
        (actuation_matrix(model),),
        described + " Gains of actuators depend on the velocity v." * rated,
        feels_gravity=False,
    )


def lengths(model: Model) -> Argument:
    """The lengths l, (nt,), of the tendons [m]."""
    names = tuple(tendon.name for tendon in model.actuation.tendons)
    return Argument("l", (len(names),), (names,), ("m",), "length of each tendon along its links")


def volumes(model: Model) -> Argument:
    """The volumes V, (nc,), of the chambers [m^3]."""
    names = tuple(chamber.name for chamber in model.actuation.chambers)
    return Argument("V", (len(names),), (names,), ("m^3",), "volume of each chamber")


def actuation_matrix(model: Model) -> Argument:
    """The matrix B, (nv, na), with tau = B u."""
    found = model.actuator_inputs
    names, forces = tuple(own.name for own in found), (FORCE_UNITS[unit] for unit in model.velocity_units)
    units = tuple("1" if force == own.unit else _ratio(force, own.unit) for force in forces for own in found)
    return Argument("B", (model.nv, len(names)), (model.velocity_names, names), units or ("",), "tau per unit of input")


def _ratio(force: str, unit: str) -> str:
    """Force per input: N m/N is m, and N m/Pa m^3."""
    known = {("N m", "N"): "m", ("N m", "Pa"): "m^3", ("N", "Pa"): "m^2", ("J", "N"): "m", ("J", "Pa"): "m^3"}
    return known.get((force, unit)) or (per(force, unit) if unit in ("rad", "1") else f"({force})/({unit})")


def is_weighed(request: Request) -> bool:
    """Whether weights of rows are given at run time."""
    return request.weights == AT_RUN_TIME


def _inverse_signature(model: Model, request: Request) -> Signature:
    forces = arguments.generalised_forces(model)
    left = replace(forces, name="residual", description="generalised forces that no inputs give: tau - B u")
    described = "positive weights of squared errors, row by row"
    weights = [replace(forces, name="weights", units=("",), description=described)] if is_weighed(request) else []
    return arguments.signature(
        model,
        request,
        "inverse_actuation",
        (arguments.coordinates(model), arguments.velocities(model), arguments.accelerations(model), *weights),
        (inputs(model), left),
        "Inputs u of actuators that a motion needs, and the generalised forces that they cannot give.",
    )


def _slopes(model: Model, request: Request) -> Iterator[Argument]:
    """Derivatives of u and of the residual by moves of q, by v, by a, and by p where there are parameters."""
    forces, velocities = arguments.generalised_forces(model), arguments.velocities(model)
    moves = replace(velocities, units=tuple(map(move, velocities.units)), description="moves of q along rows of v")
    by = {"q": moves, "v": velocities, "a": arguments.accelerations(model)}
    if model.slots.names:
        by["p"] = replace(arguments.parameters(model), description="the run-time parameters")
    for of in (inputs(model), replace(forces, name="residual")):
        for name, own in by.items():
            units = tuple(per(row, unit) for row in of.element_units for unit in own.element_units)
            described = f"derivatives of {of.name} by {own.description}, the other inputs held fixed"
            yield Argument(f"d{of.name}_d{name}", (of.size, own.size), (of.rows[0], own.rows[0]), units, described)


def _partials_signature(model: Model, request: Request) -> Signature:
    plain = _inverse_signature(model, request)
    described = "Partial derivatives of inputs u of actuators that a motion needs, and of what they cannot give."
    return replace(
        plain, function="inverse_actuation_partials", outputs=tuple(_slopes(model, request)), description=described
    )


def _tendon_lengths_plan(model: Model, _: Request) -> Plan:
    from symdyn.dynamics.actuation.plans import tendon_lengths_plan

    return tendon_lengths_plan(model)


def _chamber_volumes_plan(model: Model, _: Request) -> Plan:
    from symdyn.dynamics.actuation.plans import chamber_volumes_plan

    return chamber_volumes_plan(model)


def _actuation_matrix_plan(model: Model, _: Request) -> Plan:
    from symdyn.dynamics.actuation.plans import actuation_matrix_plan

    return actuation_matrix_plan(model)


def _inverse_actuation_plan(model: Model, request: Request) -> Plan:
    from symdyn.dynamics.actuation.inverse import inverse_actuation_plan

    return inverse_actuation_plan(model, request.external, request.weights)


def _inverse_actuation_partials_plan(model: Model, request: Request) -> Plan:
    from symdyn.dynamics.actuation.inverse_slopes import inverse_actuation_partials_plan

    return inverse_actuation_partials_plan(model, request.external, request.weights)


ENTRIES = (
    CatalogueEntry(
        "tendon_lengths",
        "Lengths of the tendons: q -> l, (nt,).",
        arguments.signed(
            "tendon_lengths",
            (arguments.coordinates,),
            (lengths,),
            "Length l of each tendon along its soft links at position q.",
            feels_gravity=False,
        ),
        _tendon_lengths_plan,
        equation="l = sum over points of w |xi_lin + xi_ang x d + d'|",
        source="Mathew et al. 2024, eqs. D60 to D62",
        needs=TENDONS,
    ),
    CatalogueEntry(
        "chamber_volumes",
        "Volumes of the chambers: q -> V, (nc,).",
        arguments.signed(
            "chamber_volumes",
            (arguments.coordinates,),
            (volumes,),
            "Volume V of each chamber of the soft links at position q.",
            feels_gravity=False,
        ),
        _chamber_volumes_plan,
        equation="V = sum over points of w (xi_x A + xi_ang,y m_z - xi_ang,z m_y)",
        source="Pustina, Della Santina & De Luca 2024, eq. 57",
        needs=CHAMBERS,
    ),
    CatalogueEntry(
        "actuation_matrix",
        "What inputs of actuators do to the generalised forces: q -> B, (nv, na).",
        _matrix_signature,
        _actuation_matrix_plan,
        equation="tau = B(q) u; power = u . (B^T v): the rate of -l under tension, of V under pressure",
        source="Mathew et al. 2024, appendix D",
        needs=ACTUATORS,
    ),
    CatalogueEntry(
        "inverse_actuation",
        "Inputs of actuators that a motion needs, and what they cannot give: q, v, a -> u, residual.",
        _inverse_signature,
        _inverse_actuation_plan,
        equation="u = argmin (tau - B(q) u)^T W (tau - B(q) u), the least of these, with "
        "tau = inverse_dynamics(q, v, a) and W = 1, or diag(weights); residual = tau - B u",
        source="Pustina, Della Santina & De Luca 2024, section V, for the problem; Giraud et al. 2005 for B^+",
        takes=("external_wrenches", "weights"),
        needs=ACTUATORS,
    ),
    CatalogueEntry(
        "inverse_actuation_partials",
        "Derivatives of inputs of actuators that a motion needs, and of what they cannot give: q, v, a -> du_dq, "
        "du_dv, du_da, dresidual_dq, dresidual_dv, dresidual_da.",
        _partials_signature,
        _inverse_actuation_partials_plan,
        equation="du = B^+ (dtau - dB u) + (B^T W B)^+ dB^T W residual + (1 - B^+ B) dB^T (B^+)^T u for W = 1, with "
        "dtau = d(inverse_dynamics); dresidual = dtau - dB u - B du, where the rank of B stays as it is",
        source="Golub & Pereyra 1973, eq. 4.12; Carpentier & Mansard 2018, for dtau",
        takes=("external_wrenches", "weights"),
        needs=ACTUATORS,
    ),
)
