"""Terms of the cost of an optimal-control problem: weighted squares of residuals, each a record.

A term with the residual r and the diagonal matrix W adds ``h weight r^T W r / 2`` at each step of the path, of length
h, and ``end r^T W r / 2`` at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

from symdyn.description.control.entries import (
    GRAVITY,
    INPUT,
    START,
    Entries,
    UnplacedError,
    entries,
    finite,
    normal,
    placed,
    written,
)
from symdyn.description.declared import Family, Key, Said, family, keyed, nested
from symdyn.description.forms import CONSTANT, NAME, Form, choice
from symdyn.description.quantities.written import mapping, number, text
from symdyn.description.text.validation import Path

GAUSS_NEWTON, EXACT = "gauss_newton", "exact"
_WORDS = {"q": (START, INPUT), "v": (START, INPUT), "reference": (GRAVITY, INPUT), "target": (INPUT,)}
"""Words that stand for values of fields."""
_SIZES: dict[str, tuple[int, ...]] = {
    "frame_pose": (7,),
    "frame_position": (3,),
    "frame_axis": (3,),
    "center_of_mass": (3,),
}
_SIZES |= {"center_of_mass": (3,), "frame_velocity": (0, 6), "momentum": (0, 6)}
_TURNED = {"frame_pose": 3, "frame_axis": 0}
"""Where the part of a target begins that has a direction alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What all terms have.

    Parameters
    ----------
    weight
        Of the path, at least 0, or ``"input"``: given at run time. 1 if neither it nor ``end`` is given, else 0.
    weights
        The diagonal of W: a number, a list by rows, numbers by names, or ``"input"``; 1 if not given.
    end
        Weight at the end, or ``"input"``; a list or numbers by names are the diagonal of W at the end, with weight 1.
    huber
        Where sqrt(r^T W r) is larger than this, the term grows linearly.
    hessian
        ``"gauss_newton"``, which is never negative, or ``"exact"``.
    name
        By default the word for its kind.
    """

    key: ClassVar[str] = ""
    title: ClassVar[str] = ""
    weight: Entries = None
    weights: Entries = None
    end: Entries = None
    huber: float | None = None
    hessian: str = GAUSS_NEWTON
    name: str = ""

    def __post_init__(self) -> None:
        for own in ("weight", "weights", "end"):
            if getattr(self, own) is not None:
                self._set(own, normal(own, getattr(self, own), (INPUT,), 0.0))
        if isinstance(self.weight, tuple):
            raise UnplacedError("weight is one number of all rows; give those of rows by weights")
        for own, words in _WORDS.items():
            if getattr(self, own, None) is not None:
                self._set(own, normal(own, getattr(self, own), words))
        if self.huber is not None:
            self._set("huber", finite("huber", self.huber))
            if self.huber <= 0.0:
                raise UnplacedError(f"huber is {self.huber!r}; give a residual above 0, or leave it out")
        if self.hessian not in (GAUSS_NEWTON, EXACT):
            raise UnplacedError(f"hessian is {GAUSS_NEWTON!r} or {EXACT!r}, got {self.hessian!r}")
        target, sizes = getattr(self, "target", INPUT), _SIZES.get(self.key, ())
        count = len(target) if isinstance(target, tuple) else 0
        if sizes and target != INPUT and count not in sizes:
            one = " or one for all" if 0 in sizes else ""
            raise UnplacedError(f"target has {sizes[-1]} numbers{one}, or is {INPUT!r}, got {target!r}")
        if self.key in _TURNED and target != INPUT and not any(target[_TURNED[self.key] :]):
            raise UnplacedError("target points nowhere: its quaternion or axis is zero; give it a length")
        if self.end is not None and not self.at_end:
            raise UnplacedError(f"end has no meaning for {self.key}: there is no input at the end; leave it out")

    def _set(self, own: str, value: Any) -> None:
        object.__setattr__(self, own, value)

    @property
    def at_end(self) -> bool:
        """Whether it may be part of the cost at the end."""
        return True

    @property
    def of_path(self) -> Entries:
        """Its weight on the path."""
        if self.weight is not None:
            return self.weight
        return 1.0 if self.end is None or self.weights is not None else 0.0


class _OfInputs(Cost):
    """Base of terms that have no meaning at the end."""

    __slots__ = ()

    @property
    def at_end(self) -> bool:
        """No."""
        return False


_STATE = "a number, a list, numbers by names, `start`, or `input`: given at run time"


@dataclass(frozen=True, slots=True)
class StateCost(Cost):
    """Distance of coordinates and velocities from references; ``weights`` and ``end`` have a part for each: q, v."""

    key: ClassVar[str] = "state"
    title: ClassVar[str] = "coordinates and velocities against references"
    q: Annotated[Entries, Key(entries((START, INPUT)), f"coordinates: {_STATE}")] = None
    v: Annotated[Entries, Key(entries((START, INPUT)), f"velocities: {_STATE}")] = None


@dataclass(frozen=True, slots=True)
class InputCost(_OfInputs):
    """Distance of inputs from a reference."""

    key: ClassVar[str] = "input"
    title: ClassVar[str] = "inputs against a reference"
    reference: Annotated[
        Entries,
        Key(
            entries((GRAVITY, INPUT)),
            "inputs: a number, a list, numbers by names, `gravity` for the forces of gravity at the start, or `input`",
        ),
    ] = 0.0


@dataclass(frozen=True, slots=True)
class FramePose(Cost):
    """The twist that leads from a target pose to the pose of a frame in unit time, linear part first."""

    key: ClassVar[str] = "frame_pose"
    title: ClassVar[str] = "the pose of a frame against a target"
    frame: Annotated[str, Key(NAME, "the frame")]
    target: Annotated[Entries, Key(entries((INPUT,)), "x, y, z [m] and a quaternion x, y, z, w; or `input`")] = INPUT


@dataclass(frozen=True, slots=True)
class FramePosition(Cost):
    """The distance of a frame's origin from a point of the world."""

    key: ClassVar[str] = "frame_position"
    title: ClassVar[str] = "the origin of a frame against a target"
    frame: Annotated[str, Key(NAME, "the frame")]
    target: Annotated[Entries, Key(entries((INPUT,)), "x, y, z [m]; or `input`")] = INPUT


