"""Optimal-control problems of files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symdyn.description.control.entries import placed
from symdyn.description.control.problem import PROBLEM, OptimalControlProblem
from symdyn.description.yaml.values import YamlValues


def read_control(said: Any, values: YamlValues, source: str) -> OptimalControlProblem | None:
    """The problem below the key ``control``, where there is one."""
    if said is None:
        return None
    with placed(values, ("control",)):
        found: OptimalControlProblem = replace(
            PROBLEM.make(said, values, ("control",)), source=source, lines=values.lines(("control",))
        )
    return found
