"""Robots that forward dynamics cannot move: joints behind which nothing resists, whatever the configuration.

A massless last link, or one whose mass lies on its joint's axis, leaves a pivot D of the elimination zero for every q.
This is decided before code is made, by numbers: the factor is run on floats at a few fixed random configurations, and
every pivot is held against what mass and reach behind the joint would allow it to be.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.rotations import Identity
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.elements.tip import deforms, tip_bound, tip_reach, tip_remedy
from symdyn.dynamics.forward_dynamics.aba import factor_sweeps
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout, ClusterPlace
from symdyn.dynamics.tree.body_state import pose_sweep
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.errors import ModelError
from symdyn.model.bind import TRANSLATION, bind_body
from symdyn.model.bodies import Body
from symdyn.model.contracted import contracted
from symdyn.model.coordinates import neutral
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.joints import JointPose
from symdyn.model.model import Model
from symdyn.plan.plan import runs_of
from symdyn.plan.run import access_to, run_visit
from symdyn.warning import warn

CONFIGURATIONS = 3
MOST = 100
"""Rows that are named at once. Each one costs a factor per configuration."""
THRESHOLD = 1e-13
"""Pivots below this share of their bound are rounding errors; a needle's own axis stays far above it."""


def refuse_singular(model: Model, free: Collection[int]) -> None:
    """Check that the forces of some rows of v determine their accelerations.

    Parameters
    ----------
    model
        The robot. Run-time parameters count with their default values; where one has none, nothing is checked.
    free
        Rows whose accelerations are requested.

    Raises
    ------
    ModelError
        Joints, all of them named, whose acceleration nothing resists at any configuration.
    """
    if any(value is None for value in model.slots.defaults):
        return
    refusal, warning = _judged(model, tuple(free))
    if refusal:
        raise ModelError(refusal)
    if warning:
        warn(warning)


@lru_cache(maxsize=32)
def _judged(model: Model, free: tuple[int, ...]) -> tuple[str, str]:
    """What is refused and what is warned of; every function and layout of a robot asks."""
    p = [float(value) for value in model.slots.defaults if value is not None]
    model = contracted(AS_DESCRIBED.view(model))
    tree = TreePlan(model)
    if rows := _singular_rows(tree, free, p):
        nothing = "at the default values of the run-time parameters nothing" if p else ""
        return _refusal(model, rows, nothing), ""
    return "", _straight_links(AbaLayout(tree, free), p) if any(map(deforms, model.bodies)) else ""


def _singular_rows(tree: TreePlan, free: Collection[int], p: list[float]) -> list[tuple[int, int]]:
    """Body and row of all that nothing resists. A row that is found counts as prescribed while others are sought."""
    chance = random.Random(1)
    configurations = [_configuration(tree.model, chance) for _ in range(CONFIGURATIONS)]
    rows: list[tuple[int, int]] = []
    while len(rows) < MOST:
        elimination = AbaLayout(tree, [row for row in free if row not in {row for _, row in rows}])
        found = [_singular_row(elimination, q, p) for q in configurations]
        if found[0] is None or None in found:
            break
        rows.append(found[0])
    return rows


def _refusal(model: Model, rows: Sequence[tuple[int, int]], nothing: str) -> str:
    (body, row), *others = rows
    text = (
        f"joint '{model.bodies[body].joint.joint}' of robot '{model.name}': {nothing or 'nothing'} resists an "
        f"acceleration of '{model.velocity_names[row]}', because what it moves has no inertia about or along its "
        f"axis; {_remedy(model, body)}, lock the joint, or prescribe its acceleration with hybrid_dynamics"
    )
    if others:
        listed = (f"'{model.velocity_names[row]}' ({_remedy(model, body)})" for body, row in others)
        text += f"; the same holds for {', '.join(listed)}"
    return text


def _straight_links(elimination: AbaLayout, p: list[float]) -> str:
    """The warning of a row that nothing resists while all flexible links are straight: code divides by zero there."""
    model = elimination.tree.model
    found = _singular_row(elimination, neutral(model).tolist(), p)
    if found is None:
        return ""
    body, row = found
    return (
        f"robot '{model.name}': while its flexible links are straight nothing resists an acceleration of "
        f"'{model.velocity_names[row]}', and code that solves for it divides by zero; "
        f"{_remedy(model, body)}, or give the beam its section_inertia"
    )


def _remedy(model: Model, index: int) -> str:
    """How to give a joint something that resists it."""
    body = model.bodies[index]
    if index in model.rotors:
        return "give the elastic joint's motor a rotor_inertia or armature"
    if deforms(body):
        return tip_remedy(body)
    if len(body.joint.coordinates.v) > 1:
        return f"give link '{body.name}' mass and moments of inertia"
    return f"give link '{body.name}' mass off the axis or the joint an armature"


