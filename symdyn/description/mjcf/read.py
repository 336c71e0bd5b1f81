"""MJCF to a RobotDescription, by MuJoCo's own compiler."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath

from symdyn.description.checks.check import check
from symdyn.description.mjcf.actuators import actuation_of
from symdyn.description.mjcf.armatures import free_armatures
from symdyn.description.mjcf.document import Document
from symdyn.description.mjcf.fluids import fluids_of
from symdyn.description.mjcf.looks import frames_of, visuals_of
from symdyn.description.mjcf.loops import equalities_of
from symdyn.description.mjcf.record import ModelRecord
from symdyn.description.mjcf.refusals import Refusals, check_model, summary_of
from symdyn.description.mjcf.tendons import struts_of, with_tendons
from symdyn.description.mjcf.tree import lifts_of, standing_settings, tree_of
from symdyn.description.robot import RobotDescription
from symdyn.description.text.notice import doubt
from symdyn.description.text.position import at
from symdyn.errors import DescriptionError
from symdyn.interface.distribution import installing

Running = Callable[[Path, Mapping[str, bytes], str], bytes]
"""Runs a program of ours on files in a folder of its own, apart from this process, and gives one file that it made."""

PROGRAM = Path(__file__).with_name("compile_model.py")
OLDEST = (3, 2, 3)
"""The first that closes loops between sites."""
_LINE = re.compile(r",? ?line (\d+)")
_ELEMENT = re.compile(r"\s*Element (?:name )?'[^']*'(?:, id -?\d+)?(?:, line \d+)?\s*")


def mujoco_version() -> str:
    """The installed MuJoCo's version.

    Raises
    ------
    DescriptionError
        None is installed, or one that is too old.
    """
    remedy = installing("mjcf")
    try:
        found = version("mujoco")
    except PackageNotFoundError:
        raise DescriptionError(f"MJCF is read by MuJoCo's own compiler, which is not installed: {remedy}") from None
    numbers = tuple(int(part) for part in re.findall(r"\d+", found)[:3])
    if numbers < OLDEST:
        raise DescriptionError(f"MJCF is read by MuJoCo {'.'.join(map(str, OLDEST))} or later, found {found}: {remedy}")
    return found


def parse_mjcf(
    document: Document,
    source: str,
    running: Running,
    *,
    lenient: bool = False,
    repair: bool = False,
    runtime: Collection[str] = (),
) -> RobotDescription:
    """Robot of an MJCF document.

    Parameters
    ----------
    document
        Of :func:`document_of`.
    source
        The file's name for messages.
    running
        What runs MuJoCo's compiler.
    lenient
        Leave out, with a warning each, forces and motions that symdyn does not have.
    repair
        Mend what :func:`check` can.
    runtime
        Names of quantities that are known at run time.

    Raises
    ------
    DescriptionError
        What MuJoCo refuses, and what symdyn cannot have.
    """
    mujoco_version()
    files = {"model.xml": document.xml, **document.files} | ({"schema.xml": document.schema} if document.schema else {})
    told = json.loads(running(PROGRAM, files, f"{source}: MuJoCo's compiler"))
    if "refused" in told:
        raise _refusal(told["refused"], document, source)
    model = ModelRecord(told["fields"])
    refusals = Refusals(source, lenient, document.line)
    check_model(model, refusals)
    links = [body.name for body in model.bodies]
    frames, sites, renamed = frames_of(model, links, links)
    equalities = equalities_of(model, links, sites, [frame.name for frame in frames], refusals)
    placed = (*frames, *equalities.frames)
    drags, places = fluids_of(model, [*links, *(frame.name for frame in placed)])
    extra = (*placed, *places)
    named = [frame.name for frame in extra]
    tree = with_tendons(tree_of(model, equalities.mimics, named, refusals), model, refusals)
    lifted = (*free_armatures(model, refusals), *lifts_of(model, runtime, refusals))
    acting = (*struts_of(model, sites, refusals), *lifted, *drags, *equalities.loops)
    actuation, settings = actuation_of(model, refusals), standing_settings(model, tree.joints, refusals)
    looks = visuals_of(model, document.meshes)
    shapes = {name: looks.get(number, ()) for number, name in enumerate(tree.names)}
    gravity = (0.0, 0.0, 0.0) if "GRAVITY" in model.disabled else model.gravity
    return check(
        RobotDescription(
            name=document.name or PurePath(source).stem or "robot",
            links=tuple(replace(link, visuals=shapes.get(link.name, ())) for link in tree.links),
            joints=tree.joints,
            frames=extra,
            gravity=gravity,
            source=source,
            warnings=(*document.warnings, *refusals.warnings, *renamed, *summary_of(model), *_disabled(model)),
            acting=acting,
            load=settings,
            actuation=actuation,
        ),
        repair=repair,
    )


def _disabled(model: ModelRecord) -> Sequence[str]:
    if not model.disabled:
        return ()
    words = ", ".join(sorted(model.disabled)).lower()
    return (doubt(f"<flag> turns off {words}; the robot is read so", "{flag}"),)


def _refusal(said: str, document: Document, source: str) -> DescriptionError:
    """What MuJoCo says, where the file says it."""
    numbers = [int(number) for number in _LINE.findall(said)]
    text = _ELEMENT.sub(" ", said.removeprefix("Error: ").removeprefix("XML Error: ")).strip().rstrip(".")
    text = " ".join(text.split())[:400] or "no reason given"
    if numbers and 1 <= numbers[-1] <= len(document.origins):
        file, line, tag = document.origins[numbers[-1] - 1]
        return DescriptionError(f"{at(file, line)}: <{tag}>: MuJoCo refuses it: {text}; mend the element there")
    return DescriptionError(f"{source}: MuJoCo refuses it: {text}; mend the model")
