"""Warnings of a robot file: a sentence each, and one line for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Self

from symdyn.errors import one_line

_NOUN = re.compile(r"\{(.*)\}")
_ALONE = 200
"""A single warning that is no longer than this is told in full."""
_OTHERS = "{other matter}"
NOT_MODELLED = "read but not modelled"
_TOPICS = (NOT_MODELLED, "doubtful", "mended")

INERTIA = "inertia of {link}"
DEGREES = "{angle} that may be in degrees"
LIMITS = "limits of {joint}"
NOT_TOUCHING = ("{contact geom}", "{contact pair}")
"""Words of several warnings."""


class Notice(str):
    """A warning, with the words under which :func:`summary` counts it among others.

    Parameters
    ----------
    text
        The whole sentence.
    brief, number
        What there is ``number`` of, its noun in braces, such as ``"inertia of {link}"``.
    topic
        What its kind is called: not modelled, doubtful, or mended.
    """

    brief: str
    number: int
    topic: str

    def __new__(cls, text: str, brief: str = _OTHERS, number: int = 1, *, topic: str = _TOPICS[0]) -> Self:
        """The sentence with its words beside it."""
        found = super().__new__(cls, text)
        found.brief, found.number, found.topic = brief, number, topic
        return found


def doubt(text: str, brief: str = _OTHERS) -> Notice:
    """A warning of something that was read and is odd."""
    return Notice(text, brief, topic=_TOPICS[1])


def mended(text: str) -> Notice:
    """A warning of what ``repair`` has changed."""
    return Notice(text, "{element}", topic=_TOPICS[2])


def summary(warnings: Iterable[str]) -> str:
    """One line for all warnings of a robot; of a single one its own text, unless that is long and has shorter words."""
    found = list(dict.fromkeys(warnings))
    if len(found) == 1 and len(found[0]) <= _ALONE:
        return one_line(found[0])
    if len(found) == 1 and getattr(found[0], "brief", _OTHERS) == _OTHERS:
        return one_line(f"{found[0][:_ALONE]}..; robot.warnings tells all")
    counts: dict[str, dict[str, int]] = {topic: {} for topic in _TOPICS}
    for text in found:
        own = text if isinstance(text, Notice) else doubt(text)
        counts[own.topic][own.brief] = counts[own.topic].get(own.brief, 0) + own.number
    if all(briefs.keys() <= {_OTHERS} for briefs in counts.values()):  # nothing is counted by words: one stands for all
        first = found[0] if len(found[0]) <= _ALONE else f"{found[0][:_ALONE]}.."
        return one_line(f"{first} (and {len(found) - 1} more); robot.warnings and 'symdyn info' tell each")
    parts = [
        f"{topic}: {', '.join(_counted(brief, count) for brief, count in briefs.items())}"
        for topic, briefs in counts.items()
        if briefs
    ]
    return one_line(f"{'; '.join(parts)}; robot.warnings and 'symdyn info' tell each")


def _counted(brief: str, count: int) -> str:
    """``inertia of 3 links`` for ``inertia of {link}``; elements such as <gazebo> have no plural."""

    def words(noun: re.Match[str]) -> str:
        return f"{count} {noun[1]}{'s' if count != 1 and not noun[1].endswith('>') else ''}"

    return _NOUN.sub(words, brief)


def offer(does: str) -> str:
    """The end of a refusal that a repair would spare the user."""
    return f", or load with repair=True (on the command line --repair), which {does}"