@dataclass(frozen=True, slots=True)
class FrameAxis(Cost):
    """The difference of a frame's z axis from a direction of the world."""

    key: ClassVar[str] = "frame_axis"
    title: ClassVar[str] = "the z axis of a frame against a target"
    frame: Annotated[str, Key(NAME, "the frame")]
    target: Annotated[Entries, Key(entries((INPUT,)), "a direction in the world, of any length; or `input`")] = INPUT


@dataclass(frozen=True, slots=True)
class FrameVelocity(Cost):
    """The difference of a frame's twist from a reference: linear, then angular, in world axes at its origin."""

    key: ClassVar[str] = "frame_velocity"
    title: ClassVar[str] = "the velocity of a frame against a target"
    frame: Annotated[str, Key(NAME, "the frame")]
    target: Annotated[
        Entries, Key(entries((INPUT,)), "six numbers, linear [m/s] and angular [rad/s], or one of all; or `input`")
    ] = 0.0


@dataclass(frozen=True, slots=True)
class CenterOfMass(Cost):
    """The distance of the centre of mass from a point of the world."""

    key: ClassVar[str] = "center_of_mass"
    title: ClassVar[str] = "the centre of mass against a target"
    target: Annotated[Entries, Key(entries((INPUT,)), "x, y, z [m]; or `input`")] = INPUT


@dataclass(frozen=True, slots=True)
class Momentum(Cost):
    """The difference of the momentum about the centre of mass from a reference: linear, then angular, in world axes."""

    key: ClassVar[str] = "momentum"
    title: ClassVar[str] = "the centroidal momentum against a target"
    target: Annotated[
        Entries,
        Key(entries((INPUT,)), "six numbers, linear [kg m/s], angular [kg m^2/s], or one of all; or `input`"),
    ] = 0.0


@dataclass(frozen=True, slots=True)
class Energy(Cost):
    """The difference of the energy, kinetic and potential with that of springs, from a reference."""

    key: ClassVar[str] = "energy"
    title: ClassVar[str] = "the energy against a target"
    target: Annotated[Entries, Key(entries((INPUT,)), "[J]; or `input`")] = 0.0


@dataclass(frozen=True, slots=True)
class Effort(Cost):
    """The difference of the forces of springs, elastic joints and links that bend from references, by rows of v."""

    key: ClassVar[str] = "effort"
    title: ClassVar[str] = "forces of what is elastic, against a reference"
    target: Annotated[
        Entries, Key(entries((INPUT,)), "a number, a list, or numbers by rows of v [N m or N]; or `input`")
    ] = 0.0


@dataclass(frozen=True, slots=True)
class InputRate(_OfInputs):
    """How fast inputs change: their difference from those of the step before, over the length of a step."""

    key: ClassVar[str] = "input_rate"
    title: ClassVar[str] = "changes of inputs from step to step"


KINDS: dict[str, type[Cost]] = {
    own.key: own
    for own in (
        StateCost,
        InputCost,
        InputRate,
        FramePose,
        FramePosition,
        FrameAxis,
        FrameVelocity,
        CenterOfMass,
        Momentum,
        Energy,
        Effort,
    )
}
"""All kinds of terms by their keys."""
_EACH = entries((INPUT,), 0.0)


def _one_kind(said: Said) -> str:
    found = [word for word in KINDS if word in said]
    if len(found) == 1:
        return ""
    return f"expected one of {', '.join(KINDS)}, got {' and '.join(found) or 'none of them'}"


COST: Family = keyed(
    "Cost",
    "A term of the cost: one of its kinds, with weights.",
    {
        **{word: Key(nested(family(kind, word)), kind.title) for word, kind in KINDS.items()},
        "weight": Key(_EACH, "of the path, at least 0, or `input`; 1 if neither it nor end is given, else 0"),
        "weights": Key(_EACH, "of rows: a list, or by names; of `state` the parts `q` and `v`; 1 if left out"),
        "end": Key(_EACH, "weight at the end; or as `weights`, which it replaces there with weight 1"),
        "huber": Key(CONSTANT, "from this size of the weighted residual on the term grows linearly"),
        "hessian": Key(choice((GAUSS_NEWTON, EXACT)), "`gauss_newton`, which is never negative, or `exact`"),
    },
    check=_one_kind,
)
_SHARED = ("weight", "weights", "end", "huber", "hessian")


def _make(raw: Any, given: Any, path: Path) -> Cost:
    found = COST.make(raw, given, path)
    own = next(getattr(found, word) for word in KINDS if getattr(found, word) is not None)
    more = {name: getattr(found, name) for name in _SHARED if getattr(found, name) is not None}
    with placed(given, path):
        made: Cost = replace(own, **more)
    return made


def _write(cost: Cost, deforming: Any) -> str:
    found = {cost.key: mapping(family(type(cost), cost.key).written(cost))}
    found |= {own: written(getattr(cost, own)) for own in _SHARED[:3] if getattr(cost, own) is not None}
    found |= {} if cost.huber is None else {"huber": number(cost.huber)}
    found |= {} if cost.hessian == GAUSS_NEWTON else {"hessian": text(cost.hessian)}
    return mapping(found)


COST_FORM = Form(lambda of: of(COST), _make, _write)
"""A term, as a mapping."""