def _configuration(model: Model, chance: random.Random) -> list[float]:
    """Coordinates within +-1, amplitudes of flexible links within what is usual, quaternions unit."""
    q = [chance.uniform(-1.0, 1.0) for _ in range(model.nq)]
    for joint in model.independent_joints:
        if not joint.kind.quaternion:
            for row, usual in enumerate(joint.kind.usual(dict(joint.numbers)), joint.q_index):
                q[row] *= usual
        else:
            end = joint.q_index + len(joint.coordinates.q)
            norm = math.sqrt(sum(x * x for x in q[end - 4 : end]))
            q[end - 4 : end] = [x / norm for x in q[end - 4 : end]]
    return q


def _singular_row(elimination: AbaLayout, q: list[float], p: list[float]) -> tuple[int, int] | None:
    """The first cluster's body and row of v, from the leaves, whose pivot is zero but for rounding."""
    tree = elimination.tree
    fields = [*tree.fields(), *elimination.factor_fields()]
    memory: dict[str, list[Any]] = {field.name: list(field.values) or [None] * field.size for field in fields}
    memory |= {"q": list(q), "p": list(p)}

    read, write = access_to(memory)
    bounds = _bounds(tree.model, q, p)
    places = {place.bodies[0]: place for place in elimination.places}
    first = elimination.places[0]  # stands for bodies that get the inertia of fluid alone
    judged: set[int] = set()
    for sweep in (*tree.binding_sweeps(), pose_sweep(tree)):
        for run in (run for visit in sweep.visits for run in runs_of(visit)):
            run_visit(sweep.step, run, FloatAlgebra(), read, write)
    for sweep in factor_sweeps(elimination):
        for visit in sweep.visits:
            place = places.get(visit.body, first)
            try:
                for run in runs_of(visit):
                    run_visit(sweep.step, run, FloatAlgebra(), read, write)
            except ZeroDivisionError:
                row = _weakest_row(tree.model, place, bounds)
                return _mover(tree.model, place, row), row
            for index, (row, is_free) in enumerate(zip(place.rows, place.free, strict=True)):
                if not is_free or row in judged:
                    continue
                at = elimination.pivot(place, index)
                if memory[at.field][at.offset] is not None:  # blocks find their pivots one after the other
                    judged.add(row)
                    pivot = -1.0 / memory[at.field][at.offset]
                    if pivot <= THRESHOLD * _bound(tree.model, place, index, bounds):
                        return _mover(tree.model, place, row), row
    return None


def _bounds(model: Model, q: Sequence[float], p: Sequence[float]) -> list[tuple[float, float]]:
    """Per body the mass that it carries and a bound of the trace of its second moment about its origin [kg, kg m^2].

    The square root of the trace is a norm of the mass distribution, so that shifting it by l adds at most sqrt(m) |l|.
    """
    found = [(0.0, 0.0)] * len(model.bodies)
    for index in reversed(range(len(model.bodies))):
        body = model.bodies[index]
        values = bind_body(model, body, FloatAlgebra(), p).values
        mass, spread = found[index]
        mass += values["m"]
        spread += sum(abs(values[name]) for name in ("Sxx", "Syy", "Szz"))
        found[index] = mass, spread
        if body.parent >= 0:
            reach = math.sqrt(sum(values[name] ** 2 for name in TRANSLATION)) + _slid(body, q) + tip_reach(body)
            above = found[body.parent]
            found[body.parent] = above[0] + mass, above[1] + (math.sqrt(spread) + math.sqrt(mass) * reach) ** 2
    return found


def _slid(body: Body, q: Sequence[float]) -> float:
    """How far a body's joint has moved its origin [m]; angles do not count, and tips of rods have ``tip_reach``."""
    if body.rod is not None:
        return 0.0
    kind, numbers = body.joint.kind, dict(body.joint.numbers)
    own = kind.coordinate_map.coordinates([q[place] for place in body.joint.q_places], numbers)
    moved = kind.moving.placed(kind.moving.pose(FloatAlgebra(), own, numbers)).translation
    return math.hypot(*moved) if moved else 0.0


def _bound(model: Model, place: ClusterPlace, index: int, bounds: Sequence[tuple[float, float]]) -> float:
    """What the pivot of a row could be at most."""
    total = 0.0
    for body in place.bodies:
        joint = model.bodies[body].joint
        if place.rows[index] in joint.v_places:
            mass, spread = bounds[body]
            row = joint.v_places.index(place.rows[index])
            if deforms(model.bodies[body]):
                total += tip_bound(model.bodies[body], row, bounds[body])
                continue
            column = joint.kind.columns(_AT_REST, dict(joint.numbers))[row]
            total += dot(column[:3], column[:3]) * mass + dot(column[3:], column[3:]) * spread
    return total


def _weakest_row(model: Model, place: ClusterPlace, bounds: Sequence[tuple[float, float]]) -> int:
    """The free row of a cluster that could have the smallest pivot."""
    rows = [index for index, is_free in enumerate(place.free) if is_free]
    return place.rows[min(rows, key=lambda index: _bound(model, place, index, bounds))]


def _mover(model: Model, place: ClusterPlace, row: int) -> int:
    """The body of a cluster whose joint owns a row."""
    for body in place.bodies:
        joint = model.bodies[body].joint
        if not joint.leaders and row in joint.v_places:
            return body
    return place.bodies[0]


_AT_REST = JointPose(Identity(), [0.0, 0.0, 0.0])
