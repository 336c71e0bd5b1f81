"""YAML of closed loops and of soft links with mistakes: each is read, or refused in one line, in under 5 s.

    cd tests; python -m support.fuzz.acting_mutants --count 20000 --seed 7

Loops and soft links take turns. A robot that is read is written as robot.yaml, and must come back as the same robot.
Where it has loops, it is closed from its neutral position, or refuses that in one line. Most mutants are edited
as nested data, mostly inside the entries in question; the others are edited as text. The table gives each kind apart.
"""

from __future__ import annotations

import functools
import random
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

import symdyn
from support.fuzz.campaign import Outcome, command, judged
from support.fuzz.mutation import encoded, mutant
from support.fuzz.reading import read_and_write
from support.fuzz.sources import looped, soft
from support.fuzz.trees import edited
from support.fuzz.yaml_mutants import OWN

KINDS = {"loops": (looped, ("loops", "loops", "joints", "frames")), "soft": (soft, ("soft", "soft", "soft", "links"))}


@functools.cache
def _parsed(text: str) -> Any:
    try:
        return YAML(typ="safe", pure=True).load(text)
    except Exception:  # a file of the corpus that is refused for this
        return None


def _rewritten(text: str, within: str, rng: random.Random) -> bytes | None:
    data = _parsed(text)
    if not isinstance(data, dict):
        return None
    stream, writer = StringIO(), YAML(typ="safe", pure=True)
    writer.representer.ignore_aliases = lambda *_: True  # symdyn refuses anchors
    writer.dump(edited(data, rng, within), stream)
    return encoded(stream.getvalue(), rng)


def _used(path: Path) -> str:
    robot = read_and_write(path)
    if not robot.constraints:
        return "read"
    try:
        robot.close(robot.neutral(), p=robot.runtime_defaults)
    except symdyn.SymdynError as failure:
        if failure.exit_code != 2 or not str(failure).isprintable():
            raise AssertionError(f"no message of one line: {failure!r}") from failure
        return "read, and does not close from there"
    return "read and closed"


def case(seed: int, index: int) -> Outcome:
    """One mutant, of the kind that is next."""
    kind = tuple(KINDS)[index % len(KINDS)]
    rng = random.Random(f"{kind} {seed} {index}")
    source, within = KINDS[kind]
    text = rng.choice(source(sound=rng.random() < 0.7))
    content = _rewritten(text, rng.choice(within), rng) if rng.random() < 0.7 else None
    return judged(_used, content or mutant(text, OWN, rng), ".yaml").of(kind)


if __name__ == "__main__":
    command("acting_mutants", case, 4000)
