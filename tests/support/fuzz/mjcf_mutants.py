"""MJCF and xacro files with mistakes: each is read, or refused in one line, and runs nothing that was not asked for.

    cd tests; python -m support.fuzz.mjcf_mutants --count 10000 --seed 7 --jobs 2

Programs that symdyn runs apart serve many files here, to save their start. One that a file ends is counted, and begun
anew. Every fourth mutant is one of xacro: half of them are loaded without a word, and must not reach xacro.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import runpy
import signal
import tempfile
from collections.abc import Mapping
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest import mock

import symdyn
from support.fuzz.campaign import Outcome, command, judged
from support.fuzz.mutation import Mutation, mutant
from support.fuzz.reading import read_and_write
from support.mjcf_texts import LOOPS, MALFORMED, MIXED, UNSUPPORTED, looped
from symdyn.errors import DescriptionError
from symdyn.robot import loading
from symdyn.toolchain.bounded import MEMORY

ELEMENT = re.compile(r"<(joint|geom|site|inertial|freejoint|connect|weld|option|compiler|motor|camera)\b[^<>]*/>")
ATTRIBUTE = re.compile(r"\s[a-z]+[12]?=\"[^\"]*\"")
TAG = re.compile(r"</?[a-z]+")
_TAGS = (
    *("body", "joint", "geom", "site", "worldbody", "default", "asset", "mesh", "include", "replicate", "frame"),
    *("composite", "flexcomp", "equality", "tendon", "plugin", "keyframe", "Body", "a:b", "robot"),
)
_FILES = ("", ".", "..", "/etc/passwd", "../x.xml", "mutant.xml", "/dev/zero", "a\\b", "http://x/y.xml", "model.json")
_REQUESTS, _SECONDS, _LIMIT_S = 300, 20.0, 60.0
XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="2"/>
  <xacro:property name="half" value="${2 / 2}"/>
  <xacro:macro name="rod" params="name length:=1">
    <link name="${name}"><inertial><origin xyz="0 0 ${length * half}"/><mass value="$(arg mass)"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  </xacro:macro>
  <link name="base"/>
  <xacro:rod name="upper" length="${sin(pi / 3)}"/>
  <xacro:if value="${half == 1}"><xacro:rod name="lower"/></xacro:if>
  <joint name="a" type="continuous"><parent link="base"/><child link="upper"/></joint>
  <joint name="b" type="continuous"><parent link="upper"/><child link="lower"/></joint>
</robot>"""


DRIVEN = """<mujoco><option density="1.2" viscosity="1e-5"/>
  <compiler angle="radian"/>
  <worldbody><body name="hand" mocap="true" pos="0 0 2"/><site name="hook" pos="0 0 1"/>
    <body name="a" gravcomp="0.5"><joint name="j" axis="0 1 0" stiffness="2" damping="0.1" springref="0.2"
        actuatorfrcrange="-5 5"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0" mass="1"/>
      <site name="s" pos="0.2 0 0"/>
      <body name="b" pos="0.5 0 0"><joint name="k" type="slide" axis="1 0 0" armature="0.1" range="-1 1"/>
        <geom type="box" size="0.1 0.1 0.1" mass="0.5"/><site name="e" pos="0 0 0.1"/></body></body>
  </worldbody>
  <tendon><fixed name="f" stiffness="3" damping="0.2"><joint joint="j" coef="1"/><joint joint="k" coef="-2"/></fixed>
    <spatial name="t" stiffness="5" springlength="0.4"><site site="hook"/><site site="e"/></spatial>
  </tendon>
  <actuator><motor joint="j" gear="3"/><position joint="k" kp="20" kv="1"/><velocity joint="j" kv="2"/>
    <general tendon="f" gainprm="4" biastype="affine" biasprm="1 -2 -3"/><damper joint="k" kv="1" ctrlrange="0 1"/>
  </actuator>
  <equality><joint joint1="j" joint2="k" polycoef="0 0.5 0 0 0"/></equality></mujoco>"""
"""Actuators, tendons, a medium, a mocap body and a coupling, all of which act."""


def drop(text: str, rng: random.Random) -> str:
    """An element is missing, stands there twice, or elsewhere."""
    found = list(ELEMENT.finditer(text))
    if not found:
        return text
    one, place = rng.choice(found), rng.choice(found).start()
    rest = text[: one.start()] + text[one.end() :]
    return rng.choice((rest, text[: one.end()] + one[0] + text[one.end() :], rest[:place] + one[0] + rest[place:]))


def attribute(text: str, rng: random.Random) -> str:
    """An attribute is missing, there twice, or has the value of another."""
    found = ATTRIBUTE.findall(text)
    if not found:
        return text
    other = rng.choice(found).partition("=")[2]
    changes = (lambda old: "", lambda old: old * 2, lambda old: f"{old.partition('=')[0]}={other}")
    return _cut(text, rng, ATTRIBUTE, rng.choice(changes))


def tag(text: str, rng: random.Random) -> str:
    """A tag has another name."""
    return _cut(text, rng, TAG, lambda old: ("</" if old.startswith("</") else "<") + rng.choice(_TAGS))


