"""Elastic joints: the motor's own row, and the spring and damper between the motor and the link (Spong 1987).

The motor's coordinate theta is its angle over the gear ratio, so that theta and the link's coordinate q stand on the
same side of the gear and are equal where the spring is at rest. The rotor meets the tree through the spring alone:

    tau_link  = rigid-body row + K (q - theta) + D (q' - theta')
    tau_motor = B theta''      + K (theta - q) + D (theta' - q') + losses(theta'),    B = N^2 J

The rows of an elastic joint are neighbours in q and in v: the link's first.

Flexible links are springs too: tau_d = K d + R d' of their coordinates d, with the symmetric matrices of strain and of
what the material loses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.plan import Access, Binding, Mode, Port, Step, Sweep, Visit
from symdyn.recursion.joint_loads import losses, own_rates
from symdyn.recursion.tree import JOINT, LOSS, BodyVariant, TreePlan
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.vectors import add

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

_SPRING = ("stiffness", "spring_damping")


@dataclass(frozen=True, slots=True)
class SpringVariant:
    """What is structural about a spring: which of its parts there are."""

    stiff: bool
    damped: bool


@dataclass(frozen=True, slots=True)
class StrainVariant:
    """What is structural about the elasticity of a flexible link: its coordinates."""

    rows: int


def rotor_force(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The rotor's own force B a + losses(v)."""
    force: list[Scalar] = losses(variant, algebra, constants, reads["v"]) if variant.lossy else [0.0]
    if variant.geared:
        force = [force[0] + constants["armature"] * own_rates(variant, constants, reads["a"])[0]]
    return {"tau": force}


