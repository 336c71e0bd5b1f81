"""Steps between the stations of a rod from its coordinates, and forces of coordinates from wrenches at stations.

The strain along the rod is xi = xi* + Phi q. Its moments over a step, b = b* + B q, give Omega, the logarithm of the
step (Mathew et al., eqs. 1 and C1; ``spatial.exponent``), so that

    (R, p) = exp Omega,    nu = D Omega',    nu' = (D Omega')'

are the pose of a station in the frame of the one before, its relative twist and that one's rate, in the far axes. A
wrench F that passes the far end does the work B^T (dOmega/db)^T D^T F. No station needs another one here: a visit
does all steps of a rod side by side.

Sections that get thinner as their rod stretches have mass points that shift by a function of the strain at the station.
With the relative stretch s = 1 + c . q there (``shapes.thinning``), a point at d = (y, z) of the section at rest stands
at d / sqrt(s), so that the first moment of strain over the step aside to it has

    b = d s^(-1/2),    b' = d f s',    b'' = d (f' s'^2 + f s''),    f = -1/2 s^(-3/2)

in its rows across, and the shares g of forces there add c (f d . g) to those of coordinates. Steps along the rod have
d = 0 and c = 0. A row of the rod's table ends with d, then c of the coordinates that count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import rate
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.spatial.exponent import exponent, exponent_rates, exponent_transpose
from symdyn.algebra.spatial.step_pose import StepPose, Tangent, far_transpose, far_twist, far_twist_rate, step_pose
from symdyn.algebra.spatial.vectors import Vector, dot, entries_of
from symdyn.dynamics.tree.map_steps import MapVariant, map_force, map_response, map_step, map_step_along
from symdyn.dynamics.tree.ports import Reads, Writes
from symdyn.dynamics.tree.series_rates import rates_of
from symdyn.plan.plan import Mode, Port, Step

Pair = list[Scalar]


def thin_numbers(thins: Sequence[int]) -> int:
    """How many numbers of a row of the table say this, for the coordinates that make sections thinner."""
    return 2 + len(thins) if thins else 0


def thinned(thins: Sequence[int], algebra: Algebra, own: Vector, reads: Reads) -> tuple[dict[str, Pair], Pair]:
    """Per port of q, v and a what the first moment has across; and f d, by which it changes with s."""
    across, columns = own[:2], own[2:]
    rates = {port: dot(columns, [reads[port][row] for row in thins]) for port in "qva" if port in reads}
    inverse = algebra.constant(1.0) / (1.0 + rates["q"])
    factor = algebra.function("sqrt", inverse)
    slope = -0.5 * (factor * inverse)
    found = {"q": [factor * entry for entry in across]}
    if "v" in rates:
        found["v"] = [slope * rates["v"] * entry for entry in across]
    if "a" in rates:
        bend = -1.5 * (slope * inverse)
        found["a"] = [(bend * (rates["v"] * rates["v"]) + slope * rates["a"]) * entry for entry in across]
    return found, [slope * entry for entry in across]


def followed(thins: Sequence[int], table: Vector, kept: Vector, found: Sequence[Scalar]) -> Pair:
    """The first moment's accelerations across by those of coordinates, from what a step keeps."""
    rate = dot(table[-len(thins) :], [found[row] for row in thins])
    return [rate * slope for slope in kept[-2:]]


def add_thinning(thins: Sequence[int], table: Vector, kept: Vector, share: Vector, force: list[Scalar]) -> None:
    """Add what the share of a wrench in the first moment does to the stretch."""
    pull = dot(kept[-2:], share[1:3])
    for row, column in zip(thins, table[-len(thins) :], strict=True):
        force[row] = force[row] + column * pull


