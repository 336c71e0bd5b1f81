"""The states at which generated functions are checked: random ones, and the poses where formulas tend to break.

Numbers that are exact in the format of the function under test.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from mpmath import mp

from symdyn.description.robot import JointKind
from symdyn.interface.signature import Argument
from symdyn.verify.base.compare import UNIT_ROUNDOFF
from symdyn.verify.base.curves import QUATERNION_AT
from symdyn.verify.oracle.mapped import map_reaches
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.rod import Rod
from symdyn.verify.oracle.tree import Tree

NEUTRAL_QUATERNION = (0.0, 0.0, 0.0, 1.0)


def rounded_to(dtype: str, value: float) -> float:
    """The nearest number of a format."""
    if dtype == "float64":
        return value
    nearest: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return nearest


def nearly_unit(quaternion: Sequence[float], dtype: str = "float64") -> list[float]:
    """A neighbour of a quaternion whose norm is 1 to far below rounding.

    Functions use quaternions as given. One that has been normalised and rounded is off by about u, and what it
    stands for is then uncertain by as much. Among its neighbours, up to two steps of u away in each component, there
    is one some hundred times nearer to norm 1, whose meaning is clear.
    """
    norm = math.sqrt(math.fsum(value * value for value in quaternion))
    candidates = []
    for value in quaternion:
        start = rounded_to(dtype, value / norm)
        step = max(math.ulp(start) * (1.0 if dtype == "float64" else 2.0**29), UNIT_ROUNDOFF[dtype])
        near = [rounded_to(dtype, start + shift * step) for shift in (0, 1, -1, 2, -2)]
        candidates.append(near if start else [0.0])
    ratios = {item: item.as_integer_ratio() for items in candidates for item in items}
    unit = max(under for _, under in ratios.values())  # a power of two, as all of them
    squares = {item: (over * (unit // under)) ** 2 for item, (over, under) in ratios.items()}
    best, distance = list(quaternion), unit**2
    for chosen in product(*candidates):
        off = abs(sum(map(squares.__getitem__, chosen)) - unit**2)
        if off < distance:
            best, distance = list(chosen), off
    return best


_SPEED = 3.0
"""Range of random velocities, accelerations and wrenches."""
_POSES = 5
"""A truth that walks the links more often than this gets fewer states."""
_STRETCH = 0.1
"""Range of the angle or length by which springs of elastic joints are stretched."""
_MANY_TURNS = 30.0
"""In rad. A follower turns by a multiple of it, rounded to u times the product: more turns would only measure that."""
_TURN, _DEFLECTION = 0.2, 0.05
"""Range of the turns of a beam's sections [rad], and of their displacements in lengths of the beam, per coordinate."""
_BEND, _STRAIN, _SHARE = 1.0, 0.4, 0.9
"""Range of the turn of a rod's sections per coordinate [rad], of the linear strain of all coordinates together, and
how much of the turn that a step may have is used."""
_ANGULAR = {JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.HELICAL, JointKind.UNIVERSAL}


@dataclass(frozen=True, slots=True)
class State:
    """Flat input values by name, all of them exact in the format of the function under test."""

    label: str
    inputs: Mapping[str, tuple[float, ...]]


