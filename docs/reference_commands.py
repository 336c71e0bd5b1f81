"""The text of docs/command-line.md, and docstrings as Markdown; see ``reference.py``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import fields
from typing import Any, Literal, get_args, get_type_hints

from symdyn.cli import verbs
from symdyn.cli.groups import grouped
from symdyn.cli.options import DECLARED, Loading
from symdyn.interface.options import GenerateOptions

_HEAD = """\
# Command line

You work in a shell, and look for a command or an option. The table has all commands, and the sections below it all
their options, written by `docs/reference.py` from what `symdyn COMMAND --help` shows. For example, `symdyn info ROBOT`
shows what was read from a file, which is a good first command for any robot.
[Conventions](conventions.md#exit-codes-of-the-command-line) list the exit codes.

ROBOT is a URDF file, an [MJCF file](mjcf.md), a [YAML file](yaml-format.md), or the name of a shipped robot
(`symdyn examples`). If no default is given, the option is off, or the robot's file decides. A name with a space or a
bracket needs quotes in the shell.
"""
_LISTS = ("Parameters", "Attributes", "Raises")
_SECTIONS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Notes", "Examples")


def command_page() -> str:
    """The text of docs/command-line.md."""
    lines = [_HEAD, "| command | what it does |", "|---|---|"]
    texts = {name: inspect.getdoc(verb.run) or "" for name, verb in verbs.VERBS.items()}
    lines += [f"| [`{name}`](#symdyn-{name}) | {_cell(text.splitlines()[0])} |" for name, text in texts.items()]
    lines += [
        "",
        "Options of symdyn itself come before the command; `--quiet` may also follow it:",
        "",
        *_options(verbs._common),
    ]
    for name, verb in verbs.VERBS.items():
        offered = list(_offered(grouped(verb.run, DECLARED)))
        arguments = "".join(f" {own.metavar or word.upper()}" for word, own, _, _ in offered if not _flag(own))
        lines += [f"## symdyn {name}", "", f"    symdyn {name}{arguments} [OPTIONS]", "", *prose(texts[name])]
        lines += [*_options(verb.run, _LOADING), *_loads({name for name, *_ in offered})]
    lines += ["## Loading a robot", "", "Commands that load a robot take these too.", "", *_options(_loading)]
    return joined(lines)


_LOADING = frozenset(item.name for item in fields(Loading))


def _loads(offered: Collection[str]) -> list[str]:
    """Which of the options of loading a verb takes."""
    if not _LOADING & set(offered):
        return []
    missing = [f"`--{item.name.replace('_', '-')}`" for item in fields(Loading) if item.name not in offered]
    but = f", but not {', '.join(missing)}" if missing else ""
    return [f"And the options of [loading a robot](#loading-a-robot){but}.", ""]


def _loading(*, load: Loading) -> None:
    """What every verb that loads a robot is told of that."""


def _options(verb: Callable[..., None], left_out: Collection[str] = ()) -> list[str]:
    """A table of a command's arguments and options; nothing where it has none."""
    rows = []
    offered = grouped(verb, DECLARED)
    for name, own, kind, default in (item for item in _offered(offered) if item[0] not in left_out):
        usual = (f"--{name.replace('_', '-')}",) if _flag(own) else (own.metavar or name.upper(),)
        flags = [flag for flag in (own.default, *(own.param_decls or ())) if isinstance(flag, str)] or usual
        spelt = ", ".join(f"`{word}`" for flag in flags for word in flag.split("/"))
        value = _value(own, kind) if _flag(own) else ""
        shown = "" if default is None or default is False or default is inspect.Parameter.empty else f"`{default}`"
        rows.append(f"| {spelt}{f' {value}' if value else ''} | {shown} | {_cell(own.help or '')} |")
    return ["| option | default | |", "|---|---|---|", *rows, ""] if rows else []


def _offered(verb: Callable[..., None]) -> Iterator[tuple[str, Any, Any, Any]]:
    """Per parameter that typer reads: its name, typer's record of it, its type, its default."""
    hints = get_type_hints(verb, include_extras=True)
    for parameter in inspect.signature(verb).parameters.values():
        kind, *marks = get_args(hints[parameter.name]) or (hints[parameter.name],)
        own = next((mark for mark in marks if hasattr(mark, "param_decls")), None)
        if own is None and hints[parameter.name] is verbs.typer.Context:
            continue
        if own is None:  # an option that typer makes of a name and its choices
            own, kind = verbs.typer.Option(), hints[parameter.name]
        if own.help is None:
            own.help = _field_help(parameter.name)
        yield parameter.name, own, kind, parameter.default


def _field_help(name: str) -> str:
    return next((item.metadata.get("help", "") for item in fields(GenerateOptions) if item.name == name), "")


def _flag(own: Any) -> bool:
    """Whether it is an option, and not an argument."""
    return type(own).__name__ == "OptionInfo"


def _value(own: Any, kind: Any) -> str:
    """How the help writes an option's value: by its metavar, its choices, or its type."""
    if own.metavar:
        return f"`{own.metavar}`" if "/" not in str(own.default) else ""
    parts = [part for part in (get_args(kind) or (kind,)) if part is not type(None)]
    literal = next((part for part in (kind, *parts) if getattr(part, "__origin__", None) is Literal), None)
    if literal is not None:
        return f"`{f'{chr(92)}|'.join(map(str, get_args(literal)))}`"
    return "" if parts == [bool] else f"`{getattr(parts[0], '__name__', str(parts[0])).upper()}`"


def prose(text: str) -> list[str]:
    """A numpy-style docstring as Markdown: sections by name, what they list as a list."""
    lines: list[str] = []
    section = ""
    given = text.split("\n")
    for line, after in zip(given, [*given[1:], ""], strict=True):
        if line in _SECTIONS and set(after) == {"-"}:
            section = line
            lines += [f"**{line}**", ""]
        elif section and set(line) == {"-"}:
            continue
        elif section in _LISTS and line and not line.startswith(" ") and after.startswith("    "):
            lines.append(f"* {', '.join(f'`{word}`' for word in line.split(', '))}:")
        elif line.startswith("    ") and section:
            lines.append(f"  {inline(line.strip())}")
        else:
            lines.append(inline(line))
    return [*lines, ""]


def _cell(text: str) -> str:
    """Text of a cell: what Markdown would read as its end, or as a tag, is escaped."""
    return inline(text).replace("|", "\\|").replace("<", "\\<")


def inline(text: str) -> str:
    """Roles and literals of docstrings as code."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def joined(lines: list[str]) -> str:
    """A page of lines, without empty lines beside each other."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"
