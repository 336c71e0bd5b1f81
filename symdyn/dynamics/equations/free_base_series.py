"""The motion of a free base as a time series, computed once before the rest of the recursion.

Inside the recursion the base is at rest relative to a frame that moves with it. Its wrench is converted to public
coordinates at the end, by the steps of :mod:`symdyn.dynamics.kinematics.series_base_steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

from symdyn.algebra.spatial.rotations import UNTURNED
from symdyn.dynamics.elements.listed import load_sweeps
from symdyn.dynamics.forward_dynamics.aba_steps import JointVariant
from symdyn.dynamics.kinematics.series_base_steps import BaseVariant, base_force, base_load, base_motion, base_rate
from symdyn.dynamics.kinematics.series_coordinates import SERIES
from symdyn.dynamics.tree.bindings import BoundStep, read, step, write
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.kinematics import MOTION_SIZE
from symdyn.dynamics.tree.places import MOTION, STAND, Lying, Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Sweep, Visit
from symdyn.plan.transforms.order_by_order import Stepwise
from symdyn.plan.transforms.series_places import Form

_MOTION, _ORIENTATION, _TURN, _WRENCH = "base_motion", "base_orientation", "base_turn", "base_wrench"
_FALL, _RATE, _TWIST, _STAND = "base_fall", "base_rate", "base_twist", "base_stand"
_TURN_SIZE = 12

Base = tuple[int, int]
"""A free base: its body, and its row in the fields here."""


def _row(field: str, width: int) -> Place:
    """The base's row of a field."""
    return Place(field, lambda tree, base, name: Access(name, width * base[1], width))


def _at_body(field: str, at: Callable[[TreePlan, int, str], Lying]) -> Place:
    """A place at the base's body."""
    return Place(field, lambda tree, base, name: at(tree, base[0], name))


_per_base = partial(step, body=lambda tree, base: base[0])
_led = partial(_per_base, variant=lambda tree, base: None)
_Q = _at_body("q", TreePlan.q)
_OWN, _TURNED, _TAU = _row(_WRENCH, 6), _row(_TURN, _TURN_SIZE), _at_body("tau", TreePlan.v)
_BASE_MOTION = _per_base(
    base_motion,
    q=read(_Q),
    v=read(_at_body(SERIES["v"], TreePlan.v)),
    a=read(_at_body(SERIES["a"], TreePlan.v)),
    ground=read(_at_body("motion", MOTION.above.at)),
    motion=write(_row(_MOTION, MOTION_SIZE)),
    fall=write(_row(_FALL, 3), when=lambda b: b.falls and b.kind == b.kind.own_axes),
    turn=write(_TURNED, when=lambda b: b.kind != b.kind.own_axes),
    orientation=write(_row(_ORIENTATION, 9), when=lambda b: b.oriented),
    twist=write(_row(_TWIST, 6), when=lambda b: b.loaded),
    stand=write(_row(_STAND, 3), when=lambda b: b.stands),
    constants=lambda b: (*ROTATION, *(TRANSLATION if b.stands else ())),
)
_BASE_FORCE = _led(base_force, q=read(_Q), turn=read(_TURNED), wrench=read(_OWN), tau=write(_TAU))
_BASE_LOAD = _led(base_load, q=read(_Q), turn=read(_TURNED), wrench=write(_OWN), tau=read(_TAU))
_BASE_RATE = _led(base_rate, q=read(_Q), own=read(_row(_RATE, 6)), found=write(_TAU))


