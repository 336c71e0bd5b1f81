"""Closed loops and couplings: the keys of the YAML format to their kinds."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from symdyn.description.checks.pfaffian import spelt_pfaffian
from symdyn.description.external_loads import Site
from symdyn.description.loops import Coupling, Holding, Loop, LoopKind, Triple, Z
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.placement import Number
from symdyn.description.text.position import hint, shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.acting_schema import SiteYaml
from symdyn.description.yaml.loops_schema import HeldEndYaml, LoopYaml
from symdyn.description.yaml.read_acting import TIP, Attached, read_site
from symdyn.description.yaml.values import YamlValues
from symdyn.description.yaml.words import COUPLING, PFAFFIAN, WORLD


@dataclass(frozen=True, slots=True)
class Places:
    """Names of what loops may be between; ``deforming`` are those links that have a tip of their own."""

    links: Collection[str]
    frames: Collection[str]
    deforming: Collection[str]


def read_loops(
    said: Mapping[str, LoopYaml], places: Places, values: YamlValues, attached: Attached, source: str = ""
) -> Iterator[Holding]:
    """The loops of a file, in its order.

    Parameters
    ----------
    source
        The file's name, where it is not the robot's.

    Raises
    ------
    DescriptionError
        A place that does not exist, an axis that points nowhere, or an expression that cannot be.
    """
    for name, loop in said.items():
        path: Path = ("loops", name)
        line = values.line(path)
        if loop.kind == COUPLING:
            terms = ((joint, values.number(factor, (*path, "terms"))) for joint, factor in (loop.terms or {}).items())
            yield Coupling(name, tuple(terms), values.number(loop.offset or 0.0, (*path, "offset")), line, source)
            continue
        if loop.kind == PFAFFIAN:
            yield _pfaffian(name, loop, path, values, source)
            continue
        first, second = (
            _site(end, (*path, "between", number), places, values, attached)
            for number, end in enumerate(loop.between or ())
        )
        distance = values.fold(loop.distance or 0.0, (*path, "distance"))
        axes = _axes(loop, path, values)
        yield Loop(name, (first, second), LoopKind(loop.kind), axes, distance, loop.close, line, source)


def _pfaffian(name: str, said: LoopYaml, path: Path, values: YamlValues, source: str) -> Pfaffian:
    coordinates = tuple((said.coordinates or {}).items())
    declared = {*values.scope.constants, *values.scope.open}

    def entry(given: Number, place: Path) -> Number:
        # names that are neither parameters nor coordinates are refused with the whole loop in sight
        used = set(given.names) if isinstance(given, Expression) else set[str]()
        return values.fold_among(given, place, used - declared)

    rows = (
        tuple((row, entry(given, (*path, "rows", number))) for row, given in entries.items())
        for number, entries in enumerate(said.rows or ())
    )
    equals = tuple(entry(given, (*path, "equals")) for given in said.equals or ())
    held = Pfaffian(name, tuple(rows), coordinates, equals, said.unit, values.line(path), source)
    return spelt_pfaffian(held)


def _axes(said: LoopYaml, path: Path, values: YamlValues) -> tuple[Triple, Triple]:
    if said.axes is not None:
        first, second = (values.direction(axis, (*path, "axes"), any_length=True) for axis in said.axes)
        return first, second
    axis = Z if said.axis is None else values.direction(said.axis, (*path, "axis"), any_length=True)
    return axis, axis


def _site(said: HeldEndYaml, path: Path, places: Places, values: YamlValues, attached: Attached) -> Site:
    if said.world is not None:
        return Site(point=values.vector(said.world, (*path, "world")))
    if said.place is None:
        return read_site(said, path, values, attached)
    name = said.place
    link = name.removesuffix(TIP)
    if name in places.frames or (link != name and link in places.deforming):
        return Site(frame=name)
    if name in places.links:
        return read_site(SiteYaml.model_construct(link=name), path, values, attached)
    if link != name and link in places.links:
        raise values.refusal(path, f": link {shown(link)} is rigid and has no tip; name the link or a frame on it")
    if name == WORLD:
        return Site()
    known = (*places.links, *places.frames, *(own + TIP for own in places.deforming), WORLD)
    raise values.refusal(
        path, f": place {shown(name)} does not exist; name a link, a frame, a tip or world{hint(name, known)}"
    )
