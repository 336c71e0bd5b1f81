"""What MuJoCo's compiler tells of a model, as records: MjModel's arrays taken apart by body, joint and equality."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

Triple = tuple[float, float, float]
Four = tuple[float, float, float, float]


class MjJoint(IntEnum):
    """Kinds of joint, by MuJoCo's numbers."""

    FREE = 0
    BALL = 1
    SLIDE = 2
    HINGE = 3


class MjEquality(IntEnum):
    """Kinds of equality, by MuJoCo's numbers; others are refused by their number."""

    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3


@dataclass(frozen=True, slots=True)
class JointRecord:
    """A joint about ``axis`` through ``pos``, in its body's axes; ``reference`` and ``rest`` are rows of qpos.

    ``armature``, ``damping`` and ``frictionloss`` have an entry for each degree of freedom. ``odd`` names what is not
    zero of the fields that make springs and dampers nonlinear.
    """

    name: str
    kind: MjJoint
    pos: Triple
    axis: Triple
    reference: float
    rest: float
    range: tuple[float, float] | None
    force_range: tuple[float, float] | None
    stiffness: float
    armature: tuple[float, ...]
    damping: tuple[float, ...]
    frictionloss: tuple[float, ...]
    odd: tuple[str, ...]

    @property
    def alone(self) -> bool:
        """Whether it has one coordinate."""
        return self.kind in (MjJoint.SLIDE, MjJoint.HINGE)


@dataclass(frozen=True, slots=True)
class BodyRecord:
    """A body in its parent's axes, with its own inertia along the axes of ``iquat``; quaternions are (w, x, y, z)."""

    name: str
    parent: int
    pos: Triple
    quat: Four
    mass: float
    ipos: Triple
    iquat: Four
    inertia: Triple
    joints: tuple[JointRecord, ...]
    gravcomp: float
    mocap: bool


@dataclass(frozen=True, slots=True)
class EqualityRecord:
    """An equality between two bodies, sites, joints or tendons, by their numbers; the second may be -1."""

    name: str
    kind: int
    sites: bool
    first: int
    second: int
    active: bool
    data: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PlaceRecord:
    """A site or a camera on a body; ``fixed`` is false for cameras that follow something."""

    name: str
    body: int
    pos: Triple
    quat: Four
    fixed: bool = True


