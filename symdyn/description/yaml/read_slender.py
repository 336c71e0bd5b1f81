"""What readers of the keys ``flexible`` and ``soft`` share: all values fixed, expressions of x alone."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.description.checks.rotation import rotation_with_x
from symdyn.description.checks.section_shapes import PLACES
from symdyn.description.quantities.beam_expression import PLACE, BeamExpression
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.placement import Matrix3, Number, Vector3
from symdyn.description.text.validation import Path
from symdyn.description.yaml.values import YamlValues
from symdyn.errors import DescriptionError


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
