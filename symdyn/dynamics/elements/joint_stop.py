"""Stops of a joint at its limits: smooth one-sided springs with dampers, beside whatever drives the joint.

With x how far the joint's own coordinate is beyond a limit, tau = +-K s(x) + D s'(x) v, and the energy is K times the
integral of s. s is 0 up to the limit, and x - w / 2 from a width w beyond it. Between, s' is the polynomial that rises
from 0 to 1 with four derivatives of zero at both ends, so that tau is four times differentiable everywhere, five times
without a damper. With z from -1 to 1 over the width,

    s'(z) = 1/2 + (315 z - 420 z^3 + 378 z^5 - 180 z^7 + 35 z^9) / 256,    x = w (z + 1) / 2.

Coefficients are sums of powers of two, so that within the limits s and s' are zero and not nearly zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.description.loads import Stop
from symdyn.dynamics.elements.base import ROW, SCALAR, Element, Gives, SweepOf, body_of
from symdyn.dynamics.tree.bindings import BoundStep, Reads, VariantOf, Writes, add_to, read, step
from symdyn.dynamics.tree.places import DIAGONAL, Place, Q, V
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import BodyLoad
from symdyn.model.joints.coordinate_map import CoordinateMap
from symdyn.plan.plan import Sweep

_SLOPE = tuple(entry / 256.0 for entry in (315.0, -420.0, 378.0, -180.0, 35.0))
"""Of z, z^3, .. in s'."""
_RAMP = tuple(entry / 256.0 for entry in (-96.5, 157.5, -105.0, 63.0, -22.5, 3.5))
"""Of 1, z^2, .. in 2 s / w, beside (z + 1) / 2."""
_WORK = tuple(entry / 256.0 for entry in (-96.5, 52.5, -21.0, 9.0, -2.5, 3.5 / 11.0))
"""Of z, z^3, .. in 4 / w^2 times the integral of s, beside (z + 1)^2 / 4 and what makes it 0 at z = -1."""


@dataclass(frozen=True, slots=True)
class StopVariant:
    """What is structural about the stops of a joint: its coordinate, which limits there are, and which of K and D."""

    map: CoordinateMap
    bounds: tuple[str, ...]
    stiff: bool
    damped: bool


@dataclass(frozen=True, slots=True)
class Beyond:
    """How far a coordinate is beyond a limit: the sign of the force, z, the width, and what comes after the width."""

    sign: Scalar
    z: Scalar
    width: Scalar
    rest: Scalar
    past: Scalar


def beyond(variant: StopVariant, algebra: Algebra, constants: Mapping[str, Scalar], q: Sequence[Scalar]) -> Beyond:
    """Where a joint is against its nearer limit."""
    (coordinate,) = variant.map.coordinates(q, constants)
    apart = {name: coordinate - constants[name] for name in variant.bounds}
    (x, sign), *others = [(gap, 1.0) if name == "upper" else (-gap, -1.0) for name, gap in apart.items()]
    for farther, opposite in others:
        chosen = algebra.compare("less", x, farther)
        x, sign = algebra.select(chosen, farther, x), algebra.select(chosen, opposite, sign)
    width = constants["width"]
    over = algebra.compare("less", width, x)
    reached = algebra.compare("less", 0.0, x)
    within = algebra.select(over, width, algebra.select(algebra.compare("less", x, 0.0), 0.0, x))
    return Beyond(sign, within * (2.0 / width) - 1.0, width, algebra.select(over, x - width, 0.0), reached)


def _polynomial(coefficients: Sequence[float], square: Scalar) -> Scalar:
    """A polynomial in z^2."""
    *rest, value = coefficients
    for entry in reversed(rest):
        value = entry + square * value
    return value


def _ramp(at: Beyond) -> Scalar:
    """The s of the equation."""
    return 0.5 * at.width * (0.5 * at.z + 0.5 + _polynomial(_RAMP, at.z * at.z)) + at.rest


def _rise(at: Beyond) -> Scalar:
    """The s' of the equation."""
    return 0.5 + at.z * _polynomial(_SLOPE, at.z * at.z)


def _bend(at: Beyond) -> Scalar:
    """The s'' of the equation."""
    left = 1.0 - at.z * at.z
    squared = left * left
    return (315.0 / 128.0) * (squared * squared) / at.width


