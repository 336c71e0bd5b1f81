"""Optimal control: numbers of the solver, how it ends, and limits of rows; it imports no room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from types import MappingProxyType

from symdyn.interface.derivatives import HESSIANS, WEIGHTS


class ControlCode(IntEnum):
    """How a call of the solver ended; the values are those of the header."""

    DONE = 0
    """Converged, or a sample whose quadratic program is solved."""
    ITERATIONS = 1
    """The bound on iterations was reached; the plan is usable."""
    QP_ITERATIONS = 2
    """The bound on iterations of the quadratic program was reached; the plan is usable."""
    REGULARISATION = 3
    """No regularisation makes the quadratic program convex."""
    LINE_SEARCH = 4
    """No step along the direction lowers the merit function."""
    STEP_FAILED = 5
    """The step of a node has no finite result."""
    NOT_FINITE = 6
    """An infinity or NaN was given, or a cost is one."""


USABLE = (ControlCode.DONE, ControlCode.ITERATIONS, ControlCode.QP_ITERATIONS)
"""Codes after which a plan is new; after others it is the last good one."""


@dataclass(frozen=True, slots=True)
class RowLimit:
    """One side of a limit: sign * (x[at] - bound) >= 0, where ``row`` of the tangent moves x[at].

    ``soft`` is 0 for a hard limit, or 1 / w where a violation e costs w e^2 / 2. ``span`` is the width of the range
    where both sides are finite, and otherwise a length that is usual there.
    """

    row: int
    at: int
    sign: int
    bound: float
    soft: float
    span: float


@dataclass(frozen=True, slots=True)
class ControlNumbers:
    """Numbers of the solver for one type of scalars.

    ``qp`` and ``sample`` are barriers at which quadratic programs end, to converge and in real time; ``gap`` the sum of
    gaps of a converged plan; ``rounding`` what the merit function may rise, relative to it; ``closed`` by what share
    of the start limits of states may be open; ``stalled`` what share of their way slacks or multipliers have before
    them after two steps of a warm start that is given up.
    """

    tolerance: float
    qp: float
    sample: float
    gap: float
    rounding: float
    closed: float
    newton: float
    """Newton's method for a step ends after a move by h^2 a below this, relative to h^2 a above 1."""
    rate: float = 0.3
    """Slower moves of it get a new factor."""
    least: float = 1e-9
    most: float = 1e3
    boundary: float = 0.995
    bent: float = 10.0
    """Corrections of products of slacks and multipliers are at most so many barriers."""
    armijo: float = 1e-4
    merit: float = 0.7
    fall: float = 0.1
    full: float = 0.9
    even: float = 10.0
    """The last program of a plan ends where no product of a slack and a multiplier is above so many of its barriers."""
    stalled: float = 0.7
    exact: float = 1e-4
    """Programs of a plan far from converged end at this share of the decrease before, for all sides together."""
    loose: float = 1e-5
    """And at this barrier at the latest."""
    follow: float = 1e-2
    """Those after a solved one begin near its multipliers, at this share of the decrease, for all sides together."""
    cold: tuple[float, float] = (5e-2, 1e-2)
    """Share of the range by which inputs start inside it, and barrier of the first multipliers."""
    warm: tuple[float, float] = (1e-3, 1e-4)
    restart: tuple[float, float] = (0.2, 100.0)
    """The same where a sample's warm start stalled: its multipliers have far to go, and small ones make short steps."""
    halvings: int = 8
    strayed: float = 0.2
    """By what share of the way of all states a step of a plan may open gaps; a longer one is halved."""
    short: int = 2
    """A step halved so often or more raises the damping of the next, and a whole one lowers it."""
    damping: tuple[float, float, float] = (0.3, 1e-6, 10.0)
    """Damping at first, as a share of diagonals of Hessians (Marquardt 1963), below which there is none, and most."""


