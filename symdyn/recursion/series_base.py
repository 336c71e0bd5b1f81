"""A free base as a time series: its motion is found here once, and the rest of the recursion starts from it.

A base needs no series of its quaternion: vectors that it carries obey linear equations. With the base's angular
velocity omega and velocity v in its own axes, R its rotation and g the gravity,

    (R^T g)' = R^T g x omega,      R' = R [omega],      a = v' + omega x v - R^T g

where a is the proper acceleration. With the right-invariant twist (omega; v) of the spatial convention the motion is
told from the frame in which the base stands at t = 0, so that its rotation starts from the identity, its position from
zero, and products with either are saved; the twist and the wrench are moved there and back by numbers:

    R' = [omega] R,      p' = v + omega x p,      alpha = R^T omega',      a = R^T (p'' - g)

The last but one holds because ad(V) V = 0 (Ali et al. 2026, section 2). Inside the recursion such a body then rests on
a frame that moves with it, its joint still and unturned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import MotionKind
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Given, Mode, Port, Step, Sweep, Visit
from symdyn.recursion.kinematics import MOTION_SIZE
from symdyn.recursion.series_coordinates import SERIES
from symdyn.recursion.time_series import Form
from symdyn.recursion.tree import BodyVariant, TreePlan
from symdyn.scalars.algebra import Scalar
from symdyn.scalars.taylor import Series, product_coefficient, rate
from symdyn.scalars.taylor import times as product_of
from symdyn.scalars.taylor_algebra import TaylorAlgebra
from symdyn.scalars.taylor_functions import reciprocal
from symdyn.spatial.rotations import from_quaternion
from symdyn.spatial.vectors import Matrix, Vector, add, cross, entries_of, matrix_from, product, times, transpose

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

_FREE = (MotionKind.FREE, MotionKind.FREE_SPATIAL)

_MOTION, _ORIENTATION, _TURN, _WRENCH = "base_motion", "base_orientation", "base_turn", "base_wrench"
_UNTURNED = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_TURN_SIZE = 12


@dataclass(frozen=True, slots=True)
class BaseVariant:
    """The convention of a base's velocity, and whether its orientation in the world is wanted."""

    kind: MotionKind
    oriented: bool


def carried(
    algebra: TaylorAlgebra, start: Vector, omega: Vector, order: int, linear: Vector | None = None, own: bool = False
) -> tuple[list[Series], list[Series]]:
    """A vector that turns: ``x' = omega x x + linear``, or ``x' = x x omega`` in the turning axes themselves.

    Parameters
    ----------
    algebra
        Series over the scalars of ``start``.
    start
        Its value at t = 0, (3,); structural zeros and ones save products.
    omega, linear
        Series of the angular velocity, and of what is added to the rate, to order - 1 at least.
    order
        To which the vector is found.
    own
        Whether ``start`` and ``omega`` are in the axes that turn, in which a vector at rest turns the other way.

    Returns
    -------
    The vector to ``order``, and its rate to ``order - 1``.
    """
    found: list[list[Scalar]] = [[value] for value in start]
    turning = [algebra.lifted(component).coefficients for component in omega]
    pushed = [algebra.lifted(component).coefficients for component in linear] if linear is not None else None
    rates: list[list[Scalar]] = [[], [], []]
    for k in range(order):
        left, right = (found, turning) if own else (turning, found)
        share = reciprocal(algebra.inner, k + 1)
        turned = [
            product_coefficient(left[i], right[j], k) - product_coefficient(left[j], right[i], k)
            for i, j in ((1, 2), (2, 0), (0, 1))
        ]
        for axis in range(3):
            rates[axis].append(turned[axis] if pushed is None else pushed[axis][k] + turned[axis])
            found[axis].append(product_of(rates[axis][k], share))
    return [Series(component) for component in found], [Series(component or [0.0]) for component in rates]


