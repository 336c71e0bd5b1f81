"""Values of a YAML document as the robot needs them: folded, normalised, and refused with their place."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from symdyn.description.checks.external_loads import clash
from symdyn.description.checks.parameters import Scope
from symdyn.description.checks.rotation import (
    Triple,
    meant_in_degrees,
    rotation_from_matrix,
    rotation_from_rpy,
    unit_vector,
)
from symdyn.description.declared import Family
from symdyn.description.external_loads import Site
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import IDENTITY, Attachment, Matrix3, Number, Vector3
from symdyn.description.text.notice import DEGREES, Notice, doubt
from symdyn.description.text.position import at, hint, on_line, shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.document import YamlDocument
from symdyn.description.yaml.mapping import OrientedYaml
from symdyn.description.yaml.words import WORLD
from symdyn.errors import DescriptionError

_AXIS_TOLERANCE = 1e-6
_SINGULAR = {
    "links": "link",
    "joints": "joint",
    "frames": "frame",
    "parameters": "parameter",
    "tendons": "tendon",
    "chambers": "chamber",
    "loads": "load",
    "bushings": "bushing",
    "struts": "strut",
    "contacts": "contact",
    "loops": "loop",
}


def where(path: Path) -> str:
    """Words for a path, such as ``joint 'elbow': limits.lower``."""
    if not path:
        return "the document"
    head = _SINGULAR.get(str(path[0]))
    if head is None or len(path) == 1:
        return ".".join(str(step) for step in path)
    rest = ".".join(str(step) for step in path[2:])
    return f"{head} {shown(path[1])}" + (f": {rest}" if rest else "")


TIP = ".tip"
"""What follows a link's name in that of its tip."""


@dataclass(frozen=True, slots=True)
class Places:
    """Names of links and frames; ``deforming`` are those links that have a tip of their own."""

    links: Collection[str] = ()
    frames: Collection[str] = ()
    deforming: Collection[str] = ()