NUMBERS: Mapping[str, ControlNumbers] = MappingProxyType(
    {
        "float64": ControlNumbers(1e-6, qp=1e-9, sample=1e-6, gap=1e-6, rounding=1e-12, closed=1e-6, newton=1e-10),
        "float32": ControlNumbers(1e-4, qp=1e-5, sample=1e-5, gap=1e-3, rounding=1e-6, closed=1e-3, newton=1e-5),
    }
)
MPC = "mpc"
"""The solver of optimal-control problems."""
STEP, STEP_PARTIALS, STEP_MATRICES = "step", "step_partials", "step_matrices"
STEP_CURVATURE = HESSIANS["forward_dynamics"]
"""Second derivatives of accelerations: of a step v' = v + h a, q' = q + h v' where rows of q' are rows of v."""
CURVED: Mapping[str, str] = MappingProxyType(
    {f"H_{x}{y}": f"l_{x}{'u' if y == 'tau' else y}" for x in "qv" for y in ("q", "v", "u", "tau")}
    | {"H_uu": "l_uu", "H_tautau": "l_uu"}
)
"""Its outputs, and derivatives of costs to which they are added."""
RESIDUAL, RESIDUAL_PARTIALS = "implicit_residual", "implicit_residual_partials"
BEFORE = "u_before"
"""The inputs of the step before."""
MADE = ("q", "v", "tau", "u", "h", "a", "a_guess", WEIGHTS, BEFORE)
"""Inputs of functions that the solver makes itself; the others are given at run time."""
COST_FUNCTIONS = ("stage_cost", "stage_cost_derivatives", "end_cost", "end_cost_derivatives")
MPC_FUNCTIONS = (STEP, STEP_PARTIALS, *COST_FUNCTIONS)
"""What the solver calls where rows of q' are rows of v."""
IN_LANES = (STEP, STEP_PARTIALS, STEP_MATRICES, COST_FUNCTIONS[0])
"""What it calls for all nodes at once where nodes are in lanes."""
MPC_DENSE_FUNCTIONS = (STEP, STEP_MATRICES, *COST_FUNCTIONS)
"""What it calls elsewhere, and where a method's matrices have no velocity rows."""


MPC_IMPLICIT_FUNCTIONS = (RESIDUAL, RESIDUAL_PARTIALS, *COST_FUNCTIONS)
"""What it calls for implicit steps where rows of q' are rows of v: it factors their matrices itself."""


class ImplicitKind(Enum):
    """How the acceleration of an implicit step is found."""

    RESIDUAL = "residual"
    """By the residual, with factors of a Newton matrix that serve several steps."""
    STEP = "step"
    """By calls of ``step``, each a whole step of Newton's method, where joints turn."""


@dataclass(frozen=True, slots=True)
class ControlSettings:
    """A problem as the solver sees it: ``nodes`` steps of a length, limits of rows, and bounds on iterations.

    ``theta`` is the share of the new velocity in dq = h (theta v_next + (1 - theta) v); None where A and B are dense.
    ``implicit`` is None for explicit steps. ``curvature`` is the function with second derivatives of steps, empty where
    Hessians are those of costs. ``rates`` are limits of the change of inputs from step to step. Where ``rated``, those
    of the step before are part of the state. With ``lanes`` nodes are evaluated by the batches of functions. ``fixed``
    are rows of inputs that do not move, and their values.
    """

    nodes: int
    step: float
    theta: float | None
    inputs: tuple[RowLimit, ...]
    states: tuple[RowLimit, ...]
    iterations: int
    qp_iterations: int
    tolerance: float
    globalise: bool
    implicit: ImplicitKind | None = None
    curvature: str = ""
    rates: tuple[RowLimit, ...] = ()
    rated: bool = False
    lanes: bool = False
    fixed: tuple[tuple[int, float], ...] = ()

    @property
    def sides(self) -> tuple[RowLimit, ...]:
        """Of all limits: of inputs, of their changes, of states."""
        return (*self.inputs, *self.rates, *self.states)

    @property
    def method_theta(self) -> float:
        """The share for factors of steps."""
        return self.theta or 1.0

    @property
    def called(self) -> tuple[str, ...]:
        """The functions that the solver calls."""
        if self.implicit is ImplicitKind.RESIDUAL:
            return MPC_IMPLICIT_FUNCTIONS
        moving = MPC_DENSE_FUNCTIONS if self.theta is None else MPC_FUNCTIONS
        return (*moving, self.curvature) if self.curvature else moving


NEWTON_STEPS = 40
"""Of one implicit step, at most."""
QP_ITERATIONS = 50
"""Of one quadratic program, where a plan is to converge."""


@dataclass(frozen=True, slots=True)
class ControlReport:
    """How a call ended: iterations, those of quadratic programs in all, the node of a failure, -1 without one.

    ``cost`` and ``gap``, the sum of gaps and of violations of hard limits of states, are those before the last step.
    ``decrease`` is the change that the quadratic model of the cost expects from it.
    """

    code: ControlCode
    iterations: int
    qp_iterations: int
    node: int
    cost: float
    gap: float
    decrease: float

    @property
    def usable(self) -> bool:
        """Whether the plan is new; otherwise it is the last good one."""
        return self.code in USABLE