def base_motion(variant: BaseVariant, algebra: TaylorAlgebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per base: its motion in its own axes, its orientation, and what leads its wrench back to the world."""
    placed = matrix_from([constants[name] for name in ROTATION])
    q, v, a = reads["q"], reads["v"], reads["a"]
    turned = from_quaternion(*q[3:])
    weightless = turned.transpose_times(times(transpose(placed), reads["ground"][6:9]))
    start = product(placed, turned.entries)
    writes: dict[str, Sequence[Scalar]] = {}
    orientation: Matrix = []
    if variant.kind is MotionKind.FREE:
        omega, alpha = list(v[3:]), list(a[3:])
        fall, _ = carried(algebra, weightless, omega, algebra.order, own=True)
        acceleration = add(add(a[:3], cross(omega, v[:3])), fall)
        if variant.oriented:
            orientation = [carried(algebra, row, omega, algebra.order, own=True)[0] for row in start]
    else:
        spin = turned.transpose_times(v[:3])
        drift = turned.transpose_times(add(v[3:], cross(v[:3], q[:3])))
        turn = transpose([carried(algebra, axis, spin, algebra.order)[0] for axis in matrix_from(_UNTURNED)])
        point, velocity = carried(algebra, [0.0] * 3, spin, algebra.order + 2, drift)
        back = transpose(turn)
        alpha = times(back, [rate(component) for component in spin])
        omega = [algebra.integral(own, component.leading) for own, component in zip(alpha, spin, strict=True)]
        acceleration = times(back, add([rate(component) for component in velocity], weightless))
        writes["turn"] = [*entries_of(turn), *point]
        if variant.oriented:
            orientation = product(start, turn)
    writes["motion"] = [*omega, *alpha, *acceleration, *(0.0,) * 9]
    if variant.oriented:
        writes["orientation"] = entries_of(orientation)
    return writes


def base_force(_: MotionKind, __: TaylorAlgebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per base of the spatial convention: tau, (moment; force) about the joint frame's origin, from its wrench."""
    turned, at = from_quaternion(*reads["q"][3:]), reads["q"][:3]
    turn, point = matrix_from(reads["turn"][:9]), reads["turn"][9:]
    force = times(turn, reads["wrench"][:3])
    moment = add(times(turn, reads["wrench"][3:]), cross(point, force))
    world = turned.times(force)
    return {"tau": [*add(turned.times(moment), cross(at, world)), *world]}


_BASE_MOTION = Step(
    "base_motion",
    base_motion,
    (
        Port("q", Mode.READ),
        Port("v", Mode.READ),
        Port("a", Mode.READ),
        Port("ground", Mode.READ),
        Port("motion", Mode.WRITE),
        Port("turn", Mode.WRITE),
        Port("orientation", Mode.WRITE),
    ),
)
_BASE_FORCE = Step(
    "base_force",
    base_force,
    (Port("q", Mode.READ), Port("turn", Mode.READ), Port("wrench", Mode.READ), Port("tau", Mode.WRITE)),
)


def free_bases(model: Model) -> tuple[int, ...]:
    """Bodies that move freely in the world."""
    bodies = enumerate(model.bodies)
    return tuple(index for index, body in bodies if body.parent < 0 and body.joint.kind in _FREE)


class FreeBases:
    """The free bases of a robot in a lifted plan.

    Parameters
    ----------
    tree
        The robot.
    order
        The highest time derivative.
    """

    def __init__(self, tree: TreePlan, order: int) -> None:
        self.tree = tree
        self.order = order
        self.rows = {index: row for row, index in enumerate(free_bases(tree.model))}

    @property
    def velocity_rows(self) -> tuple[int, ...]:
        """First row of v of each."""
        return tuple(self.tree.v(index).offset for index in self.rows)

    def fields(self) -> list[Field]:
        """Fields that the sweeps use beside those of the robot."""
        if not self.rows:
            return []
        count = len(self.rows)
        fields = [Field(_MOTION, FieldKind.STATE, MOTION_SIZE, count)]
        if any(map(self._is_spatial, self.rows)):
            fields += [Field(_TURN, FieldKind.STATE, _TURN_SIZE, count), Field(_WRENCH, FieldKind.STATE, 6, count)]
        if self.tree.external == "world":
            fields.append(Field(_ORIENTATION, FieldKind.STATE, 9, count))
        return fields

    def forms(self) -> dict[str, tuple[Form, ...]]:
        """Forms of these fields, where they are not of the usual size."""
        return {_MOTION: motion_forms(self.order)} if self.rows else {}

    def motion_sweeps(self) -> list[Sweep]:
        """Sweeps that find the bases' motion from the series of v and a."""
        visits = []
        for index, row in self.rows.items():
            joint = self.tree.model.bodies[index].joint
            variant = BaseVariant(joint.kind, self.tree.external == "world")
            bindings: dict[str, Binding] = {
                "q": Access("q", joint.q_index, 7),
                "v": self.tree.v(index, SERIES["v"]),
                "a": self.tree.v(index, SERIES["a"]),
                "ground": self.tree.parent_motion(index),
                "motion": Access(_MOTION, MOTION_SIZE * row, MOTION_SIZE),
            }
            if self._is_spatial(index):
                bindings["turn"] = Access(_TURN, _TURN_SIZE * row, _TURN_SIZE)
            if variant.oriented:
                bindings["orientation"] = Access(_ORIENTATION, 9 * row, 9)
            visits.append(Visit(index, variant, self.tree.constants(index, ROTATION), bindings))
        return [Sweep(_BASE_MOTION, tuple(visits))] if visits else []

    def rested(self, sweeps: Sequence[Sweep]) -> list[Sweep]:
        """Sweeps of the recursion, with each base at rest on a frame that moves as it does."""
        return [replace(sweep, visits=tuple(map(self._rested, sweep.visits))) for sweep in sweeps]

    def force_sweeps(self) -> list[Sweep]:
        """Sweeps that lead the wrenches of bases in the spatial convention to tau."""
        visits = []
        for index, row in self.rows.items():
            if self._is_spatial(index):
                bindings: dict[str, Binding] = {
                    "q": Access("q", self.tree.q(index).offset, 7),
                    "turn": Access(_TURN, _TURN_SIZE * row, _TURN_SIZE),
                    "wrench": Access(_WRENCH, 6 * row, 6),
                    "tau": self.tree.v(index, SERIES["tau"]),
                }
                visits.append(Visit(index, MotionKind.FREE_SPATIAL, {}, bindings))
        return [Sweep(_BASE_FORCE, tuple(visits))] if visits else []

    def _is_spatial(self, index: int) -> bool:
        return self.tree.model.bodies[index].joint.kind is MotionKind.FREE_SPATIAL

    def _rested(self, visit: Visit) -> Visit:
        row = self.rows.get(visit.body)
        if row is None or not isinstance(visit.variant, BodyVariant):
            return visit
        instead: dict[str, Binding] = {}
        if "parent" in visit.bindings:  # losses, on the way back, are those of the joint as it moves
            instead |= {"q": Given((0.0,) * 6 + (1.0,)), "v": Given((0.0,) * 6), "a": Given((0.0,) * 6)}
            instead["parent"] = Access(_MOTION, MOTION_SIZE * row, MOTION_SIZE)
            instead["orientation"] = Access(_ORIENTATION, 9 * row, 9)
        elif self._is_spatial(visit.body):
            instead["tau"] = Access(_WRENCH, 6 * row, 6)
        numbers = dict(zip(ROTATION, _UNTURNED, strict=True)) | dict.fromkeys(TRANSLATION, 0.0)
        return replace(
            visit,
            variant=replace(visit.variant, kind=MotionKind.FREE),
            constants={name: numbers.get(name, value) for name, value in visit.constants.items()},
            bindings={name: instead.get(name, binding) for name, binding in visit.bindings.items()},
        )


def motion_forms(order: int) -> tuple[Form, ...]:
    """Forms of a row of motion: angular velocity is known one order higher, where acceleration is read off it."""
    return (Form(order + 2 if order else 1),) * 3 + (Form(order + 1),) * (MOTION_SIZE - 3)
