"""MJCF to a RobotDescription, by MuJoCo's own compiler.

Actuators of a compiled model as those of symdyn: motors and servos of joints and of fixed tendons.

Which geoms of a compiled model may touch, and with what friction, by MuJoCo's rules.

Two geoms may touch where a bit of the one's ``contype`` is set in the other's ``conaffinity``, unless they are on one
rigid body, on two that no joint moves, on a body and its parent (where the parent is not the world), or on bodies of an
``<exclude>``. Of both the geom with the higher ``priority`` says friction and ``condim``; where these are equal, the
larger numbers hold. A ``<pair>`` says all of it itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations
from pathlib import Path, PurePath

from symdyn.description.actuation import Actuation, JointActuator
from symdyn.description.checks.check import check
from symdyn.description.collision import OfferedPair
from symdyn.description.external_loads import Site
from symdyn.description.fluid import AddedMass
from symdyn.description.mjcf.actuator_record import ActuatorRecord, MjTransmission, actuators_of
from symdyn.description.mjcf.document import Document
from symdyn.description.mjcf.fluids import fluids_of
from symdyn.description.mjcf.looks import collisions_of, frames_of, visuals_of
from symdyn.description.mjcf.loops import equalities_of
from symdyn.description.mjcf.record import MjJoint, ModelRecord, unlike
from symdyn.description.mjcf.refusals import Refusals, check_model, summary_of
from symdyn.description.mjcf.tendons import struts_of, with_tendons
from symdyn.description.mjcf.tree import lifts_of, standing_settings, tree_of
from symdyn.description.robot import RobotDescription
from symdyn.description.text.notice import Notice, doubt
from symdyn.description.text.position import at, on_line, shown
from symdyn.errors import DescriptionError
from symdyn.interface.distribution import installing

_BODY_BITS = 16
"""By which the lower body's number is shifted in the signature of an ``<exclude>``."""
_FRICTIONLESS = 1
_RESISTED = {4: "condim 4, friction against spinning", 6: "condim 6, friction against spinning and rolling"}


def pairs_of(model: ModelRecord, links: Sequence[str], names: Mapping[int, str]) -> tuple[OfferedPair, ...]:
    """All pairs of geoms that may touch, in the order of their numbers.

    Parameters
    ----------
    model
        The compiled model.
    links
        The link of each body, by its number.
    names
        The name of each geom that may touch, by its number.
    """
    fields = model.fields
    if {"CONSTRAINT", "CONTACT"} & set(fields["untouched"]):
        return ()
    found: dict[tuple[int, int], _Touch] = {
        (first, second): _mixed(model, first, second)
        for first, second in combinations(range(len(fields["geom_bodyid"])), 2)
        if _may_touch(model, first, second)
    }
    found |= _explicit(model)

    def end(geom: int) -> tuple[str, str]:
        return links[fields["geom_bodyid"][geom]], names[geom]

    return tuple(
        OfferedPair(end(first), end(second), 0.0 if directions == _FRICTIONLESS else min(friction), beyond)
        for (first, second), (directions, friction, sticky) in sorted(found.items())
        for beyond in [" and ".join(_beyond(model, (first, second), directions, friction, sticky))]
    )


_Touch = tuple[int, Sequence[float], bool]
"""How a pair touches: the number of its directions, friction along both tangents, and whether it sticks."""


def _beyond(
    model: ModelRecord, geoms: Sequence[int], directions: int, friction: Sequence[float], sticky: bool
) -> Iterator[str]:
    """What a pair has that rigid contacts have not."""
    if directions > _FRICTIONLESS and friction[0] != friction[1]:
        yield f"friction {friction[0]:g} and {friction[1]:g} along two tangents"
    elif directions in _RESISTED:
        yield _RESISTED[directions]
    if sticky:
        yield "adhesion"
    if any(model.odd(geom, "geom_surfacevel") for geom in geoms):
        yield "surfacevel, the motion of a surface such as a conveyor's"


