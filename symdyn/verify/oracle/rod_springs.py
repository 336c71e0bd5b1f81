"""What it takes to keep rods in their shapes: springs and dampers of their matter."""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.description.soft import GREEN_LAGRANGE, Soft
from symdyn.verify.base.dense import Rows, matrix_times
from symdyn.verify.base.matrices import Real, scale
from symdyn.verify.oracle.mapped import add_map_springs, map_damping_power, map_energy
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.rod_energy import section_energy, section_forces
from symdyn.verify.oracle.tree import Tree


def rod_matrices(place: Place, quantities: Quantities) -> tuple[Rows, Rows]:
    """Stiffness and damping of a rod's coordinates, (n, n) each."""
    assert place.soft is not None
    material, stem = place.soft.material, f"{place.joint.parent}.material"
    E = quantities(material.youngs_modulus, f"{stem}.youngs_modulus")
    v = quantities(material.viscosity, f"{stem}.viscosity")
    t = quantities(material.retardation_time, f"{stem}.retardation_time")
    stiffness = [[E * value for value in row] for row in place.rod.stiffness]
    damping = [
        [t * held + v * lost for held, lost in zip(*rows, strict=True)]
        for rows in zip(stiffness, place.rod.viscous, strict=True)
    ]
    return stiffness, damping


def _soft(place: Place) -> Soft:
    assert place.soft is not None
    return place.soft


def _deforming(place: Place, quantities: Quantities) -> Real | None:
    """Young's modulus of a rod whose energy is that of all of its matter."""
    soft = _soft(place)
    if soft.section_law != GREEN_LAGRANGE:
        return None
    return quantities(soft.material.youngs_modulus, f"{place.joint.parent}.material.youngs_modulus")


def add_rod_springs(tau: list[Real], tree: Tree, quantities: Quantities, q: Sequence[Real], v: Sequence[Real]) -> None:
    """Add the forces that hold rods and bodies given by maps in shape, and that move their dampers."""
    for place in tree.rods:
        stiffness, damping = rod_matrices(place, quantities)
        held, moved = matrix_times(stiffness, place.coordinates(q)), matrix_times(damping, place.velocities(v))
        if (modulus := _deforming(place, quantities)) is not None:
            held = scale(modulus, section_forces(_soft(place), place.coordinates(q)))
        for row, forces in enumerate(zip(held, moved, strict=True), place.v_row):
            tau[row] += sum(forces)
    add_map_springs(tau, tree, q, v, quantities)


def rod_spring_energy(tree: Tree, quantities: Quantities, q: Sequence[Real]) -> Real:
    """Energy that the rods hold by being strained."""
    energy = map_energy(tree, q, quantities)
    for place in tree.rods:
        d = place.coordinates(q)
        if (modulus := _deforming(place, quantities)) is not None:
            energy += modulus * section_energy(_soft(place), d)
            continue
        energy += mp.fdot(d, matrix_times(rod_matrices(place, quantities)[0], d)) / 2
    return energy


def rod_damping_power(tree: Tree, quantities: Quantities, v: Sequence[Real]) -> Real:
    """Power that the rods' dampers take."""
    lost = map_damping_power(tree, v, quantities)
    for place in tree.rods:
        rates = place.velocities(v)
        lost += mp.fdot(rates, matrix_times(rod_matrices(place, quantities)[1], rates))
    return lost
