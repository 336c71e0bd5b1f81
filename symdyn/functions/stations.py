"""Functions of the stations of soft links: poses, strains, and the wrenches that sections transmit."""

from __future__ import annotations

from symdyn.dynamics.inverse_dynamics.station_wrenches import station_wrenches_plan
from symdyn.dynamics.kinematics.stations import station_poses_plan, station_strains_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import SOFT_LINKS
from symdyn.functions.request import Request
from symdyn.interface.signature import Argument, Signature
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model, lossless
from symdyn.plan.plan import Plan

_LINEAR, _ANGULAR = ("stretch", "shear_y", "shear_z"), ("twist", "curvature_y", "curvature_z")


def station_names(model: Model) -> tuple[str, ...]:
    """``arm[0]``, from the root on, the tip last, of every rod."""
    return tuple(f"{rod.link}[{number}]" for rod, number in model.stations)


def _poses(model: Model, request: Request) -> Signature:
    names = station_names(model)
    axes = ("x", "y", "z")
    units = ("1", "1", "1", "m") * 3 + ("1",) * 4
    described = "homogeneous pose of each station's section in the world, x along the rod"
    shape = (len(names), 4, 4)
    poses = Argument("X", shape, (names, (*axes, "1"), (*axes, "origin")), units * len(names), described)
    said = "Pose X of every station of the soft links in the world at position q."
    return arguments.signature(
        model, request, "station_poses", (arguments.coordinates(model),), (poses,), said, feels_gravity=False
    )


def _strains(model: Model, request: Request) -> Signature:
    names, angular_first = station_names(model), model.convention == "spatial"
    rows = _ANGULAR + _LINEAR if angular_first else _LINEAR + _ANGULAR
    units = tuple("rad/m" if row in _ANGULAR else "1" for row in rows)
    described = "strain of each station's section: a stretch of 1 is none, of a straight rod the others are 0"
    strains = Argument("strain", (len(names), 6), (names, rows), units * len(names), described)
    said = "Strain of every station of the soft links at position q."
    return arguments.signature(
        model, request, "station_strains", (arguments.coordinates(model),), (strains,), said, feels_gravity=False
    )


def _wrenches(model: Model, request: Request) -> Signature:
    names, like = station_names(model), arguments.external_wrenches(model, "body")
    described = "wrench of the rod before each station on its section and all beyond, about its origin in its axes"
    units = like.units[:6] * len(names)
    wrenches = Argument("F", (len(names), 6), (names, like.rows[1]), units, described)
    makers = (arguments.coordinates, arguments.velocities, arguments.accelerations)
    said = "Wrench that every station of the soft links transmits, whatever carries it: stress and all other forces."
    inputs = tuple(make(model) for make in makers)
    return arguments.signature(lossless(model), request, "station_wrenches", inputs, (wrenches,), said)


def _wrenches_plan(model: Model, request: Request) -> Plan:
    return station_wrenches_plan(lossless(model), request.external)


ENTRIES = (
    CatalogueEntry(
        "station_poses",
        "Poses of the stations of soft links, the tip last: q -> X, (ns, 4, 4).",
        _poses,
        lambda model, _: station_poses_plan(model),
        equation="X_k = X_root exp(Omega_1) .. exp(Omega_k), x along the rod",
        source="Mathew et al., eqs. 1 and C1",
        frames=AS_DESCRIBED,
        needs=SOFT_LINKS,
    ),
    CatalogueEntry(
        "station_strains",
        "Strains of the stations of soft links, just before each: q -> strain, (ns, 6).",
        _strains,
        lambda model, _: station_strains_plan(model),
        equation="strain = xi* + Phi(x_k) q, with X' = X strain along the rod; the stress is Sigma (strain - xi*)",
        source="Mathew et al., eq. 1",
        frames=AS_DESCRIBED,
        needs=SOFT_LINKS,
    ),
    CatalogueEntry(
        "station_wrenches",
        "Wrenches through the sections of soft links, whatever carries them: q, v, a -> F, (ns, 6).",
        _wrenches,
        _wrenches_plan,
        equation="F_k = rate of change of the momentum of the station's section and of all beyond, less weight and "
        "f_ext",
        source="Mathew et al., section 2.3; Luh, Walker & Paul 1980",
        takes=("external_wrenches",),
        frames=AS_DESCRIBED,
        needs=SOFT_LINKS,
    ),
)
