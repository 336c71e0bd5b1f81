"""Files in symdyn's YAML with mistakes: each is read, or refused in one line, in under 5 s.

    cd tests; python -m support.fuzz.yaml_mutants --count 50000 --seed 7 --jobs 16

Prints a table of what came of the mutants, and every failure with its index; reproducers go to ``fuzz_failures/``.
``--first INDEX --count 1 --jobs 0`` runs one case again. A robot that is read is written as robot.yaml, and must come
back as the same robot.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

from support.fuzz.campaign import Outcome, command, judged
from support.fuzz.mutation import NAMES, NUMBERS, Mutation, mutant
from support.fuzz.reading import read_and_write
from support.fuzz.sources import yaml_source

VALUE = re.compile(r"(?<=: )[^\s,{}\[\]#][^\n,{}\[\]#]*")
KEY = re.compile(r"[A-Za-z_][\w. ]*(?=:)")
EXPRESSIONS = (
    "pi/2", "1/0", "sqrt(-1)", "load", "load*load", "m*L**2/12", "tan(pi/2)", "x", "x**2", "exp(300*x)", "1e200*1e200",
    "1e-200*1e-110", "1 - x", "sin(x)", "a.b", "f(1)", "(1", "2**-1", "2**17", "-(-(-1))", "(" * 60 + "1" + ")" * 60,
    "+".join(["1"] * 300), "1 if 1 else 2", "[1]", "lambda: 1", "1e999", "0*load", "1/load", "sqrt", "pi pi", "0x1",
)  # fmt: skip
LOADS = (
    "load: {floating_base: true}", "load: {runtime: [boom.mass, gravity.z]}", "load: {runtime: [jib.mass]}", "load:",
    "load: {locked_joints: {slew: 0.3}}", "load: {locked_joints: {slew: [1, 2]}}", "load: {joint_losses: true}",
    "load: {convention: spatial, joint_losses: true}", "load: {locked_joints: {swing: [0, 0, 0, 1]}}", "load: []",
    "load: {locked_joints: {slew: 1e-310}}", "floating_base: true", "gravity: [0, 0, 1e-305]", "gravity: [1, 2, 1e300]",
)  # fmt: skip


def value(text: str, rng: random.Random) -> str:
    """A value is an expression, a name, a list, a mapping or nothing."""
    other = VALUE.findall(text) or ["1"]
    new = rng.choice((
        rng.choice(EXPRESSIONS), f'"{rng.choice(EXPRESSIONS)}"', rng.choice(NUMBERS), rng.choice(NAMES), "", "[]", "{}",
        "[1, 2, 3]", "{a: 1}", "[[[[1]]]]", rng.choice(other), f'"{rng.choice(NUMBERS)}"', "true", "!!float 1", "&a 1",
        "*a", "|\n 1", '"\\ud83d"', '"\\ud83d\\ude00"', '"\\0"', "? a", "'", "[" * 40 + "1" + "]" * 40,
    ))  # fmt: skip
    return _at(text, VALUE, rng, new)


def key(text: str, rng: random.Random) -> str:
    """A key is another of the file, an odd name, or there twice."""
    keys = KEY.findall(text) or ["a"]
    odd = (
        rng.choice(keys),
        f'"{rng.choice(NAMES)}"',
        rng.choice(NAMES),
        '"\\ud83d"',
        "? [a]",
        "<<",
        "1",
        "~",
        '"\\ud83d\\ude00"',
    )
    return _at(text, KEY, rng, rng.choice(odd))


def load(text: str, rng: random.Random) -> str:
    """The file says how it is loaded."""
    return f"{rng.choice(LOADS)}\n{text}" if rng.random() < 0.5 else f"{text.rstrip()}\n{rng.choice(LOADS)}\n"


def document(text: str, rng: random.Random) -> str:
    """Several documents, directives, or the document in brackets."""
    return rng.choice((f"---\n{text}", f"%YAML 1.1\n---\n{text}", f"{text}\n---\n{text}", f"{text}\n...\n", f"[{text}]",
                       f"%TAG ! x\n---\n{text}", f"{text}\n...\nx", f"- {text}", f"#{text}"))  # fmt: skip


def parameters(text: str, rng: random.Random) -> str:
    """Parameters that depend on each other, in a circle or in a long chain."""
    size = rng.choice((2, 5, 200))
    circle = rng.random() < 0.5
    rows = [f"  c{index}: c{(index + 1) % size} + 1" for index in range(size if circle else size - 1)]
    rows += [] if circle else [f"  c{size - 1}: 1"]
    block = "parameters:\n" + "\n".join(rows) + "\n"
    return text.replace("parameters:\n", block, 1) if "parameters:\n" in text else block + text


OWN: tuple[Mutation, ...] = (value, value, value, key, key, load, load, document, parameters)


def _at(text: str, pattern: re.Pattern[str], rng: random.Random, new: str) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    place = rng.choice(found)
    return text[: place.start()] + new + text[place.end() :]


def _read(path: Path) -> str:
    read_and_write(path)
    return "read"


def case(seed: int, index: int) -> Outcome:
    """One mutant."""
    rng = random.Random(f"yaml {seed} {index}")
    return judged(_read, mutant(yaml_source(rng), OWN, rng), ".yaml")


if __name__ == "__main__":
    command("yaml_mutants", case, 3000)
