"""Errors of closed loops along a motion: series in time of how one place stands in the axes of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.external_loads import Site
from symdyn.description.loops import Coupling, Loop
from symdyn.errors import VerificationError
from symdyn.verify.base.curves import PartialVelocity
from symdyn.verify.base.dense import Rows
from symdyn.verify.base.matrices import (
    Matrix,
    MatrixSeries,
    Real,
    Vector,
    add_matrices,
    cross,
    identity,
    length,
    product,
    rotation_rate,
    series_product,
    series_times,
    skew,
    subtract,
    transpose,
    vector,
    zeros,
)
from symdyn.verify.oracle.exact import Exact, summed
from symdyn.verify.oracle.motion import LinkMotion, RobotMotion, moved, robot_motion
from symdyn.verify.oracle.pfaffian import velocity_series, velocity_slopes
from symdyn.verify.oracle.pose import point_columns
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.sites import site_motion

Series = list[Real]


@dataclass(frozen=True, slots=True)
class Held:
    """Rows of errors as series in time, and the sizes of the terms of each coefficient."""

    names: list[str]
    rows: list[Series]
    sizes: list[Series]


def held_rows(setting: Setting, inputs: Inputs, v: Sequence[Real], order: int) -> Held:
    """The errors of the loops that hold, along the motion with steady velocities v.

    Raises
    ------
    VerificationError
        The function names rows that the robot's loops do not have.
    """
    rows: dict[str, tuple[Series, Series]] = {}
    for loop, places, distance in _pairs(setting, inputs, v, order):
        rows |= _pair_rows(loop, places, distance)
    for coupling in _couplings(setting):
        rows[coupling.name] = _coupled(setting, coupling, vector(inputs["q"]), v, order)
    rows |= velocity_series(setting, inputs, v, order)
    return _held(setting, rows)


def _held(setting: Setting, rows: Mapping[str, tuple[Series, Series]]) -> Held:
    unknown = next((name for name in setting.held if name not in rows), None)
    if unknown is not None:
        raise VerificationError(f"the function holds '{unknown}', which is no row of the robot's loops")
    names = list(setting.held)
    return Held(names, [rows[name][0] for name in names], [rows[name][1] for name in names])


def _pairs(
    setting: Setting, inputs: Inputs, v: Sequence[Real], order: int
) -> Iterator[tuple[Loop, tuple[LinkMotion, LinkMotion], Real]]:
    """Loops between places, the motions of these, and distances."""
    quantities, rest = setting.quantities(inputs), [mp.mpf(0)] * setting.tree.nv
    q = vector(inputs["q"])
    motion = robot_motion(setting.description, setting.tree, quantities, q, v, rest, setting.spatial, order)
    for loop in (own for own in setting.description.acting if isinstance(own, Loop)):
        places = zip(loop.between, loop.axes, strict=True)
        first, second = (_standing(setting, inputs, motion, site, axis) for site, axis in places)
        yield loop, (first, second), quantities(loop.distance, f"{loop.name}.distance")


def _couplings(setting: Setting) -> Iterator[Coupling]:
    yield from (own for own in setting.description.acting if isinstance(own, Coupling))


def _standing(setting: Setting, inputs: Inputs, motion: RobotMotion, site: Site, axis: Sequence[float]) -> LinkMotion:
    """A place with its z axis along the axis that is held."""
    if site.grounded:
        root = motion.links[setting.description.root]
        still = [vector((0, 0, 0)) for _ in root.origin]
        fixed = LinkMotion([identity(), *(zeros() for _ in root.origin[1:])], still, ())
        point = [setting.quantities(inputs)(number, "") for number in site.point]
        standing = moved(fixed, identity(), point)
    else:
        standing = site_motion(setting.description, setting.tree, setting.quantities(inputs), motion, site)
    return moved(standing, _least_turn(vector(axis)), vector((0, 0, 0)))


def _least_turn(axis: Vector) -> Matrix:
    """The rotation by the least angle that takes z to an axis; for -z, half a turn about x."""
    axis = [x / length(axis) for x in axis]
    if axis[0] == 0 and axis[1] == 0 and axis[2] < 0:
        return [[mp.mpf(1), *[mp.mpf(0)] * 2], [mp.mpf(0), mp.mpf(-1), mp.mpf(0)], [*[mp.mpf(0)] * 2, mp.mpf(-1)]]
    turning = skew(cross(vector((0, 0, 1)), axis))
    square = [[x / (1 + axis[2]) for x in row] for row in product(turning, turning)]
    return add_matrices(add_matrices(identity(), turning), square)


def _pair_rows(loop: Loop, places: tuple[LinkMotion, LinkMotion], distance: Real) -> dict[str, tuple[Series, Series]]:
    """Series and sizes of each row of a loop's error, by its name."""
    first, second = places
    back = [transpose(part) for part in second.rotation]
    between = [subtract(own, other) for own, other in zip(first.origin, second.origin, strict=True)]
    apart, turn = series_times(back, between), series_product(back, first.rotation)
    lengths, turns = _sizes(first, second)
    made: dict[str, Series] = {way: [part[place] for part in apart] for place, way in enumerate("xyz")}
    made |= {name: [part[place][2] for part in turn] for place, name in enumerate(("tilt_x", "tilt_y", "tilt"))}
    made |= {f"r{way}": row for way, row in zip("xyz", _half_angles(turn), strict=True)}
    if distance:
        squares = [_times(way, way) for way in (made["x"], made["y"], made["z"])]
        made["distance"] = [mp.fsum(parts) / (2 * distance) for parts in zip(*squares, strict=True)]
        made["distance"][0] -= distance / 2
    sizes = dict.fromkeys(("x", "y", "z"), lengths) | {
        "distance": [(1 + lengths[0] / (distance or 1)) * x for x in lengths]
    }
    steep = 1 / (1 + turn[0][0][0] + turn[0][1][1] + turn[0][2][2])  # 1 / (4 cos(theta / 2)^2)
    for way in "xyz":
        sizes[f"r{way}"] = [(1 + steep) ** (2 * order + 2) * size for order, size in enumerate(turns)]
    return {f"{loop.name}.{name}": (made[name], sizes.get(name, turns)) for name in loop.kind.rows}


