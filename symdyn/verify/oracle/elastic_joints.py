"""Exact motions and torques of motors behind springs, from the forces of the whole robot along two trajectories.

While every motor turns with its link no spring is stretched, and the links' rows are what the springs have to pull
with. From that follows how far each is stretched, and so the motors' own trajectory; the motors' rows along it are
their torques.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.verify.base.dense import flat
from symdyn.verify.base.matrices import Real, vector
from symdyn.verify.oracle.drives import rotor_inertias, springs
from symdyn.verify.oracle.exact import Exact, forwards, joined, summed
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.trajectory import Trajectory

AHEAD = 2
"""Orders of the links' forces beyond those of the motors' torques."""


def elastic_joint_inverse_dynamics_time_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """``tau_link``, ``theta`` and ``tau_motor``, each with its derivatives, (r + 1, ..).

    A motor's torque is a sum of the spring's and of what accelerates the rotor, and its place one of the link's and of
    the spring's stretch; errors are measured against these. A force counts with the terms of its ``M a`` at the least,
    in which they may cancel.
    """
    moved, rows = _along(setting, inputs), setting.order + 1
    places = summed(flat(moved.theta[:rows]), flat(moved.reaches[:rows]))
    return joined([forwards(flat(moved.pulled)), places, summed(flat(moved.driven), flat(moved.torques))])


def elastic_joint_feedforward(setting: Setting, inputs: Inputs) -> Exact:
    """``tau_motor`` with gains, ``theta_d`` with its rate, and ``tau_link``, against the sizes of terms."""
    moved, tau, sizes = _along(setting, inputs), [], []
    count = len(moved.theta[0])
    motor, gains = vector(inputs["motor"]), [vector(inputs[name]) for name in ("K_p", "K_d")]
    for i in range(count):
        pulls = [gains[k][i] * (moved.theta[k][i] - motor[k * count + i]) for k in (0, 1)]
        terms = [abs(gains[k][i]) * (abs(motor[k * count + i]) + moved.reaches[k][i]) for k in (0, 1)]
        tau.append(moved.driven[0][i] + mp.fsum(pulls))
        sizes.append(abs(moved.driven[0][i]) + moved.torques[0][i] + mp.fsum(terms))
    places = summed(flat(moved.theta[:2]), flat(moved.reaches[:2]))
    return joined([summed(tau, sizes), places, forwards(flat(moved.pulled))])


@dataclass(frozen=True)
class _Moved:
    """What a trajectory of the links asks of the motors, order by order, with sizes of terms."""

    pulled: list[list[Real]]
    theta: list[list[Real]]
    reaches: list[list[Real]]
    driven: list[list[Real]]
    torques: list[list[Real]]


def _along(setting: Setting, inputs: Inputs) -> _Moved:
    tree, rows, quantities = setting.tree, setting.order + 1, setting.quantities(inputs)
    tied = [(place.q_row, place.v_row, stiffness) for place, stiffness, _ in springs(tree, quantities)]
    armature = {rows[0][0]: inertia for rows, inertia in rotor_inertias(tree, quantities)}
    motors = {link + 1 for _, link, _ in tied}
    V, size = vector(inputs["V"]), tree.nv - len(tied)
    q = _with_motors(vector(inputs["q"]), [link for link, _, _ in tied])
    rates = [_with_motors(V[i : i + size], [link for _, link, _ in tied]) for i in range(0, len(V), size)]

    together = Trajectory(setting, {**inputs, "q": q, "V": flat(rates)})
    forces = together.derivatives(setting.order + AHEAD, setting.force)
    sizes = mass_terms(robot_pose(setting, q, inputs))[1]
    theta: list[list[Real]] = []
    pulls, reaches = [], []
    for order, force in enumerate(forces):
        links = [rates[order - 1][v] if order else q[place] for place, v, _ in tied]
        theta.append([own + force[v] / stiffness for own, (_, v, stiffness) in zip(links, tied, strict=True)])
        speeds = [abs(rate) for rate in rates[order + 1]]
        pulls.append([max(abs(force[v]), mp.fdot(sizes[v], speeds)) for _, v, _ in tied])
        terms = zip(links, pulls[order], tied, strict=True)
        reaches.append([abs(own) + pull / stiffness for own, pull, (_, _, stiffness) in terms])
    for column, (link, v, _) in enumerate(tied):
        q[link + 1] = theta[0][column]
        for row, rate in zip(rates, theta[1:], strict=False):  # higher ones do not show
            row[v + 1] = rate[column]
    apart = Trajectory(setting, {**inputs, "q": q, "V": flat(rates)}).derivatives(setting.order, setting.force)

    pulled = [[value for row, value in enumerate(force) if row not in motors] for force in forces[:rows]]
    driven = [[force[v + 1] for _, v, _ in tied] for force in apart]
    torques = [
        [pulls[k][column] + armature[v + 1] * reaches[k + AHEAD][column] for column, (_, v, _) in enumerate(tied)]
        for k in range(rows)
    ]
    return _Moved(pulled, theta, reaches, driven, torques)


def _with_motors(values: Sequence[Real], links: Sequence[int]) -> list[Real]:
    """Rows of the whole robot from those of the links: each motor's is its link's, right after it.

    ``links`` holds the first rows of the elastic joints among those of the whole robot, in ascending order.
    """
    found = list(values)
    for row in sorted(links):
        found.insert(row + 1, found[row])
    return found