class YamlValues:
    """Turns schema values at a path into numbers, vectors and placements, and collects warnings."""

    def __init__(self, document: YamlDocument, source: str) -> None:
        self.scope = Scope()
        self.places = Places()
        self.warnings: list[str] = []
        self._document = document
        self._source = source

    def line(self, path: Path) -> int | None:
        """Line of the node at ``path``."""
        return self._document.line(path)

    def lines(self, path: Path) -> tuple[tuple[Path, int], ...]:
        """Lines of the node at a path and of all nodes in it, by their paths from there."""
        size = len(path)
        return tuple((own[size:], line) for own, line in self._document.lines.items() if own[:size] == path)

    def nearest(self, path: Path) -> Path:
        """The path, or that of the nearest node around it which the document has."""
        return self._document.nearest(path)

    def rotation(self, oriented: OrientedYaml, path: Path) -> Matrix3:
        """Rotation given by rpy or rotation; the identity where neither is given."""
        if oriented.rpy is not None:
            return self.turned(oriented.rpy, (*path, "rpy"))
        return IDENTITY if oriented.rotation is None else self.rotated(oriented.rotation, (*path, "rotation"))

    def turned(self, rpy: Vector3, path: Path) -> Matrix3:
        """The rotation of three angles, with a warning where they are most likely degrees."""
        angles = self.numbers(rpy, path)
        if said := meant_in_degrees(angles):
            self.warnings.append(doubt(f"{on_line(self.line(path))}{where(path)}: {said}", DEGREES))
        return rotation_from_rpy(*angles)

    def rotated(self, rows: tuple[Vector3, ...], path: Path) -> Matrix3:
        """A rotation by its rows."""
        x, y, z = (self.numbers(row, path) for row in rows)
        try:
            return rotation_from_matrix((x, y, z))
        except ValueError as failure:
            raise self.refusal(path, f": {failure}; give rpy instead, or more digits") from None

    def direction(self, vector: Vector3, path: Path, any_length: bool = False) -> Triple:
        """A vector of constants scaled to length one, with a warning where it should have that already."""
        numbers = self.numbers(vector, path)
        unit = unit_vector(numbers)
        if unit is None:
            raise self.refusal(path, " is the zero vector, which points nowhere; give a direction such as [0, 0, 1]")
        length = math.hypot(*numbers)
        if not any_length and abs(length - 1.0) > _AXIS_TOLERANCE:
            noted = f"{on_line(self.line(path))}{where(path)}"
            self.warnings.append(f"{noted} has length {length:.9g}; it is scaled to 1")
        return unit

    def vector(self, vector: Vector3, path: Path) -> Vector3:
        """Three quantities, folded."""
        x, y, z = (self.fold(entry, path) for entry in vector)
        return x, y, z

    def numbers(self, vector: Vector3, path: Path) -> Triple:
        """Three constants."""
        x, y, z = (self.number(entry, path) for entry in vector)
        return x, y, z

    def _check_word(self, quantity: Number, path: Path, words: Collection[str]) -> None:
        """Refuse what is most likely a misspelt word, and no name of a parameter."""
        if words and isinstance(quantity, Expression) and quantity.names == (quantity.text,):
            name = quantity.text
            known = name in self.scope.constants or name in self.scope.open
            if not known and (guess := hint(name, words)):
                raise self.refusal(path, f": expected a number or {' or '.join(words)}, got {shown(name)}{guess}")

    def fold(self, quantity: Number, path: Path) -> Number:
        """A quantity, as a number where no run-time parameter is involved."""
        with self.at(path):
            return self.scope.fold(quantity)

    def fold_among(self, quantity: Number, path: Path, more: Collection[str]) -> Number:
        """The same of a quantity that may use ``more`` names beside parameters; none of these has another meaning."""
        used = quantity.names if isinstance(quantity, Expression) else ()
        scope = self.scope
        for name in used:
            declared = name in scope.constants or name in scope.open
            if declared and name in more:
                raise self.refusal(path, f": {clash(name)}")
            if not declared and name not in more:
                raise self.refusal(
                    path,
                    f": unknown name {shown(name)}; declare it under 'parameters', or use one of "
                    f"{', '.join(sorted(more))}{hint(name, (*more, *scope.constants, *scope.open))}",
                )
        return quantity if not set(more).isdisjoint(used) else self.fold(quantity, path)

    def fold_open(self, quantity: Number, path: Path) -> Number:
        """The same of a quantity that may use names which are declared nowhere."""
        names = set(quantity.names) if isinstance(quantity, Expression) else set[str]()
        return self.fold_among(quantity, path, names - {*self.scope.constants, *self.scope.open})

    def standing(self, given: Attachment | float | None, link: str, path: Path, missing: str) -> Attachment | float:
        """Where something is fixed on a link, from its ``at`` and the key of its place if that is missing."""
        if isinstance(given, float):
            return given
        deforming = link in self.places.deforming
        if given is not None and not deforming and link in self.places.links:
            raise self.refusal((*path, "at"), f" means nothing on {shown(link)}, a rigid link; delete it")
        if given in (None, Attachment.TIP) and missing and deforming:
            self.warnings.append(_at_the_tip(where(path), self.line(path), link, missing))
            return Attachment.END
        return given or Attachment.TIP

    def site(self, link: str, at: Attachment | float | None, point: Vector3 | None, path: Path) -> Site:
        """A place on a link."""
        stands = self.standing(at, link, path, "point" if point is None else "")
        return Site(link, stands, self.vector(point or (0.0, 0.0, 0.0), (*path, "point")))

    def place(self, said: Any, path: Path, held: bool) -> Site:
        """A place as text, or as a mapping; ``held`` ones may be of the world."""
        keys = set() if isinstance(said, str) else said.model_fields_set
        for word, told in (("world", "is a place already"), ("place", "names a link or a frame")):
            if word in keys and len(keys) > 1:
                raise self.refusal(path, f": {word} {told}; leave out the rest")
        if "world" in keys:
            return Site(point=self.vector(said.world, (*path, "world")))
        if isinstance(said, str) or "place" in keys:
            return self._named(said if isinstance(said, str) else said.place, path, held)
        if ("link" in keys) == ("frame" in keys):
            raise self.refusal(path, ": expected where it acts: 'link' or 'frame', one of the two")
        if "link" in keys:
            return self.site(said.link, said.at, said.point, path)
        if keys & {"at", "point"}:
            raise self.refusal(
                path, ": the frame says where it stands; leave out at and point, or name the link in its place"
            )
        return Site(frame=said.frame)

    def _named(self, name: str, path: Path, held: bool) -> Site:
        places, link = self.places, name.removesuffix(TIP)
        if name in places.frames or (link != name and link in places.deforming):
            return Site(frame=name)
        if name in places.links:
            return self.site(name, None, None, path)
        if link != name and link in places.links:
            raise self.refusal(path, f": link {shown(link)} is rigid and has no tip; name the link or a frame on it")
        if name == WORLD and held:
            return Site()
        world = (WORLD,) if held else ()
        known = (*places.links, *places.frames, *(own + TIP for own in places.deforming), *world)
        raise self.refusal(
            path,
            f": place {shown(name)} does not exist; name a link, a frame{', a tip or world' if held else ' or a tip'}"
            f"{hint(name, known)}",
        )

    def records(
        self, kinds: Family, said: Mapping[str, Any], key: str, reader: Any = None, **where: Any
    ) -> Iterator[Any]:
        """The records of a key of the document that holds them by name, of values by a reader of their own."""
        for name, own in said.items():
            yield kinds.make(own, reader or self, (key, name), name=name, line=self.line((key, name)), **where)

    def number(self, quantity: Number, path: Path, words: Collection[str] = ()) -> float:
        """A constant; ``words`` are what may stand in its place, and are read before."""
        self._check_word(quantity, path, words)
        with self.at(path):
            return self.scope.number(quantity)

    @contextmanager
    def at(self, path: Path) -> Iterator[None]:
        """Say where a value stands when it is refused."""
        try:
            yield
        except DescriptionError as failure:
            raise self.refusal(path, f": {failure}") from None

    def refusal(self, path: Path, reason: str) -> DescriptionError:
        """Error about the value at ``path``."""
        return DescriptionError(f"{at(self._source, self.line(path))}: {where(path)}{reason}")


def _at_the_tip(element: str, line: int | None, link: str, missing: str) -> Notice:
    """What is told of a place without numbers on a link that deforms, which used to be the link's origin."""
    text = (
        f"{on_line(line)}{element} has no {missing} and is at the tip of link {shown(link)}; it used to be at the "
        f"link's origin, moved with the tip. Write at: end, or {missing}: [0, 0, 0]"
    )
    return doubt(text, f"{on_line(line)}{element} is at a tip and used to be at an origin")