def _half_angles(turn: MatrixSeries) -> list[Series]:
    """2 sin(theta / 2) n, twice the vector of the quaternion of which the scalar is above 0."""
    grown = [part[0][0] + part[1][1] + part[2][2] for part in turn]
    grown[0] += 1
    inverse = _inverse_root(grown)
    pairs = ((2, 1), (0, 2), (1, 0))
    return [_times(inverse, [part[row][column] - part[column][row] for part in turn]) for row, column in pairs]


def _sizes(first: LinkMotion, second: LinkMotion) -> tuple[Series, Series]:
    """Sizes of the terms of shifts and of turns, per coefficient in time."""
    moving = (first, second)
    spins = [[length(part) for part in rotation_rate(own.rotation)] for own in moving]
    arms = mp.fsum(length(own.origin[0]) for own in moving)
    lengths, turns = [arms], [mp.mpf(1)]
    if len(first.origin) > 1:
        speeds = mp.fsum(length(own.origin[1]) for own in moving)
        turning = mp.fsum(spin[0] for spin in spins)
        lengths.append(speeds + turning * arms)
        turns.append(turning)
        if len(first.origin) > 2:
            growing = mp.fsum(spin[1] for spin in spins)
            pulls = mp.fsum(length(own.origin[2]) for own in moving)
            lengths.append(pulls + turning * speeds + (growing + turning**2) * arms)
            turns.append(growing + turning**2)
    return lengths, turns