def spring_force(variant: SpringVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Forces K (q - theta) + D (q' - theta') on the link's row, and its opposite on the motor's."""
    force: Scalar = 0.0
    if variant.stiff:
        force = constants["stiffness"] * (reads["q"][0] - reads["q"][1])
    if variant.damped:
        force = force + constants["spring_damping"] * (reads["v"][0] - reads["v"][1])
    return {"link": [force], "motor": [-force]}


def spring_energy(variant: SpringVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Stored energy K (q - theta)^2 / 2."""
    stretch = reads["q"][0] - reads["q"][1]
    return {"energy": [0.5 * constants["stiffness"] * (stretch * stretch)]}


def strain_force(variant: StrainVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Forces K d + R d' of a flexible link."""
    force: list[Scalar] = [0.0] * variant.rows
    for name, port in (("K", "q"), ("R", "v")):
        if port in reads:
            force = add(force, _times(name, constants, reads[port]))
    return {"force": force}


def strain_energy(variant: StrainVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Energy d . K d / 2 of a flexible link."""
    d = reads["q"]
    total: Scalar = 0.0
    for own, force in zip(d, _times("K", constants, d), strict=True):
        total = total + own * force
    return {"energy": [0.5 * total]}


def strain_slope(_: str, __: Algebra, constants: Mapping[str, Scalar], ___: Reads) -> Writes:
    """An entry of K or R."""
    return {"entry": [constants["slope"]]}


def _times(name: str, constants: Mapping[str, Scalar], values: Sequence[Scalar]) -> list[Scalar]:
    """A symmetric matrix of constants times a vector."""
    found = []
    for i in range(len(values)):
        total: Scalar = 0.0
        for j, value in enumerate(values):
            total = total + constants[f"{name}{min(i, j)}_{max(i, j)}"] * value
        found.append(total)
    return found


def spring_slope(_: str, __: Algebra, constants: Mapping[str, Scalar], ___: Reads) -> Writes:
    """The block (k, -k; -k, k) of link and motor, k being K for derivatives by q and D for those by v."""
    slope = constants["slope"]
    return {"link": [slope], "link_motor": [-slope], "motor_link": [-slope], "motor": [slope]}


_ROTOR = Step("rotor_force", rotor_force, (Port("v", Mode.READ), Port("a", Mode.READ), Port("tau", Mode.ADD)))
_FORCE = Step(
    "spring_force",
    spring_force,
    (Port("q", Mode.READ), Port("v", Mode.READ), Port("link", Mode.ADD), Port("motor", Mode.ADD)),
)
_STRAIN = Step("strain_force", strain_force, (Port("q", Mode.READ), Port("v", Mode.READ), Port("force", Mode.ADD)))
_STRAIN_ENERGY = Step("strain_energy", strain_energy, (Port("q", Mode.READ), Port("energy", Mode.ADD)))
_STRAIN_SLOPE = Step("strain_slope", strain_slope, (Port("entry", Mode.ADD),))
_ENERGY = Step("spring_energy", spring_energy, (Port("q", Mode.READ), Port("energy", Mode.ADD)))
_BLOCK = ("link", "link_motor", "motor_link", "motor")
_SLOPE = Step("spring_slope", spring_slope, tuple(Port(entry, Mode.ADD) for entry in _BLOCK))


def rotor_sweeps(tree: TreePlan, field: str = "tau") -> list[Sweep]:
    """Sweeps that add B a + losses(v) to the motors' rows of a field of nv rows; they read ``a`` and ``v``."""
    visits = []
    for index in tree.rotors:
        variant = tree.variant(index)
        if not variant.geared and not variant.lossy:
            continue
        bindings: dict[str, Binding] = {"tau": tree.v(index, field)}
        if variant.lossy:
            bindings["v"] = tree.v(index)
        if variant.geared:
            bindings["a"] = tree.v(index, "a")
        names = (*JOINT, *(LOSS if variant.lossy else ()), *(("armature",) if variant.geared else ()))
        visits.append(Visit(index, variant, tree.constants(index, names), bindings))
    return [Sweep(_ROTOR, tuple(visits))] if visits else []


def spring_sweeps(tree: TreePlan, field: str = "tau") -> list[Sweep]:
    """Sweeps that add the springs' forces to a field of nv rows, rows as in v [N m or N]; they read ``q`` and ``v``."""
    visits = []
    for index in tree.rotors:
        variant = SpringVariant(tree.has(index, "stiffness"), tree.has(index, "spring_damping"))
        if not variant.stiff and not variant.damped:
            continue
        row = tree.v(index).offset - 1
        bindings: dict[str, Binding] = {"link": Access(field, row, 1), "motor": Access(field, row + 1, 1)}
        if variant.stiff:
            bindings["q"] = _both_coordinates(tree, index)
        if variant.damped:
            bindings["v"] = Access("v", row, 2)
        names = [name for name, here in zip(_SPRING, (variant.stiff, variant.damped), strict=True) if here]
        visits.append(Visit(index, variant, tree.constants(index, names), bindings))
    sweeps = [Sweep(_FORCE, tuple(visits))] if visits else []
    return sweeps + _strain_sweeps(tree, field)


def spring_energy_sweeps(tree: TreePlan, field: str = "energy") -> list[Sweep]:
    """Sweeps that add K (q - theta)^2 / 2 of every spring to a field of one scalar [J]; they read ``q``."""
    visits = tuple(
        Visit(
            index,
            SpringVariant(stiff=True, damped=False),
            tree.constants(index, ("stiffness",)),
            {"q": _both_coordinates(tree, index), "energy": Access(field, 0, 1)},
        )
        for index in tree.rotors
        if tree.has(index, "stiffness")
    )
    strained = tuple(
        Visit(
            index,
            StrainVariant(tree.q(index).count),
            tree.beams.constants(index, _entries("K", tree.q(index).count)),
            {"q": tree.q(index), "energy": Access(field, 0, 1)},
        )
        for index in tree.model.beams
        if tree.beams.is_stiff(index)
    )
    sweeps = [Sweep(_ENERGY, visits)] if visits else []
    return [*sweeps, Sweep(_STRAIN_ENERGY, strained)] if strained else sweeps


def _strain_sweeps(tree: TreePlan, field: str) -> list[Sweep]:
    visits = []
    for index in tree.model.beams:
        count = tree.q(index).count
        bindings: dict[str, Binding] = {"force": tree.v(index, field)}
        names: tuple[str, ...] = ()
        if tree.beams.is_stiff(index):
            bindings["q"], names = tree.q(index), _entries("K", count)
        if tree.beams.is_damped(index):
            bindings["v"], names = tree.v(index), (*names, *_entries("R", count))
        if names:
            visits.append(Visit(index, StrainVariant(count), tree.beams.constants(index, names), bindings))
    return [Sweep(_STRAIN, tuple(visits))] if visits else []


def _entries(name: str, rows: int) -> tuple[str, ...]:
    """Names of the entries of K or R, the upper triangle."""
    return tuple(f"{name}{i}_{j}" for i in range(rows) for j in range(i, rows))


def spring_partial_sweeps(tree: TreePlan, dq: str | None, dv: str | None) -> list[Sweep]:
    """Sweeps that add the derivatives of the springs' forces to matrices of (nv, nv), row-major.

    Parameters
    ----------
    tree
        The robot.
    dq, dv
        Fields of the derivatives by q and by v; None for one that is not wanted.
    """
    size, sweeps = tree.model.nv, _strain_slopes(tree, dq, dv)
    for field, constant in ((dq, "stiffness"), (dv, "spring_damping")):
        visits = []
        for index in tree.rotors if field is not None else ():
            if field is not None and tree.has(index, constant):
                row = tree.v(index).offset - 1
                places = [i * size + j for i in (row, row + 1) for j in (row, row + 1)]
                bindings = {name: Access(field, place, 1) for name, place in zip(_BLOCK, places, strict=True)}
                constants = {"slope": tree.constants(index, (constant,))[constant]}
                visits.append(Visit(index, constant, constants, bindings))
        if visits:
            sweeps.append(Sweep(_SLOPE, tuple(visits)))
    return sweeps


def _strain_slopes(tree: TreePlan, dq: str | None, dv: str | None) -> list[Sweep]:
    size, visits = tree.model.nv, []
    for index in tree.model.beams:
        start, count = tree.v(index).offset, tree.v(index).count
        for field, name, here in ((dq, "K", tree.beams.is_stiff(index)), (dv, "R", tree.beams.is_damped(index))):
            if field is None or not here:
                continue
            constants = tree.beams.constants(index, _entries(name, count))
            for i in range(count):
                for j in range(count):
                    entry = f"{name}{min(i, j)}_{max(i, j)}"
                    if constants[entry] != 0.0:
                        place = Access(field, (start + i) * size + start + j, 1)
                        visits.append(Visit(index, "strain", {"slope": constants[entry]}, {"entry": place}))
    return [Sweep(_STRAIN_SLOPE, tuple(visits))] if visits else []


def _both_coordinates(tree: TreePlan, index: int) -> Access:
    return Access("q", tree.q(index).offset - 1, 2)
