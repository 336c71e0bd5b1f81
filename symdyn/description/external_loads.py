"""What acts on a robot from outside, each with a name of its own: wrenches at places of links and along rods."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Any, ClassVar

from symdyn.description.attachment import AT, Attachment, written_attachment
from symdyn.description.declared import Family, Group, Key, Other, Part, Said, family
from symdyn.description.forms import (
    CONSTANT,
    CONSTANTS,
    NAME,
    SCALAR,
    TEXT,
    TRIPLE,
    VECTOR,
    Form,
    Short,
    choice,
    quantity,
    scalar,
    vector,
)
from symdyn.description.loads import Load
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.placement import Number, Vector3
from symdyn.description.quantities.written import listed, mapping, number, text
from symdyn.description.text.validation import Path, kind_of, refusal

AXES = ("body", "world")
"""Axes of a wrench: those that its place carries along, or those of the world."""
ENTRIES = tuple(f"{part}.{axis}" for part in ("force", "moment") for axis in "xyz")
"""Names of the entries of a wrench."""
ALONG = "x"
"""In expressions of what acts along a rod: the distance from the root [m]."""
POSITION, VELOCITY, TURNING = (tuple(f"{kind}{axis}" for axis in "xyz") for kind in "pvw")
"""In expressions of wrenches: where their place is in the world [m], its velocity [m/s], the angular one [rad/s]."""
MOVING = frozenset((*POSITION, *VELOCITY, *TURNING))
VELOCITY_SCALE = 1e-4
"""By which drag is smooth at rest [m/s], where nothing is said."""
KNOWN = MOVING | {ALONG}
Triple = tuple[float, float, float]
STILL: Triple = (0.0, 0.0, 0.0)
"""The wind of a medium at rest."""
Six = tuple[Number, Number, Number, Number, Number, Number]
_PARAMETER = "parameter."


@dataclass(frozen=True, slots=True)
class Site:
    """A place on a link, as that of a frame: ``point`` [m] in the link's axes, or an extra frame by its name.

    On a link that deforms ``at`` says from where the point is counted, see :class:`Attachment`: with the default from
    the link's frame at rest, so that the tip itself is ``Attachment.END``.

    Without both it is a point of the world.
    """

    link: Annotated[str, Key(NAME, "the link that it is on")] = ""
    at: Annotated[Attachment | float, Key(AT, "where on a flexible or soft link, as for frames")] = Attachment.TIP
    point: Annotated[
        Vector3,
        Key(
            VECTOR,
            "in the link's axes [m]; if left out its origin, or the tip of a link that deforms",
            others=(Other("world", VECTOR, "a point of the world [m], in place of the others", ("held",)),),
        ),
    ] = (0.0, 0.0, 0.0)
    frame: Annotated[
        str,
        Key(
            NAME,
            "an extra frame, in place of the three",
            others=(Other("place", NAME, "a link, an extra frame or a tip, in place of the others"),),
        ),
    ] = ""

    @property
    def grounded(self) -> bool:
        """Whether it is a point of the world."""
        return not (self.link or self.frame)


def six(value: object) -> tuple[Number, ...]:
    """Six numbers or expressions, of a force and a moment."""
    if not isinstance(value, list) or len(value) != len(ENTRIES):
        got = f"{len(value)} entries" if isinstance(value, list) else kind_of(value)
        raise refusal(f"expected a list of six numbers, of force and moment, got {got}")
    return tuple(quantity(entry) for entry in value)


SIXFOLD = {"type": "array", "items": SCALAR, "minItems": len(ENTRIES), "maxItems": len(ENTRIES)}
SIX = scalar(six, SIXFOLD, listed, lambda raw, given, path: tuple(given.fold(entry, path) for entry in raw))
"""Numbers or expressions over run-time parameters, of force and moment."""


def written_site(own: Site, deforming: Collection[str]) -> dict[str, str]:
    """A place; that of a link that deforms is written such that no other frame can be meant."""
    if own.grounded:
        return {"world": listed(own.point)}
    if own.frame:
        return {"frame": text(own.frame)}
    bare = own.point == Site().point and not (own.at is Attachment.TIP and own.link in deforming)
    found = {"link": text(own.link)} | ({} if own.at is Attachment.TIP else {"at": written_attachment(own.at)})
    return found | ({} if bare else {"point": listed(own.point)})


def place(kind: str) -> Form:
    """The form of a place, a mapping or the name of a link, a frame or a tip; ``held`` ones may be of the world."""
    places = Family("place", ((Site, (kind,)),))
    tips = ", a frame or a tip" if kind == "held" else " or a frame"

    def read(value: object) -> str | None:
        if isinstance(value, dict):
            return None
        if not isinstance(value, str):
            raise refusal(f"expected a place: the name of a link{tips}, or a mapping, got {kind_of(value)}")
        return value

    return Form(
        lambda of: Annotated[Any, Short(read, {"type": "string"}, of(places))],
        lambda raw, given, path: given.place(raw, path, kind == "held"),
        lambda site, deforming: mapping(written_site(site, deforming)),
    )


class Acting(Load):
    """Base of all kinds: ``name`` stands before its leaves, ``line`` is that of the file."""

    __slots__ = ()
    name: str
    line: int | None
    framed: ClassVar[bool] = True

    def leaf(self, number: str) -> str:
        """What follows its name in that of a run-time parameter."""
        return number

    @property
    def shown(self) -> dict[str, Number]:
        """Its numbers that are not 0, as users read them."""
        return {name: number for name, number in self.numbers.items() if number != 0.0}

    @property
    def sites(self) -> tuple[Site, ...]:
        """The places that it acts at; the stations of a soft link have none."""
        return ()

    @property
    def pair(self) -> tuple[Site, ...]:
        """The two places between which it acts; none where it acts from outside."""
        return ()

    @property
    def stands(self) -> tuple[Site, ...]:
        """All its places."""
        return (*self.sites, *self.pair)

    @property
    def rod(self) -> str:
        """The soft link at whose stations it acts; empty where it acts elsewhere."""
        return ""


class Along(Acting):
    """Base of kinds that may act along a soft link: from ``start`` to ``end`` [m], None standing for its ends."""

    __slots__ = ()
    start: float | None
    end: float | None

    @property
    def part(self) -> tuple[float | None, float | None] | None:
        """The part of a rod that it acts on, where that is not the whole; None stands for an end of the rod."""
        return None if self.start is None and self.end is None else (self.start, self.end)


class Entries(Along):
    """Base of kinds with six entries for a force and a moment, numbers or expressions over ``KNOWN`` and parameters."""

    __slots__ = ()
    site: Site
    entries: Six
    per_length: bool

    @property
    def varying(self) -> tuple[Expression | None, ...]:
        """Per entry its expression, where it asks for more than parameters."""
        return tuple(
            entry if isinstance(entry, Expression) and not KNOWN.isdisjoint(entry.names) else None
            for entry in self.entries
        )

    @property
    def asks(self) -> frozenset[str]:
        """Names in its expressions that are no parameters."""
        return KNOWN.intersection(chain.from_iterable(entry.names for entry in self.varying if entry is not None))

    @property
    def smooth(self) -> float:
        """None where an entry has a kink."""
        return 0.0 if any(own is not None and own.kinked for own in self.varying) else math.inf

    def smoother(self, order: int) -> str:
        """How it may become smooth."""
        return "write it without abs"

    @property
    def knows(self) -> frozenset[str]:
        """Names that its expressions may use beside parameters."""
        return KNOWN if self.per_length else MOVING

    @property
    def numbers(self) -> dict[str, Number]:
        """Its entries by name, and the parameters of those that ask for more."""
        varying = self.varying
        told: dict[str, Number] = {
            name: entry for name, entry, own in zip(ENTRIES, self.entries, varying, strict=True) if own is None
        }
        names = dict.fromkeys(chain.from_iterable(own.names for own in varying if own is not None))
        return told | {_PARAMETER + name: Expression(name) for name in names if name not in self.asks}

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Whether any entry may differ from 0."""
        return any(name not in constants or constants[name] != 0.0 for name in ENTRIES)

    @property
    def shown(self) -> dict[str, Number]:
        """The entries that are not 0."""
        return {name: entry for name, entry in zip(ENTRIES, self.entries, strict=True) if entry != 0.0}

    @property
    def sites(self) -> tuple[Site, ...]:
        """Where it acts."""
        return () if self.per_length else (self.site,)

    @property
    def rod(self) -> str:
        """The soft link along which it acts."""
        return self.site.link if self.per_length else ""

    def _units(self, force: str, moment: str) -> dict[str, str]:
        units = dict(zip(ENTRIES, (force,) * 3 + (moment,) * 3, strict=True))
        return {name: unit for name, unit in units.items() if name in self.numbers}


