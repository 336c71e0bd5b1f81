"""The key ``flexible`` of a YAML link to a Flexible: all values fixed, expressions of x alone."""

from __future__ import annotations

from typing import Any

from symdyn.description.checks.flexible import faults
from symdyn.description.flexible import BEAM, Flexible, Profile
from symdyn.description.text.validation import Path
from symdyn.description.yaml.read_slender import SlenderReader
from symdyn.description.yaml.values import YamlValues

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
    for keys, words in faults(beam):
        raise values.refusal(values.nearest((*path, *keys)), words)
    return beam


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
