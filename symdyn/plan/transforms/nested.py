"""Plans that are derivatives already: other names for their ports and fields, so that these have derivatives too."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symdyn.plan.plan import Sweep


def apart(sweep: Sweep, own: re.Pattern[str]) -> Sweep:
    """A sweep with other names for its ports that have names such as a transformation gives to its own."""
    given = [port.name for port in sweep.step.ports]
    names = {name: unused(name, given) if own.search(name) else name for name in given}
    if all(name == after for name, after in names.items()):
        return sweep
    step, before = sweep.step, {after: name for name, after in names.items()}

    def run(
        variant: Hashable, algebra: Any, constants: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]
    ) -> Mapping[str, Sequence[Any]]:
        made = step.kernel(variant, algebra, constants, {before.get(name, name): own for name, own in reads.items()})
        return {names[name]: own for name, own in made.items()}

    ports = tuple(replace(port, name=names[port.name]) for port in step.ports)
    visits = (
        replace(visit, bindings={names[name]: place for name, place in visit.bindings.items()})
        for visit in sweep.visits
    )
    return replace(sweep, step=replace(step, kernel=run, ports=ports), visits=tuple(visits))


def unused(name: str, taken: Collection[str]) -> str:
    """The name with as many words behind it as it takes to be none of those that are taken."""
    while name in taken:
        name += "_inner"
    return name
