"""The flying spaghetti of Simo & Vu-Quoc, "On the dynamics in space of rods undergoing large motions", Comput. Methods
Appl. Mech. Eng. 66 (1988): a free rod is pushed at one end for five seconds and then flies on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from support.rods import functions

import symdyn
from symdyn import api
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain

Array = NDArray[np.float64]
pytestmark = pytest.mark.filterwarnings("ignore:.*density is 1")  # their sections have 1 m^2

LENGTH, AXIAL, BENDING, MASS = 10.0, 1e4, 500.0, 1.0
"""In m, N (also against shear), N m^2 (also against twist), kg/m. Their sections turn with 10 kg m, which
no matter of such stiffness has, and their moments would spin others like a drill. So here is none, but more force."""
PEAK, AT, END = 160.0, 2.5, 7.5
PUSH = (0.8, 0.0, 0.6)
"""The force rises to this [N] until then [s], and falls as it rose. Its direction."""


def load(t: float) -> Array:
    """Force and moment on the root, in the world."""
    size = PEAK * max(0.0, 1.0 - abs(t - AT) / AT)
    return size * np.array([*PUSH, 0.0, 0.0, 0.0])


def turned(x: Array) -> Array:
    """Rotation matrix of a quaternion (x, y, z, w)."""
    u, w = x[:3], x[3]
    cross = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross)


@pytest.mark.slow
@pytest.mark.needs_cc
def test_momentum_and_energy_are_those_that_the_load_gave() -> None:
    from scipy.integrate import solve_ivp

    own = repr(BENDING / AXIAL)
    section = Section("numbers", area="1.0", second_moment_x=own, second_moment_y=own, second_moment_z=own)
    matter = Material(AXIAL, -0.5, MASS)  # such matter is as stiff in shear as it is when pulled
    strains = tuple(functions(strain, 4 if strain.angular else 2) for strain in Strain)
    soft = Soft(LENGTH, section, matter, strains, stations=6, max_turn_per_step=math.pi)
    robot = api.from_description(
        RobotDescription("rod", (Link("rod", soft=soft),), (), floating_base=True, gravity=(0.0, 0.0, 0.0))
    )
    module = symdyn.compile(robot, ["forward_dynamics"], external_wrenches="world")
    told = ["kinetic_energy", "potential_energy", "centroidal_momentum", "center_of_mass"]
    tells = symdyn.compile(robot, told)
    nq, nv, nothing = robot.nq, robot.nv, np.zeros(robot.nv)
    f_ext = np.zeros((len(robot.body_names), 6))

    def rate(t: float, y: Array) -> Array:
        """Of q, v, the angular impulse about the origin, and the work of the load."""
        q, v = y[:nq].copy(), y[nq : nq + nv]
        q[3:7] /= np.linalg.norm(q[3:7])
        f_ext[0] = load(t)
        force, moment = f_ext[0, :3], f_ext[0, 3:]
        axes = turned(q[3:7])
        speed, spin = axes @ v[:3], v[3:6]
        quaternion = 0.5 * np.append(q[6] * spin + np.cross(q[3:6], spin), -q[3:6] @ spin)
        a = module.forward_dynamics(q, v, nothing, f_ext)
        torque, power = np.cross(q[:3], force) + moment, force @ speed + moment @ axes @ spin
        return np.concatenate([speed, quaternion, v[6:], a, torque, [power]])

    start = np.zeros(nq + nv + 4)
    start[:nq] = robot.neutral()
    # From (6, 0, 0) to (0, 8, 0), as theirs.
    half = 0.5 * math.atan2(8.0, -6.0)
    start[:7] = [6.0, 0.0, 0.0, 0.0, 0.0, math.sin(half), math.cos(half)]
    times = np.linspace(0.0, END, 76)
    # The load has kinks; integration stops at these.
    states, y = [], start
    for first, last in ((0.0, AT), (AT, 2 * AT), (2 * AT, END)):
        inside = times[(times > first) & (times <= last)]
        found = solve_ivp(rate, (first, last), y, method="DOP853", rtol=1e-8, atol=1e-8, t_eval=inside)
        assert found.success
        states += list(found.y.T)
        y = found.y[:, -1]
    free = []
    for t, y in zip(times[1:], states, strict=True):
        q, v = y[:nq].copy(), y[nq : nq + nv]
        q[3:7] /= np.linalg.norm(q[3:7])
        momentum = tells.centroidal_momentum(q, v)
        angular = momentum[3:] + np.cross(tells.center_of_mass(q), momentum[:3])
        impulse = PEAK * (t**2 / 2 if t < AT else AT**2 - max(0.0, 2 * AT - t) ** 2 / 2) / AT
        energy = float(tells.kinetic_energy(q, v) + tells.potential_energy(q))
        assert momentum[:3] == pytest.approx(impulse * np.array(PUSH), abs=1e-6 * PEAK * AT)
        assert angular == pytest.approx(y[-4:-1], abs=1e-6 * LENGTH * PEAK * AT)
        assert energy == pytest.approx(y[-1], rel=1e-6, abs=1e-6)
        if t > 2 * AT:
            free.append([*momentum[:3], *angular, energy])
    assert np.ptp(free, axis=0)[:6].max() < 1e-6 * LENGTH * PEAK * AT
    assert np.ptp(free, axis=0)[6] < 1e-6 * free[0][6]
    assert max(np.abs(y[7:nq]).max() for y in states) > 0.8  # rad over the rod
