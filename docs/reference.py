"""Write docs/python-api.md and docs/command-line.md from the code, and the table of docs/formats-and-targets.md.

Usage: python docs/reference.py

``tests/packaging/test_reference_pages.py`` fails while the pages are not what this writes.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from reference_commands import command_page, joined, prose
from reference_targets import PAGE_OF_TARGETS, targets_page
from reference_tasks import TASKS, members

from symdyn.interface.options import FunctionOptions
from symdyn.toolchain.module import Module

PAGE_OF_PYTHON = Path(__file__).resolve().with_name("python-api.md")
PAGE_OF_COMMANDS = Path(__file__).resolve().with_name("command-line.md")

_PYTHON_HEAD = """\
# Python

You program in Python, and look for a function, a class or an error. All public names are here by task, written by
`docs/reference.py` from the signatures and docstrings of the code. For example, these lines load a shipped arm, compile
its inverse dynamics, and print the torques that carry it:

```python
import numpy as np
import symdyn

robot = symdyn.load_example("seven_dof_arm")
module = symdyn.compile(robot, ["inverse_dynamics"])
q = robot.neutral()
print(module.inverse_dynamics(q, np.zeros(robot.nv), np.zeros(robot.nv)).round(3))
```

What each generated function takes and gives is on the pages of [functions](functions.md), because these depend on the
robot. [Conventions](conventions.md) explain rows, units and frames.

"""
_WIDTH = 100


def python_page() -> str:
    """The text of docs/python-api.md."""
    lines = [_PYTHON_HEAD, "| task | functions |", "|---|---|"]
    for task in TASKS:
        entries = [name for name, value in members(task).items() if inspect.isroutine(value)] or list(members(task))
        links = ", ".join(f"[`{name.removeprefix('symdyn.')}`](#{_anchor(name)})" for name in entries)
        lines.append(f"| [{task.title}](#{_anchor(task.title)}) | {links} |")
    for task in TASKS:
        lines += ["", f"## {task.title}", "", *textwrap.wrap(task.text, 118, break_on_hyphens=False), ""]
        for name, value in members(task).items():
            lines += _entry(name, value)
    return joined(lines)


def _anchor(title: str) -> str:
    """The anchor of a heading, as code hosts and the site make it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _entry(name: str, value: Any) -> list[str]:
    """A name with its signature, docstring and members."""
    lines = [f"### {name}", ""]
    documented = inspect.getdoc(value) or ""
    if inspect.isroutine(value):
        return [*lines, *_code(name, value), *prose(documented)]
    # what users make themselves shows how
    made = "__init__" in vars(value) and "Parameters" in documented and value is not Module
    lines += [*_code(name, value), *prose(documented)] if made else prose(documented.split("\nParameters\n")[0])
    if issubclass(value, BaseException):
        above = [f"`{base.__name__}`" for base in value.__bases__]
        lines += [f"Is a {' and a '.join(above)}.", ""]
    if is_dataclass(value) and "\nAttributes\n" not in documented:
        shown = [f"`{item.name}`" for item in fields(value) if not item.name.startswith("_")]
        lines += [f"Fields: {', '.join(shown)}.", ""]
    if hasattr(value, "__members__"):
        lines += [f"Values: {', '.join(f'`{own.name}` = {own.value}' for own in value)}.", ""]
    for member, own in _members(value):
        plain = own.__func__ if isinstance(own, classmethod | staticmethod) else own
        if member.startswith("_") or not (inspect.isfunction(plain) or _read(plain)):
            continue
        title = name.rpartition(".")[2]
        head = f"`{title}.{member}`" if _read(plain) else f"`{title}.{_called(member, plain)}`"
        lines += [
            f"#### {title}.{member}",
            "",
            *([] if _read(plain) else [head, ""]),
            *prose(inspect.getdoc(own) or ""),
        ]
    return lines


def _members(value: type) -> Iterator[tuple[str, Any]]:
    """Those of a class, then what it has from others of symdyn; errors alone are listed under each other."""
    own = [base for base in value.__mro__ if base.__module__.startswith("symdyn.")]
    shown: set[str] = set()
    for base in own[:1] if issubclass(value, BaseException) else own:
        yield from ((name, member) for name, member in vars(base).items() if name not in shown)
        shown |= vars(base).keys()


def _read(own: Any) -> bool:
    """Whether a member is read like an attribute."""
    return isinstance(own, property) or type(own).__name__ == "cached_property"


def _code(name: str, value: Any) -> list[str]:
    """The call with its parameters: on one line, or on one line each."""
    whole = _called(name, value)
    if len(whole) > _WIDTH:
        parts = ",\n    ".join(_parameters(value))
        whole = f"{name}(\n    {parts},\n){_result(value)}"
    return ["```text", whole, "```", ""]


def _called(name: str, value: Any) -> str:
    return f"{name}({', '.join(_parameters(value))}){_result(value)}"


def _parameters(value: Any) -> list[str]:
    """Each parameter as its source has it, keywords of a typed dictionary named one by one."""
    found, star = [], False
    for own in inspect.signature(value).parameters.values():
        if own.name in ("self", "cls"):
            continue
        if own.kind is own.VAR_KEYWORD:
            record = re.fullmatch(r"Unpack\[(\w+)\]", str(own.annotation))
            words = _words(record.group(1), value) if record else {}
            found += [*([] if star or not words else ["*"]), *(f"{word}=..." for word in words)] or [f"**{own.name}"]
            continue
        if own.kind is own.KEYWORD_ONLY and not star:
            found, star = [*found, "*"], True
        default = "" if own.default is own.empty else f" = {own.default!r}"
        kind = "" if own.annotation is own.empty else f": {own.annotation}"
        found.append(f"{'*' if own.kind is own.VAR_POSITIONAL else ''}{own.name}{kind}{default}")
    return found


def _words(name: str, value: Any) -> dict[str, Any]:
    record = vars(inspect.getmodule(value)).get(name, FunctionOptions)
    return dict(record.__annotations__)


def _result(value: Any) -> str:
    kind = inspect.signature(value).return_annotation
    return "" if kind is inspect.Signature.empty or inspect.isclass(value) else f" -> {kind}"


if __name__ == "__main__":
    for page, text in (
        (PAGE_OF_PYTHON, python_page()),
        (PAGE_OF_COMMANDS, command_page()),
        (PAGE_OF_TARGETS, targets_page()),
    ):
        page.write_text(text, encoding="utf-8", newline="\n")
