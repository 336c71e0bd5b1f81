"""Along a tendon: its length, and what its tension does to the coordinates of a rod.

With t = rest + G q at each point, its weight included (``shapes.tendon``), the length is l = sum |t|. A tension u >= 0
pulls with tau = -(dl/dq)^T u, dl/dq = sum G^T t / |t|, exactly (Mathew et al., eqs. D60 to D63). A visit does all
points of a tendon along a rod side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.actuation import following
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Kernel, Mode, Port, Step, Visit


@dataclass(frozen=True, slots=True)
class StrandVariant:
    """What is structural about a tendon along a rod; see ``shapes.tendon.StrandTable``."""

    coordinates: int
    entries: tuple[tuple[int, int], ...]
    rests: tuple[int, ...]
    following: str = ""

    @property
    def width(self) -> int:
        """Scalars of a point's table."""
        return len(self.entries) + len(self.rests) + following.NUMBERS[self.following]


def strand_length(variant: StrandVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per tendon and rod: its length [m]. Of a chamber whose points are summed, its volume [m^3]."""
    if variant.following:
        return {"length": [_followed(variant, algebra, reads)[0]]}
    return {"length": [_stretched(variant, algebra, reads)[1]]}


def strand_force(variant: StrandVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per tendon and rod: the forces of its coordinates, by the tension ``u`` or by that of 1 N."""
    if variant.following:
        sign = following.SIGNS.get(variant.following, -1.0)
        pull = sign if "u" not in reads else sign * reads["u"][0]
        along = [pull * slope for slope in _followed(variant, algebra, reads)[1]]
    else:
        vector, size = _stretched(variant, algebra, reads)
        pull = -1.0 / size if "u" not in reads else -reads["u"][0] / size
        along = [pull * entry for entry in vector]
    force: list[Scalar] = [0.0] * variant.coordinates
    for (component, coordinate), slope in zip(variant.entries, reads["table"], strict=False):
        force[coordinate] = force[coordinate] + slope * along[component]
    return {"force": force}


@dataclass(frozen=True, slots=True)
class BentVariant:
    """A tendon along a rod, and the rows among the rod's in which its forces are given."""

    strand: StrandVariant
    rows: tuple[int, ...]


def strand_slopes(variant: BentVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per tendon and rod: what the tension ``u`` takes off forces per move of coordinates, u d2l/dq2.

    d2l/dq2 = sum G^T (1 - t t^T / |t|^2) G / |t|, row by row.
    """
    if variant.strand.following:
        return _followed_slopes(variant, algebra, reads)
    vector, size = _stretched(variant.strand, algebra, reads)
    inverse = 1.0 / size
    pull, unit = reads["u"][0] * inverse, [inverse * entry for entry in vector]
    slopes: dict[int, dict[int, Scalar]] = {}
    for (component, coordinate), slope in zip(variant.strand.entries, reads["table"], strict=False):
        slopes.setdefault(coordinate, {})[component] = slope
    longer: dict[int, Scalar] = {}
    for coordinate, own in slopes.items():
        longer[coordinate] = dot(list(own.values()), [unit[component] for component in own])
    writes: dict[str, list[Scalar]] = {}
    for row in variant.rows:
        entries: list[Scalar] = [0.0] * variant.strand.coordinates
        for coordinate, own in slopes.items() if row in slopes else ():
            both = [component for component in own if component in slopes[row]]
            along = dot([slopes[row][k] for k in both], [own[k] for k in both]) if both else 0.0
            entries[coordinate] = pull * (along - longer[row] * longer[coordinate])
        writes[row_name(row)] = entries
    return writes


def row_name(row: int) -> str:
    """The port of a row of a rod's block of slopes."""
    return f"row{row}"


def slopes_step(rows: int) -> Step:
    """The step of :func:`strand_slopes` for rods of up to so many coordinates."""
    reads = [Port(port, Mode.READ) for port in ("table", "q", "u")]
    return Step("tendon_slopes", strand_slopes, (*reads, *(Port(row_name(row), Mode.ADD) for row in range(rows))))


def copied(variant: object, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per column: another matrix has it too."""
    return {"column": reads["source"]}


def copy_visit(source: Access, column: Access) -> Visit:
    """The visit of ``COPY`` that copies a column."""
    return Visit(-1, None, {}, {"source": source, "column": column})


def _stretched(variant: StrandVariant, algebra: Algebra, reads: Reads) -> tuple[list[Scalar], Scalar]:
    """The vector t and its size."""
    vector: list[Scalar] = [0.0] * 3
    table = reads["table"]
    for component, rest in zip(variant.rests, table[len(variant.entries) :], strict=True):
        vector[component] = rest
    for (component, coordinate), slope in zip(variant.entries, table, strict=False):
        vector[component] = vector[component] + slope * reads["q"][coordinate]
    return vector, algebra.function("sqrt", dot(vector, vector))


def _followed(variant: StrandVariant, algebra: Algebra, reads: Reads) -> tuple[Scalar, list[Scalar]]:
    """What moves with sections that deform: its size, and slopes by local quantities."""
    z = following.quantities(variant.following, variant.entries, variant.rests, reads)
    return following.local(variant.following, algebra, z, reads["table"])


def _followed_slopes(variant: BentVariant, algebra: Algebra, reads: Reads) -> Writes:
    """Slopes of its forces, row by row."""
    own, kind = variant.strand, variant.strand.following
    z = following.quantities(kind, own.entries, own.rests, reads)
    moved = sorted({row for row, _ in own.entries})
    second = following.bent(kind, algebra, z, reads["table"], moved)
    columns: dict[int, list[tuple[int, Scalar]]] = {}
    for (row, coordinate), slope in zip(own.entries, reads["table"], strict=False):
        columns.setdefault(coordinate, []).append((moved.index(row), slope))
    pull = -following.SIGNS.get(kind, -1.0) * reads["u"][0]
    writes: dict[str, list[Scalar]] = {}
    for row in variant.rows:
        given = columns.get(row, [])
        sums = [dot([second[k][place] for k, _ in given], [slope for _, slope in given]) for place in range(len(moved))]
        entries: list[Scalar] = [0.0] * own.coordinates
        for coordinate, column in columns.items() if given else ():
            entries[coordinate] = pull * dot([sums[place] for place, _ in column], [slope for _, slope in column])
        writes[row_name(row)] = entries
    return writes


def chamber_volume(count: int, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per chamber: its volume [m^3], linear in the coordinates."""
    slopes = [constants[slope_name(number)] for number in range(count)]
    return {"volume": [constants["rest"] + dot(slopes, reads["q"])]}


def constant_force(count: int, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per input whose forces rest on u alone: those by the pressure ``u``, say, or by that of 1 Pa."""
    slopes = [constants[slope_name(number)] for number in range(count)]
    return {"force": [slope * reads["u"][0] for slope in slopes] if "u" in reads else slopes}


def varied_force(varying: tuple[str, ...], algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry of what a gain gains by q and v: its force, by the input ``u`` or by 1."""
    given = [constants[name] * reads[of][0] for name, of in (("stiffness", "q"), ("damping", "v")) if name in varying]
    total = given[0] if len(given) == 1 else given[0] + given[1]
    return {"force": [total * reads["u"][0] if "u" in reads else total]}


def gain_slope(_: object, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slope of a gain: what the input ``u`` takes off forces per move of a row."""
    return {"entry": [-constants["slope"] * reads["u"][0]]}


def rest_force(variant: tuple[int, bool], algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per strain at rest: the forces of a column of the stiffness, by ``factor`` where it has one."""
    forces = constant_force(variant[0], algebra, constants, reads)["force"]
    return {"force": [constants["factor"] * own for own in forces] if variant[1] else forces}


def opposed(variant: object, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: what inputs give is taken off the force that the motion needs."""
    return {"needed": [-reads["given"][0]]}


def joint_force(variant: str, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of a joint that is driven: its force, ``u`` or 1."""
    return {"force": reads.get("u", [1.0])}


def merge(prescribed: bool, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of hybrid dynamics: the acceleration that is given, or else the force."""
    return {"given": reads["a" if prescribed else "force"]}


def slope_name(number: int) -> str:
    """What a coordinate does to a chamber's volume, or a unit of input to its force, among the constants."""
    return f"slope{number}"


def _step(name: str, kernel: Kernel, written: str, mode: Mode, *read: str) -> Step:
    return Step(name, kernel, (*(Port(port, Mode.READ) for port in read), Port(written, mode)))


LENGTH = _step("tendon_length", strand_length, "length", Mode.ADD, "table", "q")
STRAND = _step("tendon_force", strand_force, "force", Mode.ADD, "table", "q", "u")
VOLUME = _step("chamber_volume", chamber_volume, "volume", Mode.WRITE, "q")
CHAMBER = _step("chamber_force", constant_force, "force", Mode.ADD, "u")
LAW = _step("actuator_force", constant_force, "force", Mode.ADD, "u")
VARIED = _step("varied_actuator_force", varied_force, "force", Mode.ADD, "u", "q", "v")
GAIN_SLOPE = _step("gain_slope", gain_slope, "entry", Mode.ADD, "u")
REST = _step("rest_strain_force", rest_force, "force", Mode.ADD, "u")
OPPOSED = _step("taken_off_force", opposed, "needed", Mode.ADD, "given")
JOINT = _step("joint_force", joint_force, "force", Mode.ADD, "u")
COPY = _step("copy_column", copied, "column", Mode.WRITE, "source")
MERGE = _step("given_motion_or_force", merge, "given", Mode.WRITE, "a", "force")
