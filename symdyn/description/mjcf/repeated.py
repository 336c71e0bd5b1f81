"""What elements of MJCF make that stand for many, counted before MuJoCo makes them."""

from __future__ import annotations

import math
from collections.abc import Callable

from lxml import etree

from symdyn.errors import DescriptionError

MOST_MADE = 100_000
"""Elements that repetition may make of a model, one less."""

_REPEATING = ("replicate", "composite", "flexcomp")


def check_repeated(root: etree._Element, where: Callable[[etree._Element], str]) -> None:
    """Pass a document whose ``<replicate>``, ``<composite>`` and ``<flexcomp>`` make few elements.

    ``where`` says file, line and element.

    Raises
    ------
    DescriptionError
        They make ``MOST_MADE`` elements or more, copies of copies counted.
    """
    for element in root.iter(*_REPEATING):
        copied = sum(1 for _ in element.iterdescendants()) if element.tag == "replicate" else 1
        made = _number(element) * max(1, copied)
        for above in element.iterancestors("replicate"):
            made *= _number(above)
        if made >= MOST_MADE:
            raise DescriptionError(
                f"{where(element)} makes {MOST_MADE} elements or more, and fewer are read; lower its count"
            )


def _number(element: etree._Element) -> int:
    """How many its count says: a product where it has several; 1 where MuJoCo will refuse what it says."""
    try:
        return math.prod(max(0, int(float(word))) for word in (element.get("count") or "1").split())
    except OverflowError:
        return MOST_MADE
    except ValueError:
        return 1
