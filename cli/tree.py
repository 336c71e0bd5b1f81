"""Bodies of a robot as the command line shows them: the tree, and what its links weigh."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from . import beams, drives, terminal

if TYPE_CHECKING:
    from symdyn.description.robot import Number, RobotDescription
    from symdyn.model.bodies import Body
    from symdyn.model.model import Model
    from symdyn.model.rod_matter import RodMatter
    from symdyn.robot.robot import Robot


def total_mass(robot: Robot) -> str:
    """The sum of all masses, equal expressions counted: ``(2.5 + 6*link_mass) kg``."""
    description = robot.description
    masses = [link.inertial.mass for link in description.links if link.inertial is not None]
    known = sum(mass for mass in masses if isinstance(mass, float | int)) + sum(beams.masses(description).values())
    known += sum(rod.mass for rod in robot.model.rods if not rod.matter.density)
    left_open = Counter(mass.text for mass in masses if not isinstance(mass, float | int))
    on_density = [f"{rod.mass:.6g}*{_density(rod.matter)}" for rod in robot.model.rods if rod.matter.density]
    terms = [f"{known:.6g}"] if known or not (left_open or on_density) else []
    for text, times in left_open.items():
        factor = text if text.isidentifier() else f"({text})"
        terms.append(text if times == 1 else f"{times}*{factor}")
    terms += on_density
    return f"{terms[0]} kg" if len(terms) == 1 else f"({' + '.join(terms)}) kg"


def _masses(body: Body, bending: Collection[str]) -> list[str]:
    """Of the links that are fixed together, and of the link whose tip the body is: known ones in one sum.

    In dynamics a rod's mass, like a beam's, belongs to the body that carries it; here it stands beside its coordinates.
    """
    masses = [
        (placed.inertial.mass, placed.factors)
        for placed in body.inertials
        if not (placed.factors and placed.link in bending)
    ]
    if body.rod is not None:
        masses.append((body.rod.mass, body.rod.matter.density))
    if body.beam is not None:
        masses.append((float(body.beam.integrals.mass), ()))
    known = sum(float(mass) for mass, factors in masses if isinstance(mass, float | int) and not factors)
    open_ones = [
        drives.quantity(mass) + "".join(f"*{_factor(*own)}" for own in factors)
        for mass, factors in masses
        if factors or not isinstance(mass, float | int)
    ]
    return [*([f"{known:.6g}"] if known or not open_ones else []), *open_ones]


def _density(matter: RodMatter) -> str:
    return "*".join(_factor(*own) for own in matter.density)


def _factor(name: str, number: Number) -> str:
    """A quantity that is known at run time, by its expression or its own name."""
    return name if isinstance(number, float | int) else f"({number.text})"


def show(description: RobotDescription, model: Model) -> None:
    """Print the bodies in order, each with its joint and its mass."""
    from symdyn.model.contracted import contracted

    model = contracted(model)
    bending = {rod.link for rod in model.rods}
    terminal.title("tree (what starts a branch is indented)")
    terminal.table(
        ("body", "on", "by joint", "motion", "mass [kg]"),
        (
            (
                "  " * depth + body.name,
                description.root if body.parent < 0 else model.bodies[body.parent].name,
                body.joint.joint,
                body.joint.kind.value,
                " + ".join(_masses(body, bending)) or "0",
            )
            for depth, body in _depths(model)
        ),
    )


def _depths(model: Model) -> Iterator[tuple[int, Body]]:
    """Bodies with the number of branchings between them and the root."""
    children = Counter(model.parent)
    depth: list[int] = []
    for body in model.bodies:
        below = depth[body.parent] if body.parent >= 0 else 0
        depth.append(below + (children[body.parent] > 1))
        yield depth[-1], body
