"""Tendons of a compiled model that have forces of their own.

A fixed tendon has a length that is a sum of coordinates, l = sum c_i q_i. It becomes a joint that follows these, with
the spring, losses and rotor of the tendon, and carries nothing. A spatial tendon between two sites is a strut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from symdyn.description.bushing import Strut
from symdyn.description.external_loads import Site
from symdyn.description.loads import Spring
from symdyn.description.mjcf.record import ModelRecord, unlike
from symdyn.description.mjcf.refusals import Refusals
from symdyn.description.mjcf.tree import Tree
from symdyn.description.robot import Actuator, Joint, JointKind, Link, Losses, Mimic
from symdyn.description.text.notice import doubt
from symdyn.description.text.position import on_line

_SITE = 3
"""mjWRAP_SITE."""


def struts_of(model: ModelRecord, sites: Sequence[str], refusals: Refusals) -> Iterator[Strut]:
    """Spatial tendons with a force; ``sites`` are names of frames, by MuJoCo's numbers."""
    for number, name in enumerate(model.names("tendon")):
        if model.pulled(number) is not None or not _acts(model, number) or not _linear(model, number, refusals):
            continue
        f, first = model.fields, model.fields["tendon_adr"][number]
        path = range(first, first + f["tendon_num"][number])
        if len(path) != 2 or any(f["wrap_type"][at] != _SITE for at in path):
            refusals.refuse("tendon", name, "it runs over more than two sites; only straight ones have forces here")
            continue
        held = [kind for kind in ("armature", "frictionloss") if f[f"tendon_{kind}"][number]]
        if held:
            refusals.refuse("tendon", name, f"{' and '.join(held)} of a spatial tendon")
            continue
        one, other = (Site(frame=sites[f["wrap_objid"][at]]) for at in path)
        stiffness, damping = _stiffness(model, number), _damping(model, number)
        line = refusals.line("spatial", name)
        yield Strut(name, (one, other), stiffness, damping, f["tendon_lengthspring"][number][0], line)


def with_tendons(tree: Tree, model: ModelRecord, refusals: Refusals) -> Tree:
    """The tree with a joint for each fixed tendon that has a force."""
    links, joints = list(tree.links), list(tree.joints)
    for number, name in enumerate(model.names("tendon")):
        pulled = model.pulled(number)
        if pulled is None or not _acts(model, number) or not _linear(model, number, refusals):
            continue
        shares: dict[str, float] = {}
        for place, share in pulled:
            joint = model.joints[place].name
            shares[joint] = shares.get(joint, 0.0) + share
        terms = [(joint, share) for joint, share in shares.items() if share]
        if not terms:
            continue
        link = unlike(name, {own.name for own in links})
        paths = _paths(tree, [joint for joint, _ in terms])
        if _number(model, "tendon_armature", number) and not _in_line(paths):
            said = f"tendon '{name}': its armature couples joints of several branches, which MuJoCo leaves out"
            refusals.warnings.append(doubt(on_line(refusals.line("fixed", name)) + said, "armature of {tendon}"))
        made = Joint(
            unlike(name, {own.name for own in joints}),
            JointKind.PRISMATIC,
            next(own[0] for own in reversed(list(zip(*paths, strict=False))) if len(set(own)) == 1),
            link,
            mimic=Mimic(*terms[0], 0.0, tuple(terms[1:])),
            line=refusals.line("fixed", name),
        )
        links.append(Link(link, line=made.line))
        joints.append(_held(made, model, number, refusals))
    return replace(tree, links=tuple(links), joints=tuple(joints))


def _held(joint: Joint, model: ModelRecord, number: int, refusals: Refusals) -> Joint:
    f, stiffness = model.fields, _stiffness(model, number)
    friction = 0.0 if model.disabled & {"CONSTRAINT", "FRICTIONLOSS"} else f["tendon_frictionloss"][number]
    if friction:
        said = f"tendon '{joint.name}': frictionloss is read as F tanh(v / velocity_scale); MuJoCo has a constraint"
        refusals.warnings.append(doubt(on_line(joint.line) + said, "frictionloss of {tendon}"))
    armature = _number(model, "tendon_armature", number)
    return replace(
        joint,
        losses=Losses(_damping(model, number), friction),
        loads=(Spring(stiffness, f["tendon_lengthspring"][number][0]),) if stiffness else (),
        actuator=Actuator(armature=armature) if armature else None,
    )


def _acts(model: ModelRecord, number: int) -> bool:
    return bool(model.odd(number, *(f"tendon_{kind}" for kind in _FORCES)))


_FORCES = ("stiffness", "stiffnesspoly", "springyield", "damping", "dampingpoly", "armature", "frictionloss")


def _linear(model: ModelRecord, number: int, refusals: Refusals) -> bool:
    """Whether its force is linear; refuses it otherwise."""
    name = model.names("tendon")[number]
    odd = model.odd(number, "tendon_stiffnesspoly", "tendon_springyield", "tendon_dampingpoly")
    shortest, longest = model.fields["tendon_lengthspring"][number]
    if odd:
        words = ", ".join(own.removeprefix("tendon_") for own in odd)
        refusals.refuse("tendon", name, f"{words} makes a nonlinear force, which is not read")
    elif _stiffness(model, number) and shortest != longest:
        refusals.refuse("tendon", name, f"its spring is slack between lengths {shortest:g} and {longest:g}")
    else:
        return True
    return False


def _stiffness(model: ModelRecord, number: int) -> float:
    return 0.0 if model.disabled & {"PASSIVE", "SPRING"} else _number(model, "tendon_stiffness", number)


def _damping(model: ModelRecord, number: int) -> float:
    return 0.0 if model.disabled & {"PASSIVE", "DAMPER"} else _number(model, "tendon_damping", number)


def _number(model: ModelRecord, array: str, number: int) -> float:
    return float(model.fields[array][number]) if array in model.fields else 0.0


def _in_line(paths: Sequence[Sequence[str]]) -> bool:
    """Whether links lie behind one another: each path is the beginning of all that are longer."""
    longest = max(paths, key=len)
    return all(list(longest[: len(own)]) == list(own) for own in paths) and len({len(own) for own in paths}) == len(
        paths
    )


def _paths(tree: Tree, joints: Sequence[str]) -> list[list[str]]:
    """The links from the root to each joint's parent."""
    above: Mapping[str, Joint] = {joint.child: joint for joint in tree.joints}
    named = {joint.name: joint for joint in tree.joints}
    paths = []
    for name in joints:
        path = [named[name].parent]
        while path[-1] in above:
            path.append(above[path[-1]].parent)
        paths.append(path[::-1])
    return paths