def verification_states(
    tree: Tree,
    inputs: Sequence[Argument],
    nominal: Mapping[str, float],
    count: int,
    seed: int = 0,
    dtype: str = "float64",
    every: int = 1,
) -> tuple[State, ...]:
    """Special states followed by random ones; the same for the same arguments.

    Parameters
    ----------
    tree
        Tells how to draw q.
    inputs
        The function's inputs; ``q`` and ``p`` are drawn as such, ``q_d`` as q, ``weights`` and ``eps`` in [1/4, 4],
        ``active`` of 0 and 1, ``touching`` between any two bodies or the ground,
        ``targets`` in [-3, 3], ``h`` in [1e-4, 1e-2], ``restitution`` in [0, 1], ``y`` as q and
        velocities, all others uniformly in [-speed, speed], where speed is 3 or 0.
        A ``q`` that has fewer rows than the robot is that of its links, without the motors of elastic joints.
    nominal
        Value of each run-time parameter; random ones lie between half and one and a half times it
        (within 0.5 of a nominal 0).
    count
        Number of random states.
    seed
        Of the random numbers.
    dtype
        Format that all values are rounded to.
    every
        How many states one stands for where a truth is slow: each third special one, say, and a third as many random
        ones, but at least one and three.
    """
    generator = random.Random(seed)
    states = []
    for label, draw_q, speed in _recipes(count, every):
        values: dict[str, tuple[float, ...]] = {}
        for argument in inputs:
            if argument.name in ("q", "q_d", "y"):
                drawn = [
                    value for place in _drawn(tree) for value in _with_motor(place, draw_q(place, generator), generator)
                ]
                drawn += [generator.uniform(-speed, speed) for _ in range(argument.size - tree.nq)]
            elif argument.name == "p":
                drawn = [_near(nominal.get(name, 1.0), generator) for name in argument.element_names]
            elif argument.name == "targets":
                drawn = [generator.uniform(-_SPEED, _SPEED) for _ in range(argument.size)]
            elif argument.name in ("weights", "eps"):
                drawn = [4.0 ** generator.uniform(-1.0, 1.0) for _ in range(argument.size)]
            elif argument.name == "active":
                drawn = [float(generator.randrange(2)) for _ in range(argument.size)]
            elif argument.name == "touching":
                drawn = [x for _ in range(argument.shape[0]) for x in _touching(len(tree.body_names), generator)]
            elif argument.name == "h":
                drawn = [10.0 ** generator.uniform(-4.0, -2.0)]
            elif argument.name == "restitution":
                drawn = [generator.uniform(0.0, 1.0) for _ in range(argument.size)]
            else:
                drawn = [generator.uniform(-speed, speed) for _ in range(argument.size)]
            rounded = [rounded_to(dtype, value) for value in drawn]
            if argument.name in ("q", "q_d"):
                for row in tree.quaternions:
                    rounded[row : row + 4] = nearly_unit(rounded[row : row + 4], dtype)
                if argument.size < tree.nq:  # of the links alone
                    rounded = [value for row, value in enumerate(rounded) if row not in tree.motors]
            values[argument.name] = tuple(rounded)
        states.append(State(label, values))
    return tuple(states)


_DrawPlace = Callable[[Place, random.Random], list[float]]


