"""What a manifest must look like: checks of plain data, put together as the data is, that say where it differs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from symdyn.errors import VerificationError
from symdyn.interface.targets import TARGETS

FORMAT = 2
FILE_NAME = "manifest.json"
ROBOT_FILE = "robot.yaml"
"""The file of a folder that holds the robot as it was understood."""
LARGEST = 2**53

Check = Callable[[Any, str], None]
_PATH = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)
_SHOWN = 60


def parse(text: str) -> dict[str, Any]:
    """The plain data of a manifest, checked; its digest is not looked at.

    Raises
    ------
    VerificationError
        Not JSON, or not a manifest of this format; the message names the element.
    """
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as failure:
        raise VerificationError(f"{FILE_NAME} is not a manifest of symdyn ({failure}); generate it anew") from None
    found = data.get("format") if isinstance(data, dict) else None
    if isinstance(found, int) and found != FORMAT:
        raise VerificationError(f"{FILE_NAME} has format {found}, expected {FORMAT}; generate it anew")
    MANIFEST(data, "")
    for path in data["files"]:
        if not TARGETS[data["target"]].may_write(path, data["identifier"]):
            raise _wrong("a key of files", path, f"a file that is generated for '{data['identifier']}'")
    for number, entry in enumerate(data["functions"]):
        signature = entry["signature"]
        for group in ("inputs", "outputs"):
            for index, argument in enumerate(signature[group]):
                _check_sizes(argument, f"functions[{number}].signature.{group}[{index}]")
    return data  # type: ignore[no-any-return]


def looks_like_one(text: str) -> bool:
    """Whether a text is, or was, a manifest of any format, however damaged in its details."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and {"format", "content_hash", "identifier"} <= set(data)


def _check_sizes(argument: Mapping[str, Any], where: str) -> None:
    shape = argument["shape"]
    if [len(names) for names in argument["rows"]] != shape:
        raise _wrong(f"{where}.rows", argument["rows"], f"as many names as the shape {shape} has")
    if len(argument["units"]) not in (1, math.prod(shape)):
        raise _wrong(f"{where}.units", argument["units"], "one unit, or one per element")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _wrong(where: str, value: object, expected: str) -> VerificationError:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}.."
    return VerificationError(
        f"{FILE_NAME} is not a manifest of symdyn ({where or 'it'} is {shown}, expected {expected}); generate it anew"
    )


def _text(value: Any, where: str) -> None:
    if not isinstance(value, str):
        raise _wrong(where, value, "a text")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise _wrong(where, value, "a text without lone surrogates")


def _whole(value: Any, where: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < LARGEST:
        raise _wrong(where, value, "a whole number from 0")


def _truth(value: Any, where: str) -> None:
    if not isinstance(value, bool):
        raise _wrong(where, value, "true or false")


def _target(value: Any, where: str) -> None:
    if not isinstance(value, str) or value not in TARGETS:
        raise _wrong(where, value, f"one of {', '.join(sorted(TARGETS))}")


def _path(value: Any, where: str) -> None:
    if not isinstance(value, str) or not _PATH.fullmatch(value) or value == FILE_NAME:
        raise _wrong(where, value, "a path inside the folder")


def _header(value: Any, where: str) -> None:
    if value != "":
        _path(value, where)


def _hash(value: Any, where: str) -> None:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9a-f]{64}", value):
        raise _wrong(where, value, "a SHA-256 in hexadecimal digits")


def _plain(value: Any, where: str) -> None:
    if isinstance(value, str):
        _text(value, where)
    elif isinstance(value, list):
        _each(_plain)(value, where)
    elif isinstance(value, dict):
        _by_name(_plain)(value, where)
    elif isinstance(value, float) and not math.isfinite(value):
        raise _wrong(where, value, "a finite number")


def _option(value: Any, where: str) -> None:
    if isinstance(value, list):
        _each(_text)(value, where)
    else:
        _text(value, where)


def _each(check: Check) -> Check:
    def every(value: Any, where: str) -> None:
        if not isinstance(value, list):
            raise _wrong(where, value, "a list")
        for index, item in enumerate(value):
            check(item, f"{where}[{index}]")

    return every


def _by_name(check: Check, name: Check = _text) -> Check:
    def every(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(where, value, "an object")
        for key, item in value.items():
            name(key, f"a key of {where}")
            check(item, f"{where}.{key}")

    return every


def _record(optional: Mapping[str, Check] | None = None, /, **checks: Check) -> Check:
    def every(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(where, value, "an object")
        left_out = {key: check for key, check in (optional or {}).items() if key in value}
        odd = sorted(set(checks) ^ (set(value) - set(left_out)))
        if odd:
            fault = f"lacks '{odd[0]}'" if odd[0] in checks else f"has '{odd[0]}', which is not known"
            raise VerificationError(
                f"{FILE_NAME} is not a manifest of symdyn ({where or 'it'} {fault}); generate it anew"
            )
        for key, check in {**checks, **left_out}.items():
            check(value[key], f"{where}.{key}" if where else key)

    return every


_ARGUMENT = _record(name=_text, shape=_each(_whole), rows=_each(_each(_text)), units=_each(_text), description=_text)
_SIGNATURE = _record(
    robot=_text,
    function=_text,
    inputs=_each(_ARGUMENT),
    outputs=_each(_ARGUMENT),
    description=_text,
    options=_by_name(_option),
)
_FUNCTION = _record(
    signature=_SIGNATURE,
    c_name=_text,
    python_name=_text,
    work_size=_whole,
    batch_work_size=_whole,
    layout=_text,
    counts=_by_name(_whole),
    operations=_whole,
)
_STEPPER = _record(
    {"partials": _text, "partials_work": _whole}, method=_text, c_name=_text, moved_by=_text, work_size=_whole
)
_SOLVER = _record(
    {"nodes": _whole, "step": _plain, "iterations": _whole, "lanes": _whole},
    solver=_text,
    c_name=_text,
    work_size=_whole,
)
MANIFEST = _record(
    {"steppers": _each(_STEPPER), "solvers": _each(_SOLVER)},
    format=_whole,
    robot=_text,
    identifier=_text,
    version=_text,
    target=_target,
    dtype=_text,
    functions=_each(_FUNCTION),
    sources=_each(_path),
    lane_sources=_each(_path),
    header=_header,
    fp_contract=_truth,
    load_options=_by_name(_plain),
    asked=_by_name(_plain),  # judged by symdyn.interface.options
    files=_by_name(_hash, _path),
    content_hash=_hash,
)