@dataclass(frozen=True, slots=True)
class RodVariant:
    """What is structural about the steps of a rod.

    ``entries`` are (moment, coordinate, row of the strain) wherever B is not zero in all steps; ``varying`` are the
    (moment, row) of b* that differ from step to step. The table of a step has what B has in ``entries``, then b* in
    ``varying``. A step that turns more than ``widest`` [rad] makes NaN.
    """

    moments: int
    coordinates: int
    terms: int
    entries: tuple[tuple[int, int, int], ...]
    varying: tuple[tuple[int, int], ...]
    widest: float
    thins: tuple[int, ...] = ()

    @property
    def width(self) -> int:
        """Scalars of a row of the table."""
        return len(self.entries) + len(self.varying) + thin_numbers(self.thins)

    @property
    def kept(self) -> int:
        """Scalars that a step keeps for the way back: moments, Omega, coefficients of D, and slopes by the stretch."""
        return 6 * self.moments + 10 + (2 if self.thins else 0)

    def rest_names(self) -> tuple[str, ...]:
        """Names of the constants of b* that all steps share."""
        places = ((moment, row) for moment in range(self.moments) for row in range(6))
        return tuple(rest_name(*place) for place in places if place not in self.varying)


def rest_name(moment: int, row: int) -> str:
    """An entry of b* among the constants."""
    return f"rest{moment}_{row}"


SoftVariant = RodVariant | MapVariant
"""What is structural about a body whose stations move with coordinates; a kernel runs the formulas of its kind."""