def states_per_check(poses: int) -> int:
    """``every`` of :func:`verification_states` for a truth that walks the robot's links ``poses`` times."""
    return max(1, poses // _POSES)


def _recipes(count: int, every: int) -> Iterator[tuple[str, _DrawPlace, float]]:
    """Label, how to draw a joint's coordinates, and the range of everything else."""
    yield from _SPECIAL[min(every, len(_SPECIAL) - 1) // 2 :: every]  # one in motion first, where they are few
    for index in range(max(min(count, 3), count // every)):
        yield f"random state {index}", _random_pose, _SPEED


def _drawn(tree: Tree) -> list[Place]:
    return [place for place in tree.places if place.locked is None and place.joint.mimic is None]


def _with_motor(place: Place, drawn: list[float], generator: random.Random) -> list[float]:
    """A joint's coordinates, and that of its motor where it is elastic: near the link's."""
    if place.joint.elastic is None:
        return drawn
    return [*drawn, drawn[0] + generator.uniform(-_STRETCH, _STRETCH)]


def _constant(angle: float) -> _DrawPlace:
    def draw(place: Place, _: random.Random) -> list[float]:
        kind = place.joint.kind
        if place.mujoco and kind in QUATERNION_AT:
            x, y, z, w = _turned(angle)
            return [*[0.0] * QUATERNION_AT[kind], w, x, y, z]
        if place.bends:
            return [math.sin(angle) * reach for reach in _reaches(place)]
        if kind is JointKind.SPHERICAL:
            return [*_turned(angle)]
        if kind is JointKind.FLOATING:
            return [0.0, 0.0, 0.0, *_turned(angle)]
        if kind is JointKind.PLANAR:
            return [0.0, 0.0, angle]
        if kind is JointKind.CYLINDRICAL:
            return [0.0, angle]
        return [angle if kind in _ANGULAR else 0.0] * place.rows[0]

    return draw


def _turned(angle: float) -> tuple[float, ...]:
    """A turn about (2, 3, 6) / 7; the neutral quaternion exactly for angle 0.

    An axis with zeros would leave too few neighbours for :func:`nearly_unit` to choose from.
    """
    if not angle:
        return NEUTRAL_QUATERNION
    return (*(math.sin(angle / 2) * along / 7 for along in (2, 3, 6)), math.cos(angle / 2))


def _random_pose(place: Place, generator: random.Random) -> list[float]:
    if place.bends:
        return [generator.uniform(-reach, reach) for reach in _reaches(place)]
    kind = place.joint.kind
    quaternion = [generator.gauss(0.0, 1.0) for _ in range(4)]
    position = [generator.uniform(-1.0, 1.0) for _ in range(3)]
    turn = [generator.uniform(-math.pi, math.pi) for _ in range(2)]
    match kind:
        case JointKind.SPHERICAL:
            return quaternion
        case JointKind.FLOATING:
            return [*position, *quaternion]
        case JointKind.PLANAR:
            return [*position[:2], turn[0]]
        case JointKind.CYLINDRICAL:
            return [position[0], turn[0]]
        case JointKind.PRISMATIC:
            return position[:1]
    return turn[: place.rows[0]]


def _reaches(place: Place) -> list[float]:
    """Amplitudes up to which coordinates are drawn: they turn or move sections by as much as beams and rods do."""
    if place.mapped is not None:
        return map_reaches(place.mapped)
    if place.soft is not None:
        return _rod_reaches(place.rod, place.soft.max_turn_per_step)
    beam = place.beam
    found = []
    for steepest, farthest in zip(beam.steepest, beam.farthest, strict=True):
        bounds = [_TURN / steepest] if steepest else []
        bounds += [_DEFLECTION * beam.length / farthest] if farthest else []
        found.append(float(min(bounds)))
    return found


def _rod_reaches(rod: Rod, most: float) -> list[float]:
    """All coordinates together turn no step by more than it may, and leave the rod most of its length."""
    left = max((_SHARE * most - rod.bent) / (mp.fsum(rod.sharpest) or 1), mp.mpf(0))
    linear = max(1, sum(bool(longest) for longest in rod.longest))
    found = []
    for steepest, longest in zip(rod.steepest, rod.longest, strict=True):
        bounds = [min(left, _BEND / steepest)] if steepest else []
        bounds += [_STRAIN / linear / longest] if longest else []
        found.append(float(min(bounds, default=0.0)))
    own = len(rod.widest)
    return found[: len(found) - own] + [float(_STRAIN / own / widest) for widest in rod.widest]


def _near(nominal: float, generator: random.Random) -> float:
    return nominal * generator.uniform(0.5, 1.5) if nominal else generator.uniform(-0.5, 0.5)


_SPECIAL: tuple[tuple[str, _DrawPlace, float], ...] = (
    ("neutral pose at rest", _constant(0.0), 0.0),
    ("neutral pose in motion", _constant(0.0), _SPEED),
    ("angles of pi/2 at rest", _constant(math.pi / 2), 0.0),
    ("angles of pi/2 in motion", _constant(math.pi / 2), _SPEED),
    ("angles of pi", _constant(math.pi), _SPEED),
    ("angles of -pi/2", _constant(-math.pi / 2), _SPEED),
    ("angles near zero", _constant(1e-9), _SPEED),
    ("angles of many turns", _constant(_MANY_TURNS), _SPEED),
    ("random pose at rest", _random_pose, 0.0),
    ("random pose at high speed", _random_pose, 50.0),
)
"""The poses where formulas tend to break."""


def _touching(bodies: int, generator: random.Random) -> list[float]:
    """A row of the input ``touching``: two different bodies or one and the ground, a point, a unit normal."""
    a, b = generator.sample(range(-1, bodies), 2)
    direction = [generator.gauss(0.0, 1.0) for _ in range(3)]
    length = math.hypot(*direction)
    point = [generator.uniform(-1.0, 1.0) for _ in range(3)]
    gap, friction = generator.uniform(-1e-3, 1e-3), generator.uniform(0.0, 1.0)
    return [float(a), float(b), *point, *(x / length for x in direction), gap, friction]
