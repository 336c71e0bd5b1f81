"""URDF files with mistakes: each is read, or refused in one line, in under 5 s; and read as Pinocchio reads it.

    cd tests; python -m support.fuzz.urdf_mutants --count 50000 --seed 7 --jobs 16

Prints a table of what came of the mutants, and every failure with its index; reproducers go to ``fuzz_failures/``.
``--first INDEX --count 1 --jobs 0`` runs one case again. Where the package ``pin`` is installed, a mutant that both
read must have the same velocities and inverse dynamics in both ("misread" otherwise); what Pinocchio alone reads is
counted. A robot that is read is written as robot.yaml, and must come back as the same robot.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.fuzz.campaign import Outcome, command, judged
from support.fuzz.mutation import Mutation, mutant
from support.fuzz.reading import read_and_write
from support.fuzz.sources import urdf_source
from symdyn.api import float_recursion
from symdyn.description.robot import JointKind

ELEMENT = re.compile(r"<(link|joint|inertial|origin|mass|inertia|parent|child|axis|limit|dynamics|mimic)\b[^<>]*/>|"
                     r"<(link|joint|inertial)\b[^<>]*>.*?</\2>", re.S)  # fmt: skip
ATTRIBUTE = re.compile(r"\s[a-z]+=\"[^\"]*\"")
TAG = re.compile(r"</?[a-z]+")
_TOLERANCE = 1e-9


def drop(text: str, rng: random.Random) -> str:
    """An element is missing."""
    return _cut(text, rng, ELEMENT, lambda old: "")


def double(text: str, rng: random.Random) -> str:
    """An element stands there twice."""
    return _cut(text, rng, ELEMENT, lambda old: old * rng.choice((2, 2, 3)))


def move(text: str, rng: random.Random) -> str:
    """An element stands elsewhere."""
    found = list(ELEMENT.finditer(text))
    if len(found) < 2:
        return text
    one, place = rng.choice(found), rng.choice(found).start()
    rest = text[: one.start()] + text[one.end() :]
    return rest[:place] + one[0] + rest[place:]


def attribute(text: str, rng: random.Random) -> str:
    """An attribute is missing, there twice, or has the value of another."""
    found = ATTRIBUTE.findall(text)
    if not found:
        return text
    other = rng.choice(found).partition("=")[2]
    changes = (lambda old: "", lambda old: old * 2, lambda old: f"{old.partition('=')[0]}={other}")
    return _cut(text, rng, ATTRIBUTE, rng.choice(changes))


def kind(text: str, rng: random.Random) -> str:
    """A joint is of another kind."""
    kinds = ("revolute", "continuous", "prismatic", "fixed", "planar", "floating", "spherical", "ball", "universal")
    kinds += ("Revolute", "screw", "")
    return _cut(text, rng, re.compile(r"(?<=type=\")\w*"), lambda old: rng.choice(kinds))


def deep(text: str, rng: random.Random) -> str:
    """Elements nested deeply, or many in a row."""
    size, tag = rng.choice((3, 30, 260, 3000)), rng.choice(("link", "gazebo", "a"))
    inner = f"<{tag}>" * size + f"</{tag}>" * size if rng.random() < 0.6 else f'<{tag} name="x"/>' * size
    return _cut(text, rng, re.compile(r"</robot>|</link>"), lambda old: inner + old)


def declaration(text: str, rng: random.Random) -> str:
    """Something else before the root."""
    return rng.choice((
        "", '<?xml version="1.1"?>\n', '<?xml version="1.0" encoding="latin-1"?>\n', "<!DOCTYPE robot>\n",
        '\n<?xml version="1.0"?>', "<!-- a -- b -->\n", "<?pi?>", '<?xml version="1.0" encoding="utf-16"?>',
        '<!DOCTYPE r [<!ENTITY a "b">]>', "<!--", "<![CDATA[",
    )) + text.removeprefix('<?xml version="1.0"?>')  # fmt: skip


def tag(text: str, rng: random.Random) -> str:
    """A tag has another name or a prefix."""
    tags = (
        "link",
        "joint",
        "inertial",
        "mass",
        "drake:link",
        "xacro:macro",
        "visual",
        "robot",
        "Link",
        "gazebo",
        "a:b",
    )
    return _cut(text, rng, TAG, lambda old: ("</" if old.startswith("</") else "<") + rng.choice(tags))


def newer(text: str, rng: random.Random) -> str:
    """A version of URDF, with quaternions in place of angles, and limits of higher derivatives."""
    version = rng.choice(("1.0", "1.1", "1.1", "1.2", "1.2", "1.2", "1.3", "1"))
    told = re.sub(r" version=\"[^\"]*\"", "", text, count=1)
    told = re.sub(r"<robot\b", f'<robot version="{version}"', told, count=1)
    for _ in range(rng.randrange(4)):
        quaternion = " ".join(str(rng.choice((0, 0.5, -1, rng.gauss(0, 1)))) for _ in range(4))
        told = _cut(told, rng, re.compile(r"(?<=\s)rpy=\"[^\"]*\""), lambda old, q=quaternion: f'quat_xyzw="{q}"')
    bound = rng.choice(("acceleration", "deceleration", "jerk", "jolt"))
    return _cut(told, rng, re.compile("<limit "), lambda old: f'{old}{bound}="{rng.choice((0, 3.5, -1))}" ')


OWN: tuple[Mutation, ...] = (
    *(drop, drop, double, move, move, attribute, attribute, kind, kind, deep, declaration, tag, newer, newer, newer),
)


def _cut(text: str, rng: random.Random, pattern: re.Pattern[str], new: Any) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    place = rng.choice(found)
    return text[: place.start()] + str(new(place[0])) + text[place.end() :]


def case(seed: int, index: int) -> Outcome:
    """One mutant."""
    rng = random.Random(f"urdf {seed} {index}")
    content = mutant(urdf_source(rng), OWN, rng)
    outcome = judged(_read, content, ".urdf")
    if HAS_PEER and outcome.kind.startswith("refused: ") and _peer_reads(content):
        return Outcome(f"Pinocchio reads, {outcome.kind}")
    return outcome


HAS_PEER = importlib.util.find_spec("pinocchio") is not None


def _read(path: Path) -> str:
    robot = read_and_write(path)
    return _compared(robot, path) if HAS_PEER else "read"


def _compared(robot: Any, path: Path) -> str:
    import numpy as np
    import pinocchio

    from support.pinocchio.twins import make_peer

    try:
        with _silent():
            model = pinocchio.buildModelFromUrdf(str(path))
    except (ValueError, RuntimeError):
        return "read, refused by Pinocchio"
    if model.nv == 0:
        return "read, nothing moves for Pinocchio"
    if not set(model.names) - {"universe"} <= {joint.name for joint in robot.description.joints} | {"root"}:
        return "read, with a name whose white space Pinocchio keeps"  # XML turns a tab into a space
    planar = [joint for joint in robot.description.joints if joint.kind is JointKind.PLANAR]
    if any(joint.axis != (0.0, 0.0, 1.0) for joint in planar):
        return "read, with a plane whose normal Pinocchio takes for z"  # it ignores <axis> there
    peer = make_peer(robot, model, {})
    expected_nv = np.linalg.matrix_rank(peer.expansion)
    q, v, a = peer.states(2, 1)
    recursion = float_recursion(robot, "inverse_dynamics")
    found = np.array([recursion({"q": q[k], "v": v[k], "a": a[k]})["tau"] for k in range(2)], dtype=float)
    expected = np.array([peer.inverse_dynamics(q[k], v[k], a[k]) for k in range(2)])
    size = max(float(np.max(np.abs(expected))), 1e-30)
    if robot.nv != expected_nv and not any(joint.mimic.multiplier == 0.0 for joint in _followers(robot)):
        raise AssertionError(f"misread: nv {robot.nv}, Pinocchio has {expected_nv}")
    if not np.all(np.isfinite(expected)) or not np.all(np.isfinite(found)):
        return "read, not finite in " + ("both" if not np.all(np.isfinite(found)) else "Pinocchio")
    error = float(np.max(np.abs(found - expected))) / size
    if not error <= _TOLERANCE:
        raise AssertionError(f"misread: forces differ by {error:.2g} of their size")
    return "read, and as Pinocchio reads it"


def _followers(robot: Any) -> list[Any]:
    return [joint for joint in robot.description.joints if joint.mimic is not None]


def _peer_reads(content: bytes) -> bool:
    import pinocchio

    try:
        with _silent():
            return bool(pinocchio.buildModelFromXML(content.decode("utf-8")).nv >= 0)
    except (ValueError, RuntimeError, UnicodeDecodeError):
        return False


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """The parser of URDF that Pinocchio uses writes to the terminal by itself."""
    kept = os.dup(2)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(sink)


if __name__ == "__main__":
    command("urdf_mutants", case, 3000)
