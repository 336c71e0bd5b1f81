"""What readers of the keys ``flexible`` and ``soft`` share: all values fixed, expressions of x alone."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.description.checks.rotation import rotation_with_x
from symdyn.description.quantities.beam_expression import PLACE, BeamExpression
from symdyn.description.quantities.placement import Number, Placement
from symdyn.description.text.validation import Path
from symdyn.description.yaml.slender_schema import SlenderYaml
from symdyn.description.yaml.values import YamlValues
from symdyn.errors import DescriptionError


class SlenderReader:
    """Numbers and expressions below one key of a link; paths in it are relative to the key."""

    kind: str
    """Of links with this key."""
    thing: str
    """What the key describes."""

    def __init__(self, values: YamlValues, path: Path) -> None:
        self._values = values
        self._path = path

    def _placement(self, given: SlenderYaml) -> Placement:
        x, y, z = (self._fixed(entry, "start") for entry in given.start)
        if given.axis is None:
            return Placement((x, y, z), self._values.rotation(given, self._path))
        return Placement((x, y, z), rotation_with_x(self._values.direction(given.axis, (*self._path, "axis"))))

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

    def _bound(self, expression: BeamExpression, *keys: int | str) -> BeamExpression:
        return self.bound(expression, (*self._path, *keys))

    def _list(self, numbers: Sequence[Number], *keys: int | str) -> tuple[float, ...]:
        return tuple(self._fixed(number, *keys) for number in numbers)

    def _fixed(self, number: Number, *keys: int | str) -> float:
        return self.fixed(number, (*self._path, *keys))

    def _check_fixed(self, names: Sequence[str], text: str, path: Path) -> None:
        for name in names:
            if name in self._values.scope.open:
                raise self._values.refusal(
                    path,
                    f": expression '{text}' depends on the run-time parameter '{name}', but a {self.kind} link's "
                    "shapes and integrals are found when code is generated; give that parameter a fixed value",
                )

    def _refusal(self, words: str, *keys: int | str) -> DescriptionError:
        return self._values.refusal((*self._path, *keys), words)