def _may_touch(model: ModelRecord, first: int, second: int) -> bool:
    fields = model.fields
    types, affinities = fields["geom_contype"], fields["geom_conaffinity"]
    if not (types[first] & affinities[second] or types[second] & affinities[first]):
        return False
    bodies = sorted((fields["geom_bodyid"][first], fields["geom_bodyid"][second]))
    if (bodies[0] << _BODY_BITS) + bodies[1] in fields["exclude_signature"]:
        return False
    rigid: list[int] = [fields["body_weldid"][body] for body in bodies]
    if rigid[0] == rigid[1] or not any(fields["body_jntnum"][body] for body in rigid):
        return False
    if "FILTERPARENT" in fields["untouched"] or not all(rigid):
        return True
    parents: list[int] = [fields["body_weldid"][fields["body_parentid"][body]] for body in rigid]
    return rigid[0] != parents[1] and rigid[1] != parents[0]


def _mixed(model: ModelRecord, first: int, second: int) -> _Touch:
    fields = model.fields
    priorities = fields["geom_priority"]
    highest = max(priorities[first], priorities[second])
    said = [geom for geom in (first, second) if priorities[geom] == highest]
    friction = max(float(fields["geom_friction"][geom][0]) for geom in said)
    sticky = any(model.odd(geom, "geom_adhesion") for geom in (first, second))
    return max(int(fields["geom_condim"][geom]) for geom in said), _overridden(model, (friction, friction)), sticky


def _overridden(model: ModelRecord, friction: Sequence[float]) -> Sequence[float]:
    """Friction along two tangents: that of all contacts, where the file overrides theirs."""
    return model.fields["o_friction"][:2] if "OVERRIDE" in model.fields["enabled"] else friction


def _explicit(model: ModelRecord) -> dict[tuple[int, int], _Touch]:
    fields = model.fields
    arrays = ("pair_geom1", "pair_geom2", "pair_dim", "pair_friction")
    rows: Iterator[tuple[int, int, int, list[float]]] = zip(*(fields.get(name, ()) for name in arrays), strict=True)
    return {
        (min(first, second), max(first, second)): (
            directions,
            _overridden(model, friction[:2]),
            bool(model.odd(number, "pair_adhesion")),
        )
        for number, (first, second, directions, friction) in enumerate(rows)
    }


def free_armatures(model: ModelRecord, refusals: Refusals) -> Iterator[AddedMass]:
    """The inertia that MuJoCo adds to the six degrees of freedom of free joints with an armature.

    Its kinetic energy is a (v . v + omega . omega) / 2, with the velocity v of the body's origin, and it has no weight.
    That is an added mass that is the same along and about all axes.
    """
    for body in model.bodies:
        for joint in body.joints:
            armature = joint.armature[0]
            if joint.kind is not MjJoint.FREE or not armature:
                continue
            said = f"joint {shown(joint.name)}: armature {armature:g} of a free joint is an inertia without weight here"
            refusals.warnings.append(
                doubt(on_line(refusals.line("joint", joint.name)) + said, "armature of {free joint}")
            )
            entries = (armature,) * 6
            yield AddedMass(f"fluid.{body.name}.added_mass", Site(body.name), entries)


_TAGS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion")
"""Elements that an actuator may be."""


def actuation_of(model: ModelRecord, refusals: Refusals) -> Actuation:
    """All actuators that are on, and what is absent; where the caller is lenient, absent ones are left out."""
    found, absent, taken = list[JointActuator](), list[str](), set[str]()
    for own in actuators_of(model):
        name = unlike(own.name, taken)
        taken.add(name)
        joints = tuple(_joints(own, model))
        faults = list(dict.fromkeys((*own.faults, *_unlike_ours(own, model))))
        if not faults:
            found.append(JointActuator(name, joints, own.gain, own.bias, _line(own, refusals)))
        elif refusals.lenient and faults == [_CLAMPED]:
            found.append(JointActuator(name, joints, own.gain, own.bias, _line(own, refusals)))
            refusals.leave_out("clamp of actuator", own.name, _CLAMPED, _line(own, refusals))
        elif refusals.lenient:
            refusals.leave_out("actuator", own.name, " and ".join(faults), _line(own, refusals))
        else:
            absent.append(f"{on_line(_line(own, refusals))}actuator {shown(own.name)}: {' and '.join(faults)}")
    return Actuation(actuators=tuple(found), absent=tuple(absent))


_CLAMPED = "its force is clamped, by a forcerange or by that of its joint or tendon, while it acts without input"


