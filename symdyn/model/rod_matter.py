"""What of a rod's matter is known at run time alone: its tables are made of 1 in its place, and multiplied with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.description.mapped import MATERIAL, Mapped
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.placement import Number
from symdyn.description.soft import Material, Soft
from symdyn.description.text.position import shown
from symdyn.errors import ModelError
from symdyn.model.parameter_names import map_numbers, material_numbers

if TYPE_CHECKING:
    from symdyn.model.values import Values

Factors = tuple[tuple[str, Number], ...]
"""Quantities that are multiplied with each other: leaves, each with the number that the file gives."""


@dataclass(frozen=True, slots=True)
class RodMatter:
    """Factors of a rod's masses, of its stiffness and of its damping; none where these are baked.

    ``usual`` is that of the masses by default values: 1 where they are baked.
    """

    density: Factors = ()
    stiffness: Factors = ()
    damping: Factors = ()
    usual: float = 1.0
    others: tuple[tuple[str, Factors], ...] = ()
    """More numbers that are known at run time alone, by name: of a body given by its map, say."""

    @property
    def parts(self) -> dict[str, Factors]:
        """Those that are not baked, by name."""
        named = {"density": self.density, "stiffness": self.stiffness, "damping": self.damping}
        return {name: factors for name, factors in (*named.items(), *self.others) if factors}


BAKED = RodMatter()


def open_matter(link: str, soft: Soft, values: Values) -> tuple[Soft, RodMatter]:
    """The rod with 1 in place of what rests on run-time parameters, and what its tables are to be multiplied with.

    Raises
    ------
    ModelError
        Both kinds of losses: the tables have room for one.
    """
    numbers = material_numbers(soft.material)
    asked = {name for name, number in numbers.items() if values.depends({name: number}, link)}
    lost = [name for name in _LOSSES if name in asked or numbers[name] != 0.0]
    if asked.intersection(lost) and len(lost) == 2:
        raise ModelError(
            f"soft link {shown(link)}: viscosity and retardation_time both give its losses; keep one, "
            f"'{link}.{lost[0]}' or '{link}.{lost[1]}', in the file or as a run-time parameter"
        )
    known = {name: 1.0 if name in asked else float(values.number(number)) for name, number in numbers.items()}
    found = {name: ((f"{link}.{name}", number),) if name in asked else () for name, number in numbers.items()}
    viscosity, retardation = (found[name] for name in _LOSSES)
    stiffness = found["material.youngs_modulus"]
    damping = (*retardation, *stiffness) if known[_LOSSES[1]] else viscosity
    density = found["material.density"]
    material = Material(poisson_ratio=soft.material.poisson_ratio, **{_key(name): own for name, own in known.items()})
    usual = float(factor(density, values)) if density else 1.0
    return replace(soft, material=material), RodMatter(density, stiffness, damping, usual)


def open_map(link: str, mapped: Mapped, values: Values) -> tuple[Mapped, RodMatter]:
    """A body given by its map as :func:`open_matter` has a rod: what energies hold of parameters stays in them."""
    numbers = map_numbers(mapped)
    asked = [name for name, number in numbers.items() if values.depends({name: number}, link)]
    known = {name: 1.0 if name in asked else float(values.number(own)) for name, own in numbers.items()}
    found = {name: ((f"{link}.{name}", numbers[name]),) for name in asked}
    density: Factors = found.pop("density", ())
    left = tuple(name for name in mapped.parameters if values.depends({"": Expression(name)}, ""))
    baked = {name: float(values.parameter(name)) for name in mapped.parameters if name not in left}
    free = (*MATERIAL, *mapped.rows, *left)
    energy, held = (MapExpression(text).bound(baked, free).text if text else "" for text in mapped.energies)
    closed = replace(
        mapped,
        density=known.pop("density"),
        damping=tuple(known.values()),
        energy=energy,
        energy_density=held,
        parameters=left,
    )
    others = (*found.items(), *((energy_part(name), (("", Expression(name)),)) for name in left))
    return closed, RodMatter(density, usual=float(factor(density, values)) if density else 1.0, others=others)


def energy_part(parameter: str) -> str:
    """The name of a parameter in energies among :attr:`RodMatter.parts`."""
    return f"energy.{parameter}"


def closed_matter(soft: Soft) -> Soft:
    """The rod with 1 in place of what of its matter is an expression, for what does not rest on these numbers."""
    numbers = material_numbers(soft.material)
    known = {_key(name): own if isinstance(own, float | int) else 1.0 for name, own in numbers.items()}
    return replace(soft, material=replace(soft.material, **known))


def factor(factors: Factors, values: Values) -> Scalar:
    """The product of some quantities."""
    (name, number), *others = factors
    total = values.number(number, name)
    for name, number in others:
        total = total * values.number(number, name)
    return total


def _key(leaf: str) -> str:
    return leaf.partition(".")[2]


_LOSSES = ("material.viscosity", "material.retardation_time")
