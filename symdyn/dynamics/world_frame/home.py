"""The robot at q = 0, in the world's frame: where bodies stand, their joints' screws Y, and their inertia there.

All of it is constant: numbers in the code, except for what rests on run-time translations, which a first sweep computes
from p. A body's inertia is taken about its centre of mass where that is known (Ali et al. 2026, appendix D, step 1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.motion import SIZE, adjoint
from symdyn.algebra.spatial.rotations import IDENTITY, ROUNDING, Identity, Matrix3, snapped
from symdyn.algebra.spatial.symmetric import upper
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector, add, cross, entries_of, matrix_from, product, times, transpose
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import FIRST_MOMENT, INERTIA, SECOND_MOMENT, TRANSLATION, without_noise
from symdyn.model.joints import JointPose
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Given, Mode, Port, Step, Sweep, Visit

HOME_ROTATION = tuple(f"H{row}{column}" for row in range(3) for column in range(3))
PUBLIC_ROTATION = tuple(f"P{row}{column}" for row in range(3) for column in range(3))
HOME_POINT = ("ax", "ay", "az")
INERTIA_POINT = ("bx", "by", "bz")
"""Where the frame stands that the constants of inertia are about."""

_POINT_SIZE = 3
_ROW_SIZE = _POINT_SIZE + 3 * SIZE
"""Scalars of a row of the ``home`` field: a body's point, then the linear part of each of its screws."""


def screw_names(columns: int) -> tuple[str, ...]:
    """Constants of the joint's home screws, column by column."""
    return tuple(f"Y{column}{row}" for column in range(columns) for row in range(SIZE))


def named_pose(constants: Mapping[str, Scalar], rotation: Sequence[str], point: Sequence[str]) -> Pose:
    """The pose that constants of these names tell."""
    return Pose(matrix_from([constants[name] for name in rotation]), [constants[name] for name in point])