def _line(own: ActuatorRecord, refusals: Refusals) -> int | None:
    lines = (refusals.line(tag, own.name) for tag in _TAGS)
    return next((line for line in lines if line is not None), None)


def _joints(own: ActuatorRecord, model: ModelRecord) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Factors of joints in the length; nothing where it is another."""
    if own.transmission in (MjTransmission.JOINT, MjTransmission.JOINTINPARENT):
        joint = model.joints[own.target]
        if joint.kind is not MjJoint.FREE:
            yield joint.name, own.gear[: 1 if joint.alone else 3]
    elif own.transmission == MjTransmission.TENDON:
        shares: dict[str, float] = {}
        for number, share in model.pulled(own.target) or ():
            name = model.joints[number].name
            shares[name] = shares.get(name, 0.0) + own.gear[0] * share
        yield from ((name, (share,)) for name, share in shares.items())


def _unlike_ours(own: ActuatorRecord, model: ModelRecord) -> Iterator[str]:
    """What it acts on or does that actuators of symdyn do not."""
    if any(own.bias) and own.clamped:
        yield _CLAMPED
    match own.transmission:
        case MjTransmission.JOINT | MjTransmission.JOINTINPARENT:
            joint = model.joints[own.target]
            if joint.kind is MjJoint.FREE:
                yield "it drives a free joint"
            elif joint.kind is MjJoint.BALL and own.transmission == MjTransmission.JOINTINPARENT:
                yield "it turns a ball about axes of the parent"
            elif joint.kind is MjJoint.BALL and (own.bias[1] or own.gain[1]):
                yield "its force depends on the turn of a ball"
        case MjTransmission.TENDON:
            if model.pulled(own.target) is None:
                yield "it pulls a spatial tendon"
        case MjTransmission.SITE | MjTransmission.BODY | MjTransmission.SLIDERCRANK:
            yield f"it acts on a {MjTransmission(own.transmission).name.lower()}"
        case _:
            yield f"it acts in a way of kind {own.transmission}"


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
    touching, named_geoms = collisions_of(model, document.meshes)
    geometry = {name: touching.get(number, ()) for number, name in enumerate(tree.names)}
    gravity = (0.0, 0.0, 0.0) if "GRAVITY" in model.disabled else model.gravity
    return check(
        RobotDescription(
            name=document.name or PurePath(source).stem or "robot",
            links=tuple(
                replace(link, visuals=shapes.get(link.name, ()), geometry=geometry.get(link.name, ()))
                for link in tree.links
            ),
            joints=tree.joints,
            frames=extra,
            gravity=gravity,
            source=source,
            warnings=(*document.warnings, *refusals.warnings, *renamed, *summary_of(model), *_flags(model)),
            acting=acting,
            load=settings,
            actuation=actuation,
            offered=pairs_of(model, tree.names, named_geoms),
        ),
        repair=repair,
    )


_TURNED_ON = {
    "INVDISCRETE": "accelerations are those of an instant here, not of a step",
    "SLEEP": "nothing sleeps here",
}


def _flags(model: ModelRecord) -> Iterator[str]:
    if model.disabled:
        words = ", ".join(sorted(model.disabled)).lower()
        yield doubt(f"<flag> turns off {words}; the robot is read so", "{flag}")
    for flag, said in _TURNED_ON.items():
        if flag in model.fields["enabled"]:
            yield Notice(f"<flag> turns on {flag.lower()}, which is not read: {said}", "{flag} that is not read")


def _refusal(said: str, document: Document, source: str) -> DescriptionError:
    """What MuJoCo says, where the file says it."""
    numbers = [int(number) for number in _LINE.findall(said)]
    text = _ELEMENT.sub(" ", said.removeprefix("Error: ").removeprefix("XML Error: ")).strip().rstrip(".")
    text = " ".join(text.split())[:400] or "no reason given"
    if numbers and 1 <= numbers[-1] <= len(document.origins):
        file, line, tag = document.origins[numbers[-1] - 1]
        return DescriptionError(f"{at(file, line)}: <{tag}>: MuJoCo refuses it: {text}; mend the element there")
    return DescriptionError(f"{source}: MuJoCo refuses it: {text}; mend the model")