def asks(text: str, rng: random.Random) -> str:
    """An element that opens a file, or makes many others."""
    file, count = rng.choice(_FILES), rng.choice((0, 1, 3, 100, 10**6, 10**12, -1))
    inner = rng.choice((
        f'<include file="{file}"/>', f'<replicate count="{count}"><geom size="1"/></replicate>',
        f'<composite type="cable" count="{count} 1 1" size="1"/>', "<body>" * 300 + "</body>" * 300,
        f'<flexcomp name="f" type="grid" count="{count} 3 1" spacing=".1 .1 .1" radius=".01"/>',
        f'<geom type="mesh" mesh="{file}"/>', "<frame/>" * 2000,
    ))  # fmt: skip
    asset = f'<asset><mesh name="m" file="{file}"/><hfield name="h" file="{file}"/></asset><size memory="{count}"/>'
    end = rng.choice(("</worldbody>", "</mujoco>"))
    return text.replace(end, (inner if end == "</worldbody>" else asset) + end, 1)


def value(text: str, rng: random.Random) -> str:
    """A number of an attribute is another one; the file stays as well-formed as it was."""
    numbers = ("0", "-1", "1e-9", "1e9", "1e300", "1e-300", "nan", "inf", "0.3", "3", "100000000000000000000")
    return _cut(text, rng, re.compile(r"(?<=[\s\"])-?[\d.]+(?=[\s\"])"), lambda old: rng.choice(numbers))


def kind(text: str, rng: random.Random) -> str:
    """Another word of MJCF."""
    words = ("free", "ball", "slide", "hinge", "box", "mesh", "plane", "hfield", "sdf", "auto", "true", "local", "")
    return _cut(text, rng, re.compile(r"(?<=type=\")\w*"), lambda old: rng.choice(words))


OWN: tuple[Mutation, ...] = (drop, drop, drop, attribute, attribute, attribute, tag, asks, asks, kind)
SOUND: tuple[Mutation, ...] = (value, value, value, attribute, kind, drop)
XACRO_OWN: tuple[Mutation, ...] = (attribute, tag)


def _cut(text: str, rng: random.Random, pattern: re.Pattern[str], new: Any) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    place = rng.choice(found)
    return text[: place.start()] + str(new(place[0])) + text[place.end() :]


class Server:
    """A process that runs symdyn's programs on one folder after another, as ``run_program`` does in a new one each."""

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Connection | None = None
        self._served = 0

    def run(self, program: Path, files: Mapping[str, bytes], what: str) -> bytes:
        """See :func:`symdyn.toolchain.run_program.run_program`."""
        if self._process is None or self._served >= _REQUESTS:
            self._begin()
        assert self._pipe is not None
        self._served += 1
        with tempfile.TemporaryDirectory() as folder:
            for name, data in files.items():
                (Path(folder) / name).write_bytes(data)
            self._pipe.send((str(program), folder))
            try:
                said = self._pipe.recv() if self._pipe.poll(_SECONDS) else "did not end"
            except EOFError:
                self._process.join()
                said = f"was ended by signal {-self._process.exitcode}"
            if said:
                self.end()
                raise DescriptionError(f"{what} {said}; the file is malformed, or larger than it can be")
            result = (Path(folder) / next(iter(files))).with_suffix(".json")
            left = sorted(path.name for path in Path(folder).iterdir() if path.name not in (*files, result.name))
            assert left in ([], ["MUJOCO_LOG.TXT"]), f"files were written: {left}"
            if not result.is_file():
                raise DescriptionError(f"{what} ended with an error; the file is malformed, or larger than it can be")
            return result.read_bytes()

    def end(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None

    def _begin(self) -> None:
        self.end()
        context = get_context("fork")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._served = 0


def _serve(pipe: Connection) -> None:
    import resource

    for number in (signal.SIGPROF, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    # Seconds and sizes are counted per process, and this one serves many files.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    while True:
        program, folder = pipe.recv()
        os.chdir(folder)
        with contextlib.suppress(Exception, SystemExit):
            runpy.run_path(program, run_name="__main__")
        pipe.send("")


SERVER = Server()


def case(seed: int, index: int) -> Outcome:
    """One mutant."""
    rng = random.Random(f"mjcf {seed} {index}")
    if index % 4 == 3:
        content = mutant(XACRO, XACRO_OWN, rng)
        attempt, suffix = (_xacro, ".urdf.xacro") if rng.random() < 0.5 else (_unasked, ".urdf.xacro")
    else:
        sound = rng.random() < 0.5
        texts = (MIXED, MIXED, *map(looped, LOOPS), *(text for text, _ in (MALFORMED | UNSUPPORTED).values()))
        text = rng.choice((DRIVEN, DRIVEN, MIXED, *map(looped, LOOPS)) if sound else texts)
        for _ in range(rng.choice((1, 1, 2, 3)) if sound else 0):
            text = rng.choice(SOUND)(text, rng)
        content, attempt, suffix = text.encode() if sound else mutant(text, OWN, rng), _mjcf, ".xml"
    with mock.patch.dict(loading._AIDS, {"running": SERVER.run, "recalling": None}):
        return judged(attempt, content, suffix, _LIMIT_S)


def _mjcf(path: Path) -> str:
    read_and_write(path)
    assert sorted(file.name for file in path.parent.iterdir()) == ["mutant.xml", "robot.yaml"]
    return "read"


def _xacro(path: Path) -> str:
    symdyn.load(path, xacro_args={"mass": "3"})
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name]
    return "xacro: read"


def _unasked(path: Path) -> str:
    def ran(program: Path, files: Mapping[str, bytes], what: str) -> bytes:
        assert program.name != "expand_xacro.py", "xacro ran, and nobody asked for it"
        return SERVER.run(program, files, what)

    with mock.patch.dict(loading._AIDS, {"running": ran}):
        symdyn.load(path)
    return "xacro: read without a word"


if __name__ == "__main__":
    command("mjcf_mutants", case, 10000)
