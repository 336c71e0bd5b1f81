"""Along a rod: what its coordinates make of the steps between its stations, and what wrenches there make of its forces.

The strain along the rod is xi = xi* + Phi q. Its moments over a step, b = b* + B q, tell Omega, the logarithm of the
step (Mathew et al., eqs. 1 and C1; ``spatial.exponent``), so that

    (R, p) = exp Omega,    nu = D Omega',    nu' = (D Omega')'

are the pose of a station in the frame of the one before, its relative twist and that one's rate, in the far axes. A
wrench F that passes the far end does the work B^T (dOmega/db)^T D^T F. Stations do not know of each other here: a visit
does all steps of a rod side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.dynamics.tree.series_rates import rates_of
from symdyn.plan.plan import Mode, Port, Step
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.scalars.taylor import rate
from symdyn.scalars.taylor_algebra import TaylorAlgebra
from symdyn.spatial.exponent import exponent, exponent_rates, exponent_transpose
from symdyn.spatial.step_pose import StepPose, Tangent, far_transpose, far_twist, far_twist_rate, step_pose
from symdyn.spatial.vectors import Vector, entries_of

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]


@dataclass(frozen=True, slots=True)
class RodVariant:
    """What is structural about the steps of a rod.

    ``entries`` are (moment, coordinate, row of the strain) wherever B is not zero in all steps; ``varying`` are the
    (moment, row) of b* that differ from step to step. The table of a step has what B has in ``entries``, then b* in
    ``varying``.
    """

    moments: int
    coordinates: int
    terms: int
    entries: tuple[tuple[int, int, int], ...]
    varying: tuple[tuple[int, int], ...]

    @property
    def width(self) -> int:
        """Scalars of a row of the table."""
        return len(self.entries) + len(self.varying)

    @property
    def kept(self) -> int:
        """Scalars that a step keeps for the way back: moments, Omega, and coefficients of D."""
        return 6 * self.moments + 10

    def rest_names(self) -> tuple[str, ...]:
        """Names of the constants of b* that all steps share."""
        places = ((moment, row) for moment in range(self.moments) for row in range(6))
        return tuple(rest_name(*place) for place in places if place not in self.varying)


def rest_name(moment: int, row: int) -> str:
    """An entry of b* among the constants."""
    return f"rest{moment}_{row}"


def rod_step(variant: RodVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: pose, and twist and its rate where they are asked for, of each station against the one before."""
    moments, omega, pose, writes = _stepped(variant, algebra, constants, reads["table"], reads["q"])

    def exponents() -> list[list[Scalar]]:
        rates = (_moved(variant, reads["table"], reads[port]) for port in "va" if port in reads)
        return exponent_rates(algebra, list(zip(moments, *rates, strict=True)))

    if "v" in reads:
        writes["twist"] = far_twist(pose.tangent, omega, rates_of(omega, lambda: exponents()[1]))
    if "a" in reads:
        writes["rate"] = rates_of(writes["twist"], lambda: far_twist_rate(pose.tangent, pose.slopes, *exponents()))
    return writes


def rod_step_along(
    variant: RodVariant, algebra: TaylorAlgebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """The same on series in time, from q at t = 0 and the series of v: all motion is read off the exponent's."""
    q = [algebra.integral(own, start) for own, start in zip(reads["v"], reads["q"], strict=True)]
    _, omega, pose, writes = _stepped(variant, algebra, constants, reads["table"], q)
    twist = far_twist(pose.tangent, omega, [rate(entry) for entry in omega])
    return {**writes, "twist": twist, "rate": [rate(entry) for entry in twist]}


def _stepped(
    variant: RodVariant, algebra: Algebra, constants: Mapping[str, Scalar], table: Vector, q: Vector
) -> tuple[list[list[Scalar]], list[Scalar], StepPose, dict[str, Sequence[Scalar]]]:
    """Moments, Omega, exp Omega, and what is written of them."""
    moments = _moved(variant, table, q)
    for place in ((moment, row) for moment in range(variant.moments) for row in range(6)):
        varying = place in variant.varying
        rest = table[len(variant.entries) + variant.varying.index(place)] if varying else constants[rest_name(*place)]
        moments[place[0]][place[1]] = rest + moments[place[0]][place[1]]
    omega = exponent(algebra, moments)
    pose = step_pose(algebra, omega, variant.terms)
    writes: dict[str, Sequence[Scalar]] = {
        "pose": [*entries_of(pose.rotation.matrix()), *pose.translation],
        "kept": [*(entry for own in moments for entry in own), *omega, *pose.tangent],
    }
    return moments, omega, pose, writes


@dataclass(frozen=True, slots=True)
class ResponseVariant:
    """A rod, and which of its rows accelerate beyond what was known."""

    rod: RodVariant
    free: tuple[bool, ...]


def rod_response(variant: ResponseVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: accelerations (v'; omega') of each station against the one before, by those of its coordinates.

    Of ``twist``, coefficients of order k + 1, they are shares; the constant ``power`` is k + 1.
    """
    rod = variant.rod
    found = [own if free else 0.0 for own, free in zip(reads["found"], variant.free, strict=True)]
    kept, size = reads["kept"], 6 * rod.moments
    moments = [kept[start : start + 6] for start in range(0, size, 6)]
    omega, tangent = kept[size : size + 6], Tangent(*kept[size + 6 :])
    rates = _moved(rod, reads["table"], found)
    moved = far_twist(tangent, omega, exponent_rates(algebra, list(zip(moments, rates, strict=True)))[1])
    if "power" not in constants:
        return {"moved": moved}
    share = algebra.constant(1.0) / constants["power"]
    return {"moved": moved, "twist": [share * entry for entry in moved]}


def rod_force(variant: RodVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: the forces of its coordinates, from the wrench (f; n) that passes each station."""
    kept, size = reads["kept"], 6 * variant.moments
    moments = [kept[start : start + 6] for start in range(0, size, 6)]
    omega, tangent = kept[size : size + 6], Tangent(*kept[size + 6 :])
    shares = exponent_transpose(algebra, moments, far_transpose(tangent, omega, reads["wrench"]))
    force: list[Scalar] = [0.0] * variant.coordinates
    for (moment, coordinate, row), weight in zip(variant.entries, reads["table"], strict=False):
        force[coordinate] = force[coordinate] + weight * shares[moment][row]
    return {"tau": force}


def _moved(variant: RodVariant, table: Vector, q: Vector) -> list[list[Scalar]]:
    """B q."""
    found: list[list[Scalar]] = [[0.0] * 6 for _ in range(variant.moments)]
    for (moment, coordinate, row), weight in zip(variant.entries, table, strict=False):
        found[moment][row] = found[moment][row] + weight * q[coordinate]
    return found


ROD_STEP = Step(
    "rod_step",
    rod_step,
    (
        *(Port(name, Mode.READ) for name in ("table", "q", "v", "a")),
        *(Port(name, Mode.WRITE) for name in ("pose", "kept", "twist", "rate")),
    ),
)
ROD_STEP_ALONG = Step("rod_step_along", rod_step_along, tuple(port for port in ROD_STEP.ports if port.name != "a"))
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
    (*(Port(name, Mode.READ) for name in ("table", "kept", "wrench")), Port("tau", Mode.ADD)),
)
