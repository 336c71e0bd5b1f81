"""What a medium does to geoms that it meets as ellipsoids: drag, lift, and what the fluid around them moves with.

MuJoCo's documentation, "Ellipsoid model". With semi-axes s, the velocity v of a geom's centre against the medium and
its angular velocity w, both in the geom's axes,

    f = -(3 pi mu D + rho |v| (c_blunt A + c_slender (A_max - A))) v + c_magnus rho V w x v + f_kutta + p x w
    n = -(pi mu D^3 + rho |c_angular I w + c_slender (I_max - I) w|) w + p x v + L x w

where D is the mean diameter, A the area that the flow meets, p = rho m v and L = rho j w with the added masses m and
inertias j of unit density, and f_kutta = c_kutta rho pi sqrt(n.v / n.n) (n x v) x v / |v| with the normal n, of which
n_i = (s_j s_k)^2 v_i. Squares under roots have 1e-30 m^2/s^2 added, so that all is smooth at rest: that is less than
the rounding of forces. MuJoCo bounds n.v from below by 1e-15 instead, which takes force from slow and small geoms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from symdyn.description.mjcf.record import ModelRecord
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.placement import Number

_SPHERE, _CAPSULE, _CYLINDER = 2, 3, 5
"""mjGEOM_SPHERE, mjGEOM_CAPSULE and mjGEOM_CYLINDER."""
_AXES = "xyz"
_REST = 1e-30
"""[m^2/s^2]: roots of squares have a slope at rest, and are the same elsewhere to rounding."""
_SPEED = f"sqrt(vx*vx+vy*vy+vz*vz+{_REST})"


def drag_of(model: ModelRecord, geom: int, density: float, viscosity: float) -> list[Number]:
    """Six entries of what a medium takes of the motion of a geom, linear and quadratic."""
    sizes, (blunt, slender, angular, *_) = _semiaxes(model, geom), model.fields["geom_fluid"][geom][1:6]
    _, middle, largest = sorted(sizes)
    diameter = 2.0 / 3.0 * sum(sizes)
    squares = [(sizes[j] * sizes[k] / largest**2) ** 2 for j, k in _OTHERS]
    met = f"sqrt({_sum(own**2 for own in squares)}/{_sum(squares)})"
    linear = density * math.pi * largest**2 * (blunt - slender), density * slender * math.pi * largest * middle
    speed = _with(_with("", linear[0], met), linear[1])
    taken = _with(_with("", 3.0 * math.pi * viscosity * diameter), 1.0 if speed else 0.0, f"{_SPEED}*({speed})")
    moments = [8.0 / 15.0 * math.pi * sizes[i] * max(sizes[j], sizes[k]) ** 4 for i, (j, k) in enumerate(_OTHERS)]
    greatest = 8.0 / 15.0 * math.pi * middle * largest**4
    shares = [angular * own + slender * (greatest - own) for own in moments]
    most = max(map(abs, shares))
    turned = f"sqrt({_sum(((own / (most or 1.0)) ** 2 for own in shares), 'w')})"
    slowed = _with(_with("", math.pi * viscosity * diameter**3), density * most, turned)
    found: list[Number] = []
    for rates, factor in (("v", taken), ("w", slowed)):
        found += [Expression(f"-({factor})*{rates}{axis}") if factor else 0.0 for axis in _AXES]
    return found


def lift_of(model: ModelRecord, geom: int, density: float) -> list[Number]:
    """Six entries of what acts across the motion of a geom: lift by turning and by its shape, and added masses."""
    sizes, own = _semiaxes(model, geom), model.fields["geom_fluid"][geom]
    kutta, magnus, masses, inertias = own[4], own[5], own[6:9], own[9:12]
    largest = max(sizes)
    squares = [(sizes[j] * sizes[k] / largest**2) ** 2 for j, k in _OTHERS]
    along = f"sqrt({_sum(squares)}/{_sum(one**2 for one in squares)})/{_SPEED}"
    circulation = kutta * density * math.pi * largest**2
    turning = magnus * density * 4.0 / 3.0 * math.pi * math.prod(sizes)
    found: list[Number] = []
    for i, (j, k) in enumerate(_OTHERS):
        x, y, z = (_AXES[place] for place in (i, j, k))
        force = _with("", density * masses[j] - turning, f"v{y}*w{z}")
        force = _with(force, turning - density * masses[k], f"v{z}*w{y}")
        bent = _with("", squares[j] - squares[i], f"v{y}*v{y}")
        bent = _with(bent, squares[k] - squares[i], f"v{z}*v{z}")
        force = _with(force, circulation if bent else 0.0, f"v{x}*({bent})*{along}")
        found.append(Expression(force) if force else 0.0)
    for j, k in _OTHERS:
        y, z = _AXES[j], _AXES[k]
        moment = _with("", density * (masses[j] - masses[k]), f"v{y}*v{z}")
        moment = _with(moment, density * (inertias[j] - inertias[k]), f"w{y}*w{z}")
        found.append(Expression(moment) if moment else 0.0)
    return found


_OTHERS = ((1, 2), (2, 0), (0, 1))
"""Per axis the two others, in turn."""


def _semiaxes(model: ModelRecord, geom: int) -> list[float]:
    """Half the sizes of the ellipsoid that a geom is taken for."""
    kind, (x, y, z) = model.fields["geom_type"][geom], model.fields["geom_size"][geom]
    return {_SPHERE: [x, x, x], _CAPSULE: [x, x, x + y], _CYLINDER: [x, x, y]}.get(kind, [x, y, z])


def _sum(factors: Iterable[float], rate: str = "v") -> str:
    """Factors times squares of rates, never zero."""
    terms = [f"{factor!r}*{rate}{axis}*{rate}{axis}" for factor, axis in zip(factors, _AXES, strict=True) if factor]
    return f"({'+'.join(terms)}+{_REST})" if terms else f"{_REST}"


def _with(text: str, factor: float, of: str = "") -> str:
    """A sum with one more product; a factor of zero adds nothing."""
    if not factor:
        return text
    own = of if factor == 1.0 and of else f"{factor!r}*{of}" if of else repr(factor)
    return f"{text}+{own}" if text else own
