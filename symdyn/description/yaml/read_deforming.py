"""The keys ``flexible``, ``soft`` and ``deformable`` of a YAML link: the beam, the rod or the body given by its map."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symdyn.description.checks.flexible import faults as beam_faults
from symdyn.description.checks.mapped import coordinate_faults
from symdyn.description.checks.mapped import faults as map_faults
from symdyn.description.checks.rotation import rotation_with_x
from symdyn.description.checks.section_shapes import PLACES
from symdyn.description.checks.soft import faults as rod_faults
from symdyn.description.flexible import BEAM, Flexible, Profile
from symdyn.description.mapped import MAPS, MATERIAL, Mapped
from symdyn.description.quantities.beam_expression import PLACE, BeamExpression
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.placement import Matrix3, Number, Vector3
from symdyn.description.soft import ROD, Soft
from symdyn.description.text.position import hint, shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.values import YamlValues
from symdyn.errors import DescriptionError

_SNAP = 1e-9


def read_flexible(flexible: Any, values: YamlValues, path: Path) -> Flexible:
    """The beam of a link.

    Parameters
    ----------
    flexible
        What the file says.
    values
        The document's values, whose scope knows its parameters.
    path
        Where ``flexible`` stands in the document.

    Raises
    ------
    DescriptionError
        A value that depends on a run-time parameter, an unknown name, a key that is missing or means nothing, a beam
        that cannot be.
    """
    reader = _BeamReader(values)
    reader.length = reader.fixed(flexible.length, (*path, "length"))
    beam: Flexible = BEAM.make(flexible, reader, path)
    reader.check(beam_faults(beam), path)
    return beam


def read_soft(soft: Any, values: YamlValues, path: Path) -> Soft:
    """The rod of a link.

    Parameters
    ----------
    soft
        What the file says.
    values
        The document's values, whose scope knows its parameters.
    path
        Where ``soft`` stands in the document.

    Raises
    ------
    DescriptionError
        A value that depends on a run-time parameter, an unknown name, a key that is missing or means nothing, a rod
        that cannot be.
    """
    reader = _RodReader(values)
    rod: Soft = ROD.make(soft, reader, path)
    reader.check(rod_faults(rod), path)
    return rod


def read_mapped(given: Any, values: YamlValues, path: Path) -> Mapped:
    """The body of a link.

    Parameters
    ----------
    given
        What the file says.
    values
        The document's values, whose scope knows its parameters.
    path
        Where ``deformable`` stands in the document.

    Raises
    ------
    DescriptionError
        A place that depends on a run-time parameter, an unknown name, a body that cannot be.
    """
    reader = _MappedReader(given, values, path)
    reader.check(coordinate_faults(reader.named()), path)
    body = reader.body()
    reader.check(map_faults(body), path)
    return body


class SlenderReader:
    """Numbers and expressions below one key of a link."""

    kind: str
    """Of links with this key."""
    thing: str
    """What the key describes."""

    def __init__(self, values: YamlValues) -> None:
        self._values = values

    def line(self, path: Path) -> int | None:
        """Line of the node at a path."""
        return self._values.line(path)

    def turned(self, rpy: Vector3, path: Path) -> Matrix3:
        """The rotation of three angles."""
        return self._values.turned(rpy, path)

    def rotated(self, rows: tuple[Vector3, ...], path: Path) -> Matrix3:
        """A rotation by its rows."""
        return self._values.rotated(rows, path)

    def along_x(self, axis: Vector3, path: Path) -> Matrix3:
        """The rotation that takes x to a direction."""
        return rotation_with_x(self._values.direction(axis, path))

    def around(self, radius: MapExpression, path: Path) -> str:
        """An expression in x and phi with all other names put in."""
        scope = self._values.scope
        for name in PLACES:
            if name in radius.names and name in (*scope.constants, *scope.open):
                raise self.refusal(path, f": {name} is a place in the section here; rename the parameter")
        self._check_fixed(radius.names, radius.text, path)
        with self._values.at(path):
            return radius.bound(scope.constants, PLACES).text

    def refusal(self, path: Path, words: str) -> DescriptionError:
        """Error about the value at a path."""
        return self._values.refusal(path, words)

    def check(self, faults: Iterable[tuple[Path, str]], path: Path) -> None:
        """Refuse what is wrong with the whole, at its key or the nearest one of the file."""
        for keys, words in faults:
            raise self._values.refusal(self._values.nearest((*path, *keys)), words)

    def fold(self, quantity: Number, path: Path) -> Number:
        """A quantity, as a number where no run-time parameter is involved."""
        return self._values.fold(quantity, path)

    def bound(self, expression: BeamExpression, path: Path) -> BeamExpression:
        """An expression in x with all other names put in."""
        constants = self._values.scope.constants
        if expression.varies and PLACE in (*constants, *self._values.scope.open):
            words = f": x is the distance along the {self.thing} here; rename the parameter 'x'"
            raise self._values.refusal(path, words)
        self._check_fixed(expression.names, expression.text, path)
        with self._values.at(path):
            return expression.bound(constants)

    def fixed(self, number: Number, path: Path) -> float:
        """A number that is known when code is generated."""
        if isinstance(number, float):
            return number
        self._check_fixed(number.names, number.text, path)
        return self._values.number(number, path)

    def _check_fixed(self, names: Sequence[str], text: str, path: Path) -> None:
        for name in names:
            if name in self._values.scope.open:
                raise self._values.refusal(
                    path,
                    f": expression '{text}' depends on the run-time parameter '{name}', but a {self.kind} link's "
                    "shapes and integrals are found when code is generated; give that parameter a fixed value",
                )


class _BeamReader(SlenderReader):
    kind, thing = "flexible", "beam"
    length: float

    def profile(self, given: Any) -> Profile:
        """A quantity along the beam, of one expression or of steps."""
        if isinstance(given, str):
            return Profile((self.length,), (given,))
        ends = [own.to for own in given]
        return Profile((*ends[:-1], self.snapped(ends[-1])), tuple(own.value for own in given))

    def snapped(self, end: float) -> float:
        """The beam's length where a sum of decimals means it."""
        return self.length if abs(end - self.length) <= _SNAP * self.length else end