class ModelRecord:
    """All that is read of a model.

    Parameters
    ----------
    fields
        MjModel's arrays as lists, by name; those that a version of MuJoCo does not know are absent.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields
        self.gravity: Triple = _triple(fields["gravity"])
        self.disabled = frozenset(fields["disabled"])
        self.passive = "PASSIVE" not in self.disabled and not self.disabled >= {"SPRING", "DAMPER"}
        """Whether fluids and gravcomp act: MuJoCo has none of them where springs and dampers are both off."""
        self._called = {kind: called(names, kind) for kind, names in fields["names"].items()}
        self.bodies = tuple(map(self._body, range(len(fields["body_parentid"]))))
        self.joints = tuple(joint for body in self.bodies for joint in body.joints)
        self.equalities = tuple(map(self._equality, range(len(fields["eq_type"]))))
        self.sites = tuple(self._places("site", "site"))
        self.cameras = tuple(self._places("camera", "cam"))

    def names(self, kind: str) -> Sequence[str]:
        """Names of all of a kind; where the file gives none, made ones."""
        return self._called[kind]

    def odd(self, number: int, *names: str) -> tuple[str, ...]:
        """Which of these arrays have an entry that is not zero for an element."""
        return tuple(name for name in names if name in self.fields and _any(self.fields[name][number]))

    def pulled(self, tendon: int) -> tuple[tuple[int, float], ...] | None:
        """Joints of a fixed tendon by their numbers, each with its share of the length; None of a spatial one."""
        f, first = self.fields, self.fields["tendon_adr"][tendon]
        path = range(first, first + f["tendon_num"][tendon])
        if any(f["wrap_type"][at] != _WRAP_JOINT for at in path):
            return None
        return tuple((f["wrap_objid"][at], f["wrap_prm"][at]) for at in path)

    def _body(self, number: int) -> BodyRecord:
        f, first = self.fields, self.fields["body_jntadr"][number]
        return BodyRecord(
            self.names("body")[number],
            f["body_parentid"][number],
            _triple(f["body_pos"][number]),
            _four(f["body_quat"][number]),
            f["body_mass"][number],
            _triple(f["body_ipos"][number]),
            _four(f["body_iquat"][number]),
            _triple(f["body_inertia"][number]),
            tuple(map(self._joint, range(first, first + f["body_jntnum"][number]))),
            f["body_gravcomp"][number],
            f["body_mocapid"][number] >= 0,
        )

    def _joint(self, number: int) -> JointRecord:
        f, kind = self.fields, MjJoint(self.fields["jnt_type"][number])
        rows = {MjJoint.FREE: 6, MjJoint.BALL: 3}.get(kind, 1)
        dofs = range(f["jnt_dofadr"][number], f["jnt_dofadr"][number] + rows)
        row, odd = f["jnt_qposadr"][number], self.odd(number, "jnt_stiffnesspoly", "jnt_springyield")
        odd += tuple(name for name in self.odd(dofs[0], "dof_dampingpoly"))
        return JointRecord(
            self.names("joint")[number],
            kind,
            _triple(f["jnt_pos"][number]),
            _triple(f["jnt_axis"][number]),
            f["qpos0"][row],
            f["qpos_spring"][row],
            _pair(f["jnt_range"][number]) if f["jnt_limited"][number] else None,
            _pair(f["jnt_actfrcrange"][number]) if f["jnt_actfrclimited"][number] else None,
            0.0 if self.disabled & {"PASSIVE", "SPRING"} else f["jnt_stiffness"][number],
            tuple(f["dof_armature"][dof] for dof in dofs),
            (0.0,) * rows if self.disabled & {"PASSIVE", "DAMPER"} else tuple(f["dof_damping"][dof] for dof in dofs),
            (0.0,) * rows
            if self.disabled & {"CONSTRAINT", "FRICTIONLOSS"}
            else tuple(f["dof_frictionloss"][dof] for dof in dofs),
            odd,
        )

    def _equality(self, number: int) -> EqualityRecord:
        f = self.fields
        return EqualityRecord(
            self.names("equality")[number],
            f["eq_type"][number],
            f["eq_objtype"][number] == _SITE,
            f["eq_obj1id"][number],
            f["eq_obj2id"][number],
            bool(f["eq_active0"][number]),
            tuple(f["eq_data"][number]),
        )

    def _places(self, kind: str, prefix: str) -> Iterator[PlaceRecord]:
        f = self.fields
        for number, body in enumerate(f[f"{prefix}_bodyid"]):
            fixed = kind == "site" or f["cam_mode"][number] == 0
            pos, quat = _triple(f[f"{prefix}_pos"][number]), _four(f[f"{prefix}_quat"][number])
            yield PlaceRecord(self.names(kind)[number], body, pos, quat, fixed)


_SITE = 6
"""mjOBJ_SITE, which has not changed since there are sites."""
_WRAP_JOINT = 1
"""mjWRAP_JOINT."""


def called(names: Sequence[str], kind: str) -> tuple[str, ...]:
    """Names of all of a kind, where the file gives none by kind and number, unlike all others."""
    taken, found = set(names), list[str]()
    for number, name in enumerate(names):
        found.append(name or unlike(f"{kind}{number}", taken))
        taken.add(found[-1])
    return tuple(found)


def unlike(name: str, taken: Collection[str]) -> str:
    """A name that is not taken: the name itself, or with the first number that makes it one."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name}.{number}", number + 1
    return found


def _any(entry: Any) -> bool:
    return any(map(_any, entry)) if isinstance(entry, list) else bool(entry)


def _pair(row: Sequence[float]) -> tuple[float, float]:
    return row[0], row[1]


def _triple(row: Sequence[float]) -> Triple:
    return row[0], row[1], row[2]


def _four(row: Sequence[float]) -> Four:
    return row[0], row[1], row[2], row[3]
