"""Robots with flexible links by Lagrange's equations from the positions of their points.

With all weighted vectors x(q) known as functions of time along a motion, together with their derivatives by the
coordinates, T = 1/2 sum w x'^2 and d/dt(dT/dv) - dT/dq needs nothing else: no velocities of frames, no recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from support.oracles.flexible_jets import Jet, coordinates, stack
from support.oracles.flexible_positions import Masses, Positions, coordinate_names
from symdyn.description.robot import Actuator


class LagrangeRobot(Positions):
    """Forces, mass matrix, energies and momentum of a described robot."""

    def motion(self, series: Sequence[Sequence[Any]]) -> Jet:
        """Coordinates as functions of time from Taylor coefficients (n, terms)."""
        return coordinates(series, self.exact)

    def forces(self, q: Jet, base: tuple[Any, Any] | None = None) -> Any:
        """Coefficients (n, terms - 2) of tau(t) along a motion, springs and dampers included."""
        return self._inertial(self.masses(q, base), q) + self._elastic(q)

    def _inertial(self, masses: Masses, q: Jet) -> Any:
        terms = q.parts.shape[-1]
        places = stack(masses.places)
        weights = np.array(masses.weights)[:, None, None, None]
        x, by_q = places.value, places.slopes  # (points, 3, terms), (points, 3, n, terms)
        velocity, rates = _rate(x), _rate(by_q)
        # dT/dv_i = sum w x' . x_i and dT/dq_i = sum w x' . x_i'
        momentum = _times(velocity[:, :, None], by_q[..., : terms - 1])
        of_q = _times(velocity[:, :, None], rates)
        found = (_rate(weights * momentum) - (weights * of_q)[..., : terms - 2]).sum(axis=(0, 1))
        falling = np.array(self.gravity)[None, :, None, None] * weights * np.array(masses.falls)[:, None, None, None]
        return found - (falling * by_q)[..., : terms - 2].sum(axis=(0, 1))

    def _elastic(self, q: Jet) -> Any:
        value = q.value
        terms = value.shape[-1]
        found = 0 * value[:, : terms - 2]
        rates = _rate(value)[:, : terms - 2]
        for name, shapes in self.beams.items():
            rows = [self.row(f"{name}.{each}") for each in coordinate_names(shapes)]
            found[rows] += self.array(shapes.stiffness) @ value[rows, : terms - 2]
            found[rows] += self.array(shapes.damping) @ rates[rows]
        for joint in self.description.joints:
            own = joint.actuator
            if joint.elastic is not None:
                own = joint.elastic.actuator
                link, motor = self.row(joint.name), self.row(f"{joint.name}.motor")
                pull = self.number(joint.elastic.stiffness) * (value[motor] - value[link])[: terms - 2]
                pull = pull + self.number(joint.elastic.damping) * (rates[motor] - rates[link])
                found[motor] += pull
                found[link] -= pull
            if own is not None:
                row = self.row(joint.name if joint.elastic is None else f"{joint.name}.motor")
                found[row] += self._felt(own) * _rate(_rate(value[row]))
        return found

    def _felt(self, rotor: Actuator) -> Any:
        """Inertia of a rotor at the joint's side of its gear."""
        if rotor.armature is not None:
            return self.number(rotor.armature)
        return self.number(rotor.rotor_inertia) * self.number(rotor.gear_ratio) ** 2

    def inverse_dynamics(self, q: Any, v: Any, a: Any, base: tuple[Any, Any] | None = None) -> Any:
        """tau (n,) of one state; a free base's rows of q are left aside and ``base`` is its rotation and position."""
        if base is not None:
            # In the base's own axes at time zero the second rate of its position is v' + omega x v.
            v, a = np.array(v, dtype=float), np.array(a, dtype=float)
            rows = [self.row(f"root.{label}") for label in ("vx", "vy", "vz", "wx", "wy", "wz")]
            a[rows[:3]] = a[rows[:3]] + np.cross(v[rows[3:]], v[rows[:3]])
        return self.forces(self.motion([[x, y, z / 2] for x, y, z in zip(q, v, a, strict=True)]), base)[:, 0]

    def mass_matrix(self, q: Any, base: tuple[Any, Any] | None = None) -> Any:
        """(n, n) from sum w x_i . x_j, and the rotors."""
        motion = self.motion([[x] for x in q])
        masses = self.masses(motion, base)
        by_q = stack(masses.places).slopes[..., 0]
        found = np.einsum("p,pci,pcj->ij", np.array(masses.weights), by_q, by_q)
        still = self.motion([[0, 0, 0]] * len(q))
        for row in range(len(q)):
            moved = still.parts.copy()
            moved[row, 0, 2] += self.number(0.5)
            spinning = Jet(moved)
            found[:, row] += self._elastic(spinning)[:, 0]
        return found

    def energies(self, q: Any, v: Any, base: tuple[Any, Any] | None = None) -> tuple[Any, Any]:
        """Kinetic energy without rotors, and potential energy of gravity and of the beams."""
        motion = self.motion([[x, y] for x, y in zip(q, v, strict=True)])
        masses = self.masses(motion, base)
        places, weights = stack(masses.places).value, np.array(masses.weights)
        kinetic = (weights[:, None] * places[..., 1] ** 2).sum() / 2
        falling = weights * np.array(masses.falls)
        potential = -(falling[:, None] * np.array(self.gravity) * places[..., 0]).sum()
        for name, shapes in self.beams.items():
            own = np.array([self.number(q[self.row(f"{name}.{each}")]) for each in coordinate_names(shapes)])
            potential = potential + own @ self.array(shapes.stiffness) @ own / 2
        return kinetic, potential

    def momentum(self, q: Any, v: Any, base: tuple[Any, Any] | None = None) -> tuple[Any, Any]:
        """Linear momentum and angular momentum about the world's origin, in world axes."""
        motion = self.motion([[x, y] for x, y in zip(q, v, strict=True)])
        masses = self.masses(motion, base)
        places, weights = stack(masses.places).value, np.array(masses.weights)[:, None]
        points = np.array(masses.falls)[:, None]
        linear = (weights * points * places[..., 1]).sum(axis=0)
        return linear, (weights * np.cross(places[..., 0], places[..., 1])).sum(axis=0)


def _rate(series: Any) -> Any:
    return series[..., 1:] * np.arange(1, series.shape[-1])


def _times(a: Any, b: Any) -> Any:
    """Products of series, cut to the shorter factor."""
    terms = min(a.shape[-1], b.shape[-1])
    return np.stack([sum(a[..., j] * b[..., k - j] for j in range(k + 1)) for k in range(terms)], axis=-1)
