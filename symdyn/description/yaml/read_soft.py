"""The key ``soft`` of a YAML link to a Soft: all values fixed, expressions of x alone."""

from __future__ import annotations

from typing import Any

from symdyn.description.checks.soft import faults
from symdyn.description.soft import ROD, Soft
from symdyn.description.text.validation import Path
from symdyn.description.yaml.read_slender import SlenderReader
from symdyn.description.yaml.values import YamlValues


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
    rod: Soft = ROD.make(soft, _RodReader(values), path)
    for keys, words in faults(rod):
        raise values.refusal(values.nearest((*path, *keys)), words)
    return rod


class _RodReader(SlenderReader):
    kind, thing = "soft", "rod"