def joint_stop_force(variant: StopVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The force +-K s + D s' v, as the joint's rows feel it."""
    at = beyond(variant, algebra, constants, reads["q"])
    force: Scalar = 0.0
    if variant.stiff:
        force = at.sign * (constants["stiffness"] * _ramp(at))
    if variant.damped:
        (rate,) = variant.map.rates(reads["v"], constants)
        force = force + constants["damping"] * _rise(at) * rate
    return {"tau": variant.map.forces([force], constants)}


def joint_stop_energy(variant: StopVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Stored energy, K times the integral of s."""
    at = beyond(variant, algebra, constants, reads["q"])
    up = 0.5 * at.z + 0.5
    start = sum(_WORK)
    share = up * up + (at.z * _polynomial(_WORK, at.z * at.z) + start)
    work = 0.25 * at.width * at.width * share + at.rest * (0.5 * at.width + 0.5 * at.rest)
    return {"energy": [algebra.select(at.past, constants["stiffness"] * work, 0.0)]}


def joint_stop_slope_by_q(
    variant: StopVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """G^T (K s' +- D s'' v) G."""
    at = beyond(variant, algebra, constants, reads["q"])
    slope: Scalar = 0.0
    if variant.stiff:
        slope = constants["stiffness"] * _rise(at)
    if variant.damped:
        (rate,) = variant.map.rates(reads["v"], constants)
        slope = slope + at.sign * (constants["damping"] * _bend(at) * rate)
    return _entries(variant, slope, constants)


def joint_stop_slope_by_v(
    variant: StopVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """G^T D s' G."""
    at = beyond(variant, algebra, constants, reads["q"])
    return _entries(variant, constants["damping"] * _rise(at), constants)


def _entries(variant: StopVariant, slope: Scalar, constants: Mapping[str, Scalar]) -> Writes:
    return {f"entry{place}": entries for place, entries in enumerate(variant.map.entries([slope], constants))}


def _variant(tree: TreePlan, load: BodyLoad) -> StopVariant:
    bounds = tuple(name for name in ("lower", "upper") if name in load.constants)
    stiff, damped = (load.constants[name] != 0.0 for name in ("stiffness", "damping"))
    return StopVariant(tree.joint(load.body).kind.coordinate_map, bounds, stiff, damped)


def _elastic(tree: TreePlan, load: BodyLoad) -> StopVariant:
    variant = _variant(tree, load)
    return StopVariant(variant.map, variant.bounds, variant.stiff, damped=False)


def _lossy(tree: TreePlan, load: BodyLoad) -> StopVariant:
    variant = _variant(tree, load)
    return StopVariant(variant.map, variant.bounds, stiff=False, damped=variant.damped)


_stop_step = partial(step, variant=_variant, body=body_of, q=read(Q.by(body_of)), constants=lambda b: b.map.constants)
_RATE = read(Place("v", V.at).by(body_of), when=lambda b: b.damped)  # where nothing is damped, v is no input
_FORCE = _stop_step(joint_stop_force, v=_RATE, tau=add_to(ROW.by(body_of)))
_ENERGY = _stop_step(joint_stop_energy, energy=add_to(SCALAR))
_BY_Q = _stop_step(joint_stop_slope_by_q, v=_RATE, entry=add_to(DIAGONAL.by(body_of)))
_BY_V = _stop_step(joint_stop_slope_by_v, entry=add_to(DIAGONAL.by(body_of)))


def _over(made: BoundStep, port: str, *parts: str, variant: VariantOf | None = None) -> SweepOf:
    """A step's sweeps over the stops that have one of these parts."""

    def sweep(tree: TreePlan, field: str) -> Sweep:
        loads = [load for load in tree.loads.of(Stop) if any(load.constants[part] != 0.0 for part in parts)]
        return made.over(tree, loads, variant, lambda _, load: load.constants, **{port: field})

    return sweep


JOINT_STOP = Element(
    "stops of a joint",
    {
        Gives.FORCE: _over(_FORCE, "tau", "stiffness", "damping"),
        Gives.ELASTIC: _over(_FORCE, "tau", "stiffness", variant=_elastic),
        Gives.LOSS: _over(_FORCE, "tau", "damping", variant=_lossy),
        Gives.ENERGY: _over(_ENERGY, "energy", "stiffness"),
        Gives.SLOPE_BY_Q: _over(_BY_Q, "entry", "stiffness", "damping"),
        Gives.SLOPE_BY_V: _over(_BY_V, "entry", "damping"),
    },
)