class FreeBases:
    """The free bases of a robot in a lifted plan.

    Parameters
    ----------
    tree
        The robot.
    bodies
        Those of ``model.free_bases`` that are treated so.
    stepwise
        Whether the plan goes order by order (see ``transforms.order_by_order``).
    """

    def __init__(self, tree: TreePlan, bodies: Sequence[int], stepwise: bool = False) -> None:
        self.tree = tree
        self.stepwise = stepwise
        self.rows = {index: row for row, index in enumerate(bodies)}
        kinds = {index: tree.model.bodies[index].joint.kind for index in bodies}
        loads = load_sweeps(tree)
        self._loaded = bool(loads)
        self._stands = any(field.name == STAND.field for sweep in loads for field in sweep.fields)
        self._oriented = tree.external == "world" or self._loaded
        self._turned = frozenset(index for index, kind in kinds.items() if kind.own_axes != kind)

    def fields(self) -> list[Field]:
        """Fields that the sweeps use beside those of the robot."""
        widths = {
            _MOTION: MOTION_SIZE,
            **({_FALL: 3, _RATE: 6} if self.stepwise else {}),
            **({_TURN: _TURN_SIZE, _WRENCH: 6} if self._turned else {}),
            **({_ORIENTATION: 9} if self._oriented else {}),
            **({_TWIST: 6} if self._loaded else {}),
            **({_STAND: 3} if self._stands else {}),
        }
        count = len(self.rows)
        return [Field(name, FieldKind.STATE, width, count) for name, width in widths.items() if count]

    def forms(self, order: int) -> dict[str, tuple[Form, ...]]:
        """Forms of these fields in a lifted plan, where they are not of the usual size."""
        return {_MOTION: motion_forms(order)} if self.rows else {}

    def steps(self) -> dict[str, Stepwise]:
        """How these fields are carried in a plan that goes order by order."""
        return {_MOTION: replace(MOTION_STEPS, passing=True)} | dict.fromkeys(
            (_FALL, _TURN, _WRENCH, _ORIENTATION, _TWIST, _STAND), Stepwise()
        )

    def motion_sweeps(self) -> list[Sweep]:
        """Sweeps that find the bases' motion from the series of v and a."""

        def variant(tree: TreePlan, base: Base) -> BaseVariant:
            kind = tree.model.bodies[base[0]].joint.kind
            return BaseVariant(kind, self._oriented, self.stepwise, self._loaded, self._stands)

        return [_BASE_MOTION.over(self.tree, self.rows.items(), variant)] if self.rows else []

    def rested(self, sweeps: Sequence[Sweep]) -> list[Sweep]:
        """Sweeps of the recursion, with each base at rest on a frame that moves as it does."""
        return [replace(sweep, visits=tuple(map(self._rested, sweep.visits))) for sweep in sweeps]

    def force_sweeps(self, tau: str, only: Collection[int] | None = None) -> list[Sweep]:
        """Sweeps that lead the wrenches of bases in the spatial convention to a field of the rows of tau."""
        return self._between(_BASE_FORCE, "tau", tau, only)

    def load_sweeps(self, tau: str, only: Collection[int]) -> list[Sweep]:
        """Sweeps that make wrenches of bases in the spatial convention from a field of the rows of tau."""
        return self._between(_BASE_LOAD, "tau", tau, only)

    def rate_sweeps(self, found: str, only: Collection[int]) -> list[Sweep]:
        """Sweeps that lead the accelerations found of bases in the spatial convention to a field of the rows of v."""
        return self._between(_BASE_RATE, "found", found, only)

    def wrench_of(self, body: int) -> Access | None:
        """Where the wrench on a base in the spatial convention lies, in its own axes; None for other bodies."""
        return Access(_WRENCH, 6 * self.rows[body], 6) if body in self._turned else None

    def _between(self, led: BoundStep, port: str, field: str, only: Collection[int] | None) -> list[Sweep]:
        wanted = self._turned if only is None else self._turned & set(only)
        bases = [base for base in self.rows.items() if base[0] in wanted]
        return [led.over(self.tree, bases, None, None, **{port: field})] if bases else []

    def _rested(self, visit: Visit) -> Visit:
        row = self.rows.get(visit.body)
        if row is not None and isinstance(visit.variant, JointVariant):
            return self._eliminated(visit, visit.variant, row)
        if row is None or not isinstance(visit.variant, BodyVariant):
            return visit
        instead: dict[str, Binding] = {}
        above: dict[str, Binding] = {
            "parent": Access(_MOTION, MOTION_SIZE * row, MOTION_SIZE),
            "orientation": Access(_ORIENTATION, 9 * row, 9),
            "twist": Access(_TWIST, 6 * row, 6),
            "stand": Access(_STAND, 3 * row, 3),
        }
        if above.keys() & visit.bindings.keys():  # losses, on the way back, are those of the joint as it moves
            instead = {"q": Given((0.0,) * 6 + (1.0,)), "v": Given((0.0,) * 6), "a": Given((0.0,) * 6), **above}
        elif visit.body in self._turned:
            instead["tau"] = Access(_WRENCH, 6 * row, 6)
        numbers = dict(zip(ROTATION, UNTURNED, strict=True)) | dict.fromkeys(TRANSLATION, 0.0)
        return replace(
            visit,
            variant=replace(visit.variant, kind=visit.variant.kind.own_axes),
            constants={name: numbers.get(name, value) for name, value in visit.constants.items()},
            bindings={name: instead.get(name, binding) for name, binding in visit.bindings.items()},
        )

    def _eliminated(self, visit: Visit, variant: JointVariant, row: int) -> Visit:
        """A step of the elimination, in body axes whatever the convention."""
        if visit.body not in self._turned:
            return visit
        wrench = Access(_WRENCH, 6 * row, 6)
        free = all(variant.free)
        instead = {"given": wrench, "found": Access(_RATE, 6 * row, 6)} if free else {"found": wrench}
        return replace(
            visit,
            variant=replace(variant, body=replace(variant.body, kind=variant.body.kind.own_axes)),
            bindings={name: instead.get(name, binding) for name, binding in visit.bindings.items()},
        )


MOTION_STEPS = Stepwise(led=3)
"""How a row of motion is carried order by order: angular velocity follows from its rates."""


def motion_forms(order: int) -> tuple[Form, ...]:
    """Forms of a row of motion: angular velocity is known one order higher, where acceleration is read off it."""
    return (Form(order + 2 if order else 1),) * 3 + (Form(order + 1),) * (MOTION_SIZE - 3)
