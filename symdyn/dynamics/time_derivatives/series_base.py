"""A free base as a time series: its motion is found once, and the rest of the recursion starts from it.

Inside the recursion such a body rests on a frame that moves with it, its joint still and unturned; the motion, and
what leads its wrench back to the door, are the steps of :mod:`symdyn.dynamics.time_derivatives.series_base_steps`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from symdyn.dynamics.forward_dynamics.articulated_steps import JointVariant
from symdyn.dynamics.time_derivatives.series_base_steps import (
    BASE_FORCE,
    BASE_LOAD,
    BASE_MOTION,
    BASE_RATE,
    BaseVariant,
)
from symdyn.dynamics.time_derivatives.series_coordinates import SERIES
from symdyn.dynamics.tree.kinematics import MOTION_SIZE
from symdyn.dynamics.tree.tree import BodyVariant, TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.plan import Access, Binding, Field, FieldKind, Given, Step, Sweep, Visit
from symdyn.spatial.rotations import UNTURNED
from symdyn.transforms.stepwise import Stepwise
from symdyn.transforms.taylor import Form

_MOTION, _ORIENTATION, _TURN, _WRENCH = "base_motion", "base_orientation", "base_turn", "base_wrench"
_FALL, _RATE = "base_fall", "base_rate"
_TURN_SIZE = 12


class FreeBases:
    """The free bases of a robot in a lifted plan.

    Parameters
    ----------
    tree
        The robot.
    bodies
        Those of ``model.free_bases`` that are treated so.
    stepwise
        Whether the plan goes order by order (see ``transforms.stepwise``).
    """

    def __init__(self, tree: TreePlan, bodies: Sequence[int], stepwise: bool = False) -> None:
        self.tree = tree
        self.stepwise = stepwise
        self.rows = {index: row for row, index in enumerate(bodies)}
        kinds = {index: tree.model.bodies[index].joint.kind for index in bodies}
        self._turned = frozenset(index for index, kind in kinds.items() if kind.own_axes != kind)

    def fields(self) -> list[Field]:
        """Fields that the sweeps use beside those of the robot."""
        if not self.rows:
            return []
        count = len(self.rows)
        fields = [Field(_MOTION, FieldKind.STATE, MOTION_SIZE, count)]
        if self.stepwise:
            fields += [Field(_FALL, FieldKind.STATE, 3, count), Field(_RATE, FieldKind.STATE, 6, count)]
        if self._turned:
            fields += [Field(_TURN, FieldKind.STATE, _TURN_SIZE, count), Field(_WRENCH, FieldKind.STATE, 6, count)]
        if self.tree.external == "world":
            fields.append(Field(_ORIENTATION, FieldKind.STATE, 9, count))
        return fields

    def forms(self, order: int) -> dict[str, tuple[Form, ...]]:
        """Forms of these fields in a lifted plan, where they are not of the usual size."""
        return {_MOTION: motion_forms(order)} if self.rows else {}

    def steps(self) -> dict[str, Stepwise]:
        """How these fields are carried in a plan that goes order by order."""
        return {_MOTION: replace(MOTION_STEPS, passing=True)} | dict.fromkeys(
            (_FALL, _TURN, _WRENCH, _ORIENTATION), Stepwise()
        )

    def motion_sweeps(self) -> list[Sweep]:
        """Sweeps that find the bases' motion from the series of v and a."""
        visits = []
        for index, row in self.rows.items():
            joint = self.tree.model.bodies[index].joint
            variant = BaseVariant(joint.kind, self.tree.external == "world", self.stepwise)
            bindings: dict[str, Binding] = {
                "q": Access("q", joint.q_index, 7),
                "v": self.tree.v(index, SERIES["v"]),
                "a": self.tree.v(index, SERIES["a"]),
                "ground": self.tree.parent_motion(index),
                "motion": Access(_MOTION, MOTION_SIZE * row, MOTION_SIZE),
            }
            if index in self._turned:
                bindings["turn"] = Access(_TURN, _TURN_SIZE * row, _TURN_SIZE)
            elif variant.falls:
                bindings["fall"] = Access(_FALL, 3 * row, 3)
            if variant.oriented:
                bindings["orientation"] = Access(_ORIENTATION, 9 * row, 9)
            visits.append(Visit(index, variant, self.tree.constants(index, ROTATION), bindings))
        return [Sweep(BASE_MOTION, tuple(visits))] if visits else []

    def rested(self, sweeps: Sequence[Sweep]) -> list[Sweep]:
        """Sweeps of the recursion, with each base at rest on a frame that moves as it does."""
        return [replace(sweep, visits=tuple(map(self._rested, sweep.visits))) for sweep in sweeps]

    def force_sweeps(self, tau: str, only: Collection[int] | None = None) -> list[Sweep]:
        """Sweeps that lead the wrenches of bases in the spatial convention to a field of the rows of tau."""
        return self._between(BASE_FORCE, tau, only)

    def load_sweeps(self, tau: str, only: Collection[int]) -> list[Sweep]:
        """Sweeps that make wrenches of bases in the spatial convention from a field of the rows of tau."""
        return self._between(BASE_LOAD, tau, only)

    def rate_sweeps(self, found: str, only: Collection[int]) -> list[Sweep]:
        """Sweeps that lead the accelerations found of bases in the spatial convention to a field of the rows of v."""
        visits = [
            Visit(
                index,
                None,
                {},
                {
                    "q": Access("q", self.tree.q(index).offset, 7),
                    "own": Access(_RATE, 6 * row, 6),
                    "found": self.tree.v(index, found),
                },
            )
            for index, row in self.rows.items()
            if index in self._turned and index in only
        ]
        return [Sweep(BASE_RATE, tuple(visits))] if visits else []

    def _between(self, step: Step, tau: str, only: Collection[int] | None) -> list[Sweep]:
        visits = []
        for index, row in self.rows.items():
            if index in self._turned and (only is None or index in only):
                bindings: dict[str, Binding] = {
                    "q": Access("q", self.tree.q(index).offset, 7),
                    "turn": Access(_TURN, _TURN_SIZE * row, _TURN_SIZE),
                    "wrench": Access(_WRENCH, 6 * row, 6),
                    "tau": self.tree.v(index, tau),
                }
                visits.append(Visit(index, None, {}, bindings))
        return [Sweep(step, tuple(visits))] if visits else []

    def _rested(self, visit: Visit) -> Visit:
        row = self.rows.get(visit.body)
        if row is not None and isinstance(visit.variant, JointVariant):
            return self._eliminated(visit, visit.variant, row)
        if row is None or not isinstance(visit.variant, BodyVariant):
            return visit
        instead: dict[str, Binding] = {}
        if "parent" in visit.bindings:  # losses, on the way back, are those of the joint as it moves
            instead |= {"q": Given((0.0,) * 6 + (1.0,)), "v": Given((0.0,) * 6), "a": Given((0.0,) * 6)}
            instead["parent"] = Access(_MOTION, MOTION_SIZE * row, MOTION_SIZE)
            instead["orientation"] = Access(_ORIENTATION, 9 * row, 9)
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
