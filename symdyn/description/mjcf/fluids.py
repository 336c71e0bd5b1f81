"""What a medium does to the bodies of a compiled model: as ellipsoids, or as boxes with the same inertia.

A body of mass m and central moments I_x, I_y, I_z is taken for a box of sides b_x = sqrt(6 (I_y + I_z - I_x) / m). In
the axes of its inertia a medium of density rho and viscosity beta takes, at its centre of mass (MuJoCo's documentation,
"Inertia model"),

    f_x = -rho/2 b_y b_z |v_x| v_x - 3 pi beta d v_x,    n_x = -rho/64 b_x (b_y^4 + b_z^4) |w_x| w_x - pi beta d^3 w_x

with d the mean of the sides. These are loads whose entries are expressions, in velocities against the wind. Bodies with
geoms of ``fluidshape="ellipsoid"`` feel what :mod:`.ellipsoids` has instead.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from symdyn.description.external_loads import Site, Wrench
from symdyn.description.mjcf.ellipsoids import drag_of, lift_of
from symdyn.description.mjcf.placements import placed
from symdyn.description.mjcf.record import BodyRecord, ModelRecord, unlike
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.placement import Number, Placement
from symdyn.description.robot import Frame

_LEAST = 1e-15
"""mjMINVAL: the mass of bodies that no medium acts on, and the least square of a side."""


def fluids_of(model: ModelRecord, taken: Collection[str]) -> tuple[list[Wrench], list[Frame]]:
    """Loads on all bodies that move, and the frames at which they act, unlike those that are ``taken``."""
    density, viscosity = (float(model.fields[name]) for name in ("density", "viscosity"))
    loads, frames, used = list[Wrench](), list[Frame](), set(taken)
    if not (density or viscosity) or not model.passive:
        return loads, frames
    wind_x, wind_y, wind_z = model.fields["wind"]

    def act(body: BodyRecord, place: Placement, **parts: list[Number]) -> None:
        """Loads of six entries each at a frame."""
        name = unlike(f"{body.name}.medium", used)
        used.add(name)
        frames.append(Frame(name, body.name, place))
        for part, (x, y, z, turn_x, turn_y, turn_z) in parts.items():
            six = x, y, z, turn_x, turn_y, turn_z
            load = name if len(parts) == 1 else f"{name}.{part}"
            loads.append(Wrench(load, Site(frame=name), six, wind=(wind_x, wind_y, wind_z)))

    shaped = _shaped(model)
    for number, body in enumerate(model.bodies):
        if not _moves(model, body) or body.mass < _LEAST:
            continue
        if number not in shaped:
            act(body, placed(body.ipos, body.iquat), drag=_entries(body, density, viscosity))
        for geom in shaped.get(number, ()):
            x, y, z = model.fields["geom_pos"][geom]
            place = placed((x, y, z), tuple(model.fields["geom_quat"][geom]))
            act(body, place, drag=drag_of(model, geom, density, viscosity), lift=lift_of(model, geom, density))
    return loads, frames


def _entries(body: BodyRecord, density: float, viscosity: float) -> list[Number]:
    total = sum(body.inertia)
    sides = [math.sqrt(max(_LEAST, total - 2.0 * own) / body.mass * 6.0) for own in body.inertia]
    mean = sum(sides) / 3.0
    found: list[Number] = []
    for own in range(3):
        b, c = (side for place, side in enumerate(sides) if place != own)
        found.append(_entry(f"v{_AXES[own]}", 0.5 * density * b * c, 3.0 * math.pi * viscosity * mean))
    for own in range(3):
        b, c = (side for place, side in enumerate(sides) if place != own)
        squared = density * sides[own] * (b**4 + c**4) / 64.0
        found.append(_entry(f"w{_AXES[own]}", squared, math.pi * viscosity * mean**3))
    return found


_AXES = "xyz"


def _entry(rate: str, squared: float, linear: float) -> Number:
    """What is taken per square and per size of a rate."""
    terms = [f"{squared!r}*abs({rate})*{rate}"] * (squared > 0.0) + [f"{linear!r}*{rate}"] * (linear > 0.0)
    return Expression(f"-({' + '.join(terms)})") if terms else 0.0


def _shaped(model: ModelRecord) -> dict[int, list[int]]:
    """Bodies with geoms that the medium meets as ellipsoids; of such bodies it meets nothing else."""
    found: dict[int, list[int]] = {}
    for geom, fluid in enumerate(model.fields.get("geom_fluid", ())):
        if fluid[0] > 0.0:
            found.setdefault(model.fields["geom_bodyid"][geom], []).append(geom)
    return found


def _moves(model: ModelRecord, body: BodyRecord) -> bool:
    """Whether a joint carries it."""
    while body is not model.bodies[0]:
        if body.joints:
            return True
        body = model.bodies[body.parent]
    return False
