"""Equalities of a compiled model: joints that follow others, and closed loops with the frames that they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from symdyn.description.external_loads import Site
from symdyn.description.loops import Coupling, Holding, Loop, LoopKind
from symdyn.description.mjcf.placements import placed
from symdyn.description.mjcf.record import EqualityRecord, Four, MjEquality, ModelRecord, Triple, unlike
from symdyn.description.mjcf.refusals import Refusals, check_equality
from symdyn.description.robot import Frame, Mimic
from symdyn.description.text.notice import doubt
from symdyn.description.text.position import shown

_UNTURNED: Four = (1.0, 0.0, 0.0, 0.0)


@dataclass(slots=True)
class Equalities:
    """What equalities become."""

    mimics: dict[str, Mimic] = field(default_factory=dict)
    loops: list[Holding] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    """Names of links and frames."""


def equalities_of(
    model: ModelRecord, links: Sequence[str], sites: Sequence[str], frames: Iterable[str], refusals: Refusals
) -> Equalities:
    """All that hold from the start.

    Parameters
    ----------
    links, sites
        Names of the links of bodies and of the frames of sites, by MuJoCo's numbers.
    frames
        Names of all frames.
    """
    found = Equalities(taken={*links, *frames})
    if model.disabled & {"EQUALITY", "CONSTRAINT"}:
        return found
    taken: set[str] = set()
    # Tendons last, when it is known which joints follow others.
    for own in sorted(model.equalities, key=lambda own: own.kind == MjEquality.TENDON):
        if not own.active or not check_equality(own, model, refusals):
            continue
        name = unlike(own.name, taken)
        taken.add(name)
        if own.kind == MjEquality.JOINT:
            _follow(own, name, model, found, refusals)
        elif own.kind == MjEquality.TENDON:
            _couple(own, name, model, found, refusals)
        else:
            _close(own, name, links, sites, found, refusals)
    if found.mimics or found.loops:
        said = f"{len(found.mimics) + len(found.loops)} equalities hold exactly here; MuJoCo's are springs"
        refusals.warnings.append(doubt(said, "{equality} held exactly"))
    return found


def _follow(own: EqualityRecord, name: str, model: ModelRecord, found: Equalities, refusals: Refusals) -> None:
    """q1 - q1_0 = a0 + a1 (q2 - q2_0), the second at rest where there is none."""
    first, offset, factor = model.joints[own.first], own.data[0], own.data[1]
    start = first.reference + offset
    if own.second < 0 or not factor:
        found.loops.append(Coupling(name, ((first.name, 1.0),), start))
        return
    second = model.joints[own.second]
    if first.name in found.mimics or _leads(second.name, first.name, found):
        said = f"joint {shown(first.name)} follows {shown(second.name)}, and another joint, or itself through others"
        refusals.refuse("equality", own.name, said)
        return
    found.mimics[first.name] = Mimic(second.name, factor, start - factor * second.reference)


def _leads(joint: str, leader: str, found: Equalities) -> bool:
    """Whether a joint follows another, through others or itself."""
    while joint in found.mimics and joint != leader:
        joint = found.mimics[joint].joint
    return joint == leader


def _couple(own: EqualityRecord, name: str, model: ModelRecord, found: Equalities, refusals: Refusals) -> None:
    """L1 - L1_0 = a0 + a1 (L2 - L2_0) between tendons, whose lengths L are sums of shares times coordinates."""
    terms, offset = dict[str, float](), own.data[0]
    for tendon, gain in ((own.first, 1.0), (own.second, -own.data[1])):
        for number, share in (model.pulled(tendon) or ()) if tendon >= 0 else ():
            joint, factor = model.joints[number], gain * share
            offset += factor * joint.reference
            leader, multiplier, shift = _leader(joint.name, found)
            offset -= factor * shift
            terms[leader] = terms.get(leader, 0.0) + factor * multiplier
    kept = tuple((joint, factor) for joint, factor in terms.items() if factor)
    if not kept:
        refusals.refuse("equality", own.name, "the lengths that it ties depend on no joint that moves by itself")
        return
    found.loops.append(Coupling(name, kept, offset))


def _leader(joint: str, found: Equalities) -> tuple[str, float, float]:
    """The joint at the end of those that a joint follows, with multiplier and offset; itself with 1 and 0."""
    multiplier, offset = 1.0, 0.0
    while joint in found.mimics:
        mimic = found.mimics[joint]
        offset += multiplier * mimic.offset
        joint, multiplier = mimic.joint, multiplier * mimic.multiplier
    return joint, multiplier, offset


def _close(
    own: EqualityRecord,
    name: str,
    links: Sequence[str],
    sites: Sequence[str],
    found: Equalities,
    refusals: Refusals,
) -> None:
    line, data = refusals.line(MjEquality(own.kind).name.lower(), own.name), own.data
    first, second = (Site(frame=sites[number]) if own.sites else None for number in (own.first, own.second))
    if own.kind == MjEquality.CONNECT:
        kind = LoopKind.SPHERICAL
        places = (first or _point(links[own.first], data[0:3]), second or _point(links[own.second], data[3:6]))
    else:
        kind, turn = LoopKind.FIXED, (data[6], data[7], data[8], data[9])
        first = first or _turned(f"{name}.held", links[own.first], data[3:6], turn, found)
        places = (first, second or _point(links[own.second], data[0:3]))
    found.loops.append(Loop(name, places, kind, close=True, line=line))


def _point(link: str, at: Sequence[float]) -> Site:
    return Site(link, point=(at[0], at[1], at[2]))


def _turned(name: str, link: str, at: Sequence[float], turn: Four, found: Equalities) -> Site:
    """A place on a link with axes of its own, which takes a frame."""
    if turn == _UNTURNED:
        return _point(link, at)
    point: Triple = (at[0], at[1], at[2])
    frame = Frame(unlike(name, found.taken), link, placed(point, turn))
    found.taken.add(frame.name)
    found.frames.append(frame)
    return Site(frame=frame.name)
