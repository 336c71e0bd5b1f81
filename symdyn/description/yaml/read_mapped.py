"""The key ``deformable`` of a YAML link to a Mapped: places are fixed, matter and energies may rest on parameters."""

from __future__ import annotations

from symdyn.description.checks.mapped import coordinate_faults, faults
from symdyn.description.mapped import MATERIAL, Mapped
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.placement import Number
from symdyn.description.text.position import hint, shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.mapped_schema import MappedYaml
from symdyn.description.yaml.read_slender import SlenderReader
from symdyn.description.yaml.values import YamlValues


def read_mapped(given: MappedYaml, values: YamlValues, path: Path) -> Mapped:
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

    def __init__(self, given: MappedYaml, values: YamlValues, path: Path) -> None:
        super().__init__(values, path)
        self._given = given
        self._free = (*MATERIAL, *(name for name, _ in given.coordinates))

    def named(self) -> Mapped:
        """A body of which the coordinates alone are those of the file."""
        return Mapped(("s1", "s2", "s3"), self._given.coordinates, ((0.0, 1.0),) * 3, 1.0)

    def body(self) -> Mapped:
        """The body as the file has it."""
        given = self._given
        for name in self._free:
            if name in (*self._values.scope.constants, *self._values.scope.open):
                keys = ("coordinates",) if name not in MATERIAL else ("map",)
                words = f": {shown(name)} is a parameter of the file too; rename one of the two"
                raise self._refusal(words, *keys)
        x, y, z = (self._written(entry, "map", row) for row, entry in enumerate(given.map))
        first, second, third = (self._list(pair, "domain") for pair in given.domain)
        along, across, up = given.quadrature
        root = self._list(given.root, "root")
        tip = None if given.tip is None else self._list(given.tip, "tip")
        return Mapped(
            map=(x, y, z),
            coordinates=given.coordinates,
            domain=((first[0], first[1]), (second[0], second[1]), (third[0], third[1])),
            density=self._values.fold(given.density, (*self._path, "density")),
            quadrature=(along, across, up),
            energy=self._held(given.energy, "energy"),
            energy_density=self._held(given.energy_density, "energy_density"),
            damping=self._damping(),
            parameters=self._parameters(),
            root=(root[0], root[1], root[2]),
            tip=None if tip is None else (tip[0], tip[1], tip[2]),
            tip_turns=given.tip_turns,
        )

    def _written(self, expression: MapExpression | None, *keys: int | str) -> str:
        if expression is None:
            return ""
        path = (*self._path, *keys)
        self._check_fixed(expression.names, expression.text, path)
        with self._values.at(path):
            return expression.bound(self._values.scope.constants, self._free).text

    def _parameters(self) -> tuple[str, ...]:
        """Run-time parameters in energies, in alphabetical order."""
        held = (self._given.energy, self._given.energy_density)
        names = {name for own in held if own is not None for name in own.names}
        return tuple(sorted(names.intersection(self._values.scope.open)))

    def _held(self, expression: MapExpression | None, key: str) -> str:
        """As :meth:`_written`; run-time parameters stay."""
        if expression is None:
            return ""
        with self._values.at((*self._path, key)):
            return expression.bound(self._values.scope.constants, (*self._free, *self._parameters())).text

    def _damping(self) -> tuple[Number, ...]:
        given, names = self._given.damping, [name for name, _ in self._given.coordinates]
        if given is None:
            return ()
        if not isinstance(given, dict):
            return (self._values.fold(given, (*self._path, "damping")),) * len(names)
        for name in given:
            if name not in names:
                raise self._refusal(f" is no coordinate of the body{hint(name, names)}", "damping", name)
        return tuple(self._values.fold(given.get(name, 0.0), (*self._path, "damping", name)) for name in names)