class _RodReader(SlenderReader):
    kind, thing = "soft", "rod"


class _MappedReader(SlenderReader):
    kind, thing = "deformable", "body"

    def __init__(self, given: Any, values: YamlValues, path: Path) -> None:
        super().__init__(values)
        self._path = path
        self._given = given
        self._free = (*MATERIAL, *(name for name, _ in given.coordinates))

    def named(self) -> Mapped:
        """A body of which the coordinates alone are those of the file."""
        return Mapped(self._given.coordinates, ((0.0, 1.0),) * 3, ("s1", "s2", "s3"), 1.0)

    def body(self) -> Mapped:
        """The body as the file has it."""
        for name in self._free:
            if name in (*self._values.scope.constants, *self._values.scope.open):
                keys = ("coordinates",) if name not in MATERIAL else ("map",)
                words = f": {shown(name)} is a parameter of the file too; rename one of the two"
                raise self.refusal((*self._path, *keys), words)
        body: Mapped = MAPS.make(self._given, self, self._path, parameters=self._parameters())
        return body

    def place(self, expression: MapExpression, path: Path) -> str:
        """An expression of the matter and the coordinates, with all other names put in."""
        self._check_fixed(expression.names, expression.text, path)
        with self._values.at(path):
            return expression.bound(self._values.scope.constants, self._free).text

    def energy(self, expression: MapExpression, path: Path) -> str:
        """The same where run-time parameters stay."""
        with self._values.at(path):
            return expression.bound(self._values.scope.constants, (*self._free, *self._parameters())).text

    def damping(self, given: Number | dict[str, Number], path: Path) -> tuple[Number, ...]:
        """A number for each coordinate."""
        names = [name for name, _ in self._given.coordinates]
        if not isinstance(given, dict):
            return (self._values.fold(given, path),) * len(names)
        for name in given:
            if name not in names:
                raise self.refusal((*path, name), f" is no coordinate of the body{hint(name, names)}")
        return tuple(self._values.fold(given.get(name, 0.0), (*path, name)) for name in names)

    def _parameters(self) -> tuple[str, ...]:
        """Run-time parameters in energies, in alphabetical order."""
        held = (self._given.energy, self._given.energy_density)
        names = {name for own in held if own is not None for name in own.names}
        return tuple(sorted(names.intersection(self._values.scope.open)))
