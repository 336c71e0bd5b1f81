"""Generated texts with names blanked, so that other names are no difference, and other arithmetic is one."""

from __future__ import annotations

import keyword
import re

TOKEN = re.compile(
    r"(?P<comment>/\*.*?\*/|//[^\n]*|\"\"\".*?\"\"\"|(?m:^|(?<=[ )\],]))#(?= )[^\n]*)"
    r"|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<number>\.?\d(?:[eE][+-]|[\w.])*)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<rest>\S)",
    re.DOTALL,
)
IN_C = """auto break case char const continue default do double else enum float for if inline int long return restrict
short signed sizeof size_t static struct switch typedef union unsigned void volatile while"""
CALLED = """sin cos tan asin acos atan atan2 sinh cosh tanh sqrt exp log pow fabs abs fma floor ceil fmod sign copysign
fmin fmax minimum maximum where select isnan isfinite range len sum dot"""
KEPT = frozenset((*keyword.kwlist, *IN_C.split(), *CALLED.split()))
"""Words of the languages and of their libraries: another one computes something else."""


GLOBAL = ("kernel_", "table_")
SCOPE = re.compile(r"^(?:\};?$|(?=def |class ))", re.MULTILINE)
"""Where one function of a text ends, or the next begins."""


def blanked(text: str) -> str:
    """The tokens of a text in C or Python: no comments, no text in quotes, every name a number by its first place.

    Variables are numbered in each function anew; what is called, and tables, throughout the text.
    """
    everywhere: dict[str, int] = {}
    tokens = []
    for part in SCOPE.split(text):
        inside: dict[str, int] = {}
        for match in TOKEN.finditer(part):
            kind, token = match.lastgroup, match.group()
            if kind == "name" and token not in KEPT:
                wide = token.startswith(GLOBAL) or part.startswith("(", match.end())
                numbers = everywhere if wide else inside
                token = f"{'g' if wide else 'n'}{numbers.setdefault(token, len(numbers))}"
            if kind != "comment":
                tokens.append("''" if kind == "text" else token)
    return " ".join(tokens)
