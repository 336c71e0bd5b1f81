"""An independent oracle: inverse dynamics from Newton, Euler and Kane in the world frame, with fifty digits.

It starts from the description, walks to every *link* (links fixed together are not lumped), and shares no recursion,
no regrouping and no tape with the rest of symdyn. Each link's position and rotation is a Taylor series in time, cut
after second order; its momenta and their rates follow by differentiation; each is projected on the partial velocities
of the joints below it (Kane and Levinson 1985, section 4.11):

    tau_r = sum over links i of  V_ri . (m_i (c_i'' - g))  +  w_ri . (R_i I_i R_i^T w_i)'   -  external

with the partial velocities V_ri of the centre of mass and w_ri of the link. The beam of a flexible link is a cloud of
mass points (see :mod:`symdyn.verify.oracle.beam`), for which the first term is all there is. The rod of a soft link is
a chain of sections (see :mod:`symdyn.verify.oracle.rod`), links like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mpmath import mp

from symdyn.description.robot import RobotDescription
from symdyn.errors import RequestError
from symdyn.verify.base.matrices import (
    Matrix,
    MatrixSeries,
    Real,
    Vector,
    add,
    cross,
    dot,
    product,
    rotation_rate,
    scale,
    series_product,
    series_times,
    subtract,
    times,
    transpose,
    vector,
)
from symdyn.verify.oracle.beam_loads import add_beam_springs, beam_load
from symdyn.verify.oracle.drives import add_rotors, add_springs
from symdyn.verify.oracle.link_loads import link_loads
from symdyn.verify.oracle.motion import Carrier, LinkMotion, RobotMotion, robot_motion
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.rod_springs import add_rod_springs
from symdyn.verify.oracle.tree import Tree, public_tree
from symdyn.verify.oracle.weighing import rigid_parts

DIGITS = 50
"""Decimal digits of the oracle: cancellation would have to eat thirty before a double's last bit were in doubt."""
STANDARD_GRAVITY = (0.0, 0.0, -9.81)


def inverse_dynamics(
    description: RobotDescription,
    q: Sequence[float],
    v: Sequence[float],
    a: Sequence[float],
    *,
    gravity: Sequence[float] | None = None,
    floating_base: bool | None = None,
    locked_joints: Mapping[str, float | Sequence[float]] | None = None,
    joint_losses: bool = False,
    convention: str = "pinocchio",
    external_wrenches: Sequence[Sequence[float]] | None = None,
    frame: str = "body",
    parameters: Mapping[str, float] | None = None,
) -> list[Real]:
    """Generalised force ``tau`` that makes the robot move with acceleration ``a``, to fifty digits.

    Parameters
    ----------
    description
        The robot.
    q, v, a
        Coordinates (nq), velocities (nv) and their component-wise rates, in the public order and conventions
        (docs/conventions.md). Doubles are taken exactly. Quaternions are used as given.
    gravity
        World frame, m/s^2; by default the file's, else 9.81 along -z.
    floating_base, locked_joints, joint_losses, convention
        As in ``symdyn.load``. With losses, each joint's ``damping v + friction tanh(v / velocity_scale)`` is added
        row by row at its own velocity (a mimic joint's is projected); scale 0 stands for ``friction sign(v)``.
        Rotors and springs always count.
    external_wrenches
        One row of six per moving body: wrench by the environment on the body at its frame's origin, [force; moment]
        in the pinocchio convention and [moment; force] in the spatial one.
    frame
        ``"body"`` or ``"world"``: the axes of ``external_wrenches``.
    parameters
        Values of run-time quantities by name (see :class:`symdyn.verify.oracle.quantities.Quantities`).

    Returns
    -------
    ``tau``, nv rows, N m or N, as ``mpmath.mpf``. With the spatial convention the base rows are (moment; force) about
    the world origin in world axes.

    Raises
    ------
    RequestError
        Vectors of the wrong length, or an unknown convention or frame.
    """
    if convention not in ("pinocchio", "spatial", "mujoco") or frame not in ("body", "world"):
        raise RequestError(
            "expected convention 'pinocchio', 'spatial' or 'mujoco' and frame 'body' or 'world', got "
            f"'{convention}', '{frame}'"
        )
    with mp.workdps(DIGITS):
        tree = public_tree(description, floating_base, locked_joints, convention)
        for name, given, expected in (("q", q, tree.nq), ("v", v, tree.nv), ("a", a, tree.nv)):
            if len(given) != expected:
                raise RequestError(f"robot '{description.name}': {name} has {len(given)} rows, expected {expected}")
        exact_v = vector(v)
        quantities = Quantities(description, parameters or {})
        spatial = convention == "spatial"
        motion = robot_motion(description, tree, quantities, vector(q), exact_v, vector(a), spatial)
        default = description.gravity or STANDARD_GRAVITY
        g = quantities.all(gravity if gravity is not None else default, "gravity", "xyz")
        tau = [mp.mpf(0)] * tree.nv
        loads = []
        for part in rigid_parts(description, quantities, motion):
            c = part.centers
            force = scale(part.mass, subtract(scale(2, c[2]), g))
            moment = None if part.bare else angular_momentum_rate(part.frame.rotation, part.inertia)
            loads.append((part.frame.path, c[0], force, moment))
        _project_all(tau, loads)
        for beam in motion.beams:
            load = beam_load(beam, g)
            project(tau, beam.frame, beam.frame.origin[0], load.force, load.moment)
            for row, force_on_row in enumerate(load.rows, beam.v_row):
                tau[row] += force_on_row
        for moving, force, moment in link_loads(description, tree, quantities, motion, g):
            project(tau, moving, moving.origin[0], force, moment)
        if external_wrenches is not None:
            _subtract_external(tau, tree, motion, external_wrenches, frame, spatial)
        if joint_losses:
            for place in tree.places:
                add_losses(tau, place, quantities, exact_v)
        add_rotors(tau, tree, quantities, vector(a))
        add_springs(tau, tree, quantities, vector(q), exact_v)
        add_beam_springs(tau, tree, vector(q), exact_v)
        add_rod_springs(tau, tree, quantities, vector(q), exact_v)
        return tau