def _wrench_fault(said: Said) -> str:
    if ("link" in said) == ("frame" in said):
        return "expected where it acts: 'link' or 'frame', one of the two"
    if "frame" in said and ("at" in said or "point" in said):
        return "the frame says where it stands; leave out at and point, or name the link in its place"
    along, here = "per_length" in said, "force" in said or "moment" in said
    if not along and not here:
        return "expected 'force', 'moment' or 'per_length'"
    if along and here:
        return "per_length is a force and a moment already; leave out force and moment, or per_length"
    if not along and ("from" in said or "to" in said):
        return "from and to are of a load per_length; leave them out"
    placed = along and any(key in said for key in ("at", "point", "frame"))
    return "per_length acts all along a soft link; name the link alone" if placed else ""


def _acting(said: Said, given: Any, path: Path) -> dict[str, Any]:
    along, nothing = "per_length" in said, (0.0, 0.0, 0.0)
    if along or "frame" in said:
        site = Site(said.get("link", ""), frame=said.get("frame", ""))
    else:
        site = given.site(said["link"], said.get("at"), said.get("point"), path)
    parts = {key: said.get(key, nothing) for key in (("per_length",) if along else ("force", "moment"))}
    known = MOVING | {ALONG} if along else MOVING
    entries = tuple(given.fold_among(own, (*path, key), known) for key, part in parts.items() for own in part)
    ends = {"start": said.get("from"), "end": said.get("to")}
    return {"site": site, "entries": entries, "per_length": along, **ends}


