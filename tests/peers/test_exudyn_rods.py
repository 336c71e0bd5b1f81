"""A rod that falls from rest, held at its root, beside cable elements of exudyn (ANCF, in a plane)."""

from __future__ import annotations

import math

import exudyn
import numpy as np
import pytest
from exudyn.beams import GenerateStraightLineANCFCable2D
from exudyn.itemInterface import Cable2D
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import symdyn
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions

# The way to make a row of these elements has a successor from exudyn 1.11 on, and stays until 2029.
pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

LENGTH, RADIUS, YOUNG, DENSITY, GRAVITY = 0.5, 0.006, 5e6, 1000.0, 9.81
AREA, SECOND = math.pi * RADIUS**2, math.pi * RADIUS**4 / 4
END, ELEMENTS, STEP = 0.3, 24, 2e-4

Array = NDArray[np.float64]


def cable_tip() -> Array:
    """Where the tip is at the end, by trapezoidal short steps."""
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    element = Cable2D(
        physicsMassPerLength=DENSITY * AREA,
        physicsBendingStiffness=YOUNG * SECOND,
        physicsAxialStiffness=YOUNG * AREA,
        useReducedOrderIntegration=0,
    )
    made = GenerateStraightLineANCFCable2D(
        mbs=system,
        positionOfNode0=[0, 0, 0],
        positionOfNode1=[LENGTH, 0, 0],
        numberOfElements=ELEMENTS,
        cableTemplate=element,
        massProportionalLoad=[0, -GRAVITY, 0],
        fixedConstraintsNode0=[1, 1, 0, 1],
        fixedConstraintsNode1=[0, 0, 0, 0],
    )
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.endTime = END
    settings.timeIntegration.numberOfSteps = round(END / STEP)
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.solutionSettings.writeSolutionToFile = False
    settings.displayComputationTime = False
    settings.timeIntegration.verboseMode = 0
    system.SolveDynamic(settings)
    return np.array(system.GetNodeOutput(made[0][-1], exudyn.OutputVariableType.Position))


def rod_tip() -> Array:
    """The same by forward dynamics and SciPy."""
    own = (
        StrainFunctions(Strain.CURVATURE_Z, StrainBasis.LEGENDRE, 9),
        StrainFunctions(Strain.STRETCH, StrainBasis.LEGENDRE, 4),
    )
    section = Section("circle", radius=repr(RADIUS))
    soft = Soft(LENGTH, section, Material(YOUNG, 0.3, DENSITY), own, stations=12, max_turn_per_step=2.0)
    robot = symdyn.from_description(
        RobotDescription("rod", (Link("rod", soft=soft),), (), gravity=(0.0, -GRAVITY, 0.0))
    )
    module = symdyn.compile(robot, ["forward_dynamics", "forward_kinematics"])
    n, nothing = robot.nv, np.zeros(robot.nv)

    def rate(t: float, y: Array) -> Array:
        return np.concatenate([y[n:], module.forward_dynamics(y[:n], y[n:], nothing)])

    found = solve_ivp(rate, (0.0, END), np.zeros(2 * n), method="DOP853", rtol=1e-7, atol=1e-9)
    assert found.success
    return np.asarray(module.forward_kinematics(found.y[:n, -1])[-1, :3, 3])


def test_a_falling_rod_is_where_exudyn_has_it() -> None:
    ours, theirs = rod_tip(), cable_tip()
    assert np.linalg.norm(ours - np.array([LENGTH, 0.0, 0.0])) > 0.5 * LENGTH
    # The cable's sections have no moment of inertia; the rod's delay it by some 1e-5.
    assert np.abs(ours - theirs).max() < 1e-4 * LENGTH
