"""Exact Coriolis matrices, from the partial velocities of every link and their rates.

With the partial velocities u_r of a link's centre of mass and w_r of the link, mass m and central inertia J, all in
the world:

    C_rs = sum over links  m u_r . u_s' + w_r . (J w_s' + 1/2 ([w] J - J [w] - [J w]) w_s)

C is what the body-level factorisation B = 1/2 (V x* I - I V x + (I V) x-bar*) (Echeandia and Wensing 2021) comes to
when it is taken at each centre of mass: the linear part of B cancels the motion of the point at which u_s is taken,
and leaves the true rates of u_s and w_s, which are differences of partial velocities along the motion. With
B = V x* I (Ali et al. 2026, lemma 1) it leaves, with the velocity c' of the centre of mass,

    C_rs = sum over links  m u_r . (u_s' - w_s x c' + w x u_s) + w_r . (J w_s' + w x J w_s + m c' x u_s).

Exact Coriolis matrices of beams: sums over their points.

With the partial velocities u_r of a point of mass m, ``C_rs = sum over points  m u_r . u_s'``. For the points of a
rigid link this comes to the factorisation of :mod:`symdyn.verify.oracle.coriolis`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.errors import VerificationError
from symdyn.verify.base.curves import PartialVelocity
from symdyn.verify.base.dense import Rows, flat, zero_matrix
from symdyn.verify.base.matrices import Real, Vector, add, cross, dot, length, scale, times, vector
from symdyn.verify.oracle.exact import Exact, summed
from symdyn.verify.oracle.fluid import add_fluid_coriolis
from symdyn.verify.oracle.pose import HeavyLink, RobotPose, robot_pose, velocity
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import along_motion

PointColumns = list[tuple[Real, dict[int, Vector]]]
"""Per point its mass, and its partial velocity by row of v."""


def beam_coriolis(setting: Setting, inputs: Inputs) -> tuple[Rows, Rows]:
    """What the beams add to ``C(q, v)``, and the sizes of the terms."""
    nv = setting.tree.nv
    C, sizes = zero_matrix(nv, nv), zero_matrix(nv, nv)
    if not setting.tree.flexures:
        return C, sizes

    def entries(q: Sequence[Real]) -> list[Real]:
        found = _point_columns(robot_pose(setting, q, inputs))
        return [value for _, columns in found for column in columns.values() for value in column]

    rates = iter(along_motion(setting, inputs, entries))
    for mass, columns in _point_columns(robot_pose(setting, inputs["q"], inputs)):
        changing = {row: [next(rates) for _ in column] for row, column in columns.items()}
        speeds = {row: mass * length(column) for row, column in columns.items()}
        for other, rate in changing.items():
            turn = length(rate)
            for row, column in columns.items():
                C[row][other] += mass * dot(column, rate)
                sizes[row][other] += speeds[row] * turn
    return C, sizes


def _point_columns(pose: RobotPose) -> PointColumns:
    found: PointColumns = []
    for moving in pose.motion.beams:
        R, d = moving.frame.rotation[0], moving.d[:1]
        carried = pose.columns(moving.link, moving.frame.origin[0])
        for point in moving.beam.points:
            r = times(R, point.positions(d)[0])
            columns = {}
            for row, part in carried.items():
                swept = cross(part.angular, r)
                columns[row] = swept if point.arm else add(part.linear, swept)
            for row, slope in enumerate(point.slopes(d[0]), moving.v_row):
                columns[row] = times(R, slope)
            found.append((point.mass, columns))
    return found


def coriolis_matrix(setting: Setting, inputs: Inputs) -> Exact:
    """``C(q, v)`` with M' - 2 C skew; for one-coordinate joints these are Christoffel's symbols times v.

    Raises
    ------
    VerificationError
        Lemma 1 for a robot with flexible or soft links, for which it is not stated.
    """
    if setting.factorization == "lemma1" and setting.tree.bends:
        raise VerificationError("factorization 'lemma1' is for rigid links; ask for 'christoffel'")
    load = _lemma_load if setting.factorization == "lemma1" else _christoffel_load
    v = vector(inputs["v"])
    pose = robot_pose(setting, inputs["q"], inputs)
    rates = _column_rates(setting, inputs)
    C, sizes = beam_coriolis(setting, inputs)
    add_fluid_coriolis(C, sizes, setting, inputs)
    for link in pose.heavy:
        columns, changing = pose.columns(link.name, link.center), rates.get(link.name, {})
        moving = velocity(columns, v)
        speeds = {row: (length(mine.linear), length(mine.angular)) for row, mine in columns.items()}
        for other, part in columns.items():
            forces, moments = load(link, moving, part, changing[other])
            force, moment = vector((0, 0, 0)), vector((0, 0, 0))
            for term in forces:
                force = add(force, term)
            for term in moments:
                moment = add(moment, term)
            pushes, twists = sum(length(term) for term in forces), sum(length(term) for term in moments)
            for row, mine in columns.items():
                C[row][other] += dot(mine.linear, force) + dot(mine.angular, moment)
                speed, spin = speeds[row]
                sizes[row][other] += speed * pushes + spin * twists
    return summed(flat(C), flat(sizes))


def _christoffel_load(
    link: HeavyLink, moving: PartialVelocity, part: PartialVelocity, rate: PartialVelocity
) -> tuple[list[Vector], list[Vector]]:
    """Terms of the force and the moment at the centre of mass that a column of C stands for.

    The two last of each cancel: the body-level B has them, however fast the body moves and however slowly it turns.
    """
    swept_momentum = scale(link.mass, cross(part.angular, moving.linear))
    swept_point = scale(link.mass, cross(moving.linear, part.linear))
    forces = [scale(link.mass, rate.linear), swept_momentum, scale(-1, swept_momentum)]
    if link.bare:
        return forces, [swept_point, scale(-1, swept_point)]
    spun = cross(moving.angular, times(link.inertia, part.angular))
    swept = times(link.inertia, cross(moving.angular, part.angular))
    turned = cross(times(link.inertia, moving.angular), part.angular)
    halves = [scale(mp.mpf(1) / 2, spun), scale(mp.mpf(-1) / 2, swept), scale(mp.mpf(-1) / 2, turned)]
    return forces, [times(link.inertia, rate.angular), *halves, swept_point, scale(-1, swept_point)]


def _lemma_load(
    link: HeavyLink, moving: PartialVelocity, part: PartialVelocity, rate: PartialVelocity
) -> tuple[list[Vector], list[Vector]]:
    """The same with ``V x* I`` per body, the factorisation of Ali et al. 2026, lemma 1."""
    swept, turned = cross(part.angular, moving.linear), cross(moving.angular, part.linear)
    forces = [scale(link.mass, rate.linear), scale(-link.mass, swept), scale(link.mass, turned)]
    spun = cross(moving.angular, times(link.inertia, part.angular))
    return forces, [
        times(link.inertia, rate.angular),
        spun,
        scale(link.mass, cross(moving.linear, part.linear)),
    ]


def _column_rates(setting: Setting, inputs: Inputs) -> dict[str, dict[int, PartialVelocity]]:
    """Time derivatives of the partial velocities of each heavy link and of its centre of mass."""
    shape: list[tuple[str, int]] = []

    def columns(q: Sequence[Real]) -> list[Real]:
        pose = robot_pose(setting, q, inputs)
        found: list[Real] = []
        shape.clear()
        for link in pose.heavy:
            for row, part in pose.columns(link.name, link.center).items():
                shape.append((link.name, row))
                found += [*part.angular, *part.linear]
        return found

    rates = along_motion(setting, inputs, columns)
    found: dict[str, dict[int, PartialVelocity]] = {}
    for place, (link, row) in enumerate(shape):
        values = rates[6 * place : 6 * place + 6]
        found.setdefault(link, {})[row] = PartialVelocity(values[:3], values[3:])
    return found