class HomeConfiguration:
    """Constants of every body at q = 0; see the module."""

    def __init__(self, tree: TreePlan) -> None:
        self._tree = tree
        self.model: Model = tree.model
        self._rotations: list[Matrix3] = []
        self._points: list[list[float] | None] = []
        for index, body in enumerate(self.model.bodies):
            above = self._rotations[body.parent] if body.parent >= 0 else IDENTITY
            self._rotations.append(snapped(product(above, body.rotation)))
            known = [value for value in tree.constants(index, TRANSLATION).values() if isinstance(value, float)]
            parent = self._points[body.parent] if body.parent >= 0 else [0.0] * 3
            whole = len(known) == len(TRANSLATION)
            self._points.append(_exact(add(parent, times(above, known))) if whole and parent is not None else None)
        unknown = (index for index, point in enumerate(self._points) if point is None)
        self._bound_row = {index: row for row, index in enumerate(unknown)}

    def fields(self) -> list[Field]:
        """Fields of what :meth:`binding_sweeps` writes."""
        return [Field("home", FieldKind.STATE, _ROW_SIZE, len(self._bound_row))] if self._bound_row else []

    def binding_sweeps(self) -> list[Sweep]:
        """Sweeps that compute points and screws, where these rest on p; after those of the tree."""
        step = Step("home_configuration", self._home_kernel, (Port("parent", Mode.READ), Port("home", Mode.WRITE)))
        visits = tuple(
            Visit(
                index,
                index,
                self._tree.constants(index, TRANSLATION),
                {"parent": self._point(self.model.bodies[index].parent), "home": self._row(index)},
            )
            for index in self._bound_row
        )
        return [Sweep(step, visits)] if visits else []

    def screws(self, index: int) -> dict[str, Constant]:
        """The joint's home screws Y, 6 x n, by :func:`screw_names`."""
        columns = self._body_columns(index)
        found: list[Constant] = []
        for column, screw in enumerate(columns):
            moved, turned = self._turned(index, screw[:3]), self._turned(index, screw[3:])
            linear: Sequence[Constant] = moved
            if (point := self._points[index]) is not None:
                linear = _exact(add(moved, cross(point, turned)))
            elif any(turned):
                start = self._row(index).offset + _POINT_SIZE + 3 * column
                linear = [Access("home", start + row, 1) for row in range(3)]
            found += [*linear, *turned]
        return dict(zip(screw_names(len(columns)), found, strict=True))

    def pose(self, index: int) -> dict[str, Constant]:
        """HOME_ROTATION and HOME_POINT: where the body's frame stands."""
        return _named(HOME_ROTATION, self._rotations[index]) | self._named_point(index, HOME_POINT)

    def public_pose(self, index: int) -> dict[str, Constant]:
        """PUBLIC_ROTATION and HOME_POINT: where the public frame of the body's link stands."""
        turned = snapped(product(self._rotations[index], transpose(self.model.bodies[index].alignment)))
        return _named(PUBLIC_ROTATION, turned) | self._named_point(index, HOME_POINT)

    def inertia(self, index: int) -> dict[str, Constant]:
        """HOME_ROTATION and INERTIA_POINT of the frame that INERTIA, also given, is about."""
        given, turned = self._tree.constants(index, INERTIA), _named(HOME_ROTATION, self._rotations[index])
        known = {name: value for name, value in given.items() if isinstance(value, float)}
        point = self._points[index]
        if point is None or len(known) < len(INERTIA) or known["m"] <= 0.0:
            return turned | self._named_point(index, INERTIA_POINT) | given
        central, offset = _about_center(known)
        center = _exact(add(point, times(self._rotations[index], offset)))
        return {**turned, **dict(zip(INERTIA_POINT, center, strict=True)), **central}

    def _body_columns(self, index: int) -> list[list[Scalar]]:
        joint = self.model.bodies[index].joint
        return joint.kind.moving.columns(JointPose(Identity(), [0.0, 0.0, 0.0]), dict(joint.numbers))

    def _turned(self, index: int, a: Vector) -> list[float]:
        return _exact(times(self._rotations[index], a))

    def _row(self, index: int) -> Access:
        columns = len(self._body_columns(index))
        return Access("home", _ROW_SIZE * self._bound_row[index], _POINT_SIZE + 3 * columns)

    def _point(self, index: int) -> Binding:
        known = self._points[index] if index >= 0 else [0.0] * 3
        return Access("home", self._row(index).offset, 3) if known is None else Given(tuple(known))

    def _named_point(self, index: int, names: Sequence[str]) -> dict[str, Constant]:
        if (point := self._points[index]) is not None:
            return dict(zip(names, point, strict=True))
        return {name: Access("home", self._row(index).offset + place, 1) for place, name in enumerate(names)}

    def _home_kernel(
        self, index: Any, _: Algebra, constants: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
    ) -> Mapping[str, Sequence[Scalar]]:
        parent = self.model.bodies[index].parent
        above = self._rotations[parent] if parent >= 0 else IDENTITY
        point = add(reads["parent"], times(above, [constants[name] for name in TRANSLATION]))
        pose = Pose(self._rotations[index], point)
        columns = [adjoint(pose, screw) for screw in self._body_columns(index)]
        return {"home": [*point, *(scalar for column in columns for scalar in column[:3])]}


def _named(names: Sequence[str], rotation: Matrix3) -> dict[str, Constant]:
    return dict(zip(names, entries_of(rotation), strict=True))


def _exact(a: Vector) -> list[float]:
    """A vector of numbers with those set to zero that are rounding errors of its largest."""
    floor = ROUNDING * max(abs(x) for x in a)
    return [0.0 if abs(x) <= floor else float(x) for x in a]


def _about_center(given: Mapping[str, float]) -> tuple[dict[str, float], list[float]]:
    """Constants of INERTIA about the centre of mass, and where that is in the body's frame [m]."""
    mass, first = given["m"], [given[name] for name in FIRST_MOMENT]
    center = [x / mass for x in first]
    second = {name: given[name] - first[i] * center[j] for name, (i, j) in zip(SECOND_MOMENT, upper(3), strict=True)}
    zero = dict.fromkeys((*TRANSLATION, *FIRST_MOMENT), 0.0)
    turned = zip(SECOND_MOMENT, upper(3), strict=True)
    summed = {name: abs(given[name]) + abs(first[i] * center[j]) for name, (i, j) in turned}
    cleaned = without_noise({**zero, **second}, summed)
    return {"m": mass, **{name: cleaned[name] for name in (*FIRST_MOMENT, *SECOND_MOMENT)}}, center
