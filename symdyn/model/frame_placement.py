"""Where a public frame stands on its body: a constant rotation, and a translation that may rest on parameters."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.rotations import IDENTITY, ROUNDING, Matrix3, snapped
from symdyn.algebra.spatial.vectors import add, product, times, transpose
from symdyn.model.bodies import ModelFrame
from symdyn.model.model import Model
from symdyn.model.parameter_names import rotation_along
from symdyn.model.values import Values


def frame_rotation(model: Model, frame: ModelFrame) -> Matrix3:
    """Axes of a frame in the aligned axes of its body, or in the world for a frame on the ground."""
    return snapped(product(transpose(_alignment(model, frame)), rotation_along(frame.way)))


def frame_translation(model: Model, frame: ModelFrame, algebra: Algebra, p: Sequence[Scalar]) -> list[Scalar]:
    """Origin of a frame from its body's origin [m], in the axes of :func:`frame_rotation`, for parameters p."""
    values = Values(model.parameters, model.slots, algebra, p)
    reached: list[Scalar] = [0.0, 0.0, 0.0]
    for step, joint in reversed(frame.way):
        reached = add(values.translation(step, joint), times(step.rotation, reached))
    return times(transpose(_alignment(model, frame)), reached)


def baked_translation(model: Model, frame: ModelFrame) -> list[float] | None:
    """The origin as floats with rounding noise removed, or None where it needs a run-time parameter."""
    if Values(model.parameters, model.slots).way_depends(frame.way):
        return None
    origin = frame_translation(model, frame, FloatAlgebra(), ())
    floor = ROUNDING * max(map(abs, origin))
    return [value if abs(value) > floor else 0.0 for value in origin]


def _alignment(model: Model, frame: ModelFrame) -> Matrix3:
    return model.bodies[frame.body].alignment if frame.body >= 0 else IDENTITY
