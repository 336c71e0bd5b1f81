"""Truths of cases to twenty digits, kept in ``tests/truths``: what the oracle computes is computed once.

A truth is kept with a hash of the robot, the function, its options, and the sources of the oracle that compute it
(``oracle_sources.py``). If any of these differs now, the truth is stale, and ``pytest tests/cases --update-truths``
computes it again.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from mpmath import mp
from ruamel.yaml import YAML

from support.oracle_sources import digest_of
from symdyn.interface.signature import Signature
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import Blocks, output_blocks
from symdyn.verify.base.dense import SingularMatrixError
from symdyn.verify.harness.states import State, states_per_check, verification_states
from symdyn.verify.oracle.exact import Exact
from symdyn.verify.oracle.held import setting_of
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import Truth, find_truth

TRUTHS = Path(__file__).resolve().parent.parent / "truths"
DIGITS = 20
"""Of a value: rounding them costs 1e-20, a ten thousandth of that of doubles."""
_SCALE_DIGITS = 4
_AT_EACH = ("neutral pose in motion", "random state 0")
"""Where functions with a cheap truth are checked; others are checked at the second alone."""


class StaleTruthError(AssertionError):
    """A truth that was kept for another robot, other options or another oracle, or none at all."""


@dataclass(frozen=True, slots=True)
class Kept:
    """States of a function, and its exact rows at each, in the order of the states."""

    states: tuple[State, ...]
    exact: tuple[Exact, ...]

    def at(self, inputs: Mapping[str, Sequence[float]]) -> Exact:
        """The truth at one of these states."""
        return next(own for state, own in zip(self.states, self.exact, strict=True) if state.inputs is inputs)


def kept_truth(
    name: str, key: str, robot: Robot, signature: Signature, *, dtype: str = "float64", update: bool = False
) -> Kept:
    """The truth of a function of a robot, from the robot's file.

    Parameters
    ----------
    name
        Of the robot, which names the file.
    key
        Of the case in that file.
    robot, signature
        What is checked.
    dtype
        The narrowest format that holds all inputs.
    update
        Whether a stale truth is computed and written.

    Raises
    ------
    StaleTruthError
        There is no truth for this robot, function, options and oracle.
    """
    path, digest = TRUTHS / f"{name}.json", _digest(robot, signature, dtype)
    row = _rows(path).get(key)
    if row is None or row["hash"] != digest:
        if not update:
            why = "there is none" if row is None else "its robot, function, options or oracle are others now"
            raise StaleTruthError(
                f"truth of {key} in {path.name} is stale: {why}; compute it by "
                f"'pytest tests/cases --update-truths -k {name}', and look at what changed in tests/truths"
            )
        row = {"hash": digest, "states": _computed(robot, signature, dtype)}
        _write(path, key, row)
    return _read(row["states"], output_blocks(signature.outputs))


def keys_of(name: str) -> set[str]:
    """All keys in a robot's file."""
    return set(_rows(TRUTHS / f"{name}.json"))


def forget(wanted: Mapping[str, Collection[str]]) -> None:
    """Remove all truths but those that are wanted: keys by the name of the file."""
    for path in TRUTHS.glob("*.json"):
        if path.stem not in wanted:
            path.unlink()
            continue
        rows = _rows(path)
        if not rows.keys() <= set(wanted[path.stem]):
            _keep(path, {key: row for key, row in rows.items() if key in wanted[path.stem]})
    _rows.cache_clear()


