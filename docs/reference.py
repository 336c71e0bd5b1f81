"""Write docs/python-api.md and docs/command-line.md from the code, and the table of docs/formats-and-targets.md.

Usage: python docs/reference.py

``tests/packaging/test_reference_pages.py`` fails while the pages are not what this writes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from reference_commands import command_page, joined, prose
from reference_targets import PAGE_OF_TARGETS, targets_page

import symdyn
import symdyn.api
import symdyn.errors
import symdyn.statics
from symdyn.analysis.simulation import smooth_inputs
from symdyn.interface.contact_solving import ContactCode, ContactReport, ContactStep
from symdyn.interface.options import FunctionOptions
from symdyn.interface.rollouts import Rollout, RolloutCode, RolloutGradient
from symdyn.interface.signature import Argument
from symdyn.robot.records import Constraint
from symdyn.toolchain.module import LoadedSignature, Module
from symdyn.toolchain.solvers import Reached, SolveCode, Solved, Velocities
from symdyn.toolchain.steppers import Advanced, StepCode

PAGE_OF_PYTHON = Path(__file__).resolve().with_name("python-api.md")
PAGE_OF_COMMANDS = Path(__file__).resolve().with_name("command-line.md")

_PYTHON_HEAD = """\
# Python

You program in Python, and look for a function, a class or an error. Every public name is here, written by
`docs/reference.py` from the signatures and docstrings of the code. What each generated function takes and gives is on
the pages of [functions](functions.md), because these depend on the robot. [Conventions](conventions.md) explain rows,
units and frames.
"""
_WIDTH = 100


def python_page() -> str:
    """The text of docs/python-api.md."""
    public = {name: getattr(symdyn, name) for name in symdyn.__all__ if not name.startswith("__")}
    functions = {name: value for name, value in public.items() if inspect.isroutine(value)}
    others = {name: value for name, value in public.items() if name not in functions}
    errors = {
        name: value
        for name, value in vars(symdyn.errors).items()
        if inspect.isclass(value) and issubclass(value, Exception)
    }
    in_api = {
        name: getattr(symdyn.api, name) for name in ("verify", "explain", "compare", "trace") if name not in public
    }
    groups: list[tuple[str, str, dict[str, Any]]] = [
        ("Functions", "symdyn", functions),
        ("Classes", "symdyn", {name: value for name, value in others.items() if name not in errors}),
        ("Closed loops of a robot", "symdyn.robot.records", {"Constraint": Constraint}),
        (
            "Compiled modules",
            "",
            {
                "Module": Module,
                "LoadedSignature": LoadedSignature,
                "Argument": Argument,
                "Advanced": Advanced,
                "StepCode": StepCode,
                "ContactStep": ContactStep,
                "ContactReport": ContactReport,
                "ContactCode": ContactCode,
                "Solved": Solved,
                "SolveCode": SolveCode,
                "Reached": Reached,
                "Velocities": Velocities,
                "Rollout": Rollout,
                "RolloutCode": RolloutCode,
                "RolloutGradient": RolloutGradient,
            },
        ),
        (
            "Statics",
            "symdyn.statics",
            {name: getattr(symdyn.statics, name) for name in symdyn.statics.__all__},
        ),
        (
            "Inputs with derivatives",
            "symdyn.analysis.simulation.smooth_inputs",
            {name: value for name, value in _own(smooth_inputs) if inspect.isclass(value)},
        ),
        ("What the command line also uses", "symdyn.api", in_api),
        ("Errors and warnings", "symdyn.errors", errors),
    ]
    lines = [_PYTHON_HEAD]
    for title, room, members in groups:
        lines += [f"## {title}", "", *_INTRODUCTIONS.get(title, ())]
        for name, value in members.items():
            lines += _entry(f"{room}.{name}" if room else name, value)
    return joined(lines)


_INTRODUCTIONS = {
    "Compiled modules": [
        "`symdyn.compile` returns a `Module`. Its functions are attributes. Each takes arrays by position, in the",
        "order of its signature. Leading dimensions broadcast. `out=` takes an array, or a tuple of arrays, for the",
        "results.",
        "`module.manifest` says what was generated, and `module.path` is the loaded file.",
        'Asked for with `steppers=["rk4"]`, a module also has `step_rk4` and `advance_rk4` ([steppers](steppers.md)).',
        'With `solvers=["statics"]` it has `solve_statics` ([statics](statics.md#in-c)).',
        'With `solvers=["inverse_kinematics"]` and `tasks=["tool"]` it has `solve_inverse_kinematics`',
        "([inverse kinematics](inverse-kinematics.md)). With `differential_ik` it has `solve_differential_ik`, and",
        "with `soft_inverse_kinematics` it has `solve_soft_inverse_kinematics`.",
        'With `rollout="implicit_euler"` it has `rollout` and `rollout_gradient` ([rollouts](steps-and-rollouts.md)).',
        "",
    ],
    "Errors and warnings": [
        "All errors that symdyn raises on purpose derive from `SymdynError`. It and `SymdynWarning` are also names of",
        "`symdyn` itself.",
        "",
    ],
}


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


def _own(module: Any) -> Iterator[tuple[str, Any]]:
    for name, value in vars(module).items():
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__:
            yield name, value


if __name__ == "__main__":
    for page, text in (
        (PAGE_OF_PYTHON, python_page()),
        (PAGE_OF_COMMANDS, command_page()),
        (PAGE_OF_TARGETS, targets_page()),
    ):
        page.write_text(text, encoding="utf-8", newline="\n")