def rod_step(variant: SoftVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: pose, and twist and its rate where they are requested, of each station against the one before."""
    if isinstance(variant, MapVariant):
        return map_step(variant, algebra, constants, reads)
    return _relative(variant, algebra, rod_moments(variant, algebra, constants, reads))


def rod_moments(variant: RodVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: the moments b and their rates, as many as are requested."""
    table = reads["table"]
    found = {port: _moved(variant, table, reads[port]) for port in "qva" if port in reads}
    for place in ((moment, row) for moment in range(variant.moments) for row in range(6)):
        varying = place in variant.varying
        rest = table[len(variant.entries) + variant.varying.index(place)] if varying else constants[rest_name(*place)]
        found["q"][place[0]][place[1]] = rest + found["q"][place[0]][place[1]]
    kept: dict[str, list[Scalar]] = {}
    if variant.thins:
        shifts, slopes = thinned(variant.thins, algebra, table[-thin_numbers(variant.thins) :], reads)
        kept = {"slopes": slopes}
        for port, (y, z) in shifts.items():
            first = found[port][0]
            first[1], first[2] = first[1] + y, first[2] + z
    return kept | {f"b_{port}": [entry for own in moments for entry in own] for port, moments in found.items()}


def rod_poses(variant: RodVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: the rest of :func:`rod_step`, from the moments alone, and keeps all but these."""
    writes = _relative(variant, algebra, reads)
    return {**writes, "kept": writes["kept"][6 * variant.moments :]}


def _relative(variant: RodVariant, algebra: Algebra, reads: Reads) -> dict[str, Sequence[Scalar]]:
    """Pose, twist and its rate, from the moments."""
    omega, pose, writes = _posed(variant, algebra, reads)

    def exponents() -> list[list[Scalar]]:
        series = (sixes(reads[port]) for port in ("b_q", "b_v", "b_a") if port in reads)
        return exponent_rates(algebra, list(zip(*series, strict=True)))

    if "b_v" in reads:
        writes["twist"] = far_twist(pose.tangent, omega, rates_of(omega, lambda: exponents()[1]))
    if "b_a" in reads:
        writes["rate"] = rates_of(writes["twist"], lambda: far_twist_rate(pose.tangent, pose.slopes, *exponents()))
    return writes


def rod_step_along(
    variant: SoftVariant, algebra: TaylorAlgebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """As :func:`rod_step` on series in time, from q at t = 0 and the series of v: all motion is the exponent's."""
    if isinstance(variant, MapVariant):
        return map_step_along(variant, algebra, constants, reads)
    q = [algebra.integral(own, start) for own, start in zip(reads["v"], reads["q"], strict=True)]
    moments = rod_moments(variant, algebra, constants, {"table": reads["table"], "q": q})
    omega, pose, writes = _posed(variant, algebra, moments)
    twist = far_twist(pose.tangent, omega, [rate(entry) for entry in omega])
    return {**writes, "twist": twist, "rate": [rate(entry) for entry in twist]}


def _posed(
    variant: RodVariant, algebra: Algebra, found: Reads
) -> tuple[list[Scalar], StepPose, dict[str, Sequence[Scalar]]]:
    """Omega, exp Omega, and what is written of them."""
    moments = found["b_q"]
    omega = exponent(algebra, sixes(moments))
    pose = step_pose(algebra, omega, variant.terms, variant.widest)
    writes: dict[str, Sequence[Scalar]] = {
        "pose": [*entries_of(pose.rotation.matrix()), *pose.translation],
        "kept": [*moments, *omega, *pose.tangent, *found.get("slopes", ())],
    }
    return omega, pose, writes


@dataclass(frozen=True, slots=True)
class ResponseVariant:
    """A rod, and which of its rows accelerate beyond what was known."""

    rod: SoftVariant
    free: tuple[bool, ...]


def rod_response(variant: ResponseVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: accelerations (v'; omega') of each station against the one before, by those of its coordinates.

    Of ``twist``, coefficients of order k + 1, they are shares; the constant ``power`` is k + 1.
    """
    rod = variant.rod
    if isinstance(rod, MapVariant):
        return map_response(rod, variant.free, algebra, constants, reads)
    found = [own if free else 0.0 for own, free in zip(reads["found"], variant.free, strict=True)]
    moments, omega, tangent = _kept(rod, reads["kept"])
    rates = _moved(rod, reads["table"], found)
    if rod.thins:
        y, z = followed(rod.thins, reads["table"], reads["kept"], found)
        rates[0][1], rates[0][2] = rates[0][1] + y, rates[0][2] + z
    moved = far_twist(tangent, omega, exponent_rates(algebra, list(zip(moments, rates, strict=True)))[1])
    if "power" not in constants:
        return {"moved": moved}
    share = algebra.constant(1.0) / constants["power"]
    return {"moved": moved, "twist": [share * entry for entry in moved]}


def rod_force(variant: SoftVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: the forces of its coordinates, from the wrench (f; n) that passes each station.

    Moments have a port of their own where they are not kept with the rest.
    """
    if isinstance(variant, MapVariant):
        return map_force(variant, algebra, constants, reads)
    moments, omega, tangent = _kept(variant, [*reads.get("moments", ()), *reads["kept"]])
    shares = exponent_transpose(algebra, moments, far_transpose(tangent, omega, reads["wrench"]))
    force: list[Scalar] = [0.0] * variant.coordinates
    for (moment, coordinate, row), weight in zip(variant.entries, reads["table"], strict=False):
        force[coordinate] = force[coordinate] + weight * shares[moment][row]
    if variant.thins:
        add_thinning(variant.thins, reads["table"], reads["kept"], shares[0], force)
    return {"tau": force}


def _kept(variant: RodVariant, kept: Vector) -> tuple[list[Vector], Vector, Tangent]:
    """Moments, Omega and coefficients of D, from what a step keeps."""
    size = 6 * variant.moments
    return sixes(kept[:size]), kept[size : size + 6], Tangent(*kept[size + 6 : size + 10])


def sixes(moments: Vector) -> list[Vector]:
    """Each moment for itself."""
    return [moments[start : start + 6] for start in range(0, len(moments), 6)]


def _moved(variant: RodVariant, table: Vector, q: Vector) -> list[list[Scalar]]:
    """B q."""
    found: list[list[Scalar]] = [[0.0] * 6 for _ in range(variant.moments)]
    for (moment, coordinate, row), weight in zip(variant.entries, table, strict=False):
        found[moment][row] = found[moment][row] + weight * q[coordinate]
    return found


_GIVEN = tuple(Port(name, Mode.READ) for name in ("table", "q", "v", "a"))
FOUND = tuple(Port(name, Mode.WRITE) for name in ("pose", "kept", "twist", "rate"))
MOMENTS = ("b_q", "b_v", "b_a")
ROD_STEP = Step("rod_step", rod_step, (*_GIVEN, *FOUND))
ROD_STEP_ALONG = Step("rod_step_along", rod_step_along, (*_GIVEN[:-1], *FOUND))
ROD_MOMENTS = Step("rod_moments", rod_moments, (*_GIVEN, *(Port(name, Mode.WRITE) for name in MOMENTS)))
ROD_RESPONSE = Step(
    "rod_response",
    rod_response,
    (
        *(Port(name, Mode.READ) for name in ("table", "kept", "found")),
        Port("moved", Mode.WRITE),
        Port("twist", Mode.ADD),
    ),
)
ROD_FORCE = Step(
    "rod_force",
    rod_force,
    (*(Port(name, Mode.READ) for name in ("table", "moments", "kept", "wrench")), Port("tau", Mode.ADD)),
)
