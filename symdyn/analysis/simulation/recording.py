"""What is kept of a motion while it is integrated, and the trajectory made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.given import input_names
from symdyn.analysis.simulation.system import System
from symdyn.analysis.simulation.trajectory import Trajectory, robot_hash

Array = NDArray[np.float64]


class Recording:
    """States at growing times, and events."""

    def __init__(self, system: System, method: str, events: Mapping[str, object], reason: str) -> None:
        self._system, self._method, self._reason = system, method, reason
        self._times: list[float] = []
        self._states: list[Array] = []
        self.happened: dict[str, list[float]] = {name: [] for name in events}

    def add(self, t: float, y: Array) -> None:
        """Keep a state, unless one of that time is there."""
        if not self._times or t > self._times[-1]:
            self._times.append(t)
            self._states.append(np.array(self._system.unit(self._system.moved(t, y))))

    def trajectory(self, timings: Mapping[str, float], messages: tuple[str, ...]) -> Trajectory:
        """All that was kept, with accelerations, multipliers, inputs and energies there."""
        system, robot = self._system, self._system.robot
        counters = asdict(system.counters)
        states = np.array(self._states)
        found = [system.acceleration(t, y) for t, y in zip(self._times, states, strict=True)]
        inputs = [system.force(t, y) for t, y in zip(self._times, states, strict=True)]
        q, v = np.ascontiguousarray(states[:, : robot.nq]), np.ascontiguousarray(states[:, robot.nq :])
        kinetic, potential = system.energies(self._times, q, v)
        return Trajectory(
            robot_name=robot.name,
            robot_hash=robot_hash(robot),
            method=self._method,
            coordinate_names=robot.coordinate_names,
            velocity_names=robot.velocity_names,
            multiplier_names=robot.model.loop_row_names,
            input_names=input_names(robot, system.drive),
            t=np.array(self._times),
            q=q,
            v=v,
            a=np.array([a for a, _ in found]),
            multipliers=np.array([multipliers for _, multipliers in found]),
            inputs=np.array(inputs),
            kinetic_energy=kinetic,
            potential_energy=potential,
            events={name: np.array(times) for name, times in self.happened.items()},
            counters=counters,
            timings=dict(timings),
            messages=messages,
            reason=self._reason,
            robot=robot,
        )