def angular_momentum_rate(rotation: MatrixSeries, inertia: Matrix) -> Vector:
    """``(R I R^T omega)'`` from its series."""
    in_world = series_product([product(part, inertia) for part in rotation[:2]], [transpose(part) for part in rotation])
    momentum = series_times(in_world, rotation_rate(rotation))
    return momentum[1]


def _project_all(tau: list[Real], loads: Sequence[tuple[tuple[Carrier, ...], Vector, Vector, Vector | None]]) -> None:
    """Add forces at points and moments to the generalised forces of all joints that carry them.

    What several links have in common on their paths takes the sum, about the world's origin.
    """
    felt: dict[tuple[int, ...], tuple[tuple[Carrier, ...], Vector, Vector]] = {}
    for path, point, force, moment in loads:
        about = cross(point, force) if moment is None else add(moment, cross(point, force))
        _feel(felt, path, force, about)
    for length in range(max((len(key) for key in felt), default=0), 0, -1):
        for path, force, about in [own for key, own in felt.items() if len(key) == length]:
            carrier = path[-1]
            place, moment = carrier.place, subtract(about, cross(carrier.origin, force))
            for own, part in enumerate(carrier.partials):
                power = dot(part.linear, force) + dot(part.angular, moment)
                for row, gain in place.moved_by(own):
                    tau[row] += gain * power
            _feel(felt, path[:-1], force, about)


def _feel(
    felt: dict[tuple[int, ...], tuple[tuple[Carrier, ...], Vector, Vector]],
    path: tuple[Carrier, ...],
    force: Vector,
    about: Vector,
) -> None:
    key = tuple(map(id, path))
    if key in felt:
        _, before, turned = felt[key]
        force, about = add(before, force), add(turned, about)
    felt[key] = (path, force, about)


def project(tau: list[Real], moving: LinkMotion, point: Vector, force: Vector, moment: Vector) -> None:
    """Add a force at a point and a moment, both on one link, to the generalised forces of the joints that carry it."""
    for carrier in moving.path:
        place, arm = carrier.place, subtract(point, carrier.origin)
        for own, part in enumerate(carrier.partials):
            velocity = add(part.linear, cross(part.angular, arm))
            for row, gain in place.moved_by(own):
                tau[row] += gain * (dot(velocity, force) + dot(part.angular, moment))


def _subtract_external(
    tau: list[Real],
    tree: Tree,
    motion: RobotMotion,
    wrenches: Sequence[Sequence[float]],
    frame: str,
    spatial: bool,
) -> None:
    if len(wrenches) != len(tree.body_names) or any(len(row) != 6 for row in wrenches):
        raise RequestError(f"external_wrenches: expected {len(tree.body_names)} rows of six, one per moving body")
    for name, wrench in zip(tree.body_names, wrenches, strict=True):
        first, second = vector(wrench[:3]), vector(wrench[3:])
        force, moment = (second, first) if spatial else (first, second)
        moving = motion.links[name]
        if frame == "body":
            force, moment = times(moving.rotation[0], force), times(moving.rotation[0], moment)
        project(tau, moving, moving.origin[0], scale(-1, force), scale(-1, moment))


def add_losses(tau: list[Real], place: Place, quantities: Quantities, v: Sequence[Real]) -> None:
    """Add what the losses of a joint take to the generalised forces."""
    losses, name = place.joint.losses, place.joint.name
    if not place.names_body or place.implicit or place.bends:
        return
    damping = quantities(losses.damping, f"{name}.damping")
    friction = quantities(losses.friction, f"{name}.friction")
    speeds, rows = place.velocities(v), [place.moved_by(own) for own in range(place.rows[1])]
    if place.joint.elastic is not None:  # they are the motor's
        speeds, rows = [v[place.v_row + 1]], [((place.v_row + 1, mp.mpf(1)),)]
    for speed, moved in zip(speeds, rows, strict=True):
        slope = mp.tanh(speed / mp.mpf(losses.velocity_scale)) if losses.velocity_scale else mp.sign(speed)
        for row, gain in moved:
            tau[row] += gain * (damping * speed + friction * slope)
