"""What a robot shall reach: what is public of inverse kinematics and optimal control."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symdyn.analysis.control.plan import ControlPlan
    from symdyn.analysis.inverse_kinematics.differential import DifferentialIK
    from symdyn.analysis.inverse_kinematics.soft import SoftInverseKinematics
    from symdyn.analysis.inverse_kinematics.solve import InverseKinematics
    from symdyn.analysis.statics.given import Inputs


def inverse_kinematics(
    robot: Robot | str | os.PathLike[str],
    goals: Mapping[str, ArrayLike],
    q0: ArrayLike | Mapping[str, ArrayLike] | None = None,
    **given: Any,
) -> InverseKinematics:
    """Find a position at which frames meet their targets, within joint limits.

    Targets by task: ``"tool"`` has a pose, (4, 4) or (7,) of x, y, z [m] and a quaternion x, y, z, w;
    ``"tool:position"`` has (3,) [m], and ``"tool:axis"`` the direction (3,) of its z axis in the world. Searches
    start at q0, (nq,) or (starts, nq), by default in the middle of the limits and at random. Keywords: ``weights`` by
    task, ``limits``, ``tolerance``, ``max_iterations`` of each start, ``seed``, ``p`` and ``target``. A target that is
    not reached gives another ``code`` than ``DONE``, and the nearest position.
    """
    from symdyn.analysis.inverse_kinematics.solve import inverse_kinematics as found

    return found(robot, goals, q0, **given)


def differential_ik(
    robot: Robot | str | os.PathLike[str], goals: Mapping[str, ArrayLike], q: ArrayLike, h: float, **given: Any
) -> DifferentialIK:
    """Find velocities with which frames move as desired, within limits: a bounded quadratic program.

    Desired velocities by frame: ``"tool"`` has a twist (6,), linear; angular, world axes, and ``"tool:position"`` a
    velocity (3,). v minimises the weighted squares of J v - V_d, and damping |v - v_0|^2, so that the position after h
    is within its limits and loops close. Keywords: ``v_0``, ``weights`` by goal, ``damping``, ``limits``, ``p`` and
    ``target``.
    """
    from symdyn.analysis.inverse_kinematics.differential import differential_ik as found

    return found(robot, goals, q, h, **given)


def soft_inverse_kinematics(
    robot: Robot | str | os.PathLike[str], goals: Mapping[str, ArrayLike], u0: Inputs = None, **given: Any
) -> SoftInverseKinematics:
    """Find inputs of actuators, such as tensions, with which a robot rests so that frames meet their targets.

    Targets are those of :func:`inverse_kinematics`. The search moves inputs u from u0 on, within their bounds, and the
    robot is at rest at each step. Keywords: ``q0``, ``weights`` by task, ``bounds`` by input, ``tolerance``,
    ``max_iterations``, ``f_ext``, ``external_wrenches``, ``p`` and ``target``. A target that is not reached gives
    another ``code`` than ``DONE``, and the nearest rest.
    """
    from symdyn.analysis.inverse_kinematics.soft import soft_inverse_kinematics as found

    return found(robot, goals, u0, **given)


def optimal_control(
    robot: Robot | str | os.PathLike[str],
    problem: Any = None,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    **given: Any,
) -> ControlPlan:
    """Find the motion of least cost within limits, and the inputs that lead along it.

    ``problem`` is an ``OptimalControlProblem``, or the name of a file with one, by default that of the robot. The
    motion begins at q, (nq,), and v, (nv,), by default at the problem's start. Keywords: ``targets``, rows (n,) or
    values by names such as ``{"reach": pose}``; ``u``, inputs (nu,) with which the search begins, or (starts, nu), of
    which the best plan is taken; ``iterations``, at most; ``p`` and ``target``. The plan's ``code`` says how the
    search ended.
    """
    from symdyn.analysis.control.solve import optimal_control as found

    return found(robot, problem, q, v, **given)


def export_ocp(
    robot: Robot | str | os.PathLike[str],
    problem: Any = None,
    to: str = "casadi",
    out: str | os.PathLike[str] = "ocp",
    **given: Any,
) -> Path:
    """Write an optimal-control problem for CasADi with IPOPT, or for acados: a folder with a script, its path returned.

    Costs, steps, limits and start are those of :func:`optimal_control`. ``to`` is ``"casadi"`` or ``"acados"``.
    Keywords: ``q``, ``v``, ``targets``, ``u`` and ``p``.
    """
    from symdyn.analysis.control.export import export_ocp as written

    return written(robot, problem, to, out, **given)
