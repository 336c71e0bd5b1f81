"""What elements of MJCF make that stand for many, counted before MuJoCo makes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

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


def made_with_models(root: etree._Element, models: Mapping[str, int], where: Callable[[etree._Element], str]) -> int:
    """How many elements a document makes with the models that it attaches, whose numbers are known by name.

    Raises
    ------
    DescriptionError
        They are ``MOST_MADE`` or more.
    """
    total = sum(1 for _ in root.iter())
    for element in root.iter("attach"):
        made = models.get(element.get("model", ""), 1)
        for above in element.iterancestors("replicate"):
            made *= _number(above)
        total += made
        if total >= MOST_MADE:
            raise DescriptionError(
                f"{where(element)} makes {MOST_MADE} elements or more with all before it, and fewer are read; attach "
                "fewer models"
            )
    return total


def _number(element: etree._Element) -> int:
    """How many its count says: a product where it has several; 1 where MuJoCo will refuse what it says."""
    try:
        return math.prod(max(0, int(float(word))) for word in (element.get("count") or "1").split())
    except OverflowError:
        return MOST_MADE
    except ValueError:
        return 1