def _computed(robot: Robot, signature: Signature, dtype: str) -> list[dict[str, Any]]:
    setting, truth = setting_of(robot.description, signature, robot.load_options()), find_truth(signature.function)
    nominal = dict(zip(robot.runtime_parameters, map(float, robot.runtime_defaults), strict=True))
    drawn = verification_states(setting.tree, signature.inputs, nominal, 1, 0, dtype)
    labels = _AT_EACH if states_per_check(truth.poses(setting)) == 1 else _AT_EACH[1:]
    blocks, found = output_blocks(signature.outputs), []
    for state in (state for state in drawn if state.label in labels):
        try:
            exact = truth(setting, state.inputs)
        except SingularMatrixError:  # as in symdyn verify: there is nothing to compare with
            if state.label == labels[-1]:
                raise
            continue
        row: dict[str, Any] = {"label": state.label, "inputs": {name: [*own] for name, own in state.inputs.items()}}
        row["values"] = " ".join(_short(value, DIGITS) for value in exact.values)
        row["scales"] = _sizes(exact.scales, blocks)
        if exact.terms is not None:
            row["terms"] = _sizes(exact.terms(), blocks)
        found.append(row)
    return found


def _short(value: Any, digits: int) -> str:
    return "0" if not value else str(mp.nstr(value, digits, min_fixed=-4, max_fixed=digits))


def _sizes(rows: Sequence[Any], blocks: Blocks) -> str:
    """The largest of each block."""
    return " ".join(_short(max(abs(rows[row]) for row in block), _SCALE_DIGITS) for block in blocks)


def _read(states: Sequence[Mapping[str, Any]], blocks: Blocks) -> Kept:
    found = [State(row["label"], {name: tuple(own) for name, own in row["inputs"].items()}) for row in states]
    return Kept(tuple(found), tuple(_exact(row, blocks) for row in states))


def _exact(row: Mapping[str, Any], blocks: Blocks) -> Exact:
    with mp.workdps(DIGITS + 5):
        values = [mp.mpf(text) for text in row["values"].split()]
        scales = _spread(row["scales"], blocks, len(values))
        terms = _spread(row["terms"], blocks, len(values)) if "terms" in row else None
    return Exact(values, scales, None if terms is None else lambda: terms)


def _spread(sizes: str, blocks: Blocks, count: int) -> list[Any]:
    """Each row has the size of its block."""
    found = [mp.mpf(0)] * count
    for size, block in zip(sizes.split(), blocks, strict=True):
        for row in block:
            found[row] = mp.mpf(size)
    return found


@cache
def _rows(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8")) if path.exists() else {}  # type: ignore[no-any-return]


def _write(path: Path, key: str, row: Mapping[str, Any]) -> None:
    """One process after another: each adds its rows to those that are there."""
    import fcntl

    with (Path(tempfile.gettempdir()) / "symdyn-truths.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _rows.cache_clear()
        _keep(path, {**_rows(path), key: row})
        _rows.cache_clear()


def _keep(path: Path, rows: Mapping[str, Any]) -> None:
    lines = (f"{json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows))
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def _digest(robot: Robot, signature: Signature, dtype: str) -> str:
    truth = find_truth(signature.function)
    text = "\n".join(
        (
            _robot_text(robot),
            signature.function,
            repr(sorted(signature.options.items())),
            dtype,
            digest_of((truth.compute, make_setting, Truth.__call__)),
        )
    )
    return sha256(text.encode()).hexdigest()[:12]


@cache
def _robot_text(robot: Robot) -> str:
    """All that is asked of a robot: its file, the options of loading, its run-time parameters."""
    options = _rounded(repr(sorted(robot.load_options().items())))
    return "\n".join((_content(_rounded(robot.to_yaml())), options, repr(robot.runtime_parameters)))


@cache
def _content(text: str) -> str:
    """A robot's file without what it does not mean: the order of keys, those of links, joints and others apart."""
    found = YAML(typ="safe").load(text)
    return json.dumps({key: _sorted(value) for key, value in sorted(found.items())})


def _sorted(value: Any, depth: int = 0) -> Any:
    if isinstance(value, dict):
        found = {str(key): _sorted(own, depth + 1) for key, own in value.items()}
        return found if depth == 0 else dict(sorted(found.items()))
    if isinstance(value, list):
        return [_sorted(own, depth + 1) for own in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _rounded(text: str) -> str:
    """The text with ten digits of each number: the last ones depend on the machine's mathematical library."""
    return re.sub(r"\d+\.\d{9,}(?:e-?\d+)?", lambda found: f"{float(found[0]):.10g}", text)