def _acting_texts(own: Any, deforming: Collection[str]) -> dict[str, str]:
    if own.per_length:
        found = {"link": text(own.site.link), "per_length": listed(own.entries)}
    else:
        forces = {"force": listed(own.entries[:3]), "moment": listed(own.entries[3:])}
        found = written_site(own.site, deforming) | forces
    return found | written_part(own)


def written_part(own: Along) -> dict[str, str]:
    """The ends of the part of a soft link that something acts on, where they are said."""
    ends = {"from": own.start, "to": own.end}
    return {name: number(end) for name, end in ends.items() if end is not None}


_RAW = scalar(vector, TRIPLE, listed)
_ACTING = Group(
    (
        Part("link", TEXT, "the link that it acts on; this or `frame` is required"),
        Part("at", AT, "on a link that deforms, as for [frames](#frames); `tip` if left out"),
        Part(
            "point", VECTOR, "in the link's axes at rest [m]; its origin, or the tip of one that deforms, if left out"
        ),
        Part("frame", TEXT, "instead of these three: an extra frame where it acts, or a tip such as `arm.tip`"),
        Part("force", _RAW, "on the link, at the place [N]; expressions may use px, py, pz, vx, vy, vz, wx, wy, wz"),
        Part("moment", _RAW, "on the link [N m]; likewise"),
        Part(
            "per_length",
            scalar(six, SIXFOLD, listed),
            "instead of all but `link`: force and moment per metre of a soft link at rest [N/m, N]; expressions may "
            "use x too",
        ),
        Part("from", CONSTANT, "of `per_length`: where on the link it begins, from the root [m]; 0 if left out"),
        Part("to", CONSTANT, "of `per_length`: where it ends [m]; the rod's length if left out"),
    ),
    _acting,
    _acting_texts,
    _wrench_fault,
)


@dataclass(frozen=True, slots=True)
class Wrench(Entries):
    """A force and a moment at a place, or per metre of a soft link at rest.

    ``entries`` are (f; n) [N, N m; N/m, N along a rod] in ``axes``: of the place, or of the world. Along a rod the
    former are those of the sections, x along the rod, and it acts from ``start`` to ``end`` [m], or all along it.
    Entries may be expressions over parameters and, beside these, over ``MOVING``, in the axes of the entries but for
    positions; along a rod also over ``ALONG``. ``VELOCITY`` is that against a medium that moves by ``wind`` [m/s], in
    the world's axes.
    """

    key = "loads"
    word = "load"
    words = "a wrench from outside"
    title = "wrenches from outside"
    name: str
    site: Annotated[Site, _ACTING]
    entries: Six
    axes: Annotated[str, Key(choice(AXES), "`body`: axes of the place, which move with it; or `world`")] = AXES[0]
    per_length: bool = False
    line: int | None = field(default=None, compare=False)
    start: float | None = None
    end: float | None = None
    wind: Annotated[
        Triple,
        Key(
            CONSTANTS,
            "velocity of the medium in the world's axes [m/s]; vx, vy, vz are relative to it",
        ),
    ] = STILL

    def units(self, slides: bool) -> dict[str, str]:
        """Units of the entries that are numbers."""
        return self._units(*(("N/m", "N") if self.per_length else ("N", "N m")))


WRENCHES = family(Wrench)


def parameter_of(number: str) -> str | None:
    """The parameter that a number of a load stands for, if it does."""
    return number.removeprefix(_PARAMETER) if number.startswith(_PARAMETER) else None
