"""The key ``deformable`` of a YAML link to a Mapped: places are fixed, matter and energies may rest on parameters."""

from __future__ import annotations

from typing import Any

from symdyn.description.checks.mapped import coordinate_faults, faults
from symdyn.description.mapped import MAPS, MATERIAL, Mapped
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.placement import Number
from symdyn.description.text.position import hint, shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.read_slender import SlenderReader
from symdyn.description.yaml.values import YamlValues


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
    for found, check in ((reader.named, coordinate_faults), (reader.body, faults)):
        body = found()
        for keys, words in check(body):
            raise values.refusal(values.nearest((*path, *keys)), words)
    return body


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
