"""Mutations of text that any robot file may suffer: numbers, names, words, lines, encodings and plain noise."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
QUOTED = re.compile(r"\"[^\"\n]*\"")
_SPELT = (
    "0 -0 1 -1 1e-300 1e-301 1e-308 5e-324 1e-400 1e308 1.8e308 1e309 -1e30 1e31 nan inf -inf NaN 0x10 1_000 1,5 "
    "1.5707963, 1.2.3 +-1 1e 1e+ .5 5. . - ١٢ ٣.٥ １ 1d3 1f ½ true null ~ pi 1/0 2**0.5 3.141592653589793 1e-12 1e-13 "
    "1e-18 1e-19 57.29577951308232 1000 0.001 1e6 1e-6 99999999999999999999999999 0.1e1 00012 1e0000000000000000005"
)
NUMBERS = _SPELT.split()
NAMES = (
    "", " ", "root", "world", "base", "null", "true", "no", "~", "a.b", "a, b", "a/b", "../../x", "a'b", "a: b", "#a",
    "%s", "{0}", "${x}", "a b", "ä", "机器人", "\U0001f916", "\u200b", "\u202e", "\u0301", "ﬁ", "x" * 200, "x" * 201,
    "&amp;", "&lt;b&gt;", "a\tb", "__import__('os')", "joint.motor", "x.tip", "x.bend_y[0]", "*", "&a", "!t", "- a",
    "[a", "{a", "\\", "-1", "1", "1e5", "CON", "a=b", "p", "q", "tau", "int", "def", "main", "\u00a0", "\ufeff",
    "é" * 200,
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "utf-7", "cp037")

Mutation = Callable[[str, random.Random], str]


def _replaced(text: str, pattern: re.Pattern[str], rng: random.Random, new: Callable[[str], str]) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    place = rng.choice(found)
    return text[: place.start()] + new(place[0]) + text[place.end() :]


def number(text: str, rng: random.Random) -> str:
    """Another number in place of one, or the same with another sign, size, unit or mark."""
    changes: tuple[Callable[[str], str], ...] = (
        lambda old: rng.choice(NUMBERS),
        lambda old: f"-{old}",
        lambda old: f"{old}e{rng.choice((-310, -290, -30, -9, -3, 3, 9, 30, 200, 300))}",
        lambda old: old.replace(".", ","),
        lambda old: f"{old},",
        lambda old: f"{old}.0",
        lambda old: f"{old} {old}",
        lambda old: "",
        lambda old: repr(rng.uniform(-10, 10)),
    )
    return _replaced(text, NUMBER, rng, rng.choice(changes))


def all_numbers(text: str, rng: random.Random) -> str:
    """Every number in another unit."""
    factor = rng.choice((1e-3, 1e3, -1.0, 57.29577951308232, 1e-9, 1e12, 1e-160, 1e150, 0.0))
    return NUMBER.sub(lambda found: repr(float(found[0]) * factor), text)


def name(text: str, rng: random.Random) -> str:
    """An odd name in quotes, in one place or wherever the old one stands."""
    found = QUOTED.findall(text)
    if not found:
        return text
    old, new = rng.choice(found), f'"{rng.choice(NAMES)}"'
    return text.replace(old, new) if rng.random() < 0.5 else text.replace(old, new, 1)


def exchange(text: str, rng: random.Random) -> str:
    """Two quoted texts exchanged: of one kind they make cycles, second parents and twins."""
    found = sorted(set(QUOTED.findall(text)))
    if len(found) < 2:
        return text
    one, two = rng.sample(found, 2)
    return (
        text.replace(one, "\x00").replace(two, one).replace("\x00", two)
        if rng.random() < 0.3
        else text.replace(one, two, 1)
    )


def word(text: str, rng: random.Random) -> str:
    """A word misspelt, in other case, or another word of the file."""
    words = sorted(set(WORD.findall(text)))
    changes: tuple[Callable[[str], str], ...] = (
        lambda old: old[:-1],
        lambda old: old + old[-1],
        lambda old: old.upper(),
        lambda old: old.capitalize(),
        lambda old: rng.choice(words),
        lambda old: rng.choice(NAMES),
        lambda old: f"x:{old}",
    )
    return _replaced(text, WORD, rng, rng.choice(changes))


def lines(text: str, rng: random.Random) -> str:
    """Lines dropped, doubled, moved, indented or joined."""
    rows = text.split("\n")
    at, size = rng.randrange(len(rows)), rng.choice((1, 1, 1, 2, 5))
    piece = rows[at : at + size]
    match rng.randrange(6):
        case 0:
            del rows[at : at + size]
        case 1:
            rows[at:at] = piece
        case 2:
            del rows[at : at + size]
            other = rng.randrange(len(rows) + 1)
            rows[other:other] = piece
        case 3:
            rows[at] = " " * rng.choice((1, 2, 4)) + rows[at]
        case 4:
            rows[at] = rows[at].lstrip()
        case 5:
            rows[at : at + 2] = [" ".join(rows[at : at + 2])]
    return "\n".join(rows)


def characters(text: str, rng: random.Random) -> str:
    """A stretch of characters dropped, doubled, or replaced by odd ones."""
    at, size = rng.randrange(len(text) + 1), rng.choice((1, 1, 2, 8, 40))
    odd = rng.choice(("", text[at : at + size] * 2, "\x00", "\x1b", "\x85", "\u2028", "\ud7ff", "<", ">", "&", '"', "'",
                      ":", "-", "\t", "\r", "{", "}", "[", "]", "#", "%", "@", "`", "|", "?", "!", "*", ",", "\ufeff",
                      "\\ud83d", "\\x00", "\\U0001F600", "\ufffe"))  # fmt: skip
    return text[:at] + odd + text[at + (size if rng.random() < 0.5 else 0) :]


def blank(text: str, rng: random.Random) -> str:
    """White space or comments before all else."""
    return rng.choice(("\n" * 70, " " * 100, "\r\n" * 5, "\t", "\ufeff\n", "\n" * 5000, "\x0c\n")) + text


TEXT: tuple[Mutation, ...] = (
    *(number, number, number, all_numbers, name, name, exchange, exchange, word, word, lines, lines),
    *(characters, blank),
)


def encoded(text: str, rng: random.Random) -> bytes:
    """Bytes: UTF-8 nearly always, else another encoding, and now and then noise in them."""
    draw = rng.random()
    data = text.encode("utf-8" if draw < 0.9 else rng.choice(ENCODINGS), "replace")
    if draw < 0.06 and data:
        noisy = bytearray(data)
        for _ in range(rng.choice((1, 1, 3, 30))):
            at = rng.randrange(len(noisy))
            match rng.randrange(3):
                case 0:
                    noisy[at] = rng.randrange(256)
                case 1:
                    noisy[at:at] = bytes([rng.randrange(256)])
                case 2 if len(noisy) > 1:
                    del noisy[at]
        data = bytes(noisy)
    return data[: rng.randrange(len(data) + 1)] if 0.06 <= draw < 0.075 else data


def mutant(text: str, own: Sequence[Mutation], rng: random.Random) -> bytes:
    """One to six mutations, those of the format (``own``) and those of any text, in any order."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3, 6))):
        text = rng.choice(own if own and rng.random() < 0.5 else TEXT)(text, rng)
    return encoded(text, rng)