def _coupled(setting: Setting, coupling: Coupling, q: Vector, v: Sequence[Real], order: int) -> tuple[Series, Series]:
    """The series of a linear relation."""
    own = {place.joint.name: place for place in setting.tree.places if not place.bends}
    values, sizes = [-mp.mpf(coupling.offset)], [abs(mp.mpf(coupling.offset))]
    values, sizes = values + [mp.mpf(0)] * order, sizes + [mp.mpf(0)] * order
    for name, factor in coupling.terms:
        moved = (own[name].coordinates(q)[0], own[name].velocities(v)[0])  # a locked joint stands still
        for power, x in enumerate(moved[: order + 1]):
            values[power] += mp.mpf(factor) * x
            sizes[power] += abs(mp.mpf(factor) * x)
    return values, sizes


def _times(a: Series, b: Series) -> Series:
    return [mp.fsum(a[k] * b[n - k] for k in range(n + 1)) for n in range(len(a))]


def _inverse_root(x: Series) -> Series:
    """x^(-1/2), coefficient by coefficient from y^2 x = 1."""
    found = [1 / mp.sqrt(x[0])]
    for n in range(1, len(x)):
        known = [*found, mp.mpf(0)]
        rest = _times(_times(known, known), x[: n + 1])[n]
        found.append(-rest / (2 * found[0] * x[0]))
    return found


def slopes(setting: Setting, inputs: Inputs) -> tuple[Rows, Rows]:
    """A, column by column from the motion with one velocity of one, and the sizes of its terms."""
    nv = setting.tree.nv
    columns: list[dict[str, tuple[Series, Series]]] = [{} for _ in range(nv)]
    for loop, pair, distance in _pairs(setting, inputs, [mp.mpf(0)] * nv, 0):
        moves = [point_columns(place, place.origin[0]) for place in pair]
        for row, column in enumerate(columns):
            places = [_moving(place, own.get(row)) for place, own in zip(pair, moves, strict=True)]
            column |= _pair_rows(loop, (places[0], places[1]), distance)
    for coupling in _couplings(setting):
        for row, column in enumerate(columns):
            unit = [mp.mpf(row == own) for own in range(nv)]
            column[coupling.name] = _coupled(setting, coupling, vector(inputs["q"]), unit, 1)
    entries, entry_sizes = velocity_slopes(setting, inputs)
    for row, column in enumerate(columns):
        for name, own in entries.items():
            column[name] = [mp.mpf(0), own[row]], [mp.mpf(0), entry_sizes[name][row]]
    found = [_held(setting, column) for column in columns]
    count = range(len(setting.held))
    return (
        [[column.rows[row][1] for column in found] for row in count],
        [[column.sizes[row][1] for column in found] for row in count],
    )


def _moving(place: LinkMotion, velocity: PartialVelocity | None) -> LinkMotion:
    """A place with the velocity that one row of v gives it."""
    own = velocity or PartialVelocity(vector((0, 0, 0)), vector((0, 0, 0)))
    turning = product(skew(own.angular), place.rotation[0])
    return LinkMotion([place.rotation[0], turning], [place.origin[0], own.linear], place.path)


def constraint_error(setting: Setting, inputs: Inputs) -> Exact:
    """``e(q)``."""
    found = held_rows(setting, inputs, [mp.mpf(0)] * setting.tree.nv, 0)
    return summed([row[0] for row in found.rows], [size[0] for size in found.sizes])


def constraint_jacobian(setting: Setting, inputs: Inputs) -> Exact:
    """``A(q)``."""
    values, sizes = slopes(setting, inputs)
    return summed([x for row in values for x in row], [x for row in sizes for x in row])


def constraint_bias(setting: Setting, inputs: Inputs) -> Exact:
    """``e''`` at a = 0."""
    found = held_rows(setting, inputs, vector(inputs["v"]), 2)
    return summed([2 * row[2] for row in found.rows], [2 * size[2] for size in found.sizes])
